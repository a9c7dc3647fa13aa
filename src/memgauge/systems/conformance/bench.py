"""The test bench of the conformance check: a fresh system, a store of known turns, and canaries in it."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memgauge.records import Hit, Memory, Scope, Turn, Verdict
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.plain import plain_receipt
from memgauge.systems.protocol import Privileged, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Ranking, Receipt
    from memgauge.systems.protocol import MemorySystem

    Finding = tuple[Verdict, str]
    """How a probe ended, and why."""
    Probe = Callable[["Bench"], Finding]

HERE = Scope("conformance-one")
OTHERS = (Scope("conformance-two"), Scope("conformance-one", tenant="conformance-other"))
START = datetime(2024, 3, 4, 9, 30)  # noqa: DTZ001 - turns carry naive local times
CANARY = "quillfeather"
SECOND = "brambleshank"
K = 60
TIMEOUT_S = 60.0
_CHAT = ("the beans came up", "it rained all night", "the gate needs paint", "a robin sat on the fence")


def turn(number: int, text: str, prefix: str = "t") -> Turn:
    """Make one turn; numbers give id and time."""
    return Turn(f"{prefix}{number}", "Ada", text, "s1", START + timedelta(minutes=number))


def turns(canary: str = CANARY, prefix: str = "t") -> list[Turn]:
    """Make two dozen turns about a garden, the last of which alone holds *canary*."""
    chat = [turn(i, f"In the garden {_CHAT[i % 4]}, note {i}.", prefix) for i in range(23)]
    return [*chat, turn(23, f"In the garden the new neighbour is called {canary}.", prefix)]


def whose(scope: Scope) -> str:
    """Name a scope for people: a user, and the tenant where it is not the usual one."""
    return f"user {scope.user}" if scope.tenant == "default" else f"user {scope.user} of tenant {scope.tenant}"


def ask(word: str) -> str:
    """Ask for *word* in words that every turn shares."""
    return f"Who in the garden is called {word}?"


class MemoryOnBench(MemoryLookedAt):
    """A memory whose receipts and scores are probed each by a probe of its own, and spoil no other."""

    unreceived = ""
    """What a write returned in the place of a receipt; empty where each returned one, or none."""

    def search_itself(self, query: str, scope: Scope, k: int) -> Ranking:
        """Search, and return what came as it came."""
        with self._called("search"):
            returned: Ranking = self._system.search(query, scope, k, None)
        return returned

    def _scored(self, came: Ranking) -> None:
        """Leave scores to their probe."""

    def _received(self, what: str) -> Receipt:
        """Keep what stood in the place of a receipt for its probe."""
        receipt, wrong = plain_receipt(self.came, what)
        self.unreceived = self.unreceived or wrong
        return receipt


@dataclass
class Bench:
    """One fresh, empty system under test."""

    opened: InitVar[MemorySystem]
    _relevant: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self, opened: MemorySystem) -> None:
        self.system = opened if isinstance(opened, MemoryOnBench) else MemoryOnBench(opened)
        self.system.reset()
        self.caps = self.system.capabilities()

    @property
    def excused(self) -> bool:
        """Whether it does not promise to find anything: floors and ceilings."""
        return self.caps.role is not Role.SYSTEM

    def fill(self, canary: str = CANARY, scope: Scope = HERE, prefix: str = "t") -> list[Receipt]:
        """Write the known turns one by one and wait until they are searchable."""
        written = turns(canary, prefix)
        self._relevant[ask(canary)] = [written[-1].id]
        if self.caps.role is Role.CEILING and isinstance(self.system.itself, Privileged):
            self.system.itself.reveal(self._relevant)
        receipts = [self.system.ingest([each], scope) for each in written]
        self.flush(scope)
        return receipts

    def flush(self, scope: Scope = HERE) -> None:
        """Wait until what was written is searchable."""
        self.system.flush(scope, TIMEOUT_S)

    def search(
        self, word: str = CANARY, scope: Scope = HERE, k: int = K, as_of: datetime | None = None
    ) -> list[Hit]:
        """Ask for *word*."""
        return list(self.system.search(ask(word), scope, k, as_of).hits)

    def finds(self, word: str = CANARY, scope: Scope = HERE, as_of: datetime | None = None) -> bool:
        """Whether a search for *word* returns a memory that holds it."""
        return any(holds(hit.memory, word) for hit in self.search(word, scope, as_of=as_of))

    def meets(self, word: str, scope: Scope = HERE) -> bool:
        """Whether a search returns a memory that holds *word*, asked in full or by the word alone.

        Alone it meets nothing that belongs to a scope that does not hold it, as where a memory looks further.
        """
        return self.finds(word, scope) or any(
            holds(hit.memory, word) for hit in self.system.search(word, scope, K, None).hits
        )

    def dump(self, scope: Scope = HERE) -> list[Memory]:
        """List what is stored."""
        return self.system.dump(scope)

    def canary(self, word: str = CANARY) -> Memory | None:
        """Return the stored memory that holds *word*."""
        return next((memory for memory in self.dump() if holds(memory, word)), None)


def holds(memory: Memory, word: str) -> bool:
    """Whether the text of *memory* names *word*."""
    return word in memory.text.casefold()


def ids(hits: Sequence[Hit]) -> list[str]:
    """Return the memory ids of *hits*, in order."""
    return [hit.memory.id for hit in hits]


PASSED: Finding = (Verdict.PASS, "")


def failed(what_is_wrong: str) -> Finding:
    """Fail for a reason."""
    return Verdict.FAIL, what_is_wrong


def judged(good: bool, what_is_wrong: str) -> Finding:
    """Pass, or fail for the reason given."""
    return PASSED if good else failed(what_is_wrong)


def vacuous(why: str) -> Finding:
    """Say that the probe could not have failed."""
    return Verdict.VACUOUS, why
