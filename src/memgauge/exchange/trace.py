"""What every importer makes of a foreign file: who was asked what, and what came back; nothing is guessed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memgauge.errors import MalformedDataError
from memgauge.records import Form, Lineage, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Conversation, Question


@dataclass(frozen=True, slots=True)
class TracedMemory:
    """One memory as a file tells of it."""

    id: str
    text: str | None = None
    sources: tuple[str, ...] = ()
    """Turns of the dataset."""
    form: Form = Form.UNKNOWN
    lineage: Lineage = Lineage.ABSENT
    score: float | None = None


@dataclass(frozen=True, slots=True)
class TracedQuestion:
    """One question as a file tells of it."""

    question: str
    """Its id in the dataset."""
    items: tuple[TracedMemory, ...] = ()
    """Best first."""
    outcome: Outcome = Outcome.OK
    reason: str = ""
    answer: str | None = None
    verdict: bool | None = None
    """What the file's own judge said of the answer."""
    judge: str = ""
    failure: str = ""
    """Why it has no answer, where one was tried."""


@dataclass(frozen=True)
class ImportReport:
    """What became of a file."""

    format: str
    source: str
    sha256: str
    """Of the file."""
    dataset: str
    dataset_sha256: str
    rows: int
    by_id: int
    """Rows joined to a question by its id."""
    by_text: int
    dropped: Mapping[str, int]
    """Rows that were not, by reason."""
    fields: tuple[str, ...]
    """Names that were found in the file."""
    questions: int
    """Of the dataset, or of the part that the file covers."""
    missing: int
    """Questions of the dataset that the file does not tell of."""
    unread: tuple[str, ...] = ()
    """Names that were found, and of which the format makes nothing."""
    noted: Mapping[str, int] = field(default_factory=dict)
    """What a reader should know of questions, and of how many."""


class JoinedDataset:
    """The dataset that a file is joined to."""

    def __init__(self, dataset: Dataset) -> None:
        """Read the questions and conversations of *dataset*."""
        self.dataset = dataset
        self.cases = list(dataset.cases())
        self.questions: dict[str, Question] = {q.id: q for case in self.cases for q in case.questions}
        self.conversations: dict[str, Conversation] = {c.conversation.id: c.conversation for c in self.cases}
        self.turns = {key: {turn.id for turn in value.turns()} for key, value in self.conversations.items()}
        self._by_text: dict[str, list[Question]] = {}
        for question in self.questions.values():
            self._by_text.setdefault(normal(question.text), []).append(question)

    def question(self, name: str, text: str = "", conversation: str = "") -> tuple[Question | None, str]:
        """Find a question by id, else by its text in a conversation; say how: ``id``, ``text``, or why not."""
        if name in self.questions:
            return self.questions[name], "id"
        alike = [
            question
            for question in self._by_text.get(normal(text), ())
            if not conversation or question.conversation == conversation
        ]
        if len(alike) == 1:
            return alike[0], "text"
        return None, "several questions have this text" if alike else "no such question"

    def other(self, question: Question, text: str) -> Question | None:
        """Return a question that is asked in the words of *text*, where *question* is not."""
        alike = self._by_text.get(normal(text), [])
        return alike[0] if alike and question not in alike else None


def normal(text: str) -> str:
    """Fold white space and case, which files change on the way."""
    return " ".join(text.split()).casefold()


@dataclass
class Joining:
    """A file while its rows are joined to a dataset, and what came of it."""

    target: JoinedDataset
    answers: dict[str, TracedQuestion] = field(default_factory=dict)
    """By question."""
    stored: Mapping[str, tuple[TracedMemory, ...]] = field(default_factory=dict)
    """By conversation: memories that were stored, returned or not, where the file tells of them."""
    searched: bool = True
    """Whether the file tells of retrieval at all."""
    rows: int = 0
    joined: Counter[str] = field(default_factory=Counter)
    """Rows by how they were joined: by ``id`` or by ``text``."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Rows that were not, by reason."""
    noted: Counter[str] = field(default_factory=Counter)
    """What a reader should know of questions."""
    fields: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Those of them of which the reader makes nothing, where it says so."""
    stray: str = ""
    """The first row that could not be joined, with its place."""

    def find(self, place: FileLocation, name: str, text: str = "", conversation: str = "") -> Question | None:
        """Join one row; a row that cannot be is counted with its reason.

        Raises:
            MalformedDataError: Its id is that of one question, and its text that of another.
        """
        question, how = self.target.question(name, text, conversation)
        if question is None:
            self.leave_out(place, how, f"{how}: {name or text!r}")
            return None
        if (other := self.target.other(question, text)) is not None:
            raise MalformedDataError(
                f"{place}: its id is {name!r}, and its text that of {other.id!r}.", "Mend whichever is wrong."
            )
        self.rows += 1
        if question.id in self.answers:
            self.dropped["the question was answered before"] += 1
            return None
        self.joined[how] += 1
        return question

    def leave_out(self, place: FileLocation, reason: str, what: str = "") -> None:
        """Count a row that is not joined; the first one is named where *partial* was not said."""
        self.rows += 1
        self.dropped[reason] += 1
        self.stray = self.stray or f"{place}: {what or reason}"

    def saw(self, names: Iterable[str]) -> None:
        """Note names of fields."""
        self.fields = tuple(sorted({*self.fields, *names}))

    def note(self, note: str, applies: bool = True) -> None:
        """Count a question of which a reader should know something."""
        if applies:
            self.noted[note] += 1

    def answer(
        self,
        question: Question,
        items: Iterable[TracedMemory] | None,
        *,
        place: FileLocation | None = None,
        reply: object = None,
        verdict: bool | None = None,
        judge: str = "",
        failure: str = "",
    ) -> None:
        """Note what came back for a question, the first of every id, and what the file says of the answer.

        *items* is ``None`` where the file holds no list of what was found: that is not known to be nothing.

        Raises:
            MalformedDataError: At *place*, one id stands for two memories, or the answer is no text.
        """
        hits: dict[str, TracedMemory] = {}
        listed = None if items is None else list(items)
        for item in listed or ():
            first = hits.setdefault(item.id, item)
            if place is not None and replace(first, score=item.score) != item:
                raise MalformedDataError(
                    f"{place}: {item.id!r} is returned twice, with other words.", "Give each memory its own id."
                )
        self.note(TWICE, len(hits) < len(listed or ()))
        self.note(UNLISTED, listed is None)
        self.note(UNANSWERED, reply is None and verdict is not None)
        ended_without = Outcome.UNSUPPORTED if listed is None else Outcome.EMPTY
        self.answers[question.id] = TracedQuestion(
            question.id,
            tuple(hits.values()),
            Outcome.OK if hits else ended_without,
            answer=_reply(reply, place),
            verdict=None if reply is None else verdict,
            judge=judge,
            failure=failure,
        )


TWICE: Final = "a memory is returned twice: its first rank counts, and those behind it move up"
UNLISTED: Final = "the file does not say what was found, not even nothing: unsupported"
NO_VERDICT: Final = "the place of a verdict is empty: no verdict"
UNANSWERED: Final = "a verdict stands on an answer that the file does not hold, and is left out"


def _reply(value: object, place: FileLocation | None) -> str | None:
    if isinstance(value, bool | list | dict):
        where = "" if place is None else f"{place}: "
        raise MalformedDataError(
            f"{where}the answer is no text.", "Mend the file, or name the format that it has."
        )
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class FileLocation:
    """Where in a file something stands."""

    path: Path
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.field}" if self.field else where
