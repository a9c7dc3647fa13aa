"""Words of commands that are printed to be pasted."""

from __future__ import annotations

import shlex


def typed(word: object) -> str:
    """Write a path or a name as it is typed in a shell."""
    return shlex.quote(str(word))
