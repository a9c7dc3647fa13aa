"""Files of label doubts as their readers publish them: read strictly, reduced to what an overlay holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from memgauge.datasets.errata import NOTES
from memgauge.datasets.places import FieldPath
from memgauge.registry import unknown_name
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPELT: Final = {"mislabeled-adversarial": "mislabelled-adversarial"}
"""Kinds that our notes spell in another way than the files."""
BY_PERSONA: Final = frozenset({"rhelm"})
"""Datasets whose doubts name a persona."""
_CONVERSATIONS: Final = (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)
_LOCOMO: Final = re.compile(r"locomo_([0-9])_qa([0-9]{1,6})")
_ISSUES: Final = re.compile(r"\bissues? ([0-9]+(?:, [0-9]+)*)")
_ASIDES: Final = re.compile(r"\([^()]*\)")
_FIRST_FILES: Final = re.compile(r"\boriginal(?: file)? only\b")

Scalar = str | int | float | None


class DoubtEntry(BaseModel):
    """One doubt as published; a field that is not known is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    question_id: str
    question: str
    golden_answer: Scalar
    category: str | int
    error_type: str
    cited_evidence: list[str] | None
    correct_evidence: list[str] | None
    reasoning: str
    correct_answer: Scalar
    source: str
    standing: str
    persona: str | None = None


@dataclass(frozen=True)
class Doubt:
    """What an overlay holds of it."""

    dataset: str
    question: str
    """Our id."""
    persona: str
    kind: str
    citation_changes: bool
    readers: int
    """Who named it, as far as the source tells them apart."""
    first_files: bool
    """Whether it is about files that the benchmark has replaced since."""


_FILE = TypeAdapter(list[DoubtEntry])


def read_doubts(path: Path) -> tuple[Doubt, ...]:
    """Read a file of doubts.

    Raises:
        MalformedDataError: It is no such list, a field does not fit, or a kind is not known; the field is named.
    """
    place = FieldPath(str(path))
    entries = place.checked(_FILE, json_file(path, "Write a list of doubts."))
    return tuple(_doubts(place, entries))


def _doubts(place: FieldPath, entries: list[DoubtEntry]) -> Iterator[Doubt]:
    for number, entry in enumerate(entries):
        field = place.at(number)
        if (entry.dataset in BY_PERSONA) != bool(entry.persona):
            why = "is missing" if entry.dataset in BY_PERSONA else f"says nothing of a question of {entry.dataset}"
            raise field.at("persona").wrong(f"it {why}", "Name a persona where ids are given by persona.")
        yield Doubt(
            entry.dataset,
            _question(field, entry),
            entry.persona or "",
            _kind(field, entry.error_type),
            entry.cited_evidence != entry.correct_evidence,
            readers_of(entry.source),
            bool(_FIRST_FILES.search(entry.standing)),
        )


def _kind(field: FieldPath, written: str) -> str:
    kind = written.lower().replace("_", "-")
    kind = SPELT.get(kind, kind)
    if kind not in NOTES:
        known = (name.upper().replace("-", "_") for name in NOTES)
        unknown = unknown_name("kind of doubt", written, known)
        raise field.at("error_type").wrong(unknown.what.rstrip("."), unknown.remedy)
    return kind


def _question(field: FieldPath, entry: DoubtEntry) -> str:
    if entry.dataset != "locomo":
        return entry.question_id
    match = _LOCOMO.fullmatch(entry.question_id)
    if match is None:
        raise field.at("question_id").wrong(f"{entry.question_id!r} is not of the form locomo_0_qa1")
    return f"conv-{_CONVERSATIONS[int(match[1])]}_q{int(match[2])}"


def readers_of(source: str) -> int:
    """Count who is named in the text of a source: every issue, and every further one behind a semicolon."""
    parts = _ASIDES.sub("", source).split(";")
    issues = [len(match[1].split(",")) for part in parts for match in _ISSUES.finditer(part)]
    return sum(issues) + sum(not _ISSUES.search(part) for part in parts)
