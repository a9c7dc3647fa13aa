"""Traffic is written in portions and read as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import RunError, RunNotFoundError, TamperError
from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import ScopeFrom, TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Entry = tuple[TrafficOperation, tuple[TrafficRecord, ...]]


def entry(kind: str, end: int, *records: tuple[str, str | None], **more: object) -> Entry:
    """Spell an operation that ended at *end* with records of (memory, hash)."""
    operation = TrafficOperation(
        operation=TrafficKind(kind),
        began_ns=end - 1,
        ended_ns=end,
        span=f"{end:016x}",
        **more,  # type: ignore[arg-type]
    )
    return operation, tuple(TrafficRecord(memory=memory, hash=hash_) for memory, hash_ in records)


def written(folder: Path, entries: Sequence[Entry]) -> Traffic:
    """Write entries and read them again."""
    with TrafficWriter(folder) as writer:
        for operation, records in entries:
            writer.add(operation, records)
        writer.close(TrafficIdentity(recorder="test"), TrafficLedger(rows=len(entries)))
    return Traffic.read(folder)


def versions(traffic: Traffic) -> list[int]:
    """List the versions of all records."""
    return [int(each) for each in traffic.records("version")["version"]]


def test_what_was_written_is_read_with_nothing_rounded(tmp_path: Path) -> None:
    """Nanoseconds past 2^53 are exact, unknown counts NaN, unknown texts none, half a pair a question mark."""
    late = 1_790_000_000_042_000_001
    operation = TrafficOperation(
        operation=TrafficKind.SEARCH, scope="ada", scope_from=ScopeFrom.SPAN, began_ns=late, ended_ns=late + 1,
        asked=5, query="size \ud800?", trace="0" * 32, dialect="genai",
    )  # fmt: skip
    traffic = written(tmp_path / "t", [(operation, (TrafficRecord(memory="m7", text="wears 42", score=0.8),))])
    row = {name: column[0] for name, column in traffic.operations().items()}
    assert (row["began_ns"], row["ended_ns"]) == (late, late + 1)
    assert (row["asked"], row["query"], row["scope_from"]) == (5.0, "size ??", "span")
    assert np.isnan(row["returned"])
    assert row["query_hash"] is None
    record = {name: column[0] for name, column in traffic.records().items()}
    assert (record["operation"], record["rank"], record["text"], record["hash"]) == (0, 1, "wears 42", None)
    assert (traffic.manifest.began_ns, traffic.manifest.ended_ns) == (late, late + 1)
    assert traffic.ledger.operations == 1


def test_rows_are_in_the_order_of_time_and_can_be_chosen(tmp_path: Path) -> None:
    """Operations come in any order; a range of rows chooses the same records as it does operations."""
    entries = [entry("add", end, (f"m{end}", "x"), scope=f"s{end % 2}") for end in (5, 3, 4, 2)]
    traffic = written(tmp_path / "t", entries)
    assert traffic.operations("ended_ns")["ended_ns"].tolist() == [2, 3, 4, 5]
    assert traffic.operations("row", rows=(1, 3))["row"].tolist() == [1, 2]
    assert traffic.records("memory", rows=(1, 3))["memory"].tolist() == ["m3", "m4"]


def test_versions_follow_the_end_of_successful_writes(tmp_path: Path) -> None:
    """An equal text is no new version, a failed write none, an unseen memory has none; clocks of hosts differ."""
    traffic = written(
        tmp_path / "t",
        [
            entry("add", 1, ("m", "a")),
            entry("upsert", 2, ("m", "a")),
            entry("update", 3, ("m", "b"), outcome=Outcome.ERROR),
            entry("search", 4, ("m", "a"), ("m", "b"), ("n", "a")),
            entry("update", 5, ("m", "b")),
            entry("search", 6, ("m", "a"), ("m", "b"), ("m", None)),
            entry("add", 7, ("m", "a"), store="other"),
        ],
    )
    assert versions(traffic) == [1, 1, 0, 1, 2, 0, 2, 1, 2, 0, 1]


@pytest.mark.parametrize(
    ("removal", "again"),
    [
        (entry("delete", 2, ("m", None)), 2),
        (entry("wipe", 2, scope="s"), 2),
        (entry("wipe", 2, scope="another"), 1),
        (entry("drop_store", 2), 2),
        (entry("drop_store", 2, store="other"), 1),
        (entry("delete", 2, ("m", None), outcome=Outcome.ERROR), 1),
    ],
)
def test_what_is_written_again_after_it_was_removed_is_a_new_version(
    tmp_path: Path, removal: Entry, again: int
) -> None:
    """A deletion, a wipe of the scope and the end of the store part versions of one text; others do not."""
    traffic = written(
        tmp_path / "t",
        [entry("add", 1, ("m", "a"), scope="s"), removal, entry("add", 3, ("m", "a"), scope="s")],
    )
    assert versions(traffic)[-1] == again


@settings(deadline=None, max_examples=7)
@given(st.permutations(range(6)))
def test_the_order_of_coming_changes_nothing(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    """Two tables and a seal are the same bytes in whatever order a recorder hands its operations over."""
    entries = [entry("search" if n % 3 else "add", n // 2, (f"m{n % 2}", "a"), trace=f"{n}") for n in range(6)]
    folder = tmp_path_factory.mktemp("t")
    one, two = (written(folder / name, seq) for name, seq in (("a", entries), ("b", [entries[n] for n in order])))
    assert (one.folder / "SEAL").read_bytes() == (two.folder / "SEAL").read_bytes()


def test_changed_traffic_is_refused(tmp_path: Path) -> None:
    """One byte in any of its files is enough, and a file that is missing too."""
    for name in ("operations.parquet", "records.parquet", "traffic.json"):
        traffic = written(tmp_path / name, [entry("add", 1, ("m", "a"))])
        path = traffic.folder / name
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        with pytest.raises(TamperError, match=name):
            Traffic.read(traffic.folder)
    (tmp_path / "traffic.json" / "operations.parquet").unlink()
    with pytest.raises(TamperError, match=r"operations\.parquet"):
        Traffic.read(tmp_path / "traffic.json")


def test_nothing_is_left_where_nothing_was_finished(tmp_path: Path) -> None:
    """A writer that is not closed leaves no folder; one that lies there already is not written over."""
    with TrafficWriter(tmp_path / "t") as writer:
        writer.add(*entry("add", 1, ("m", "a")))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RunNotFoundError, match="No traffic"):
        Traffic.read(tmp_path / "t")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "file").touch()
    with pytest.raises(RunError, match="not empty"):
        TrafficWriter(tmp_path / "t")


def test_traffic_of_nothing_is_traffic(tmp_path: Path) -> None:
    """No operation at all is a finding, not an error."""
    traffic = written(tmp_path / "t", [])
    assert (traffic.manifest.operations, len(traffic.records()["rank"])) == (0, 0)
