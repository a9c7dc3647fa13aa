"""What a reader should check before believing a score on RHELM."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.datasets.tally import tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.rhelm.convert import RhelmPerson
    from memgauge.records import Case, Gold

_COUNTED = (
    "pairs",
    "pairs_with_document",
    "repeated_times",
    "email_files",
    "emails",
    "attachments",
    "attachments_without_day",
    "asked_before_anything",
)


def report(people: Iterable[RhelmPerson], identity: DatasetIdentity) -> Mapping[str, object]:
    """Count everything in one reading, and list what evidence names that is not there or not yet said."""
    total: Counter[str] = Counter()
    named: Counter[str] = Counter()
    unsound: list[dict[str, object]] = []
    future: dict[str, list[str]] = {}
    doubts: Counter[str] = Counter()

    def counted() -> Iterator[tuple[Case, tuple[Gold, ...]]]:
        for person in people:
            total.update(person.counts)
            doubts.update(gold.erratum.kind for gold in person.golds if gold.erratum)
            future.update((key, list(late)) for key, late in person.future.items())
            for key, entries in person.evidence.items():
                named.update(entry.named for entry in entries)
                unsound.extend(
                    {"question": key, "raw": entry.evidence.raw, "repaired_to": list(entry.evidence.turns)}
                    for entry in entries
                    if not entry.sound
                )
            yield person.case, person.golds

    return {
        **tally(counted(), identity),
        "messages": 2 * total["pairs"],
        **{name: total[name] for name in _COUNTED},
        "evidence": named.total(),
        "evidence_names": dict(sorted(named.items())),
        "unsound_evidence": unsound,
        "future_evidence": future,
        "errata": {"total": doubts.total(), "kinds": dict(sorted(doubts.items()))},
    }
