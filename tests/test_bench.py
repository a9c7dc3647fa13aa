"""The benchmark suite: what it says of figures that are known, and that its rows and curves run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import table
from bench.agree import Cosines, Overlap, Values
from bench.budgets import BUDGETS, Budget, write_haystacks
from bench.compare import Measured, Spread, made_by, measure
from bench.counts import __main__ as counting
from bench.counts.callgrind import collected
from bench.counts.guard import Counts, compare, here
from bench.growth import CURVES
from bench.growth.curve import LINEAR, LOG_LINEAR
from bench.growth.fit import allowed, fit, within
from bench.growth.measure import Grown, Point
from bench.growth.point import curve_named
from bench.page import charts, tables
from bench.page.write import filled, parts, write
from bench.places import PAGE
from bench.results import Results, machine
from bench.row import CannotRunError, Role
from bench.rows import HEAVY, ROWS
from bench.side import once, row_named, side_named
from bench.whole import spend
from memgauge.datasets.catalogue import open_dataset
from support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from bench.compare import Taken


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Measure the row whose figures are known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "tests"))
        return measure("support.bench", tmp_path_factory.mktemp("row"), repeats=3)


def side(row: Measured, name: str) -> Taken:
    """Return a side by its name."""
    return next(each for each in row.sides if each.name == name)


def test_a_ratio_above_one_says_that_we_are_ahead(made: Measured) -> None:
    """Divide the time of a peer by ours, and ours by that of the floor, with what the floor stands for."""
    assert made.ours is not None
    assert made.ours.ms == Spread(2.0, 2.0, 2.0, 3)
    assert side(made, "slow").ratio == Spread(3.0, 3.0, 3.0, 3)
    assert side(made, "fast").ratio == Spread(0.5, 0.5, 0.5, 1)
    assert side(made, "half").ratio == Spread(4.0, 4.0, 4.0, 3)


def test_a_side_that_did_other_work_is_told(made: Measured) -> None:
    """Compare what the sides found, with a tolerance."""
    assert (side(made, "slow").same, side(made, "slow").agrees) == (True, "equal")
    assert (side(made, "fast").same, side(made, "fast").agrees) == (True, "within 1e-03")
    assert (side(made, "wrong").same, side(made, "wrong").agrees) == (False, "differ by 2")
    assert side(made, "shorter").agrees == "1 values, not 2"


def test_a_side_that_cannot_run_says_why(made: Measured) -> None:
    """Tell what is missing from what is broken; the others are measured all the same."""
    said = {each.name: (each.lacks, each.broken) for each in made.sides if each.lacks}
    assert said == {
        "lacking": ("a licence is missing", False),
        "failing": ("RuntimeError: out of luck", True),
        "absent": ("no_such_library is not installed", False),
        "ending": ("its process ended; see above", True),
    }


def test_the_table_marks_what_is_behind(made: Measured) -> None:
    """Print a word a side: within its limit, ahead, behind, not run."""
    lines = {line.split()[0]: line for line in table.rows([made]).splitlines()[2:]}
    assert lines["memgauge"].endswith("OK")
    assert lines["slow"].endswith("3x [3, 3]  ahead; equal")
    assert "BEHIND" in lines["fast"]
    assert "SKIP a licence is missing" in lines["lacking"]
    assert "FAIL RuntimeError" in lines["failing"]


def test_rankings_agree_by_what_they_share() -> None:
    """Count common items of each query, without what pads; another shape is another result."""
    ours = np.array([[1, 2, 3, -1], [4, 5, 6, 7]])
    assert Overlap(0.9)(ours, ours[:, ::-1]).same
    found = Overlap(0.9)(ours, np.array([[1, 2, 9, -1], [4, 5, 6, 7]]))
    assert (found.same, found.said) == (False, "83.3% of the best 4 in common")
    assert not Overlap(0.0)(ours, ours[:1]).same
    assert Values(0)(ours, ours).said == "equal"


@given(st.floats(0.2, 2.5), st.floats(1e-6, 10.0))
@settings(max_examples=30)
def test_the_exponent_of_a_power_law_is_found(power: float, scale: float) -> None:
    """Fit the slope exactly where growth is exact, with an interval around it."""
    sizes = [10**e for e in range(2, 7)]
    found = fit(sizes, [max(scale * n**power, 1e-9) for n in sizes])
    if scale * sizes[0] ** power > 1e-9:
        assert found.slope == pytest.approx(power)
        assert found.last == pytest.approx(power)
        assert found.low is not None
        assert found.high is not None
        assert found.low - 1e-6 <= power <= found.high + 1e-6


@pytest.mark.parametrize(
    ("growth", "linear", "log_linear"),
    [
        (lambda n: 1.0 + 1e-4 * n, True, True),
        (lambda n: n * np.log(n), True, True),  # 1.06 at the end: within the slack of either
        (lambda n: n**1.15, False, True),
        (lambda n: n**1.5, False, False),
    ],
)
def test_growth_is_judged_at_its_end(growth: object, linear: bool, log_linear: bool) -> None:
    """Refuse what is steeper than its bound where sizes are largest, whatever starting costs."""
    sizes = [10**e for e in range(3, 8)]
    found = fit(sizes, [growth(n) for n in sizes])  # type: ignore[operator]
    assert within(found, sizes, LINEAR) is linear
    assert within(found, sizes, LOG_LINEAR) is log_linear
    assert allowed(sizes, LOG_LINEAR) == pytest.approx(1.067, abs=1e-3)


def test_two_sizes_have_a_slope_and_no_interval() -> None:
    """Give no interval where two points cannot say one."""
    assert fit([10, 100], [1, 10]).high is None


def test_a_count_is_compared_with_its_tolerance() -> None:
    """Fail on more alone; say that there is less, or nothing to compare with."""
    known = Counts(here(), 0.03, {"score": 1000})
    said = {count: compare("score", count, known) for count in (1000, 1030, 1031, 900)}
    assert [said[n].sentence.split()[0] for n in said] == ["OK", "OK", "MORE", "LESS"]
    assert [said[n].regressed for n in said] == [False, False, True, False]
    assert compare("new", 5, known).sentence.startswith("NEW")
    name, count = next(iter(known.instructions.items()))
    assert compare(name, round(count * 1.08), known).regressed
    assert not compare(name, round(count * 1.08), known, 0.1).regressed


def test_counts_are_kept(tmp_path: Path) -> None:
    """Read back what was written; without a file nothing is known."""
    known = Counts(here(), 0.02, {"score": 7})
    known.write(tmp_path / "counts.json")
    assert Counts.read(tmp_path / "counts.json") == known
    assert Counts.read(tmp_path / "absent.json").instructions == {}


def test_callgrind_is_read() -> None:
    """Find the number of instructions in what callgrind prints."""
    assert collected("==7== Events    : Ir\n==7== Collected : 123456\n") == 123456
    assert collected("nothing") is None


@pytest.mark.parametrize(("count", "code"), [(1000, 0), (1200, 1)])
def test_a_kernel_that_needs_more_instructions_fails(
    count: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit with 1 where a kernel regressed, and warn where versions differ."""
    Counts({"python": "0"}, 0.03, {"bootstrap": 1000}).write(tmp_path / "counts.json")
    monkeypatch.setattr(counting, "COUNTS", tmp_path / "counts.json")
    monkeypatch.setattr(counting, "available", lambda: True)
    monkeypatch.setattr(counting, "per_call", lambda _: count)
    monkeypatch.setattr(sys, "argv", ["counts", "--kernel", "bootstrap"])
    assert counting.main() == code
    said = capsys.readouterr().out
    assert "compare with care" in said
    monkeypatch.setattr(sys, "argv", ["counts", "--kernel", "bootstrap", "--write"])
    assert counting.main() == 0
    assert Counts.read(tmp_path / "counts.json").instructions == {"bootstrap": count}


def test_without_valgrind_nothing_is_counted_aloud() -> None:
    """Say that nothing was checked, and do not fail."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.counts"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PATH": ""},
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("SKIPPED: valgrind is not here")


@pytest.mark.parametrize("key", [*ROWS, *HEAVY])
def test_every_row_has_one_side_of_ours_and_a_floor(key: str) -> None:
    """Each module describes a row that can be laid beside the least that is possible."""
    row = row_named(f"bench.rows.{key}")
    assert [s.role for s in row.sides].count(Role.OURS) == 1
    assert Role.FLOOR in [s.role for s in row.sides]
    assert row.above or key == "unused", "a row says why it stays above its floor"
    assert len({s.name for s in row.sides}) == len(row.sides)


@pytest.mark.parametrize("key", ["scoring", "bootstrap", "dense", pytest.param("load", marks=pytest.mark.slow)])
def test_our_sides_run(key: str, tmp_path: Path) -> None:
    """Prepare our side and the floor, run them once, and find something to compare."""
    row = row_named(f"bench.rows.{key}")
    if row.share is not None:
        row.share(tmp_path)
    job = side_named(row, "memgauge").prepare(tmp_path)
    took, result = once(job)
    assert took > 0
    assert job.check is not None
    assert job.check(result).size > 0
    low = next(s for s in row.sides if s.role == Role.FLOOR)
    assert once(low.prepare(tmp_path))[0] > 0


def test_vectors_agree_by_the_two_that_are_furthest_apart() -> None:
    """Lengths do not matter, other shapes are said, and one vector that differs is enough."""
    rows = np.eye(3)
    assert Cosines(0.999)(rows, 2 * rows).said == "cosines of 1.00000 and more"
    assert not Cosines(0.999)(rows, np.vstack([rows[:2], [[0.1, 0.0, 1.0]]])).same
    assert Cosines(0.999)(rows, rows[:2]).said == "vectors (2, 3), not (3, 3)"


def test_a_row_of_many_says_how_many_a_second_and_how_much_memory(made: Measured) -> None:
    """On the page and in the terminal, for ours and for peers; a row that was measured alone says when."""
    assert all(each.peak_mb for each in made.sides if each.ms)
    row = replace(made, items=6, of="texts", limit_mb=1500.0, when="measured on a busy day")
    row = replace(row, sides=tuple(replace(each, peak_mb=12.0) for each in row.sides))
    page = tables.rows([row])
    assert "made work<br>measured on a busy day" in page
    assert "3,000 texts a second<br>12 MB at most, limit 1,500 MB" in page
    assert "(1,000 texts a second; 12 MB at most; equal)" in page
    assert "3,000 texts a second; 12 MB" in table.rows([row])


def test_without_their_environment_peers_say_which_command_makes_it() -> None:
    """Each has an environment of its own, named like its target."""
    assert made_by(side_named(row_named("bench.rows.embedding"), "sentence-transformers")) == "bench-embed"
    assert made_by(side_named(row_named("bench.rows.dense"), "faiss")) == "bench"


@pytest.mark.parametrize("key", CURVES)
def test_every_curve_spans_decades_and_runs(key: str, tmp_path: Path) -> None:
    """Sizes go over three decades at least, and the smallest is done in a moment."""
    curve = curve_named(key)
    assert curve.sizes[-1] / curve.sizes[0] >= 10**3
    assert all(seconds >= 0 for seconds in curve.work(curve.sizes[0], tmp_path).values())


def test_the_shape_of_longmemeval_is_read(tmp_path: Path) -> None:
    """Write haystacks that the reader of LongMemEval takes, with evidence that resolves."""
    write_haystacks(tmp_path / "long.json", questions=3, turns=25)
    dataset = open_dataset(f"longmemeval:{tmp_path / 'long.json'}", allow_unpinned=True)
    assert [sum(1 for _ in case.conversation.turns()) for case in dataset.cases()] == [25] * 3
    assert all(gold.anchors() for gold in dataset.gold())


def test_whole_processes_are_measured() -> None:
    """Tell time and memory of a process on one core, and why it failed where it did."""
    pinned = spend([sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"], one_core=True)
    assert pinned.said.strip() == "1"
    assert pinned.peak_mb > 1
    with pytest.raises(CannotRunError, match=r"exit code 1: .*nothing here"):
        spend([sys.executable, "-c", "raise SystemExit('nothing here')"])


def grown(key: str = "haystack", power: float = 1.0) -> Grown:
    """Make a curve."""
    points = tuple(Point(10**e, 1e-6 * 10 ** (power * e), {"fit": 1.0}, 60.0 + e, 3) for e in range(3, 8))
    fitted = fit([p.n for p in points], [p.seconds for p in points])
    kept = within(fitted, [p.n for p in points], LOG_LINEAR)
    return Grown(key, "made", "turns", LOG_LINEAR, "", points, fitted, kept)


def results(made: Measured) -> Results:
    """Gather results of every kind."""
    whole = Budget("a run", 60, 600, 10.0, 9.0, 300.0, "one parse", 2.0)
    lacking = Budget("another", 60, 600, lacks="no data")
    return Results(machine(), (made,), (whole, lacking), (grown(), grown("steep", 1.6)))


def test_results_are_kept_and_joined(made: Measured, tmp_path: Path) -> None:
    """Read back what was written, and put what was measured again in its place."""
    first = results(made)
    first.write(tmp_path / "results.json")
    again = Results.read(tmp_path / "results.json")
    assert again == first
    newer = Results(rows=(Measured("other", "other", "ms", None, ""),), growth=(grown("steep", 1.0),))
    joined = again.joined(newer)
    assert [row.key for row in joined.rows] == ["bench", "other"]
    assert [curve.kept for curve in joined.growth] == [True, True]
    assert Results.read(tmp_path / "absent.json") == Results()


def test_the_page_is_written_from_results(made: Measured, tmp_path: Path) -> None:
    """Fill every marked place of the page, draw three charts, and find them unchanged the second time."""
    page = tmp_path / "bench.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    found = results(made)
    write(found, page, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "fast takes 0.50 of our time. It does less." in text
    assert "(not kept)" in text
    assert "60 s, 600 MB" in text
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write(found, page, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert sorted(before) == ["bench-memory.svg", "bench-ratios.svg", "bench-time.svg", "bench.md"]


def test_charts_stand_alone(made: Measured) -> None:
    """Draw charts that need no style around them and say in words what they show; none without figures."""
    for figure in (charts.time_chart([grown()]), charts.memory_chart([grown()]), charts.ratio_chart([made])):
        assert figure is not None
        root = ET.fromstring(figure)  # noqa: S314 - drawn here
        assert root.tag.endswith("svg")
        assert "currentcolor" not in figure.lower()
        assert "var(" not in figure
        assert len(str(root.findtext("{http://www.w3.org/2000/svg}desc"))) > 20
    assert charts.time_chart([]) is None
    assert charts.ratio_chart([]) is None


def test_the_documentation_has_every_marked_place() -> None:
    """The page asks for exactly the texts that there are, and unmarked text stays."""
    names = set(parts(Results(machine()), Counts()))
    page = PAGE.read_text(encoding="utf-8")
    assert {line.split()[2] for line in page.splitlines() if line.startswith("<!-- bench: ")} - {"end"} == names
    assert filled("a <!-- bench: rows -->\nold\n<!-- bench: end --> b", {"rows": "new"}) == (
        "a <!-- bench: rows -->\n\nnew\n\n<!-- bench: end --> b"
    )


def test_committed_results_can_be_read() -> None:
    """What the page was made of is in the tree and names rows, budgets and curves that exist."""
    known = Results.read(ROOT / "bench" / "results.json")
    assert {row.key for row in known.rows} <= {*ROWS, *HEAVY}
    assert {curve.key for curve in known.growth} <= set(CURVES)
    assert len(known.budgets) <= len(BUDGETS)
    assert set(json.loads((ROOT / "bench" / "counts.json").read_text(encoding="utf-8"))["instructions"]) == set(
        import_module("bench.counts.kernels").KERNELS
    )
