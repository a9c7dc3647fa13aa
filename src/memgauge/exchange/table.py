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
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import RANK, REMEDY, read_lines, read_text, score
from memgauge.exchange.trace import FileLocation, Joining, TracedMemory, TracedQuestion
from memgauge.records import Form, Lineage, Outcome
from memgauge.systems.storefile import CircleError, follow
from memgauge.text.csv_fields import large_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset

Kind = TypeVar("Kind", bound=StrEnum)
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
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""), restkey="", strict=True)
    try:
        with large_fields():
            for number, row in enumerate(rows, 2):
                if "" in row:
                    raise MalformedDataError(f"{FileLocation(path, number)}: more values than names.", REMEDY)
                named = {name: bare(value) for name, value in row.items() if value}
                yield FileLocation(path, number), _split(named)
    except csv.Error as error:
        raise MalformedDataError(f"{path}:{rows.line_num}: not CSV: {error}.", REMEDY) from error


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
    outcome: Outcome = Outcome.OK
    reason: str = ""


_Known = dict[str, tuple[TracedMemory, FileLocation]]
"""Memories by id, each with the place where it was first told of."""


def _read(rows: Iterable[tuple[FileLocation, dict[str, Any]]], target: JoinedDataset) -> Joining:
    joining = Joining(target)
    rows_by_question: dict[str, _QuestionRows] = {}
    memories: defaultdict[str, _Known] = defaultdict(dict)
    for place, row in rows:
        joining.saw(row)
        unknown_fields = sorted(set(row) - set(FIELDS))
        if unknown_fields:
            raise MalformedDataError(
                f"{place}: {unknown_fields[0]}: there is no such field.", f"Fields: {', '.join(FIELDS)}."
            )
        if "question" in row:
            _question(place, row, target, rows_by_question, memories, joining)
        else:
            home = str(row.get("conversation", ""))
            if home not in target.turns:
                raise MalformedDataError(f"{place}: conversation: there is no {home!r}.", REMEDY)
            joining.rows += 1
            _remember(place, row, memories[home])
    memories_by_home = {home: _followed(remembered, target.turns[home]) for home, remembered in memories.items()}
    for key, entry in rows_by_question.items():
        home = target.questions[key].conversation
        items = tuple(
            replace(memories_by_home[home][name], score=score) for _, (name, score) in sorted(entry.ranked.items())
        )
        outcome = entry.outcome if entry.outcome is not Outcome.OK or items else Outcome.EMPTY
        joining.answers[key] = TracedQuestion(key, items, outcome, entry.reason)
    joining.stored = {
        home: tuple(memories_of_home.values()) for home, memories_of_home in memories_by_home.items()
    }
    return joining


def _question(
    place: FileLocation,
    row: Mapping[str, Any],
    target: JoinedDataset,
    rows_by_question: dict[str, _QuestionRows],
    memories: Mapping[str, _Known],
    joining: Joining,
) -> None:
    question = joining.find(place, str(row["question"]))
    if question is None:
        raise MalformedDataError(
            f"{place}: question: {row['question']!r} is no question of {target.dataset.identity.ref}.", REMEDY
        )
    entry = rows_by_question.setdefault(question.id, _QuestionRows())
    entry.outcome = _member(Outcome, row.get("outcome", entry.outcome), place, "outcome")
    entry.reason = str(row.get("reason", entry.reason))
    if "memory" not in row:
        return
    rank = str(row.get("rank", ""))
    if not RANK.fullmatch(rank) or int(rank) < 1 or int(rank) in entry.ranked:
        raise MalformedDataError(f"{place}: rank: {rank!r} is no rank, or the second one.", "Number hits from 1.")
    if any(str(row["memory"]) == name for name, _ in entry.ranked.values()):
        raise MalformedDataError(f"{place}: memory: {row['memory']!r} is returned twice.", "Name each hit once.")
    name = _remember(place, row, memories[question.conversation])
    entry.ranked[int(rank)] = name, score(row.get("score"), replace(place, field="score"))


def _remember(place: FileLocation, row: Mapping[str, Any], remembered: _Known) -> str:
    """Note a memory; a later line may name it again, but not tell otherwise of it."""
    name = str(row.get("memory", ""))
    if not name:
        raise MalformedDataError(f"{place}: memory: a memory needs an id.", REMEDY)
    sources = row.get("sources", ())
    if not isinstance(sources, list | tuple):
        raise MalformedDataError(f"{place}: sources: a list is expected.", REMEDY)
    source_ids = tuple(map(str, sources))
    lineage = _member(
        Lineage, row.get("lineage", Lineage.DECLARED if source_ids else Lineage.ABSENT), place, "lineage"
    )
    form = _member(Form, row.get("form", Form.UNKNOWN), place, "form")
    item = TracedMemory(name, None if row.get("text") is None else str(row["text"]), source_ids, form, lineage)
    first_item, first_place = remembered.setdefault(name, (item, place))
    if len(row) > 3 and first_item != item and ("text" in row or "sources" in row):
        raise MalformedDataError(
            f"{place}: memory: {name!r} is told of otherwise in line {first_place.line}.",
            "Give versions other ids.",
        )
    return name


def _member(kind: type[Kind], value: object, place: FileLocation, name: str) -> Kind:
    try:
        return kind(str(value))
    except ValueError as error:
        choices = ", ".join(str(member) for member in kind)
        raise MalformedDataError(f"{place}: {name}: {value!r} is none of {choices}.", REMEDY) from error


def _followed(remembered: _Known, turns: set[str]) -> dict[str, TracedMemory]:
    """Replace sources that are memories by the turns that these descend from."""
    for item, place in remembered.values():
        for source in item.sources:
            if source not in turns and source not in remembered:
                raise MalformedDataError(f"{place}: sources: {source!r} is neither a turn nor a memory.", REMEDY)
    try:
        descent = follow({name: item.sources for name, (item, _) in remembered.items() if name not in turns})
    except CircleError as circle:
        _, place = remembered[circle.names[0]]
        raise MalformedDataError(f"{place}: sources: {circle} is a circle.", REMEDY) from circle
    return {name: replace(item, sources=descent.get(name, item.sources)) for name, (item, _) in remembered.items()}
