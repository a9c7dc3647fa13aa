"""Turns and reviewed labels become a folder of data."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.building.datasheet import DatasheetContent, datasheet
from memgauge.datasets.building.split import DEV_SHARE, Split, split
from memgauge.datasets.building.turns import TURNS, canonical, write_turns
from memgauge.datasets.own.lines import ASKED, FORMAT, MANIFEST, STATED, fields_of
from memgauge.errors import DataError
from memgauge.records import Fact, Question
from memgauge.refusals import remedy
from memgauge.show.safety import plain_line
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.building.origin import ExportOrigin
    from memgauge.datasets.building.worksheet import Worksheet, WorksheetFact, WorksheetQuestion
    from memgauge.records import Conversation

QUESTIONS, TRUTH = "questions.jsonl", "truth.jsonl"
SPLIT, DATASHEET = "split.json", "DATASHEET.md"


@dataclass(frozen=True)
class AssembledData:
    """A folder of data before it is written."""

    files: Mapping[str, str]
    """Content by name; the manifest, which vouches for others, is the last."""
    counts: Mapping[str, int]
    split: Split


def assemble(
    conversations: Sequence[Conversation],
    sheet: Worksheet,
    *,
    generator: str,
    origin: ExportOrigin | None = None,
    licence: str = "",
    seed: str = "0",
    dev_share: float = DEV_SHARE,
) -> AssembledData:
    """Make the files of a folder; the same turns and labels give the same bytes.

    Facts that several lines state in the same words become one, with the turns of all.

    Raises:
        DataError: The worksheet is not about these conversations.
        ConfigError: *dev_share* is no share.
    """
    _check(conversations, sheet)
    licence = plain_line(licence)
    asked: list[tuple[Question, WorksheetQuestion]] = []
    facts: list[Fact] = []
    for whole in conversations:
        lines = [line for _, line in sheet.lines if line.conversation == whole.id]
        entries = [entry for line in lines for entry in line.questions]
        asked += [
            (Question(f"{whole.id}_q{number:03d}", whole.id, entry.text, entry.category, entry.asked_at), entry)
            for number, entry in enumerate(entries, 1)
        ]
        facts += _facts(whole.id, [fact for line in lines for fact in line.facts])
    questions = [question for question, _ in asked]
    parts = split(questions, seed, dev_share)
    counts = {
        "conversations": len(conversations),
        "sessions": sum(len(whole.sessions) for whole in conversations),
        "turns": sum(1 for whole in conversations for _ in whole.turns()),
        "questions": len(questions),
        "truth": len(facts),
    }
    data = {
        TURNS: write_turns(conversations),
        QUESTIONS: canonical(_question(question, entry) for question, entry in asked),
        TRUTH: canonical(fields_of(fact, STATED) for fact in facts),
    }
    parted = _pretty(asdict(parts))
    manifest = {
        "format": FORMAT,
        "generator": generator,
        "sha256": {name: _sha256(text) for name, text in data.items()},
        "counts": counts,
        "licence": licence,
        "split": {"file": SPLIT, "sha256": _sha256(parted)},
    }
    read_me = datasheet(
        DatasheetContent(
            conversations, [entry for _, entry in asked], facts, sheet, origin, parts, generator, licence
        )
    )
    return AssembledData({**data, SPLIT: parted, DATASHEET: read_me, MANIFEST: _pretty(manifest)}, counts, parts)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write *files* below *folder*, in their order.

    Raises:
        DataError: The folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_bytes(text.encode())
    except OSError as error:
        raise DataError(f"Cannot write to {folder}: {error.strerror}.", remedy(error)) from error


def _check(conversations: Sequence[Conversation], sheet: Worksheet) -> None:
    texts = {whole.id: {turn.id: turn.text for turn in whole.turns()} for whole in conversations}
    for number, line in sheet.lines:
        for turn in line.turns:
            if texts.get(line.conversation, {}).get(turn.id) != turn.text:
                what = f"{sheet.path}:{number}: turn {turn.id} of {line.conversation} is not what {TURNS} holds."
                raise DataError(what, "Label turns as they are: take the worksheet that was made with them.")


def _facts(conversation: str, entries: Sequence[WorksheetFact]) -> Iterator[Fact]:
    same: defaultdict[tuple[object, ...], list[WorksheetFact]] = defaultdict(list)
    for entry in entries:
        words = (fold(entry.subject), fold(entry.slot), fold(entry.value))
        same[(*words, entry.functional, entry.valid_from, entry.valid_to)].append(entry)
    for number, (first, *others) in enumerate(same.values(), 1):
        turns = tuple(dict.fromkeys(turn for entry in (first, *others) for turn in entry.turns))
        yield Fact(f"f{number:03d}", conversation, **{**dict(first), "turns": turns})


def _question(question: Question, entry: WorksheetQuestion) -> dict[str, object]:
    listed = {name: list(dict.fromkeys(getattr(entry, name))) for name in ("answers", "evidence", "stale")}
    return {**fields_of(question, ASKED), **listed, "abstain": entry.abstain, "trap": entry.trap or None}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _pretty(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2) + "\n"
