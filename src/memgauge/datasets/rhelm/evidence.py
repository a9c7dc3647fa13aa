"""What RHELM's evidence names: pairs by day and number, files and a section in them, mails by their day.

Sections are free text and some are not in their file, so that a file is found and a section never is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from memgauge.records import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAIR: Final = re.compile(r"(\d{4}-\d{2}-\d{2}):([1-9]\d{0,5})", re.ASCII)
_SEVERAL: Final = re.compile(r"\d{4}-\d{2}-\d{2}:\d{1,6}(?:\s*,\s*(?:\d{4}-\d{2}-\d{2}:)?\d{1,6})+", re.ASCII)
_EMAILS: Final = re.compile(r"Emails_(\d{4}-\d{2}-\d{2}):.*", re.DOTALL | re.ASCII)
_PART: Final = re.compile(r"(?:(\d{4}-\d{2}-\d{2}):)?(\d{1,6})", re.ASCII)

PAIR: Final = "turns"
PAIRS: Final = "several turns in one entry"
MAILS: Final = "emails"
FILE: Final = "files"
NOTHING: Final = "nothing that exists"


@dataclass(frozen=True)
class PersonThings:
    """Everything of a person that evidence may name, each with the turns that hold it (none: not ingested)."""

    pairs: Mapping[str, tuple[str, ...]]
    """By ``2024-05-26:5``."""
    mails: Mapping[str, tuple[str, ...]]
    """By day."""
    files: Mapping[str, tuple[str, ...]]
    """By name."""


@dataclass(frozen=True)
class ReadEvidence:
    """One entry as it was understood."""

    evidence: Evidence
    named: str
    """What it names: a pair, several, a file, mails, or nothing that exists."""
    sound: bool
    """Whether it is written as evidence is, and what it names exists, be it ingested or not."""
    days: tuple[date, ...] = ()
    """The days of the pairs that it names."""


def read_evidence(raw: str, things: PersonThings) -> ReadEvidence:
    """Read one entry; several turns in one string are found, but only where evidence is repaired."""
    if _PAIR.fullmatch(raw):
        exists = raw in things.pairs
        turns = things.pairs.get(raw, ())
        evidence = Evidence(raw, exact=exists, turns=turns)
        return ReadEvidence(evidence, PAIR if exists else NOTHING, exists, days_in(raw) if exists else ())
    if _SEVERAL.fullmatch(raw):
        keys = pairs_in(raw)
        turns = tuple(dict.fromkeys(turn for key in keys for turn in things.pairs.get(key, ())))
        return ReadEvidence(
            Evidence(raw, exact=False, turns=turns), PAIRS if turns else NOTHING, sound=False, days=days_in(raw)
        )
    if match := _EMAILS.fullmatch(raw):
        return _whole(raw, match[1], MAILS, things.mails)
    name, _, _ = raw.partition(":")
    return _whole(raw, name.strip(), FILE, things.files)


def pairs_in(text: str) -> tuple[str, ...]:
    """Write out ``d:9,d:10`` and ``d:13,17,18``; a number without a day is of the day before it."""
    keys: list[str] = []
    last = ""
    for written, number in _PART.findall(text):
        last = written or last
        keys.append(f"{last}:{int(number)}")
    return tuple(dict.fromkeys(keys))


def days_in(text: str) -> tuple[date, ...]:
    """Return the days of the pairs that an entry names, those of the calendar."""
    days = []
    for key in pairs_in(text):
        try:
            days.append(date.fromisoformat(key.partition(":")[0]))
        except ValueError:
            continue
    return tuple(dict.fromkeys(days))


def _whole(raw: str, key: str, named: str, things: Mapping[str, tuple[str, ...]]) -> ReadEvidence:
    exists = key in things
    turns = things.get(key, ())
    return ReadEvidence(Evidence(raw, exact=bool(turns), turns=turns), named if exists else NOTHING, sound=exists)
