"""What a command said, for tests of the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """What one command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Return what was printed with --json."""
        return json.loads(self.out)
