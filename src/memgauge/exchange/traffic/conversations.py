"""Traffic by whose it is: the operations of one scope after the other, in the order of time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.exchange.traffic.reading import Traffic

_AT_ONCE: Final = 500
"""Conversations that are held at a time."""
# Whose an operation is, as far as it is known: a user, else a conversation, else a trace.
_GROUP: Final = """
CASE WHEN scope <> '' THEN scope WHEN session <> '' THEN 'session/' || session
     WHEN trace <> '' THEN 'trace/' || trace ELSE 'unknown' END
"""
_GROUPED: Final = f"SELECT {_GROUP} AS conversation, * FROM {{operations}}"  # noqa: S608 - our own text
_SOME: Final = f"SELECT * FROM ({_GROUPED}) WHERE conversation IN (SELECT unnest(?))"  # noqa: S608 - the same
_NAMES: Final = f"SELECT conversation FROM ({_GROUPED}) GROUP BY ALL ORDER BY min(row)"  # noqa: S608 - the same
_OPERATIONS: Final = f"{_SOME} ORDER BY row"
_RECORDS: Final = f"SELECT r.* FROM {{records}} r JOIN ({_SOME}) s ON r.operation = s.row ORDER BY s.row, rank"  # noqa: S608 - the same


@dataclass(frozen=True, slots=True)
class TracedOperation:
    """One row of operations with its records."""

    values: dict[str, Any]
    records: tuple[dict[str, Any], ...]

    @property
    def name(self) -> str:
        """Name it: by its span, or by its row where no span is known."""
        trace, span = self.values["trace"], self.values["span"]
        return f"{trace}/{span}" if span else f"operation/{self.values['row']}"

    @property
    def kind(self) -> TrafficKind:
        """Say what it is."""
        return TrafficKind(self.values["operation"])

    @property
    def began(self) -> datetime:
        """Say when it began, in UTC, to the microsecond."""
        seconds, nanoseconds = divmod(int(self.values["began_ns"]), 10**9)
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=nanoseconds // 1000, tzinfo=None)

    @property
    def ms(self) -> float:
        """Return how long it took its client."""
        return (int(self.values["ended_ns"]) - int(self.values["began_ns"])) / 1e6


def conversations(traffic: Traffic) -> Iterator[tuple[str, list[TracedOperation]]]:
    """Yield every conversation, in the order of its first operation, with its operations."""
    names = [str(name) for name in traffic.query(_NAMES)["conversation"]]
    for start in range(0, len(names), _AT_ONCE):
        batch = names[start : start + _AT_ONCE]
        records = defaultdict[int, list[dict[str, Any]]](list)
        for row in traffic.rows(_RECORDS, [batch]):
            records[row["operation"]].append(row)
        operations: dict[str, list[TracedOperation]] = {name: [] for name in batch}
        for row in traffic.rows(_OPERATIONS, [batch]):
            operations[row["conversation"]].append(TracedOperation(row, tuple(records[row["row"]])))
        yield from operations.items()
