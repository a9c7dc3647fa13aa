"""Memories that claim turns which their text does not bear."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.records import Hit, Memory, Ranking
from memgauge.systems.reference.crafted.crafted import Crafted, Retold
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.records import Scope, Turn


class QuestionEcho(Crafted):
    """Hands back the question as a memory that claims every turn."""

    how = "echo"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - protocol
        """Return the question, ascribed to everybody."""
        return Ranking((Hit(Memory("echo", query, sources=tuple(turn.id for turn in self.heard[scope]))),))


class Borrowed(Crafted):
    """Hands over the best turn sixty times, each time under the name of another turn."""

    how = "borrowed"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return the text of the best turn for every turn."""
        ranked = self.best(query, scope, as_of)[:k]
        text = ranked[0].text if ranked else ""
        return Ranking(tuple(Hit(Memory(f"b-{m.id}", text, sources=(m.id,))) for m in ranked))


class Rarest(Retold):
    """Keeps the *n* rarest words of each turn and nothing else."""

    how = "fingerprint"
    n = 3

    def retell(self, turn: Turn, scope: Scope) -> str:
        """Return the rarest words of a turn, in its order."""
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


class RarestWord(Rarest):
    """Keeps the rarest word of each turn."""

    how = "word"
    n = 1


class NameDropper(Retold):
    """Says in the place of each turn who spoke, and every name that anybody used."""

    how = "names"

    def retell(self, turn: Turn, scope: Scope) -> str:  # noqa: ARG002 - protocol of the base
        """Return the words with a capital letter of the turn, and its speaker."""
        capital = dict.fromkeys(word.strip(".,!?") for word in turn.text.split() if word[:1].isupper())
        return " ".join([turn.speaker, *capital])


class Soup(Retold):
    """Says in the place of each turn its commonest words only."""

    how = "soup"

    def retell(self, turn: Turn, scope: Scope) -> str:
        """Return the words that occur in many turns."""
        counted = Counter(word for heard in self.heard[scope][:200] for word in set(tokenize(heard.text)))
        return " ".join(word for word in tokenize(turn.text) if counted[word] >= 10)


MEMORIES = (QuestionEcho, Borrowed, Rarest, RarestWord, NameDropper, Soup)
