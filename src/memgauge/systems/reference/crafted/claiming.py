"""Memories that claim turns which their text does not bear."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.records import Memory
from memgauge.systems.reference.crafted.crafted import Reordering, Retold
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.records import Scope, Turn


class QuestionEcho(Reordering, how="echo"):
    """Hands back the question as a memory that claims every turn."""

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        return [Memory("echo", query, sources=tuple(turn.id for turn in self.heard[scope]))]


class Borrowed(Reordering, how="borrowed"):
    """Hands over the best turn sixty times, each time under the name of another turn."""

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        return (Memory(f"b-{memory.id}", best[0].text, sources=(memory.id,)) for memory in best[:k])


class Rarest(Retold, how="fingerprint"):
    """Keeps the *n* rarest words of each turn and nothing else."""

    n = 3

    def _retell(self, turn: Turn, scope: Scope) -> str:
        words = list(dict.fromkeys(tokenize(turn.text)))
        known = self._counts(scope)
        rare = set(sorted(words, key=lambda word: (known[word], -len(word), word))[: self.n])
        return " ".join(word for word in words if word in rare)

    def _counts(self, scope: Scope) -> Counter[str]:
        turns = self.heard[scope]
        if (cached := self._cached.get(scope)) is None or cached[0] != len(turns):
            counted = Counter(word for turn in turns for word in set(tokenize(turn.text)))
            cached = self._cached[scope] = (len(turns), counted)
        return cached[1]

    def __init__(self) -> None:
        super().__init__()
        self._cached: dict[Scope, tuple[int, Counter[str]]] = {}


class RarestWord(Rarest, how="word"):
    """Keeps the rarest word of each turn."""

    n = 1


class NameDropper(Retold, how="names"):
    """Says in the place of each turn who spoke, and every name that anybody used."""

    def _retell(self, turn: Turn, scope: Scope) -> str:  # noqa: ARG002 - protocol of the base
        capital = dict.fromkeys(word.strip(".,!?") for word in turn.text.split() if word[:1].isupper())
        return " ".join([turn.speaker, *capital])


class Soup(Retold, how="soup"):
    """Says in the place of each turn its commonest words only."""

    def _retell(self, turn: Turn, scope: Scope) -> str:
        counted = Counter(word for heard in self.heard[scope][:200] for word in set(tokenize(heard.text)))
        return " ".join(word for word in tokenize(turn.text) if counted[word] >= 10)


MEMORIES = (QuestionEcho, Borrowed, Rarest, RarestWord, NameDropper, Soup)
