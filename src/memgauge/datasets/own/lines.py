"""Cases, gold and facts as lines of JSON: what a folder of data consists of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.records import Case, Conversation, Fact, Gold

FORMAT = 1
MANIFEST = "manifest.json"
SAID = ("session", "id", "speaker", "role", "at", "text")
ASKED = ("id", "conversation", "text", "category", "asked_at")
RIGHT = ("answers", "evidence", "stale", "decoys", "abstain", "trap")
STATED = ("conversation", "id", "subject", "slot", "value", "functional", "valid_from", "valid_to", "turns")
"""The fields that are written of turns, questions, gold and facts, in their order."""
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=datetime.isoformat).encode


class Lines(NamedTuple):
    """The lines that one conversation adds to each file, without their ends; the file is named after the field."""

    turns: list[str]
    questions: list[str]
    truth: list[str]

    def texts(self) -> Iterator[str]:
        """Yield what is added to each file."""
        return ("".join(f"{line}\n" for line in part) for part in self)


FILES: Final = tuple(f"{name}.jsonl" for name in Lines._fields)
"""The files of a folder; the last may be missing."""


@dataclass
class FileDigests:
    """Hashes and counts of the files while they grow."""

    def __post_init__(self) -> None:
        self.hashes = {name: sha256() for name in Lines._fields}
        self.counts = dict.fromkeys(Lines._fields, 0)

    def add(self, lines: Lines) -> tuple[bytes, ...]:
        """Count one conversation; return the bytes that it adds to each file."""
        added = []
        for name, part, text in zip(Lines._fields, lines, lines.texts(), strict=True):
            data = text.encode("utf-8", "surrogatepass")
            self.hashes[name].update(data)
            self.counts[name] += len(part)
            added.append(data)
        return tuple(added)

    def sha256(self) -> dict[str, str]:
        """Return the hash of every file by its name."""
        return {f"{name}.jsonl": digest.hexdigest() for name, digest in self.hashes.items()}


def digest_of(conversations: Iterable[Lines]) -> str:
    """Return the hash of everything: of the hashes of the three files."""
    written = FileDigests()
    for lines in conversations:
        written.add(lines)
    return combined(written.sha256())


def combined(hashes: dict[str, str]) -> str:
    """Return one hash of the hashes of the files."""
    return sha256(_encode(dict(sorted(hashes.items()))).encode()).hexdigest()


def lines_of(case: Case, golds: Sequence[Gold], facts: Sequence[Fact]) -> Lines:
    """Write a conversation, its questions with what is right, and what is true."""
    asked = zip(case.questions, golds, strict=True)
    return Lines(
        [_encode(row) for row in turn_rows(case.conversation)],
        [
            _encode(fields_of(question, ASKED) | fields_of(gold, RIGHT) | {"evidence": gold.anchors()})
            for question, gold in asked
        ],
        [_encode(fields_of(fact, STATED)) for fact in facts],
    )


def turn_rows(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """Yield what is written of every turn."""
    return ({"conversation": conversation.id, **fields_of(turn, SAID)} for turn in conversation.turns())


def fields_of(record: object, names: Sequence[str]) -> dict[str, Any]:
    """Return some fields of a record by their names."""
    return {name: getattr(record, name) for name in names}
