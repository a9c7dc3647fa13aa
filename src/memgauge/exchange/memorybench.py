"""Checkpoints of supermemory's memorybench: only a completed phase is done, and phases follow each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.provided import provided
from memgauge.exchange.reading import REMEDY, expect, read_json
from memgauge.exchange.trace import FileLocation, Joining, TracedQuestion
from memgauge.exchange.verdicts import agreed, verdict_of
from memgauge.records import Outcome
from memgauge.runs.layers.answering import SEARCH_FAILED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset

UNASKED: Final = "the question was not asked yet"
_WORDS: Final = {"correct": True, "incorrect": False}
_PHASES: Final = {"search": "results", "answer": "hypothesis", "evaluate": "label"}
"""By phase: what it leaves when it is done."""
_BEFORE: Final = ("ingest", "indexing")
"""Phases without which no search begins; newer checkpoints keep them apart from the questions."""


class PhaseState(StrEnum):
    """How far a phase came."""

    DONE = "completed"
    FAILED = "failed"
    OPEN = "not done"


_STATES: Final = {
    "completed": PhaseState.DONE,
    "failed": PhaseState.FAILED,
    "pending": PhaseState.OPEN,
    "in_progress": PhaseState.OPEN,
}


@dataclass(frozen=True)
class _Phase:
    place: FileLocation
    fields: Mapping[str, Any]
    state: PhaseState

    @property
    def error(self) -> str:
        return str(self.fields.get("error") or "")


def read_memorybench(path: Path, target: JoinedDataset) -> Joining:
    """Read a checkpoint; a question whose search failed is an error, and one that was not asked yet is missing.

    Its own retrieval metrics are not read: its recall is a hit rate.

    Raises:
        MalformedDataError: It is no checkpoint, or phases contradict each other.
    """
    document = expect(read_json(path), dict, FileLocation(path))
    questions = expect(document.get("questions"), dict, FileLocation(path, field="questions"))
    builds = expect(document.get("builds") or {}, dict, FileLocation(path, field="builds"))
    joining = Joining(target)
    for name, entry in questions.items():
        place = FileLocation(path, field=f"questions.{name}")
        row = expect(entry, dict, place)
        joining.saw(row)
        if str(row.get("questionId", name)) != name:
            raise MalformedDataError(f"{place}.questionId: it is {row['questionId']!r}.", REMEDY)
        _join(joining, name, row, builds.get(str(row.get("buildId"))), place)
    return joining


def _join(joining: Joining, name: str, row: Mapping[str, Any], build: Any, place: FileLocation) -> None:
    phases = expect(row.get("phases") or {}, dict, replace(place, field=f"{place.field}.phases"))
    read = [_phase(phases, phase, result, place) for phase, result in _PHASES.items()]
    _require_order(read)
    search, answer, evaluation = read
    reason = _failed_search(search, phases, build)
    if search.state is PhaseState.OPEN and not reason:
        joining.leave_out(place, UNASKED)
    elif (question := joining.find(place, name, str(row.get("question", "")))) is None:
        return
    elif reason:
        trace = TracedQuestion(question.id, (), Outcome.ERROR, reason, failure=SEARCH_FAILED)
        joining.answers[question.id] = trace
    else:
        where = replace(search.place, field=f"{search.place.field}.results")
        joining.answer(
            question,
            provided(expect(search.fields["results"], list, where), where),
            place=where,
            reply=answer.fields["hypothesis"] if answer.state is PhaseState.DONE else None,
            verdict=_verdict(evaluation),
            judge="memorybench",
            failure=_why(answer),
        )
        for done, phase in (("answered", answer), ("judged", evaluation)):
            joining.note(f"it was not {done}: that phase is {phase.state}", phase.state is not PhaseState.DONE)


def _phase(phases: Mapping[str, Any], name: str, result: str, place: FileLocation) -> _Phase:
    """Read how far a phase came; without a status it is done where it holds its result."""
    where = replace(place, field=f"{place.field}.phases.{name}")
    fields = expect(phases.get(name) or {}, dict, where)
    status, has_result = fields.get("status"), fields.get(result) is not None
    if status is None:
        state = PhaseState.DONE if has_result else PhaseState.OPEN
        state = PhaseState.FAILED if fields.get("error") else state
    elif not isinstance(status, str) or status not in _STATES:
        raise MalformedDataError(f"{where}.status: {str(status)[:40]!r} is none of {', '.join(_STATES)}.", REMEDY)
    else:
        state = _STATES[status]
        if state is PhaseState.DONE and (fields.get("error") or not has_result):
            has = "an error" if fields.get("error") else f"no {result}"
            raise MalformedDataError(f"{where}: it is completed, and has {has}.", REMEDY)
    return _Phase(where, fields, state)


def _require_order(phases: list[_Phase]) -> None:
    """Refuse a phase that is done before the one that it builds on."""
    for before, after in pairwise(phases):
        if after.state is PhaseState.DONE and before.state is not PhaseState.DONE:
            raise MalformedDataError(
                f"{after.place}: it is completed, and {before.place.field} is {before.state}.", REMEDY
            )


def _failed_search(search: _Phase, phases: Mapping[str, Any], build: Any) -> str:
    """Say why there was no search, where a phase failed that it needed."""
    if search.state is PhaseState.FAILED:
        return search.error or "the search failed"
    for name in _BEFORE if search.state is PhaseState.OPEN else ():
        for holder in (phases, build):
            phase = holder.get(name) if isinstance(holder, dict) else None
            if isinstance(phase, dict) and phase.get("status") == "failed":
                return str(phase.get("error") or f"the phase {name} failed")
    return ""


def _why(answer: _Phase) -> str:
    return answer.error or "the answer failed" if answer.state is PhaseState.FAILED else ""


def _verdict(evaluation: _Phase) -> bool | None:
    """Read the label of an evaluation that is done, with which its score and its protocol have to agree."""
    if evaluation.state is not PhaseState.DONE:
        return None
    fields, place = evaluation.fields, evaluation.place
    label = verdict_of(fields["label"], _WORDS, replace(place, field=f"{place.field}.label"))
    protocol = fields.get("evaluation")
    passed = protocol.get("passed") if isinstance(protocol, dict) else None
    score = fields.get("score")
    full = {0.0: False, 1.0: True}.get(score) if isinstance(score, int | float) else None
    return agreed({"label": label, "score": full, "passed": passed if isinstance(passed, bool) else None}, place)
