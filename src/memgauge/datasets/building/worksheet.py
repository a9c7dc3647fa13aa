"""The worksheet: what was said, and room for what is true, what could be asked, and what would be right.

A line is an excerpt of one session. Whoever fills it, a person or a model, writes facts and questions below the
turns; whoever reviews it sets ``status``. Only reviewed lines become data.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from memgauge.datasets.building.checks import problems, warnings
from memgauge.datasets.building.messages import Line, Text, Time  # noqa: TC001 - pydantic needs them at run time
from memgauge.datasets.building.turns import read_entries
from memgauge.errors import DataError, MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.building.checks import SaidTurns
    from memgauge.datasets.validate import Violation
    from memgauge.records import Conversation, Turn

WORKSHEET = "worksheet.jsonl"
TURNS_A_LINE = 20
_SHOWN = 20


class _Entry(BaseModel):
    """A value read strictly: a name that is not known is more likely misspelt than meant."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


class WorksheetFact(_Entry):
    """One version of something true of somebody; all fields empty means that there is none."""

    subject: Line = ""
    slot: Line = ""
    """What it is about: ``home city``."""
    value: Text = ""
    functional: bool = True
    """Whether a subject has one value at a time."""
    valid_from: Time = None
    """When it became true; empty where that is not known."""
    valid_to: Time = None
    """The first moment at which it no longer held; empty while nothing ended it."""
    turns: tuple[Text, ...] = ()
    """The turns that state it, by id."""


class WorksheetQuestion(_Entry):
    """One question; all fields empty means that there is none."""

    text: Text = ""
    category: Line = ""
    answers: tuple[Text, ...] = ()
    """Every answer that would be right."""
    evidence: tuple[Text, ...] = ()
    """The turns that are enough to answer, by id; they may be of other sessions."""
    stale: tuple[Text, ...] = ()
    """The turns that state what is no longer, or not yet, true."""
    abstain: bool = False
    """Whether the right reply is that nothing was said about it."""
    asked_at: Time = None
    """Empty: after everything was said."""
    trap: Text | None = None
    """An answer that would be wrong on purpose."""


class WorksheetTurn(_Entry):
    """What was said, to be read and not to be changed."""

    id: str
    at: Time
    speaker: str
    text: str


class WorksheetLine(_Entry):
    """One excerpt with its labels."""

    conversation: str
    session: str
    status: Literal["draft", "reviewed", "rejected"] = "draft"
    labelled_by: Line = ""
    """Who or what wrote the labels: initials, or the name of a model."""
    reviewed_by: Line = ""
    note: Text = ""
    turns: tuple[WorksheetTurn, ...]
    facts: tuple[WorksheetFact, ...] = ()
    questions: tuple[WorksheetQuestion, ...] = ()

    def filled(self) -> WorksheetLine:
        """Leave out the entries that nobody filled."""
        facts = tuple(fact for fact in self.facts if fact != _NO_FACT)
        questions = tuple(question for question in self.questions if question != _NO_QUESTION)
        return self.model_copy(update={"facts": facts, "questions": questions})


_LINE = TypeAdapter(WorksheetLine)
_NO_FACT, _NO_QUESTION = WorksheetFact(), WorksheetQuestion()


@dataclass(frozen=True)
class Worksheet:
    """A worksheet that was read and found in order."""

    path: Path
    lines: tuple[tuple[int, WorksheetLine], ...]
    """The lines that count, with their numbers."""
    statuses: Mapping[str, int]
    """Lines by status, those that do not count among them."""
    warnings: tuple[Violation, ...]


def write_worksheet(conversations: Iterable[Conversation]) -> str:
    """Return the content of an empty worksheet; long sessions take several lines."""
    return "".join(
        json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n"
        for conversation in conversations
        for line in _excerpts(conversation)
    )


def _excerpts(conversation: Conversation) -> Iterator[WorksheetLine]:
    for session in conversation.sessions:
        for start in range(0, len(session.turns), TURNS_A_LINE):
            excerpt = session.turns[start : start + TURNS_A_LINE]
            turns = tuple(WorksheetTurn(id=t.id, at=t.at, speaker=t.speaker, text=t.text) for t in excerpt)
            yield WorksheetLine(
                conversation=conversation.id,
                session=session.id,
                turns=turns,
                facts=(_NO_FACT,),
                questions=(_NO_QUESTION,),
            )


def read_worksheet(path: Path, conversations: Iterable[Conversation] = (), *, drafts: bool = False) -> Worksheet:
    """Read a filled worksheet; reviewed lines count, with *drafts* also those that nobody has reviewed.

    Labels may name every turn of *conversations*, also one whose line of the worksheet was removed.

    Raises:
        DataError: The file is missing, a line has not the shape of one, or labels contradict what was said; every
            contradiction is named with its line and field.
    """
    entries = read_entries(path, _LINE, "Write the line as the empty worksheet has it.")
    lines = [(number, line.filled()) for number, line in entries]
    wanted = {"reviewed", "draft"} if drafts else {"reviewed"}
    counted = tuple((number, line) for number, line in lines if line.status in wanted)
    if not any(line.questions for _, line in counted):
        what = "that is not rejected" if drafts else "that is reviewed"
        remedy = "Fill some questions" + ("." if drafts else ", and set their status to reviewed.")
        raise DataError(f"{path} has no question in a line {what}.", remedy)
    written = [line for _, line in lines]
    turns_by_home = _said(conversations, written)
    if misfits := problems(path, counted, turns_by_home):
        shown = "".join(f"\n  {misfit.where}: {misfit.what}" for misfit in misfits[:_SHOWN])
        more = f"\n  and {len(misfits) - _SHOWN} more" if len(misfits) > _SHOWN else ""
        what = f"{path}: {len(misfits)} {'labels do' if len(misfits) > 1 else 'label does'} not fit."
        remedy = f"Mend these fields, or set the status of their lines to draft or rejected:{shown}{more}"
        raise MalformedDataError(what, remedy)
    statuses: dict[str, int] = dict(sorted(Counter(line.status for line in written).items()))
    return Worksheet(path, counted, statuses, warnings(path, counted, turns_by_home))


def _said(conversations: Iterable[Conversation], written: Iterable[WorksheetLine]) -> SaidTurns:
    """Return every turn that labels may name, by conversation and id."""
    turns: defaultdict[str, dict[str, Turn | WorksheetTurn]] = defaultdict(dict)
    for whole in conversations:
        turns[whole.id].update((turn.id, turn) for turn in whole.turns())
    for line in written:
        turns[line.conversation].update((turn.id, turn) for turn in line.turns)
    return turns
