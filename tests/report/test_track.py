"""Runs of the track study on a terminal, in Markdown, as data and as a page."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from memgauge.report.track import (
    NOTHING,
    cell,
    compare_terminal,
    facts,
    headline,
    track_json,
    track_markdown,
    track_terminal,
)
from memgauge.report.track_charts import calls_chart, events_chart
from memgauge.report.track_page import render_track
from memgauge.studies.track.play.played import QuestionEnding
from memgauge.studies.track.scoring.card import card
from memgauge.studies.track.scoring.compare import compare
from memgauge.studies.track.scoring.method import method
from memgauge.studies.track.scoring.scored import ScoredRun
from support_track_play import answered, call, failed, played, timeline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from memgauge.studies.track.play.played import PlayedInstance
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
    cards = [card(one, timelines[one.instance]) for one in every]
    plan = {"label": label, "repeats": 1, "instances": dict.fromkeys(timelines, ""), "agent": "search"} | identity
    return ScoredRun("runs/x", plan, timelines, every, cards, method(label, cards))


def printed(parts: Iterable[RenderableType]) -> str:
    """Print parts as a terminal would."""
    console = Console(width=120, record=True, file=StringIO())
    for part in parts:
        console.print(part, markup=False)
    return console.export_text()


def test_a_terminal_shows_the_documents_tables() -> None:
    """Each table by its number, and a sentence with what the score rests on."""
    text = printed(track_terminal([scored()]))
    for number in (1, 3, 4, 5, 6):
        assert f"Table {number}." in text
    assert "correctness 0.333 over 6 questions of 2 instances (1 different history), 1 repeat." in text
    assert "2 fault" in text


def test_what_a_reader_must_know_is_said() -> None:
    """Ceilings, missing walls, missing instances and failures of a memory stand beside the number."""
    said = " ".join(facts(scored(agent="oracle", sandbox="none")))
    for part in ("ceiling", "no sandbox", "rules alone", "failed 2 times"):
        assert part in said
    one = scored()
    partial = replace(one, played=one.played[:1], judge="openai:tiny", method=replace(one.method, unscored=2))
    said = " ".join(facts(partial))
    for part in ("1 instance of the plan not played", "openai:tiny, after rules", "2 answers unscored"):
        assert part in said
    assert "different histor" in headline(one)


def test_cells_are_never_invented() -> None:
    """What is undefined is a dash; counts are whole; large numbers need no three digits."""
    assert [cell(None), cell(0.5), cell(3.0, "repeats"), cell(5040.02), cell("\x1bx")][:4] == [
        NOTHING,
        "0.500",
        "3",
        "5,040.0",
    ]


def test_markdown_is_one_table_after_another() -> None:
    """Names from outside mean themselves."""
    text = track_markdown([scored("a|b")])
    assert "a\\|b" in text
    assert "### Table 3. Overall" in text
    assert "| --- | ---: |" in text


def test_data_holds_every_verdict() -> None:
    """Programs get tables, methods and cards, and everything is JSON."""
    data = json.loads(json.dumps(track_json([scored()])))
    (run,) = data["runs"]
    assert run["instances"][0]["values"]["correctness"] == pytest.approx(1 / 3, abs=1e-6)
    assert run["instances"][0]["correctness"]["verdicts"][0][1]["how"] == "exact"
    assert [table["number"] for table in data["tables"]] == [1, 3, 4, 5, 6, 0, 0]


def test_a_comparison_is_printed() -> None:
    """Differences with their intervals, or dashes."""
    one, other = scored(answer="lee"), scored("search + bm25 (tools), keep")
    text = printed(compare_terminal(one.method, other.method, compare(one.cards, other.cards)))
    assert "+0.333" in text
    assert "1 different history" in text


def test_charts_say_what_they_show() -> None:
    """Events by what became of them, calls by what they brought."""
    events = events_chart(timeline(), trajectory(), "a")
    assert "4 of 6 events were revealed" in events.description
    calls = calls_chart(trajectory(), "b")
    for part in ("2 revealed something new", "1 redundant", "1 failed", "1 no new event"):
        assert part in calls.description
    assert calls_chart(played(), "c").description == "no call."


def test_a_page_shows_every_call_and_trusts_nothing() -> None:
    """Questions, verdicts and what each call revealed; nothing foreign is markup or a control character."""
    page = render_track([scored(), scored("other")])
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


@pytest.mark.browser
def test_a_page_opens_quietly_and_never_scrolls_sideways(tmp_path: Path) -> None:
    """In a real browser, on a phone and on a desk."""
    chromium = Path("/usr/bin/chromium")
    if not chromium.exists():
        pytest.skip("needs Chromium (Debian package chromium)")
    from playwright.sync_api import sync_playwright

    path = tmp_path / "track.html"
    path.write_text(render_track([scored(), scored("x" * 90)]), "utf-8")
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for width in (390, 1280):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(path.as_uri())
            page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
    assert said == []
