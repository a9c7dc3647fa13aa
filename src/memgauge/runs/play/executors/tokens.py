"""Ray's token: where it lies, and when it is shown.

A head that `ray start` begins asks for a token as soon as one lies on its machine, while a program that names the
head's address shows none unless `RAY_AUTH_MODE` says so, and is refused. A head that asks for none lets whoever
shows one in.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

MODE = "RAY_AUTH_MODE"
_TOKEN, _FILE = "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"


def show_token() -> None:
    """Let Ray show the token that is at hand, where nobody said otherwise; it looks once, when it is loaded."""
    if MODE not in os.environ and "ray" not in sys.modules and at_hand():
        os.environ[MODE] = "token"


def at_hand() -> bool:
    """Whether there is a token where Ray looks for one."""
    named = os.environ.get(_FILE)
    return bool(os.environ.get(_TOKEN)) or (Path(named) if named else _usual()).is_file()


def _usual() -> Path:
    return Path.home() / ".ray" / "auth_token"
