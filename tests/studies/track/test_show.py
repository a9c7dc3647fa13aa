"""What runs of the track study say: on a terminal, in Markdown, as data and as a page."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.show import Section, Steps, Tone
from memgauge.show.document import walk
from memgauge.show.html import page as page_of
from memgauge.show.markdown import markdown
from memgauge.show.terminal import lines
from memgauge.stats import Interval
from memgauge.studies.track.charts import calls_chart, events_chart
from memgauge.studies.track.kinds import COMPARISON, IMPORT, LINT, SCORES, STATISTICS
from memgauge.studies.track.play.played import QuestionEnding
from memgauge.studies.track.scoring.card import card
from memgauge.studies.track.scoring.compare import compare_runs
from memgauge.studies.track.scoring.method import method
from memgauge.studies.track.scoring.scored import ScoredRun, scores_of
from memgauge.studies.track.show import document, facts, headline
from memgauge.studies.track.show_compared import comparison_document
from memgauge.studies.track.show_played import played_document
from memgauge.studies.track.show_timelines import import_document, lint_document, statistics_document
from memgauge.studies.track.timeline.accounting import Accounting, ArchiveImport, ImportedInstance
from memgauge.studies.track.timeline.lint import lint_all
from memgauge.studies.track.timeline.references import ReferenceWords
from memgauge.studies.track.timeline.statistics import TimelineStatistics, statistics, table
from memgauge.text.counting import DEFAULT
from support.track.play import answered, call, failed, played, timeline

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from memgauge.show import Document
    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.scoring.scored import RunScores
    from memgauge.studies.track.timeline.models import Timeline

HOSTILE = "<script>alert(1)</script>\x1b[2J|`"


def trajectory(instance: str = "tiny", answer: str = "dana") -> PlayedInstance:
    """Play the small timeline by hand: something new, something redundant, something that fails."""
    calls = [
        call(0, "list_tickets", text=f"Cache bug {HOSTILE}", events=("e0", "e3"), touched=("ticket:1:title:e0",)),
        failed(1, "fly"),
        call(
            2,
            "get_channel_messages",
            {"channel": "ops", "limit": 5},
            "7 retries",
            question="q2",
            events=("e2", "e4"),
        ),
        call(
            3,
            "get_channel_messages",
            {"channel": "ops", "limit": 9},
            "7 retries",
            question="q3",
            events=("e2", "e4"),
        ),
        call(4, "search_memory", {"query": "x"}, "nothing", question="q3"),
    ]
    answers = [
        answered("q1", answer, 2),
        answered("q2", "", 3, ended=QuestionEnding.FAULT, reason="down", faults=("write raised",)),
        answered("q3", HOSTILE, 5),
    ]
    return played(calls, answers, instance=instance)


def scored(label: str = "search + none, keep", answer: str = "dana", **identity: str) -> ScoredRun:
    """Score it over two instances that share a history."""
    timelines: dict[str, Timeline] = {name: timeline(name) for name in ("tiny", "twin")}
    every = [trajectory(name, answer) for name in timelines]
    cards = [card(each, timelines[each.instance]) for each in every]
    plan = {"label": label, "repeats": 1, "instances": dict.fromkeys(timelines, ""), "agent": "search"} | identity
    return ScoredRun("runs/x", plan, timelines, every, cards, method(label, cards))


def printed(shown: Document) -> str:
    """Print a document as a terminal would."""
    console = Console(width=120, record=True, file=StringIO())
    for part in lines(shown):
        console.print(part, markup=False)
    return console.export_text()


def scores(run: ScoredRun) -> RunScores:
    """Return what is known of one run."""
    return scores_of([run]).runs[0]


def test_a_terminal_shows_the_documents_tables() -> None:
    """Each table by its number, and a sentence with what the score rests on; what was played is for pages."""
    text = printed(played_document([scored()]))
    for number in (1, 3, 4, 5, 6):
        assert f"Table {number}." in text
    assert "correctness 0.333 over 6 questions of 2 instances (1 different history), 1 repeat." in text
    assert "2 fault" in text
    assert "What was played" not in text


def test_what_a_reader_must_know_is_said() -> None:
    """Ceilings, missing walls, missing instances and failures of a memory stand beside the number."""
    notes = list(facts(scores(scored(agent="oracle", sandbox="none"))))
    said = " ".join(note.text for note in notes)
    for part in ("ceiling", "no sandbox", "rules alone", "failed 2 times", "refused what it was sent"):
        assert part in said
    assert sum(note.tone is Tone.WARN for note in notes) == 3
    run = scored()
    partial = replace(run, played=run.played[:1], judge="openai:tiny", method=replace(run.method, unscored=2))
    said = " ".join(note.text for note in facts(scores(partial)))
    for part in ("1 instance of the plan not played", "openai:tiny, after rules", "2 answers unscored"):
        assert part in said
    assert "different histor" in headline(scores(run))


def test_several_runs_are_told_apart() -> None:
    """The lead says between what correctness lies, and every sentence names its run."""
    shown = document(scores_of([scored("a"), scored("b", answer="lee")]))
    assert shown.lead.startswith("Correctness over 2 runs lies between 0.000 (b) and 0.333 (a)")
    text = printed(shown)
    assert "- a: correctness 0.333" in text
    assert "- b: correctness 0.000" in text
    alike = document(scores_of([scored("a"), scored("b")]))
    assert alike.lead == "Correctness over 2 runs is 0.333."


def test_a_mean_over_runs_says_of_which() -> None:
    """A run that has no mean is named, and not counted among those that a number is over."""

    def without(label: str) -> ScoredRun:
        run = scored(label)
        undefined = Interval(None, None, None, 0, "the judge gave no verdict on 6 of 6 answers")
        return replace(run, method=replace(run.method, scores={**run.method.scores, "correctness": undefined}))

    def lead(*runs: ScoredRun) -> str:
        return document(scores_of(runs)).lead

    assert lead(scored("a"), without("b")) == "Correctness of a is 0.333; b has no mean."
    assert lead(scored("a"), without("b"), without("c")) == "Correctness of a is 0.333; b and c have no mean."
    assert lead(scored("a"), without("b"), scored("c")) == "Correctness over 2 of 3 runs is 0.333; b has no mean."
    assert lead(scored("a"), scored("b", answer="lee"), without("c")).startswith(
        "Correctness over 2 of 3 runs lies between 0.000 (b) and 0.333 (a); c has no mean; whether two differ"
    )


def test_tables_have_the_documents_numbers() -> None:
    """Every row fits its columns, what is undefined stays so, and intervals are exported."""
    tables = {each.key: each for each in document(scores_of([scored()])).tables}
    assert [each.title.partition(".")[0] for each in tables.values()] == [
        "Table 1", "Table 3", "Table 4", "Table 5", "Table 6", "What was seen", "Fetched again",
    ]  # fmt: skip
    assert all(len(row) == len(each.columns) for each in tables.values() for row in each.rows)
    rows = {key: [cell.text for cell in each.rows[0]] for key, each in tables.items()}
    assert rows["timelines"] == ["events", "6", "6"]
    assert rows["overall"][:3] == ["search + none, keep", "0.333", "0.333"]
    assert rows["follow-up"][1:] == ["0.333", "0.000", "0.333"]
    assert rows["spread"][1:] == ["1", "undefined", "undefined"]
    correct = tables["overall"].rows[0][1]
    assert correct.value == pytest.approx(1 / 3)


def test_markdown_is_one_table_after_another() -> None:
    """Names from outside mean themselves."""
    text = markdown(document(scores_of([scored("a|b")])))
    assert "a\\|b" in text
    assert "## Table 3. Overall" in text


def test_data_holds_every_verdict() -> None:
    """Programs get methods, cards and what is averaged of each, and everything is JSON."""
    value = json.loads(json.dumps(plain(SCORES.of(scores_of([scored()])))))["value"]
    (run,) = value["runs"]
    assert run["instances"][0]["values"]["correctness"] == pytest.approx(1 / 3, abs=1e-6)
    assert run["instances"][0]["card"]["correctness"]["verdicts"][0][1]["how"] == "exact"
    assert [column["name"] for column in value["statistics"]][:2] == ["events", "tokens"]


def timelines() -> TimelineStatistics:
    """Count the small timeline."""
    each = (statistics(timeline(), DEFAULT, ReferenceWords()),)
    return TimelineStatistics(each, table(each))


IMPORTED = ArchiveImport((ImportedInstance("tiny", 6, 3, Accounting(40, (), ("Ticket.weight",))),), "mine")


def test_results_are_read_back_as_they_were_written() -> None:
    """Each kind of result says the same after it was a file; another version is refused with a sentence."""
    comparison = compare_runs(scored(), scored(answer="lee"))
    for kind, value in (
        (SCORES, scores_of([scored()])),
        (COMPARISON, comparison),
        (STATISTICS, timelines()),
        (LINT, lint_all([timeline(), timeline("twin")])),
        (IMPORT, IMPORTED),
    ):
        written = {"kind": kind.name, "version": kind.version, "value": json.loads(json.dumps(plain(value)))}
        assert plain(kind.read(written)) == plain(value)
        with pytest.raises(MalformedDataError, match="version 2"):
            kind.read({**written, "version": 2})


def test_a_comparison_is_shown() -> None:
    """Differences with their intervals, and whether anything can be told from them at all."""
    first, second = scored(answer="lee"), scored("search + bm25 (tools), keep")
    text = printed(comparison_document(compare_runs(first, second)))
    assert "+0.333" in text
    assert "Whether the two runs differ cannot be tested over 1 different history." in text
    assert "Second: search + bm25 (tools), keep." in text


@pytest.mark.parametrize(("adjusted", "lead"), [(0.01, "differ in correctness,"), (0.2, "No measure tells")])
def test_a_comparison_leads_with_what_is_told_apart(adjusted: float, lead: str) -> None:
    """A measure is named where its difference holds after Holm; none where none does."""
    comparison = compare_runs(scored(answer="lee"), scored())
    known = replace(comparison.differences[0], p=adjusted, p_adjusted=adjusted)
    told = replace(comparison, histories=9, differences=(known, *comparison.differences[1:]))
    assert lead in comparison_document(told).lead


def test_no_headline_contradicts_the_interval_below_it() -> None:
    """What holds alone and not after Holm is named with the number of tests; copies are said to be one."""
    comparison = compare_runs(scored(answer="lee"), scored())
    known = [
        replace(
            difference,
            p=0.02,
            p_adjusted=0.06,
            same_as="correctness" if difference.measure == "strict" else "",
        )
        for difference in comparison.differences
        if difference.measure in {"correctness", "strict", "efficiency"}
    ]
    shown = comparison_document(replace(comparison, histories=9, differences=tuple(known)))
    assert shown.lead == (
        "No measure tells the two runs apart, over 9 different histories and after Holm over 2 measures; "
        "correctness and efficiency would if nothing else were tested."
    )
    assert "strict has the values of correctness: Holm counts them once." in " ".join(printed(shown).split())


def test_timelines_have_documents() -> None:
    """Statistics, doubts and imports: every table on its page."""
    doubts = lint_all([timeline(), timeline("twin")])
    for shown in (statistics_document(timelines()), lint_document(doubts), import_document(IMPORTED)):
        page = page_of(shown)
        assert list(shown.tables)
        assert all(f'id="{each.key}"' in page for each in shown.tables)
    assert import_document(IMPORTED).lead == "Wrote 1 instance below mine."


def test_charts_say_what_they_show() -> None:
    """Events by what became of them, calls by what they brought."""
    events = events_chart(timeline(), trajectory())
    assert "4 of 6 events were revealed" in events.description
    calls = calls_chart(trajectory())
    for part in ("2 revealed something new", "1 redundant", "1 failed", "1 no new event"):
        assert part in calls.description
    assert calls_chart(played()).description == "no call."


def test_a_page_shows_every_call_and_trusts_nothing() -> None:
    """Questions, verdicts and what each call revealed; nothing foreign is markup or a control character."""
    shown = played_document([scored(), scored("other")])
    page = page_of(shown)
    assert all(f'id="{each.key}"' in page for each in shown.tables)
    assert page.count("<svg") == 8
    assert "<script>alert" not in page
    assert "\x1b" not in page
    for part in (
        "new: e0, e3",
        "new: nothing; 2 seen before",
        "redundant",
        "failed",
        "evidence seen",
        "(fault: down)",
    ):
        assert part in page
    assert "the same as call 3, but larger" in page


def test_every_question_tells_its_calls() -> None:
    """One folded story an instance; in it each question with its verdict, and its calls one by one."""
    (section,) = [block for block in played_document([scored()]).blocks if isinstance(block, Section)]
    first = section.blocks[0]
    assert isinstance(first, Section)
    questions = [block for block in first.blocks if isinstance(block, Section)]
    assert [question.badges[0].text for question in questions] == ["right", "not right", "not right"]
    steps = [block for block in walk(questions[0].blocks) if isinstance(block, Steps)]
    assert [step.number for step in steps[0].steps] == ["1 linear", "2 unknown"]
    assert steps[0].steps[1].badges == ("failed",)


def test_long_runs_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page shows so many stories, and how many more the tables count."""
    monkeypatch.setattr("memgauge.studies.track.show_played.LIMIT", 1)
    page = page_of(played_document([scored()]))
    assert "1 more are not shown here; the tables count them." in page


@pytest.mark.browser
def test_a_page_opens_quietly_and_never_scrolls_sideways(browser: Browser, tmp_path: Path) -> None:
    """In a real browser, on a phone and on a desk."""
    path = tmp_path / "track.html"
    path.write_text(page_of(played_document([scored(), scored("x" * 90)])), "utf-8")
    said: list[str] = []
    for width in (390, 1280):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
    assert said == []
