"""A simulated service as sealed traffic, as a recorder would have written it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import ScopeFrom, TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.studies.production.hits import UNKNOWN, HitArrays
from memgauge.studies.production.sealed import KINDS, OUTCOMES
from memgauge.text.pseudonyms import Pseudonyms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.studies.production.arrays import TrafficArrays

RECORDER: Final = "simulated"
_WORDS: Final = "the shop opens at nine and the parcel waits there until the end of the week for whoever comes by "


def write(traffic: TrafficArrays, folder: Path) -> Traffic:
    """Write a simulated service to *folder*, with invented texts.

    Raises:
        RunError: Something lies there, or nothing can be written beside it.
    """
    records = HitArrays.together([traffic.changes, traffic.hits])
    records = records.where(np.argsort(records.operation, kind="stable"))
    ends = np.searchsorted(records.operation, np.arange(len(traffic.began) + 1))
    with TrafficWriter(folder) as writer:
        for row in range(len(traffic.began)):
            writer.add(_operation(traffic, row), _records(records, range(ends[row], ends[row + 1])))
        writer.close(TrafficIdentity(recorder=RECORDER, sampling="all of it", texts=True), TrafficLedger())
    return Traffic.read(folder)


def _operation(traffic: TrafficArrays, row: int) -> TrafficOperation:
    kind, trace = KINDS[traffic.kind[row]], traffic.spelled(np.array([row]))[0]
    searching = kind is TrafficKind.SEARCH
    query = f"Question {traffic.query[row]} of user {traffic.scope[row]}?"
    returned_count, context_tokens = traffic.returned[row], traffic.context[row]
    return TrafficOperation(
        operation=kind,
        scope=f"user {traffic.scope[row]}",
        store="notes",
        scope_from=ScopeFrom.SPAN,
        began_ns=int(traffic.began[row]),
        ended_ns=int(traffic.ended[row]),
        outcome=OUTCOMES[traffic.outcome[row]],
        asked=int(traffic.asked[row]) if searching else None,
        returned=None if np.isnan(returned_count) else int(returned_count),
        query=query if searching else None,
        query_hash=Pseudonyms().text_hash(query) if traffic.query[row] != UNKNOWN else None,
        trace=trace[0],
        span=trace[1],
        dialect=RECORDER,
        service=traffic.named("service", row),
        context_tokens=None if np.isnan(context_tokens) else int(context_tokens),
    )


def _records(records: HitArrays, places: range) -> Iterator[TrafficRecord]:
    for place in places:
        length, score, run_length = (
            int(records.characters[place]),
            float(records.score[place]),
            float(records.run[place]),
        )
        beginning = f"Note {records.memory[place]}, version {records.version[place]}: "
        text = (beginning + _WORDS * 3)[: max(length, len(beginning))]
        yield TrafficRecord(
            memory=f"m{records.memory[place]}",
            hash=Pseudonyms().text_hash(text),
            characters=length,
            text=text,
            score=None if np.isnan(score) else score,
            traceable=None if np.isnan(run_length) else int(run_length),
        )
