"""The shape of LoCoMo-Plus, and how its gaps of time and lines of speech are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from pydantic import TypeAdapter

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from pathlib import Path

_NUMBERS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_DAYS: Final = {"week": 7, "month": 30, "year": 365}
_GAP: Final = re.compile(rf"\b(\d{{1,4}}|{'|'.join(_NUMBERS)}|a|an)\b\s*(week|month|year)s?\b")
_LINE: Final = re.compile(r"([AB]):(.*)")


class CueEntry(StrictEntry):
    """One cue with its trigger."""

    relation_type: Literal["causal", "state", "goal", "value"]
    cue_dialogue: str
    trigger_query: str
    time_gap: str


_FILE = TypeAdapter(list[CueEntry])


def read_cues(path: Path) -> list[CueEntry]:
    """Read and check the file.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    return FieldPath(str(path)).checked(_FILE, json_file(path, "Bring the file again."))


def days_of(gap: str) -> int:
    """Read how many days ``about two weeks later`` is, as the benchmark's script does: 0 for what it misses."""
    match = _GAP.search(gap.lower())
    if match is None:
        return 0
    number = match[1]
    count = int(number) if number.isdigit() else _NUMBERS.index(number) + 1 if number in _NUMBERS else 1
    return count * _DAYS[match[2]]


def lines_of(dialogue: str) -> list[tuple[str, str]]:
    """Return who says what: lines that begin with ``A:`` or ``B:``, and no others."""
    matches = (_LINE.fullmatch(line.strip()) for line in dialogue.split("\n"))
    return [(match[1], match[2].strip()) for match in matches if match]
