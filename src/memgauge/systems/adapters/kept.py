"""A server of a product that ends with whoever started it, however that ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

KEEPER = 'exec 3<&0; "$@" 3<&- & child=$!; { read -r _ <&3; kill -SIGNAL $child; } & wait $child'
"""Ends a program when nobody holds the other end of its input any more."""


def kept(command: Sequence[str], signal: str) -> list[str]:
    """Put *command* under a shell that sends it *signal* when its input ends."""
    return ["/bin/sh", "-c", KEEPER.replace("SIGNAL", signal), "sh", *command]
