"""The committed counts, and what a new one means beside them."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TOLERANCE = 0.03
"""Where memory happens to lie moves a count by a few tenths of a percent."""


@dataclass(frozen=True)
class Counts:
    """Instructions of one call of each kernel."""

    versions: dict[str, str] = field(default_factory=dict)
    tolerance: float = TOLERANCE
    instructions: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Counts:
        """Read the committed file; where there is none, nothing is known."""
        return cls(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else cls()

    def write(self, path: Path) -> None:
        """Write the file."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Line:
    """What is to be said of one kernel."""

    sentence: str
    regressed: bool


def here() -> dict[str, str]:
    """Name what counts depend on."""
    return {"python": platform.python_version(), "machine": platform.machine(), "numpy": version("numpy")}


def compare(name: str, count: int, known: Counts, tolerance: float | None = None) -> Line:
    """Compare a count with the committed one, within *tolerance* or what the file allows."""
    allowed = known.tolerance if tolerance is None else tolerance
    before = known.instructions.get(name)
    if not before:
        return Line(f"NEW   {name}: {count:,} instructions a call; keep them with --write", regressed=False)
    change = count / before - 1
    sentence = f"{name}: {count:,} instructions a call, {change:+.1%} of {before:,}"
    if count > before * (1 + allowed):
        return Line(f"MORE  {sentence}, beyond {allowed:.0%}", regressed=True)
    if count < before * (1 - allowed):
        return Line(f"LESS  {sentence}; keep them with --write", regressed=False)
    return Line(f"OK    {sentence}", regressed=False)
