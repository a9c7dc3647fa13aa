"""Which files a run is made of; whatever else lies in its folder is read by nobody, and goes into no bundle."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from memgauge.runs.record import cost
from memgauge.runs.record.files import below
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import NAMES

if TYPE_CHECKING:
    from pathlib import Path

_OWN: Final = frozenset({SEAL, cost.FILE, *NAMES})
_SCORES: Final = re.compile(r"scores/[0-9a-f]{12}\.json")
"""Called by the settings that they follow from."""
_SIGNATURE: Final = re.compile(r"signatures/[A-Za-z0-9_-]{43}\.txt(\.sig)?")
"""Called by the key, as text and signature."""
_LAYER: Final = re.compile(r"layers/[^/]+/(layer\.json|rows\.jsonl|rows\.sums|SEAL)")


def belongs(name: str) -> bool:
    """Whether a file of this name, below the folder of a run, is one that this package writes there."""
    return name in _OWN or any(kind.fullmatch(name) for kind in (_SCORES, _SIGNATURE, _LAYER))


def strangers(folder: Path) -> list[str]:
    """Name what lies in the folder of a run and is no file of it, texts that nobody signed too."""
    names = sorted(path.relative_to(folder).as_posix() for path in below(folder))
    return [name for name in names if not belongs(name) or unsigned(folder, name)]


def unsigned(folder: Path, name: str) -> bool:
    """Whether a file is a text that nobody signed: it may say anything."""
    return bool(_SIGNATURE.fullmatch(name)) and not (
        name.endswith(".sig") or os.path.lexists(folder / f"{name}.sig")
    )
