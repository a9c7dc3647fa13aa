"""What a context study says in tables, drawings and on a page, and that it is harmless."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.llm.access import Access
from memgauge.report.context import (
    around,
    calibration_sheet,
    effective_sheet,
    lane_sheet,
    matcher_sheet,
    profile_sheet,
    rules_sheet,
    stale_sentences,
)
from memgauge.report.context_charts import (
    calibration_chart,
    depth_chart,
    heat_chart,
    length_chart,
    prompt_chart,
    trend_chart,
)
from memgauge.report.context_page import render_lanes, render_study
from memgauge.stats.bootstrap import Interval
from memgauge.studies.context.assembled import FATES, AssemblyLane, Fate
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.models import open_local
from memgauge.studies.context.predict import calibrate
from memgauge.studies.context.simulate import rules
from memgauge.studies.context.study import ModelStudy, conduct
from memgauge.studies.context.trend import entries

if TYPE_CHECKING:
    from memgauge.studies.context.trend import TaskMeasurement

CHROMIUM = Path("/usr/bin/chromium")
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
        found = [share for one in fates if (share := value(one)) is not None]
        mean = sum(found) / len(found) if found else None
        measures[name] = Interval(mean, mean, mean, len(found))
    return AssemblyLane(run, "synthetic", policy, "whole", budget, "chars/4", fates, measures)


def rows_of(sheet: object) -> dict[str, tuple[str, ...]]:
    """Return the rows of a sheet by their first cell."""
    return {row[0]: row[1:] for row in sheet.rows}  # type: ignore[attr-defined]


def test_an_interval_in_words() -> None:
    """A mean with its interval, signed where it is a difference; nothing is said of what is undefined."""
    assert around(Interval(0.5, 0.25, 0.75, 9)) == "0.500 [0.250, 0.750]"
    assert around(Interval(0.5, None, None, 1), signed=True) == "+0.500"
    assert around(Interval(None, None, None, 0, "nothing")) == "undefined"


def test_a_penalty_from_few_samples_is_marked() -> None:
    """Fewer than 100 samples a bucket leave no penalty without its mark and the sentence that explains it."""
    sheet = profile_sheet(measured())
    assert sheet is not None
    assert all("(!)" in row[2] for row in sheet.rows)
    assert "only 12 answers a depth" in sheet.note
    assert "(!)" in sheet.note


def test_enough_samples_need_no_mark() -> None:
    """With 100 samples a bucket the penalty stands for itself."""
    local = open_local("simulated:penalty=0.2")
    assert local is not None
    sheet = profile_sheet(conduct(SampleGrid(("kv",), (500,), (0.0, 0.5), samples=100), Access(local), local))
    assert sheet is not None
    assert "(!)" not in sheet.rows[0][2] + sheet.note


def test_a_vector_and_never_one_number() -> None:
    """Effective context is told task by task and rule by rule; adaptively, only what was decided."""
    full, adaptive = effective_sheet(measured()), effective_sheet(measured(adaptive=True))
    assert [row[0] for row in full.rows] == ["needle-noise", "update"]
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


def test_what_cannot_be_measured_says_so() -> None:
    """A base too low leaves the row with that word and no length."""
    sheet = effective_sheet(measured("silent"))
    assert {row[3] for row in sheet.rows} == {"not measurable"}
    assert "below 0.6" in sheet.note


def test_both_scorers_stand_side_by_side() -> None:
    """An echo is 0 here and 1 as published, and its dumps are counted."""
    found = rows_of(matcher_sheet(measured("echo")))
    assert found["update"] == ("update", "1.00", "0.000", "1.000", "72", "0")


def test_prompts_of_one_memory_in_one_table() -> None:
    """One column an order, or an order and a budget; undefined measures say so, with their denominators."""
    found = rows_of(lane_sheet([lane(), lane(policy="edges-first")]))
    assert found["survival"] == ("1.000", "1.000", "10")
    assert found["newest last"] == ("undefined", "undefined", "0")
    assert found["tokens"] == ("1,234", "1,234", "10")
    several = lane_sheet(
        [lane(), lane(budget=900)], {0: Interval(0.5, None, None, 10), 1: Interval(0.6, None, None, 10)}
    )
    assert several.heads == ("measure", "relevance-first, 500", "relevance-first, 900", "n")
    assert rows_of(several)["predicted accuracy"] == ("0.500", "0.600", "10")


def test_sentences_say_what_recall_does_not() -> None:
    """Recall of the same questions, and how often something stale stands beside; or that data do not say."""
    first, second = stale_sentences([lane("a"), lane("a", "edges-first"), lane("b", stale=False)])
    assert "10 questions" in first
    assert "recall@k is 1.000" in first
    assert "50.0 %" in first
    assert second == "b: the data do not say what is stale, so that only retrieval and survival show."


def test_calibration_and_rules_are_tables() -> None:
    """Bins with intervals and errors; rules with what they claim."""
    chances = {f"q{n}": 0.9 for n in range(4)}
    sheet = calibration_sheet([calibrate("bm25", "layer", chances, dict.fromkeys(chances, True))])
    assert sheet.rows[0][:3] == ("bm25", "0.8 to 1.0", "0.900")
    assert "Brier 0.010, gap 0.100" in sheet.note
    assert [row[0] for row in rules_sheet(rules(20, 10)).rows] == ["lower bound", "first crossing", "as published"]


def history(*studies: ModelStudy) -> tuple[TaskMeasurement, ...]:
    """Put measurements into a history."""
    return tuple(one for n, study in enumerate(studies, 1) for one in entries(study, n, f"2026-01-0{n}"))


def test_drawings_say_in_words_what_they_show() -> None:
    """Every figure has a title and a description that carries its numbers."""
    study = measured()
    heat, curve = heat_chart(study.tasks[0], "h"), depth_chart(study.tasks[0], "d")
    length = length_chart(study.effective, "l")
    prompts = prompt_chart([lane(), lane("b")], "p")
    for figure, said in (
        (heat, "1k: 0%"),
        (curve, "penalty at 1k"),
        (length, "needle-noise"),
        (prompts, "recall@k"),
    ):
        assert figure is not None
        assert "<svg" in figure.svg
        assert said in figure.svg
    chances = {"a": 0.2, "b": 1.0}
    assert "Brier" in calibration_chart(calibrate("r", "l", chances, {"a": False, "b": True}), "c").svg


def test_there_is_nothing_to_draw_without_numbers() -> None:
    """Without depths there is no heat map, with one length no curve over length, with one measurement no trend."""
    study = measured(adaptive=True)
    assert heat_chart(study.tasks[0], "h") is None
    assert depth_chart(study.tasks[0], "d") is None
    silent = measured("silent", adaptive=True)
    assert length_chart(silent.effective, "l") is None
    assert trend_chart(history(study), "t", penalty=False) is None
    assert prompt_chart([], "p") is None


def test_a_trend_has_a_point_for_every_measurement() -> None:
    """Nightly measurements under one label are told apart by their day; others by their label."""
    nightly = history(measured(), measured("simulated:penalty=0.4,seed=3"))
    drawn = trend_chart(nightly, "t", penalty=True)
    assert drawn is not None
    assert "2026-01-01, 2026-01-02" in drawn.svg
    named = trend_chart(history(measured(label="one"), measured(label="two")), "t", penalty=True)
    assert named is not None
    assert "one, two" in named.svg


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
    page = render_study(study, identity={"model": EVIL}, history=history(measured(), study))
    read = Reading()
    read.feed(page)
    assert page.count("<svg") == (1 if adaptive else 7)
    assert "script" not in read.tags
    assert "\x1b" not in page
    assert len(read.ids) == len(set(read.ids))
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)


def test_a_page_of_prompts_is_harmless_too() -> None:
    """What runs are called is text; predictions and calibrations have their places."""
    chances = {"q1": 0.9}
    page = render_lanes(
        [lane(EVIL), lane("b", stale=False)],
        identity={"dataset": EVIL},
        predictions={0: Interval(0.5, 0.4, 0.6, 10), 1: Interval(0.4, 0.3, 0.5, 10)},
        calibrations=[calibrate(EVIL, "layer", chances, {"q1": True})],
    )
    read = Reading()
    read.feed(page)
    assert "script" not in read.tags
    assert "predicted accuracy" in page
    assert "Predictions beside answers" in page
    assert len(read.ids) == len(set(read.ids))


def test_other_grids_of_a_history_are_named() -> None:
    """What is not comparable is left out of the trend, and the page says how much."""
    local = open_local("echo")
    assert local is not None
    other = conduct(SampleGrid(("update",), (700,), samples=3), Access(local), local)
    study = measured()
    page = render_study(study, identity={}, history=history(other, study, measured()))
    assert "1 on another grid" in page


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_keep_their_words_to_themselves(tmp_path: Path, width: int) -> None:
    """In a real browser, pages are quiet, never scroll sideways, and no two words of a figure overlap."""
    if not CHROMIUM.exists():
        pytest.skip(f"needs Chromium at {CHROMIUM} (Debian package chromium)")
    from playwright.sync_api import sync_playwright

    study, long = measured(label="later"), "memory-with-a-name-that-is-long:and=parameters"
    calibrations = [calibrate(long, "layer", {"a": 0.1, "b": 0.95}, {"a": False, "b": True})]
    pages = {
        "study": render_study(study, identity={}, history=history(measured(label="before"), study)),
        "lanes": render_lanes([lane(long), lane("b")], identity={}, calibrations=calibrations),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, text in pages.items():
            path = tmp_path / f"{name}.html"
            path.write_text(text, "utf-8")
            page = browser.new_page(viewport={"width": width, "height": 900})
            errors: list[object] = []
            page.on("pageerror", lambda error: errors.append(error))  # noqa: B023, PLW0108 - used on this page only
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert (page.evaluate(CROSSED), errors) == ([], [])
        browser.close()
