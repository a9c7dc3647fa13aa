"""The layout of our own: one hit a line, as JSON lines or CSV, with what was stored and never returned beside it.

A line holds ``question`` and ``rank`` for a hit, or ``conversation`` alone for a memory that was only stored;
and ``memory`` (its id), ``text``, ``form``, ``sources`` (turns, or memories of the same file, which are followed
to their turns), ``lineage`` and ``score``. A question that failed has one line with ``outcome`` and ``reason``;
one that found nothing, a line without a memory. In CSV, several sources are separated by blanks, and
an apostrophe stands before a text that a spreadsheet could take for a formula.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import RANK, REMEDY, read_lines, read_text, require_unbroken, score
from memgauge.exchange.remembering import followed, member, remember, text_of
from memgauge.exchange.trace import FileLocation, Joining, TracedQuestion
from memgauge.records import Outcome
from memgauge.text.csv_fields import large_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.remembering import Told
    from memgauge.exchange.trace import JoinedDataset, TracedMemory
    from memgauge.records import Question

FIELDS = (
    "question", "conversation", "rank", "memory", "text", "form", "sources", "lineage", "score", "outcome",
    "reason",
)  # fmt: skip


def read_jsonl(path: Path, target: JoinedDataset) -> Joining:
    """Read our own layout as JSON lines.

    Raises:
        MalformedDataError: A line does not fit; file, line and field are named.
    """
    return _read(read_lines(path), target)


def read_csv(path: Path, target: JoinedDataset) -> Joining:
    """Read our own layout as CSV.

    Raises:
        MalformedDataError: A line does not fit; file, line and field are named.
    """
    return _read(_csv_rows(path), target)


def _csv_rows(path: Path) -> Iterator[tuple[FileLocation, dict[str, Any]]]:
    rows = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        with large_fields():
            names = next(filter(None, rows))
            _check_names(names, FileLocation(path, rows.line_num))
            last = rows.line_num
            for values in rows:
                place, last = FileLocation(path, last + 1), rows.line_num
                if values and len(values) != len(names):
                    raise MalformedDataError(
                        f"{place}: {len(values)} values stand below {len(names)} names.",
                        "Write every row whole; what is not known stays empty between its commas.",
                    )
                if values:
                    named = {name: bare(value) for name, value in zip(names, values, strict=True) if value}
                    yield place, _split(named)
    except csv.Error as error:
        raise MalformedDataError(f"{path}:{rows.line_num}: not CSV: {error}.", REMEDY) from error


def _check_names(names: list[str], place: FileLocation) -> None:
    for number, name in enumerate(names):
        if name not in FIELDS:
            raise _no_field(name, place)
        if name in names[:number]:
            raise MalformedDataError(f"{place}: {name}: two columns have this name.", "Keep one of them.")


def _no_field(name: str, place: FileLocation) -> MalformedDataError:
    return MalformedDataError(f"{place}: {name}: there is no such field.", f"Fields: {', '.join(FIELDS)}.")


def _split(row: dict[str, Any]) -> dict[str, Any]:
    return row | ({"sources": row["sources"].split()} if "sources" in row else {})


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "'")
"""What a spreadsheet may take for the beginning of a formula, and what marks that it is none."""


def guarded(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet could take for a formula; :func:`bare` takes it off."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def bare(text: str) -> str:
    """Take off what :func:`guarded` put before a text."""
    unguarded = text.removeprefix("'")
    return unguarded if unguarded != text and unguarded.lstrip(" ").startswith(_FORMULA) else text


@dataclass
class _QuestionRows:
    """What is known of one question so far."""

    ranked: dict[int, tuple[str, float | None]] = field(default_factory=dict)
    """By rank: the memory and its score."""
    places: dict[int, FileLocation] = field(default_factory=dict)
    """By rank: where the hit stands."""
    ended: tuple[FileLocation, Outcome, str] | None = None
    """Of a question without hits: where it stands, how it ended, and why."""


_HIT: Final = ("rank", "text", "form", "sources", "lineage", "score")
"""Fields that say something of a memory, and nothing without its id."""
_ASKED: Final = ("rank", "score", "outcome", "reason")
"""Fields that say something of a search, and nothing of a memory that was only stored."""
_ENDED: Final = "A question has hits, or one line that says how it ended without any."


def _read(rows: Iterable[tuple[FileLocation, dict[str, Any]]], target: JoinedDataset) -> Joining:
    joining = Joining(target)
    rows_by_question: dict[str, _QuestionRows] = {}
    memories: defaultdict[str, Told] = defaultdict(dict)
    for place, cells in rows:
        row = {name: value for name, value in cells.items() if value is not None}
        joining.saw(row)
        unknown_fields = sorted(set(row) - set(FIELDS))
        if unknown_fields:
            raise _no_field(unknown_fields[0], place)
        if "question" not in row:
            _store(place, row, memories, joining)
        elif (question := joining.find(place, text_of(row, "question", place))) is not None:
            _require_home(place, row, question)
            entry = rows_by_question.setdefault(question.id, _QuestionRows())
            if "memory" in row:
                _hit(place, row, entry, memories[question.conversation])
            else:
                _end(place, row, entry)
    memories_by_home = {home: followed(remembered, target.turns[home]) for home, remembered in memories.items()}
    for key, entry in rows_by_question.items():
        joining.answers[key] = _traced(key, entry, memories_by_home.get(target.questions[key].conversation, {}))
    joining.stored = {
        home: tuple(memories_of_home.values()) for home, memories_of_home in memories_by_home.items()
    }
    return joining


def _store(place: FileLocation, row: Mapping[str, Any], memories: Mapping[str, Told], joining: Joining) -> None:
    """Note a memory that was stored; one of a conversation that the dataset lacks is left out and counted."""
    home = text_of(row, "conversation", place)
    if beside := next((name for name in _ASKED if name in row), ""):
        raise MalformedDataError(
            f"{place}: {beside}: a line without a question has none.", "Name the question, or leave the field out."
        )
    if home in joining.target.turns:
        joining.rows += 1
        remember(place, row, memories[home])
    else:
        joining.leave_out(place, "no such conversation", f"conversation: there is no {home!r}")


def _require_home(place: FileLocation, row: Mapping[str, Any], question: Question) -> None:
    home = text_of(row, "conversation", place) if "conversation" in row else question.conversation
    if home != question.conversation:
        raise MalformedDataError(
            f"{place}: conversation: it is {home!r}, and {question.id!r} is of {question.conversation!r}.",
            "Leave the conversation out beside a question, or name its own.",
        )


def _hit(place: FileLocation, row: Mapping[str, Any], entry: _QuestionRows, remembered: Told) -> None:
    rank = str(row.get("rank", ""))
    if not RANK.fullmatch(rank) or int(rank) < 1 or int(rank) in entry.ranked:
        raise MalformedDataError(f"{place}: rank: {rank!r} is no rank, or the second one.", "Number hits from 1.")
    outcome = member(Outcome, row.get("outcome", Outcome.OK), place, "outcome")
    if outcome is not Outcome.OK or "reason" in row:
        ending = f"outcome: it is {outcome}" if outcome is not Outcome.OK else "reason: one is named"
        raise MalformedDataError(f"{place}: {ending}, and the line is a hit.", _ENDED)
    _require_one_end(place, entry, hit=True)
    if any(str(row["memory"]) == name for name, _ in entry.ranked.values()):
        raise MalformedDataError(f"{place}: memory: {row['memory']!r} is returned twice.", "Name each hit once.")
    name = remember(place, row, remembered)
    entry.ranked[int(rank)] = name, score(row.get("score"), replace(place, field="score"))
    entry.places[int(rank)] = place


def _end(place: FileLocation, row: Mapping[str, Any], entry: _QuestionRows) -> None:
    """Note how a question ended that has no hits: empty where nothing else is said."""
    if beside := next((name for name in _HIT if name in row), ""):
        raise MalformedDataError(f"{place}: {beside}: a line without a memory has none.", "Name the memory's id.")
    reason = text_of(row, "reason", place)
    if reason and "outcome" not in row:
        raise MalformedDataError(f"{place}: reason: it says why, and no outcome says what.", "Name the outcome.")
    outcome = member(Outcome, row.get("outcome", Outcome.EMPTY), place, "outcome")
    if outcome is Outcome.OK:
        raise MalformedDataError(f"{place}: outcome: it is ok, and the line is no hit.", _ENDED)
    _require_one_end(place, entry, hit=False)
    entry.ended = place, outcome, reason


def _require_one_end(place: FileLocation, entry: _QuestionRows, *, hit: bool) -> None:
    if entry.ended is not None:
        other = entry.ended[0].line
        raise MalformedDataError(f"{place}: question: line {other} says that it ended without hits.", _ENDED)
    if entry.places and not hit:
        other = min(at.line for at in entry.places.values())
        raise MalformedDataError(f"{place}: question: line {other} is a hit of it, and this is none.", _ENDED)


def _traced(key: str, entry: _QuestionRows, memories: Mapping[str, TracedMemory]) -> TracedQuestion:
    require_unbroken(entry.places)
    if entry.ended is not None:
        _, outcome, reason = entry.ended
        return TracedQuestion(key, (), outcome, reason)
    return TracedQuestion(
        key, tuple(replace(memories[name], score=score) for _, (name, score) in sorted(entry.ranked.items()))
    )
