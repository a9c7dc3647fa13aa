"""The request: which call asks a system to forget, and what it answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import ContractBreach, SystemFault
from memgauge.studies.erasure.people import listed
from memgauge.studies.erasure.plan import ErasureRequest
from memgauge.studies.erasure.record import MadeCall, SurfaceAnswer, Whose
from memgauge.studies.erasure.verdict import AGAIN
from memgauge.systems.protocol import Erasable, Mutable, implements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.erasure.calls import RecordedCalls
    from memgauge.studies.erasure.record import Moment
    from memgauge.studies.erasure.surfaces import ProbedSubject

NOT_OFFERED = "not offered"


def requested(calls: RecordedCalls, request: ErasureRequest, subject: ProbedSubject) -> Iterator[MadeCall]:
    """Ask for the subject to be forgotten, and yield the call; of one that is not offered it is said."""
    system, scope = calls.system, subject.scope
    if request is ErasureRequest.SCOPE:
        if implements(system, Erasable):
            erasable = system
            yield calls.write_down("erase", scope.user, lambda: erasable.erase(scope))
            return
    elif implements(system, Mutable):
        mutable, ids = system, [memory.id for memory in listed(calls, scope)]
        given = f"{len(ids)} ids of {scope.user}"
        yield calls.write_down(
            "delete", given, lambda: mutable.delete(ids, scope), lambda count: f"deleted {count}"
        )
        return
    call = "erase" if request is ErasureRequest.SCOPE else "delete"
    yield MadeCall(calls.time(), call, scope.user, NOT_OFFERED, 0.0)


def again_by_id(calls: RecordedCalls, subject: ProbedSubject, moment: Moment) -> Iterator[SurfaceAnswer]:
    """Delete by id once more what was listed before the request: what is gone cannot be counted."""
    system, ids = calls.system, list(subject.memories)
    if not ids or not implements(system, Mutable):
        return
    mutable, count, problem, broke = system, 0, "", False
    try:
        count = calls.ask("delete", lambda: mutable.delete(ids, subject.scope))
    except SystemFault as fault:
        problem, broke = calls.problem("delete", fault), isinstance(fault, ContractBreach)
    yield SurfaceAnswer(moment, AGAIN, Whose.OWN, 1, count, (), (), problem, broke)
