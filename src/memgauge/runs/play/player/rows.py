"""What a player wrote, checked line by line, with the names of its questions put back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memgauge.records import Outcome
from memgauge.runs.record.cost import legible
from memgauge.runs.record.rows import failures
from memgauge.runs.record.spelling import encode
from memgauge.runs.record.verbatim import TOLD, VerbatimLines
from memgauge.text.jsons import DEPTH, deeper

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Question, Turn
    from memgauge.runs.record.rows import Row

TABLES: Final = frozenset({"case", "write", "flush", "question", "reply", "memory", "probe", "spent", "end"})
_NAMED: Final = frozenset({"question", "reply"})
_TALLIED: Final = frozenset({"question", "end"})
_COUNTED: Final = ("t", "number", "question", "outcome", "failed")
_DECODER: Final = json.JSONDecoder()


@dataclass
class CheckedLines:
    """Checks the lines of one attempt while they come, portion by portion."""

    conversation: str
    attempt: int
    number: int
    questions: Sequence[Question]
    turns: Sequence[Turn] = ()
    """What is played, where rows may be told by its numbers."""
    _tallied: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Nothing was told yet."""
        self._verbatim = VerbatimLines(self.turns, self.conversation, self.attempt)

    def take(self, body: bytes) -> bytes:
        """Return lines as they enter the journal.

        Raises:
            EOFError: A line is none that a player writes.
        """
        lines: list[bytes] = []
        for line, row in _rows(body):
            table = row.get("t")
            if table in TOLD and self._tallied:
                lines.append(self._told(row))
                continue
            if (
                table not in TABLES
                or row.get("conversation") != self.conversation
                or row.get("attempt") != self.attempt
            ):
                raise EOFError("a line of another record")
            if table in _NAMED:
                _name(row, self.questions)
            elif table == "probe":
                row["example"] = _asked(row["example"], self.questions).id if row.get("example") else ""
            elif table == "spent" and not legible(row):
                raise EOFError("costs that are none")
            lines.append(encode([row]) if table in _NAMED or table == "probe" else line.encode())
            if table in _TALLIED or not self._tallied:
                self._tally(row)
        return b"".join(lines)

    def _told(self, row: Row) -> bytes:
        try:
            return self._verbatim.of(row)
        except ValueError as error:
            raise EOFError(str(error)) from error

    def end(self) -> int:
        """Return how many questions ended without a result.

        Raises:
            EOFError: The questions are not those that were asked, in order, or what is said of them is wrong.
        """
        tallied = self._tallied
        asked = [row for row in tallied if row["t"] == "question"]
        ends = bool(tallied) and tallied[0]["t"] == "case" and tallied[-1]["t"] == "end"
        if not ends or tallied[0].get("number") != self.number:
            raise EOFError("a record without a beginning or an end")
        if [row["question"] for row in asked] != [question.id for question in self.questions] or len(
            tallied
        ) != len(asked) + 2:
            raise EOFError("a record of other questions")
        failed = failures(tallied)
        if tallied[-1].get("failed") != failed:
            raise EOFError("a record that miscounts")
        return failed

    def _tally(self, row: Row) -> None:
        """Keep of a row what it is counted by."""
        self._tallied.append({name: row[name] for name in _COUNTED if name in row})


def rows_of(lines: bytes) -> list[Row]:
    """Read the rows of a journal."""
    return [row for _, row in _rows(lines)]


def _rows(body: bytes) -> Iterator[tuple[str, Row]]:
    """Read lines, each of which is one object and nothing else, in place: most go on as they are."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise EOFError("lines that are no text") from error
    start = 0
    while (end := text.find("\n", start)) >= 0:
        try:
            row, behind = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise EOFError("a line that is no JSON") from error
        if behind != end or type(row) is not dict or _steep(row, text, start, end):
            raise EOFError("a line that is no row")  # whatever it is, it is no record
        yield text[start : end + 1], row
        start = end + 1


def _steep(row: Row, text: str, start: int, end: int) -> bool:
    """Whether lists and objects lie deeper in each other than any reader of ours goes."""
    return text.count("[", start, end) + text.count("{", start, end) > DEPTH and deeper(row)


def _name(row: Row, questions: Sequence[Question]) -> None:
    """Put the id and the category of a question in place of its number."""
    asked = _asked(row.get("question"), questions)
    row["question"] = asked.id
    if row["t"] == "question":
        if row.get("outcome") not in tuple(Outcome):
            raise EOFError("an outcome that there is not")
        row["category"] = asked.category


def _asked(number: object, questions: Sequence[Question]) -> Question:
    if not (isinstance(number, str) and number.isdecimal() and int(number) < len(questions)):
        raise EOFError("a question that was not asked")
    return questions[int(number)]
