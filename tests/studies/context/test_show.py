"""What a context study says in tables, drawings and on a page, and that it is harmless."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.llm.access import Access
from memgauge.results import plain
from memgauge.show.figures import drawn
from memgauge.show.html import page as page_of
from memgauge.show.terminal import lines
from memgauge.stats.intervals import Interval
from memgauge.studies.context import show_history
from memgauge.studies.context.assembled import FATES, AssemblyLane, Fate
from memgauge.studies.context.charts import (
    depth_chart,
    heat_chart,
    length_chart,
    prompt_chart,
    trend_chart,
)
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.listing import TASK_LIST, list_tasks
from memgauge.studies.context.models import open_local
from memgauge.studies.context.predict import calibrate
from memgauge.studies.context.prompts import PROMPTS, PromptStudy
from memgauge.studies.context.show import document
from memgauge.studies.context.show_lists import rules_document, tasks_document
from memgauge.studies.context.show_prompts import document as prompts_document
from memgauge.studies.context.simulate import RULES, compare_rules
from memgauge.studies.context.study import ModelStudy, conduct
from memgauge.studies.context.trend import append, entries

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from memgauge.show import Document, Table
    from memgauge.studies.context.trend import TaskMeasurement

CROSSED = """() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
  const outside = texts.filter(([, r]) => r.left < frame.left - 1 || r.right > frame.right + 1);
  const overlap = texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([, s]) =>
    r.left < s.right && s.left < r.right && r.top + 3 < s.bottom && s.top + 3 < r.bottom
  ).map(([b]) => [a, b]));
  return [...outside.map(([a]) => a), ...overlap];
})"""
"""Words of drawings that leave them or lie on each other."""
EVIL = "<script>alert(1)</script>\x1b[31m"


@cache
def measured(
    model: str = "simulated:effective=3000,penalty=0.2", *, adaptive: bool = False, label: str = "m"
) -> ModelStudy:
    """Measure a local model with few samples."""
    local = open_local(model)
    assert local is not None
    grid = SampleGrid(("needle-noise", "update"), (1_000, 2_000), (0.0, 0.5, 1.0), samples=40 if adaptive else 12)
    return conduct(grid, Access(local), local, adaptive=adaptive, label=label)


def fate(number: int, *, stale: bool = True) -> Fate:
    """Make one question whose evidence survives."""
    return Fate(
        question=f"q{number}",
        conversation=f"c{number % 3}",
        recall=1.0,
        survival=1.0,
        complete=1.0,
        loss=0.0,
        depth=0.1,
        depths=(0.1,),
        edge=1.0,
        stale=float(number % 2) if stale else None,
        beside=float(number % 2) if stale else None,
        ordered=None,
        marked=None,
        redundancy=0.0,
        intact=1.0,
        verbatim=None,
        tokens=1_234,
    )


def lane(
    run: str = "bm25", policy: str = "relevance-first", *, stale: bool = True, budget: int = 500
) -> AssemblyLane:
    """Make what the prompts of one memory keep."""
    fates = tuple(fate(number, stale=stale) for number in range(10))
    measures = {}
    for name, value in FATES.items():
        shares = [share for each in fates if (share := value(each)) is not None]
        mean = sum(shares) / len(shares) if shares else None
        measures[name] = Interval(mean, mean, mean, len(shares))
    return AssemblyLane(run, "synthetic", policy, "whole", budget, "chars/4", fates, measures)


def table(shown: Document, key: str) -> Table:
    """Return a table that must be there."""
    return next(each for each in shown.tables if each.key == key)


def rows_of(shown: Table) -> dict[str, tuple[str, ...]]:
    """Return what is read in the rows of a table, by their first cell."""
    return {row[0].text: tuple(cell.text for cell in row[1:]) for row in shown.rows}


def printed(shown: Document) -> str:
    """Return what a terminal shows of a document beside its tables."""
    return "\n".join(map(str, lines(shown)))


def test_a_penalty_from_few_samples_is_marked() -> None:
    """Fewer than 100 samples a bucket leave no penalty without its mark and the sentence that explains it."""
    shown = table(document(measured()), "profile")
    assert [row[2].badges for row in shown.rows] == [("!",)] * 4
    assert "(!) only 12 answers a depth" in shown.note


def test_enough_samples_need_no_mark() -> None:
    """With 100 samples a bucket the penalty stands for itself, with its interval."""
    local = open_local("simulated:penalty=0.2")
    assert local is not None
    study = conduct(SampleGrid(("kv",), (500,), (0.0, 0.5), samples=100), Access(local), local)
    shown = table(document(study), "profile")
    penalty = study.tasks[0].profiles[0].penalty
    assert (shown.rows[0][2].badges, "(!)" in shown.note) == ((), False)
    assert (shown.rows[0][2].value, shown.rows[0][2].low) == (penalty.mean, penalty.low)
    assert shown.rows[0][2].text.startswith(("+", "-"))


def test_a_vector_and_never_one_number() -> None:
    """Effective context is told task by task and rule by rule; adaptively, only what was decided."""
    full, adaptive = (table(document(measured(adaptive=each)), "effective") for each in (False, True))
    assert [row[0].text for row in full.rows] == ["needle-noise", "update"]
    assert full.heads[3:] == (
        "lower bound",
        "first crossing",
        "as published",
        "lower bound, 0.856",
        "as published, 0.856",
    )
    assert adaptive.heads[3:] == ("lower bound",)
    assert "--every" in adaptive.note
    assert "in about a third" in full.note


def test_the_lead_says_the_bound_and_what_it_took() -> None:
    """One sentence with every task's bound; adaptively, also what was not needed."""
    study = measured(adaptive=True)
    shown = document(study)
    assert shown.lead.startswith("Effective context, as a 95 % lower bound in tokens: needle-noise ")
    assert f"{study.saved:,} of the full grid" in shown.facts[0]


def test_what_cannot_be_measured_says_so() -> None:
    """A base too low leaves the row with that word and no length, and a note with the reason."""
    shown = document(measured("silent"))
    assert {row[3].text for row in table(shown, "effective").rows} == {"not measurable"}
    assert "below 0.6" in table(shown, "effective").note
    assert [note.about for note in shown.notes] == ["needle-noise", "update"]
    assert all("base accuracy" in note.text for note in shown.notes)


def test_both_scorers_stand_side_by_side() -> None:
    """An echo is 0 here and 1 as published, and its dumps are counted."""
    rows = rows_of(table(document(measured("echo")), "matchers"))
    assert rows["update"] == ("update", "1.000", "0.000", "1.000", "72", "0")


def test_what_curves_show_stands_in_tables() -> None:
    """A row a task and length, and one a task, length and depth; a terminal shows them when asked."""
    shown = document(measured())
    assert len(table(shown, "lengths").rows) == 4
    assert len(table(shown, "depths").rows) == 12
    few, many = (len(list(lines(shown, everything=everything))) for everything in (False, True))
    assert few < many


def test_a_terminal_has_no_headings_of_pictures() -> None:
    """Sections that hold figures alone are for pages."""
    study = measured()
    said = printed(document(study, history(measured(label="before"), study)))
    assert "How much context is effective" not in said
    assert "Trend" not in said


def test_prompts_of_one_memory_in_one_table() -> None:
    """One column an order, or an order and a budget; undefined measures say so, with their denominators."""
    shown = table(prompts_document(PromptStudy((lane(), lane(policy="edges-first")))), "prompts-0")
    rows = rows_of(shown)
    assert rows["survival"] == ("1.000", "1.000", "10")
    assert rows["newest last"] == ("undefined", "undefined", "0")
    assert rows["tokens"] == ("1,234", "1,234", "10")
    assert "predicted accuracy" not in rows
    assert (shown.rows[0][1].low, shown.rows[0][1].high) == (1.0, 1.0)
    lanes = (
        replace(lane(), predicted=Interval(0.5, None, None, 10)),
        replace(lane(budget=900), predicted=Interval(0.6, None, None, 10)),
    )
    several = table(prompts_document(PromptStudy(lanes)), "prompts-0")
    assert several.heads == ("measure", "relevance-first, 500", "relevance-first, 900", "n")
    assert rows_of(several)["predicted accuracy"] == ("0.500", "0.600", "10")


def test_sentences_say_what_recall_does_not() -> None:
    """Recall of the same questions, and how often something stale stands beside; or that data do not say."""
    shown = prompts_document(PromptStudy((lane("a"), lane("a", "edges-first"), lane("b", stale=False))))
    assert shown.lead.startswith("In 50.0 % of the prompts that hold evidence")
    said = printed(shown)
    assert "a: 10 questions" in said
    assert "recall@k is 1.000; in 50.0 %" in said
    assert "b: the data name nothing that is stale, so that only retrieval and survival show." in said
    unsaid = prompts_document(PromptStudy((lane("b", stale=False),)))
    assert unsaid.lead == "The data name nothing that is stale, so that only retrieval and survival show."


def test_prompts_that_hold_no_evidence_are_not_blamed_on_the_data() -> None:
    """The data say what is stale; it is the budget that leaves nothing for it to stand beside."""
    nothing = Interval(None, None, None, 0, "no prompt holds evidence")
    empty = replace(lane("a", budget=60), measures=dict(lane().measures) | {"stale beside evidence": nothing})
    why = "nder relevance-first with 60 tokens no prompt holds evidence about what changed"
    shown = prompts_document(PromptStudy((empty,)))
    assert shown.lead.startswith(f"U{why}")
    assert f"a: u{why}" in printed(shown)
    assert prompts_document(PromptStudy((empty, lane("b")))).lead.startswith("In 50.0 % of the prompts")


def test_calibration_and_rules_are_tables() -> None:
    """Bins with intervals and errors; rules with what they claim."""
    chances = {f"q{n}": 0.9 for n in range(4)}
    calibrations = (calibrate("bm25", "layer", chances, dict.fromkeys(chances, True)),)
    shown = table(prompts_document(PromptStudy((lane(),), calibrations)), "calibration")
    assert [cell.text for cell in shown.rows[0][:3]] == ["bm25", "0.8 to 1.0", "0.900"]
    assert (shown.rows[0][3].value, shown.rows[0][3].high) == (1.0, 1.0)
    assert "Brier 0.010, gap 0.100" in shown.note
    rules = table(rules_document(compare_rules(20, 10)), "rules")
    assert [row[0].text for row in rules.rows] == [
        "lower bound", "first crossing", "as published", "lower bound, adaptive",
    ]  # fmt: skip


def test_results_are_read_back_as_they_were_written() -> None:
    """Prompts, rules and tasks as files are what they were; another version is refused with a sentence."""
    predicted = replace(lane(), predicted=Interval(0.5, 0.4, 0.6, 10))
    calibrations = (calibrate("bm25", "layer", {"q": 0.9}, {"q": True}),)
    study, rules, tasks = PromptStudy((predicted,), calibrations, "m, kv"), compare_rules(20, 10), list_tasks(2, 0)
    assert plain(PROMPTS.read(plain(PROMPTS.of(study)))) == plain(study)
    assert PROMPTS.read(plain(PROMPTS.of(study))).lanes[0].fates == predicted.fates
    assert plain(RULES.read(plain(RULES.of(rules)))) == plain(rules)
    assert plain(TASK_LIST.read(plain(TASK_LIST.of(tasks)))) == plain(tasks)
    for kind, written in (
        (PROMPTS, PROMPTS.of(study)),
        (RULES, RULES.of(rules)),
        (TASK_LIST, TASK_LIST.of(tasks)),
    ):
        with pytest.raises(MalformedDataError, match="version 2"):
            kind.read({**plain(written), "version": 2})


def history(*studies: ModelStudy) -> tuple[TaskMeasurement, ...]:
    """Put measurements into a history."""
    return tuple(entry for n, study in enumerate(studies, 1) for entry in entries(study, n, f"2026-01-0{n}"))


def test_drawings_say_in_words_what_they_show() -> None:
    """Every figure has a title and a description that carries its numbers."""
    study = measured()
    chances = {"a": 0.2, "b": 1.0}
    calibrations = (calibrate("r", "l", chances, {"a": False, "b": True}),)
    pages = (document(study), prompts_document(PromptStudy((lane(), lane("b")), calibrations)))
    pictures = {figure.key: drawn(figure) for shown in pages for figure in shown.figures}
    for key, words in (
        ("heat-0", "1k: 0%"),
        ("depth-0", "penalty at 1k"),
        ("lengths", "needle-noise"),
        ("kept", "recall@k"),
        ("calibration-0", "Brier"),
    ):
        assert pictures[key].startswith("<svg")
        assert words in pictures[key]


def test_there_is_nothing_to_draw_without_numbers() -> None:
    """Without depths there is no heat map, with one length no curve over length, with one measurement no trend."""
    study = measured(adaptive=True)
    assert heat_chart(study.tasks[0]) is None
    assert depth_chart(study.tasks[0]) is None
    silent = measured("silent", adaptive=True)
    assert length_chart(silent.effective) is None
    assert list(document(silent, history(silent)).figures) == []
    assert trend_chart(history(study), penalty=False) is None
    assert prompt_chart([], ("survival",)) is None


def test_a_trend_has_a_point_for_every_measurement() -> None:
    """Nightly measurements under one label are told apart by their day; others by their label."""
    nightly = trend_chart(history(measured(), measured("simulated:penalty=0.4,seed=3")), penalty=True)
    assert nightly is not None
    assert "2026-01-01, 2026-01-02" in nightly.description
    named = trend_chart(history(measured(label="one"), measured(label="two")), penalty=True)
    assert named is not None
    assert "one, two" in named.description


def test_figures_of_a_trend_are_written_as_axes_write_them() -> None:
    """Lengths are tokens, in thousands; penalties are shares of two digits."""
    entry = replace(history(measured())[0], effective=16_000, penalty=0.25)
    two = (entry, replace(entry, measurement=2, at="2026-01-02", effective=500, penalty=0.5))
    lengths, penalties = (trend_chart(two, penalty=penalty) for penalty in (False, True))
    assert lengths is not None
    assert penalties is not None
    assert lengths.description.endswith(f"{entry.task} 16k, 500.")
    assert penalties.description.endswith(f"{entry.task} 0.25, 0.50.")


def test_shares_of_prompts_are_drawn_on_the_whole_of_one() -> None:
    """A bar of one is as wide as the drawing, so that two pages can be laid beside each other."""
    chart = prompt_chart([lane()], ("survival",))
    assert chart is not None
    bars = chart.specification["layer"][0]["encoding"]
    assert bars["x"]["scale"]["domain"] == [0, 1]


def test_a_history_is_a_document_too(tmp_path: Path) -> None:
    """Every measurement in a table, trends of those on the newest grid, and how many are not among them."""
    local = open_local("echo")
    assert local is not None
    other = conduct(SampleGrid(("update",), (700,), samples=3), Access(local), local)
    path = tmp_path / "h.jsonl"
    for day, study in enumerate((other, measured(), measured()), 1):
        append(path, study, f"2026-01-0{day}")
    shown = show_history.document(path)
    assert shown.lead == "3 measurements."
    assert "1 on another grid" in shown.notes[0].text
    assert len(table(shown, "measurements").rows) == 5
    assert [figure.key for figure in shown.figures] == ["trend-effective", "trend-penalty"]
    assert all("Nothing to draw" not in drawn(figure) for figure in shown.figures)


class Reading(HTMLParser):
    """Collects what a page asks of a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep tags, ids and where links lead."""
        self.tags.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]


@pytest.mark.parametrize("adaptive", [False, True])
def test_a_page_holds_everything_and_loads_nothing(adaptive: bool) -> None:
    """Sections for every task, tables and notes; links lead within the page, and ids are unique."""
    study = measured("simulated:base=1,effective=90000", adaptive=adaptive, label=EVIL)
    shown = document(study, history(measured(), study))
    page = page_of(shown)
    read = Reading()
    read.feed(page)
    assert page.count("<svg") == (1 if adaptive else 7)
    assert all(f'id="{each.key}"' in page for each in shown.tables)
    assert "script" not in read.tags
    assert "\x1b" not in page
    assert len(read.ids) == len(set(read.ids))
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)


def test_a_page_of_prompts_is_harmless_too() -> None:
    """What runs are called is text; predictions and calibrations have their places."""
    lanes = (
        replace(lane(EVIL), predicted=Interval(0.5, 0.4, 0.6, 10)),
        replace(lane("b", stale=False), predicted=Interval(0.4, 0.3, 0.5, 10)),
    )
    shown = prompts_document(PromptStudy(lanes, (calibrate(EVIL, "layer", {"q1": 0.9}, {"q1": True}),), "m, kv"))
    page = page_of(shown)
    read = Reading()
    read.feed(page)
    assert "script" not in read.tags
    assert all(f'id="{each.key}"' in page for each in shown.tables)
    assert "predicted accuracy" in page
    assert "predicted and observed accuracy" in page
    assert "Predictions beside answers" in page
    assert len(read.ids) == len(set(read.ids))


def test_tasks_and_rules_have_pages() -> None:
    """Every table of them is on its page."""
    for shown in (tasks_document(list_tasks(2, 0)), rules_document(compare_rules(20, 10))):
        page = page_of(shown)
        assert all(f'id="{each.key}"' in page for each in shown.tables)


def test_other_grids_of_a_history_are_named() -> None:
    """What is not comparable is left out of the trend, and the page says how much."""
    local = open_local("echo")
    assert local is not None
    other = conduct(SampleGrid(("update",), (700,), samples=3), Access(local), local)
    study = measured()
    page = page_of(document(study, history(other, study, measured())))
    assert "1 on another grid" in page


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_pages_keep_their_words_to_themselves(browser: Browser, tmp_path: Path, width: int) -> None:
    """In a real browser, pages are quiet, never scroll sideways, and no two words of a figure overlap."""
    study, long = measured(label="later"), "memory-with-a-name-that-is-long:and=parameters"
    calibrations = (calibrate(long, "layer", {"a": 0.1, "b": 0.95}, {"a": False, "b": True}),)
    pages = {
        "study": page_of(document(study, history(measured(label="before"), study))),
        "lanes": page_of(prompts_document(PromptStudy((lane(long), lane("b")), calibrations))),
    }
    for name, text in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(text, "utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900})
        errors: list[object] = []
        page.on("pageerror", lambda error: errors.append(error))  # noqa: B023, PLW0108 - used on this page only
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert (page.evaluate(CROSSED), errors) == ([], [])
        page.close()
