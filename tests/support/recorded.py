"""Small traffic, told operation by operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.faults import ReturnFaults
from memgauge.studies.production.seen import SeenChanges

if TYPE_CHECKING:
    from pathlib import Path

Entry = tuple[TrafficOperation, tuple[TrafficRecord, ...]]
HOUR = 3600 * 10**9
LONG = "a text of more than forty characters, which nobody says by chance"


def operation(kind: str, hour: float, scope: str, *records: tuple[str, str], **more: object) -> Entry:
    """Spell an operation that takes a second, with records of (memory, text)."""
    began = int(hour * HOUR)
    spelled = TrafficOperation(
        operation=TrafficKind(kind), scope=scope, began_ns=began, ended_ns=began + 10**9,
        returned=len(records), span=f"{began:016x}", **more,  # type: ignore[arg-type]
    )  # fmt: skip
    rows = (TrafficRecord(memory=memory, hash=text or None, characters=len(text)) for memory, text in records)
    return spelled, tuple(rows)


def faults(folder: Path, *operations: Entry) -> ReturnFaults:
    """Write operations, and look for what should not have been returned."""
    with TrafficWriter(folder / "traffic") as writer:
        for spelled, records in operations:
            writer.add(spelled, records)
        writer.close(TrafficIdentity(recorder="test"), TrafficLedger())
    arrays = TrafficArrays.of(Traffic.read(folder / "traffic"))
    return ReturnFaults(SeenChanges(arrays), arrays.hits)
