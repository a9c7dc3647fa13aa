"""What defective memories share: BM25 over turns, one thing wrong, and a log of what that thing touched."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, ClassVar

from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.records import Scope, Turn

EVERY = 1 << 20
"""More hits than any conversation has turns."""


class Defective(Bm25Policy):
    """BM25 with one defect, which says itself which turns it touched."""

    how: ClassVar[str]
    usual: ClassVar[int]
    """What the defect counts, unless another number is asked for."""

    def __init_subclass__(cls, *, how: str = "", usual: int = 5) -> None:
        """Name a memory, unless others derive from it."""
        super().__init_subclass__()
        cls.how, cls.usual, cls.name = how, usual, f"defective:{how}"

    def __init__(self, *, n: int = 0, salt: int = 0) -> None:
        super().__init__()
        self.n, self.salt = n or self.usual, salt
        self.written: defaultdict[Scope, list[str]] = defaultdict(list)
        self.touched: set[str] = set()
        """Turns that the defect touched when they were written, or since."""

    def spoils(self, query: str, scope: Scope) -> set[str]:  # noqa: ARG002 - what is written is spoilt for all
        """Return the turns that the defect touched, for whoever asks *query*."""
        return self.touched

    def reset(self) -> None:
        """Forget everything, the log included."""
        super().reset()
        self.written.clear()
        self.touched.clear()

    def meets(self, text: str) -> bool:
        """Choose one in *n* things, by a hash of each."""
        return int(hashlib.sha256(f"{self.salt} {text}".encode()).hexdigest(), 16) % self.n == 0

    def number(self, turns: Iterable[Turn], scope: Scope) -> list[tuple[int, Turn]]:
        """Count the turns of a scope as they come, the first one as 1, a repeated one as before."""
        numbered = []
        for turn in turns:
            if turn.id not in self.written[scope]:
                self.written[scope].append(turn.id)
            numbered.append((self.written[scope].index(turn.id) + 1, turn))
        return numbered
