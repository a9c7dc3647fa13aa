"""What a player wrote, checked line by line, with the names of its questions put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Outcome
from memgauge.runs.record.cost import legible
from memgauge.runs.record.journal import encode
from memgauge.runs.record.rows import failures
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Question
    from memgauge.runs.record.rows import Row

TABLES: Final = frozenset({"case", "write", "flush", "question", "reply", "memory", "probe", "spent", "end"})
_NAMED: Final = frozenset({"question", "reply"})
_TALLIED: Final = frozenset({"question", "end"})


def journal_of(
    body: bytes, conversation: str, attempt: int, number: int, questions: Sequence[Question]
) -> tuple[bytes, int]:
    """Return the lines of a journal, and how many questions ended without a result.

    Raises:
        EOFError: A line is none that a player writes, or the questions are not those that were asked, in order.
    """
    lines: list[bytes] = []
    tallied: list[Row] = []
    for line in body.split(b"\n")[:-1]:
        row = _row(line)
        table = row.get("t")
        if table not in TABLES or row.get("conversation") != conversation or row.get("attempt") != attempt:
            raise EOFError("a line of another record")
        if table in _NAMED:
            _name(row, questions)
        elif table == "probe":
            row["example"] = _asked(row["example"], questions).id if row.get("example") else ""
        elif table == "spent" and not legible(row):
            raise EOFError("costs that are none")
        lines.append(encode([row]) if table in _NAMED or table == "probe" else line + b"\n")
        if table in _TALLIED or not tallied:
            tallied.append(row)
    asked = [row for row in tallied if row["t"] == "question"]
    if not tallied or tallied[0]["t"] != "case" or tallied[0].get("number") != number or tallied[-1]["t"] != "end":
        raise EOFError("a record without a beginning or an end")
    if [row["question"] for row in asked] != [question.id for question in questions] or len(tallied) != len(
        asked
    ) + 2:
        raise EOFError("a record of other questions")
    failed = failures(tallied)
    if tallied[-1].get("failed") != failed:
        raise EOFError("a record that miscounts")
    return b"".join(lines), failed


def rows_of(lines: bytes) -> list[Row]:
    """Read the rows of a journal."""
    return [_row(line) for line in lines.splitlines()]


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json_of(line)
    except ValueError as error:
        raise EOFError("a line that is no JSON") from error
    if not isinstance(row, dict):
        raise EOFError("a line that is no row")  # noqa: TRY004 - whatever it is, it is no record
    return row


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
