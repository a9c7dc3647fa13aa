"""Cases, gold and facts as lines of JSON: what a folder of data consists of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Case, Fact, Gold

FORMAT = 1
MANIFEST = "manifest.json"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Lines(NamedTuple):
    """The lines that one conversation adds to each file, without their ends; the file is named after the field."""

    turns: list[str]
    questions: list[str]
    truth: list[str]

    def texts(self) -> Iterator[str]:
        """Yield what is added to each file."""
        return ("".join(f"{line}\n" for line in part) for part in self)


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
    name = case.conversation.id
    turns = [
        _encode(
            {
                "conversation": name,
                "session": turn.session,
                "id": turn.id,
                "speaker": turn.speaker,
                "role": turn.role,
                "at": _time(turn.at),
                "text": turn.text,
            }
        )
        for turn in case.conversation.turns()
    ]
    questions = [
        _encode(
            {
                "id": question.id,
                "conversation": name,
                "text": question.text,
                "category": question.category,
                "asked_at": _time(question.asked_at),
                "answers": gold.answers,
                "evidence": gold.anchors(),
                "stale": gold.stale,
                "decoys": gold.decoys,
                "abstain": gold.abstain,
                "trap": gold.trap,
            }
        )
        for question, gold in zip(case.questions, golds, strict=True)
    ]
    truth = [
        _encode(
            {
                "conversation": name,
                "id": fact.id,
                "subject": fact.subject,
                "slot": fact.slot,
                "value": fact.value,
                "functional": fact.functional,
                "valid_from": _time(fact.valid_from),
                "valid_to": _time(fact.valid_to),
                "turns": fact.turns,
            }
        )
        for fact in facts
    ]
    return Lines(turns, questions, truth)


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
