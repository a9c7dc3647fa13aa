"""How a place in a JSON document is written in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def json_path(parts: Iterable[str | int]) -> str:
    """Write a place as ``$[0].qa[3].category``."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
