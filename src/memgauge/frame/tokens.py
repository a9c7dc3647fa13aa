"""The token that a server asks for: of a file, of a variable, or made for this once."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SHORTEST: Final = 16
"""Characters of a token that cannot be guessed."""


def chosen_token(path: Path | None, variable: str) -> str:
    """Read a token from a file, else from a variable; empty where there is neither.

    Raises:
        ConfigError: The file cannot be read, or the token can be guessed.
    """
    try:
        token = os.environ.get(variable, "").strip() if path is None else path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read a token from {path}: {error}.") from error
    if (token or path) and (len(token) < SHORTEST or not token.isascii() or not token.isprintable()):
        what = f"A token of {len(token)} characters can be guessed, or not be sent."
        raise ConfigError(what, f"Use {SHORTEST} letters and digits or more.")
    return token


def new_token() -> str:
    """Make one."""
    return secrets.token_urlsafe(24)
