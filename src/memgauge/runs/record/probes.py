"""What a run says of searches beside its record: whether answers depend on repetition, on order, on names."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import RunError
from memgauge.runs.record.files import opened
from memgauge.runs.record.journal import FILE
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

REPEATED, SHUFFLED, RENAMED, LOOKED = "repeated", "shuffled", "renamed", "looked at "
_MARK = b'{"t":"probe"'
_WORDS = {
    REPEATED: "asked again",
    SHUFFLED: "asked in another order",
    RENAMED: "asked of a fresh instance with turns, sessions and user under other names",
}


@dataclass(frozen=True)
class SearchProbe:
    """All searches of one kind, and how many of them returned something else."""

    kind: str
    """``repeated``, ``shuffled`` or ``renamed``; ``looked at …`` is what it did in its process."""
    asked: int
    changed: int
    example: str = ""
    """The first question whose ranking changed; empty where none did."""
    far: int = 0
    """How many returned other memories among the first ten, and not only the same in another order."""
    failed: int = 0
    """How many failed or did not return, so that nothing is there to compare."""

    @property
    def compared(self) -> int:
        """Count the rankings that were compared."""
        return self.asked - self.failed

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if self.kind.startswith(LOOKED):
            return (
                f"It searched the process that plays it: {self.kind.removeprefix(LOOKED)}, {self.changed:,} times."
            )
        return f"{self.changed} of {self.compared} rankings changed when {_WORDS.get(self.kind, self.kind)}."

    @property
    def failure(self) -> str:
        """Say how many searches failed, which says nothing of rankings."""
        return f"{self.failed} of {self.asked} searches failed when {_WORDS.get(self.kind, self.kind)}."


def read_probes(folder: Path) -> tuple[SearchProbe, ...]:
    """Read the probes of the run at *folder*, one for each kind; none of a run without its journal.

    Raises:
        RunError: A line of the journal cannot be read.
    """
    path = folder / FILE
    asked: defaultdict[str, int] = defaultdict(int)
    changed: defaultdict[str, int] = defaultdict(int)
    far: defaultdict[str, int] = defaultdict(int)
    failed: defaultdict[str, int] = defaultdict(int)
    examples: dict[str, str] = {}
    if not path.is_file():
        return ()
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if not line.startswith(_MARK):
                continue
            try:
                row = json_of(line)
                kind = str(row["kind"])
                asked[kind] += int(row["asked"])
                changed[kind] += int(row["differ"])
                far[kind] += int(row.get("far", 0))
                failed[kind] += int(row.get("failed", 0))
                examples[kind] = examples.get(kind) or str(row["example"])
            except (ValueError, KeyError, TypeError) as error:
                raise RunError(f"{path}:{number}: no probe: {error}.", "Restore it from a copy.") from error
    return tuple(
        SearchProbe(kind, asked[kind], changed[kind], examples[kind], far[kind], failed[kind]) for kind in asked
    )
