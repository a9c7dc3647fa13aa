"""Published doubts about labels: which questions, which kind of doubt, and nothing of the doubter's text."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Erratum
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

WRONG_CITATION: Final = "wrong-citation"
TYPO: Final = "typo"
DISPUTED: Final = "disputed"
LEAVE_THE_ANSWER: Final = frozenset({WRONG_CITATION, TYPO, DISPUTED})
"""Kinds that hold the answer to be right, or at least not to be wrong."""
NOTES: dict[str, str] = {
    WRONG_CITATION: "The answer is held to be right, but other turns support it.",
    "hallucination": "The answer states something that the conversation is held not to say.",
    "temporal-error": "The answer's date or duration is held not to follow from the conversation.",
    "attribution-error": "The answer is held to credit the wrong person or thing.",
    "ambiguous": "Several answers are held to be equally right.",
    "incomplete": "The answer is held to leave out a part of what was asked.",
    "mislabelled-adversarial": "It is held to have an answer, though it is labelled as having none.",
    TYPO: "The answer is held to be right and misspelt, so that words are not found in it.",
    "knowledge-update": "The answer is held to be what was right before, not what is right now.",
    DISPUTED: "Its readers contradict each other, so it counts as no doubt.",
}
"""What each kind of doubt means, in our words."""


@lru_cache
def load_errata(dataset: str) -> Mapping[str, Erratum]:
    """Return the doubts about the questions of *dataset*, by question id.

    They are strong hints, not ground truth: nobody has audited the auditors. An audit of the dataset's own goes
    before what others named; doubts about files that the benchmark has replaced are left out.
    """
    here = files("memgauge.datasets")
    named = {str(row["question"]): _erratum(row) for row in _more(here) if row["dataset"] == dataset}
    audit = here / dataset / "errata.json"
    audited = _rows(audit) if audit.is_file() else []
    return named | {str(row["question"]): _erratum(row) for row in audited}


def _more(here: Traversable) -> Iterator[dict[str, Any]]:
    return (row for row in _rows(here / "doubts.json") if not row.get("first_files"))


def _rows(path: Traversable) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json_of(path.read_text(encoding="utf-8"))["errata"]
    return rows


def _erratum(row: Mapping[str, Any]) -> Erratum:
    kind = str(row["kind"])
    note = NOTES[kind]
    if row["citation_changes"] and kind not in LEAVE_THE_ANSWER:
        note += " Its evidence is doubted too."
    if (readers := int(row.get("readers", 1))) > 1 and kind != DISPUTED:
        note += f" Named by {readers} readers."
    return Erratum(kind, note, kind not in LEAVE_THE_ANSWER, kind != DISPUTED)
