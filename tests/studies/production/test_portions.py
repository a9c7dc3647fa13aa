"""Measures of portions are those of the whole, and what is kept of a portion is enough."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import ADDED
from memgauge.results import plain
from memgauge.runs.record.seal import file_hash
from memgauge.stats.clusters import Clusters, cluster_interval, difference_of_parts
from memgauge.studies.production import repeats, sealed
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.columns import MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.drift import drift
from memgauge.studies.production.health import health_rows
from memgauge.studies.production.service import PlantedFaults, SimulatedService
from memgauge.studies.production.simulate import simulate
from memgauge.studies.production.totals import summed
from memgauge.studies.production.written import write
from support.peaks import measured

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.stats import Interval

LIVELY = PlantedFaults(leak=0.05, stale_from=8, undeleted_from=10, drift={"score": -0.2})


def assert_same(first: Any, second: Any) -> None:
    """Compare results number by number; sums of portions are rounded in another place."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for name in first:
            assert_same(first[name], second[name])
    elif isinstance(first, list | tuple):
        assert len(first) == len(second)
        for each, other in zip(first, second, strict=True):
            assert_same(each, other)
    elif isinstance(first, float):
        assert first == pytest.approx(second, rel=1e-11, abs=1e-13, nan_ok=True)
    else:
        assert first == second


@pytest.mark.parametrize("seed", [pytest.param(3, marks=pytest.mark.slow), 11])
def test_small_portions_say_what_the_whole_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Health, its difference to other traffic and drift, of lists read some hundreds at a time."""
    service = SimulatedService(users=25, days=28, faults=LIVELY)
    traffic = write(simulate(service, seed), tmp_path / "t")
    other = TrafficArrays.of(write(simulate(SimulatedService(users=15, days=9), seed), tmp_path / "o"))

    def everything() -> Any:
        arrays = TrafficArrays.of(traffic)
        return plain(health_rows(arrays, other)), plain(drift(arrays))

    whole = everything()
    assert len(list(TrafficArrays.of(traffic).source.portions())) == 1
    monkeypatch.setattr(sealed, "_RECORDS_AT_ONCE", 180)
    monkeypatch.setattr(sealed, "GROUP", 24)
    monkeypatch.setattr(sealed, "_LISTED", 7)
    monkeypatch.setattr(repeats, "_PAIRS", 5)
    assert len(list(TrafficArrays.of(traffic).source.portions())) > 8
    assert_same(everything(), whole)


class _Clustered:
    """Traffic that is nothing but clusters."""

    def __init__(self, labels: list[int]) -> None:
        self.cluster = np.array(labels, dtype=np.int64)
        self.clusters = Clusters.of(self.cluster)


def _totals(values: list[float], labels: list[int], summary: Summary, cut: int) -> Any:
    """Sum up two portions."""
    spec = MeasureSpec("key", "group", "name", "of", "none", summary)
    rows, column = np.arange(len(values)), np.array(values)
    parts = [MeasuredColumn(spec, column[some], rows[some]) for some in (slice(None, cut), slice(cut, None))]
    (totals,) = summed(_Clustered(labels), parts)  # type: ignore[arg-type] # all that is asked of it
    return totals


def _ends(interval: Interval) -> list[float | None]:
    return [interval.mean, interval.low, interval.high]


cases = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.25, 1.0, -3.0, 7.5])), min_size=1)


@settings(deadline=None)
@given(cases, st.integers(0, 9))
def test_sums_by_cluster_give_the_interval_of_rows(column: list[tuple[int, float]], cut: int) -> None:
    """Means of anything, shares of cases, in whatever portions they come."""
    labels, values = [label for label, _ in column], [value for _, value in column]
    mean = _totals(values, labels, Summary.MEAN, cut).interval
    assert_same(_ends(mean), _ends(cluster_interval(values, labels)))
    truths = [float(value > 0) for value in values]
    share = _totals(truths, labels, Summary.SHARE, cut)
    assert_same(_ends(share.interval), _ends(cluster_interval(truths, labels, shares=True)))
    assert share.cases == sum(truths)


@settings(deadline=None)
@given(cases, cases)
def test_a_difference_needs_no_rows(column: list[tuple[int, float]], other: list[tuple[int, float]]) -> None:
    """Scopes that are in both count once, as where both are one column of influences."""
    first, second = (
        _totals([value for _, value in each], [label for label, _ in each], Summary.MEAN, 2)
        for each in (column, other)
    )
    values = np.array([value for _, value in (*column, *other)])
    ours = np.arange(len(values)) < len(column)
    labels = [label for label, _ in (*column, *other)]
    expected = difference_of_parts(values, Clusters.of(labels), ours, ~ours)
    assert_same(_ends(first.less(second)), _ends(expected))


def test_traffic_of_the_first_format_is_still_read(small: Traffic, tmp_path: Path) -> None:
    """It knows no service and no runs in answers, and says so of the measures that need them."""
    folder = tmp_path / "first"
    folder.mkdir()
    with duckdb.connect() as database:
        for table, columns in ADDED.items():
            source, target = small.folder / f"{table}.parquet", folder / f"{table}.parquet"
            dropped = ", ".join(columns)
            fewer = f"SELECT * EXCLUDE ({dropped}) FROM '{source}'"  # noqa: S608 - our own names
            database.execute(f"COPY ({fewer}) TO '{target}'")
    manifest = json.loads((small.folder / "traffic.json").read_text("utf-8")) | {"format": 1}
    (folder / "traffic.json").write_text(json.dumps(manifest), "utf-8")
    files = ("operations.parquet", "records.parquet", "traffic.json")
    (folder / "SEAL").write_text(json.dumps({name: file_hash(folder / name) for name in files}), "utf-8")
    old = TrafficArrays.of(Traffic.read(folder))
    rows, others = ({row.key: row for row in health_rows(each)} for each in (old, TrafficArrays.of(small)))
    assert rows["traceable"].value.reason == "no answer was recorded in a trace with a search"
    assert others["traceable"].value.mean is not None
    for key in rows.keys() - {"traceable", "untraced", "untraced tokens"}:
        assert rows[key] == others[key]


_MEASURED = """
import sys
from pathlib import Path
from memgauge.exchange.traffic.reading import Traffic
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.drift import drift
from memgauge.studies.production.health import health_rows
arrays = TrafficArrays.of(Traffic.read(Path(sys.argv[1])))
health_rows(arrays), drift(arrays)
"""


@pytest.mark.slow
def test_memory_grows_by_operations_and_not_by_what_they_return(tmp_path: Path) -> None:
    """Peak memory of two sizes in processes of their own: below 350 bytes an operation, so a million fit.

    Below some 80,000 operations what grows is the one portion that is held, up to its largest.
    """
    sizes, peaks = [], []
    for users in (4_000, 16_000):
        traffic = write(simulate(SimulatedService(users=users), 1), tmp_path / str(users))
        peaks.append(measured(_MEASURED, str(traffic.folder))[1] * 1024)
        sizes.append(traffic.manifest.operations)
    assert peaks[1] - peaks[0] < 350 * (sizes[1] - sizes[0])
