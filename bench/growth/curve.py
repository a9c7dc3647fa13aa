"""A growth curve: what is done, at which sizes, and how fast it may grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINEAR, LOG_LINEAR = "n", "n log n"


@dataclass(frozen=True)
class Curve:
    """Work of any size."""

    title: str
    of: str
    """What is counted: turns, questions."""
    sizes: tuple[int, ...]
    work: Callable[[int, Path], dict[str, float]]
    """Do it for a size, in a folder of one's own; return CPU seconds by part."""
    at_most: str = LINEAR
    repeats: int = 3
    """Of small sizes; large ones are measured once."""
    large: int = 10**6
    """From which size on."""
    note: str = ""
