"""What every importer makes of a foreign file: who was asked what, and what came back; nothing is guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.records import Form, Lineage, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
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


@dataclass(frozen=True)
class Imported:
    """A file, read and joined."""

    answers: tuple[TracedQuestion, ...]
    stored: Mapping[str, tuple[TracedMemory, ...]] = field(default_factory=dict)
    """By conversation: memories that were stored, returned or not, where the file tells of them."""
    searched: bool = True
    """Whether the file tells of retrieval at all."""
    rows: int = 0
    by_id: int = 0
    by_text: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    stray: str = ""
    """The first row that could not be joined, with its place."""


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
        found = [
            question
            for question in self._by_text.get(normal(text), ())
            if not conversation or question.conversation == conversation
        ]
        if len(found) == 1:
            return found[0], "text"
        return None, "several questions have this text" if found else "no such question"


def normal(text: str) -> str:
    """Fold white space and case, which files change on the way."""
    return " ".join(text.split()).casefold()


@dataclass
class Joining:
    """Counts rows while they are joined."""

    target: JoinedDataset
    rows: int = 0
    how: dict[str, int] = field(default_factory=lambda: {"id": 0, "text": 0})
    dropped: dict[str, int] = field(default_factory=dict)
    fields: dict[str, None] = field(default_factory=dict)
    answers: dict[str, TracedQuestion] = field(default_factory=dict)
    stray: str = ""
    """The first row that could not be joined, with its place."""

    def find(self, place: FileLocation, name: str, text: str = "", conversation: str = "") -> Question | None:
        """Join one row; a row that cannot be is counted with its reason."""
        self.rows += 1
        question, how = self.target.question(name, text, conversation)
        if question is None:
            self.drop(how)
            self.stray = self.stray or f"{place}: {how}: {name or text!r}"
        elif question.id in self.answers:
            self.drop("the question was answered before")
            return None
        else:
            self.how[how] += 1
        return question

    def drop(self, reason: str) -> None:
        """Count a row that is left out."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def saw(self, names: Sequence[str] | Iterator[str]) -> None:
        """Note names of fields."""
        self.fields.update(dict.fromkeys(names))

    def done(self, *, searched: bool = True) -> Imported:
        """Return what was joined."""
        return Imported(
            tuple(self.answers.values()),
            searched=searched,
            rows=self.rows,
            by_id=self.how["id"],
            by_text=self.how["text"],
            dropped=dict(sorted(self.dropped.items())),
            fields=tuple(sorted(self.fields)),
            stray=self.stray,
        )


@dataclass(frozen=True, slots=True)
class FileLocation:
    """Where in a file something stands."""

    path: Path
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.field}" if self.field else where
