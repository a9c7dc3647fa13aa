"""Published doubts about labels: which questions, which kind of doubt, and nothing of the doubter's text."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from memgauge.records import Erratum
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

WRONG_CITATION = "wrong-citation"
NOTES: dict[str, str] = {
    WRONG_CITATION: "The answer is held to be right, but other turns support it.",
    "hallucination": "The answer states something that the conversation is held not to say.",
    "temporal-error": "The answer's date or duration is held not to follow from the conversation.",
    "attribution-error": "The answer is held to credit the wrong person or thing.",
    "ambiguous": "Several answers are held to be equally right.",
    "incomplete": "The answer is held to leave out a part of what was asked.",
}
"""What each kind of doubt means, in our words."""


def load_errata(dataset: str) -> Mapping[str, Erratum]:
    """Return the doubts about the questions of *dataset*, by question id.

    They are strong hints, not ground truth: nobody has audited the auditors.
    """
    text = (files(f"memgauge.datasets.{dataset}") / "errata.json").read_text(encoding="utf-8")
    entries: list[dict[str, str | bool]] = json_of(text)["errata"]
    return {
        str(entry["question"]): _erratum(str(entry["kind"]), bool(entry["citation_changes"])) for entry in entries
    }


def _erratum(kind: str, citation_changes: bool) -> Erratum:
    note = NOTES[kind]
    if citation_changes and kind != WRONG_CITATION:
        note += " Its evidence is doubted too."
    return Erratum(kind, note, corrupts_answer=kind != WRONG_CITATION)
