"""Memories that cheat in one way each, so that a compliance test can catch them: ``support.cheats:by_heart``.

Every one is a good BM25 beside its trick. *n* draws a variant of the trick: how it is done, not whether.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from memgauge.records import Hit, Memory, Ranking
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from memgauge.datasets.base import Dataset
    from memgauge.records import Receipt, Scope, Turn

EVERY = 1 << 20


class Cheat(Bm25Policy):
    """BM25 that hands over something else than it found."""

    def __init__(self, n: int = 0) -> None:
        super().__init__()
        self.n = n
        self.heard: defaultdict[Scope, dict[str, Turn]] = defaultdict(dict)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep turns whole, too."""
        self.heard[scope].update((turn.id, turn) for turn in turns)
        return super().ingest(turns, scope)

    def reset(self) -> None:
        """Forget what was heard."""
        super().reset()
        self.heard.clear()

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Find, and hand over something else."""
        found = [hit.memory for hit in super().search(query, scope, EVERY, as_of).hits]
        return Ranking(tuple(map(Hit, self.handed(found, query, scope, as_of)))[:k])

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Return what is handed over in the place of *found*."""
        return found


def _distance(one: Sequence[str], other: Sequence[str]) -> float:
    shared = len(set(one) & set(other))
    return 1.0 - shared / max(len(set(one) | set(other)), 1)


def learned(dataset: Dataset) -> str:
    """Write what is learned by heart: of every question its conversation and evidence, by id, text and place."""
    golds = iter(dataset.gold())
    known = list[tuple[str, str, list[tuple[str, str, int]]]]()
    for case in dataset.cases():
        turns = {turn.id: (turn.id, turn.text, place) for place, turn in enumerate(case.conversation.turns())}
        known += [
            (case.conversation.id, question.text, [turns[name] for name in next(golds).anchors()])
            for question in case.questions
        ]
    return json.dumps(known)


class ByHeart(Cheat):
    """Knows the evidence of every question of a benchmark: its text, its id or its place."""

    ways: ClassVar[tuple[str, ...]] = ("text", "id", "place")

    def __init__(self, path: str, way: str = "text", n: int = 0) -> None:
        super().__init__(n)
        self.way = way
        self.known = {
            (name, *self._key(question)): evidence
            for name, question, evidence in json.loads(Path(path).read_text("utf-8"))
        }

    def _key(self, text: str) -> tuple[str, ...]:
        words = tokenize(text)
        return tuple(words if self.n % 2 == 0 else sorted(set(words)))

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Hand over what is known first."""
        own = self.known.get((scope.user, *self._key(query)), [])
        turns = list(self.heard[scope].values())
        if self.way == "text":
            best = [Memory(f"known-{name}", text, sources=(name,)) for name, text, _ in own]
        elif self.way == "id":
            held = self.heard[scope]
            best = [Memory(name, held[name].text, sources=(name,)) for name, _, _ in own if name in held]
        else:
            best = [
                Memory(turns[place].id, turns[place].text, sources=(turns[place].id,))
                for _, _, place in own
                if place < len(turns)
            ]
        names = {memory.id for memory in best}
        return [*best, *(memory for memory in found if memory.id not in names)]


class Nearest(ByHeart):
    """Knows evidence by the question that is most like the one asked, of any conversation."""

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Answer as the nearest known question of this user would be answered."""
        asked = self._key(query)
        own = [key for key in self.known if key[0] == scope.user]
        near = min(own, key=lambda key: (_distance(key[1:], asked), key), default=None)
        if near is None or _distance(near[1:], asked) > 0.7:
            return found
        text = self.known[near]
        best = [Memory(f"known-{name}", said, sources=(name,)) for name, said, _ in text]
        return [*best, *found]


class Learner(Cheat):
    """Learns from the questions it was asked: guesses where evidence lies, or keeps questions as memories."""

    def __init__(self, n: int = 0) -> None:
        super().__init__(n)
        self.asked: list[str] = []
        self.favour: Counter[str] = Counter()

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Favour what was returned before, or hand over what was asked before."""
        if self.n % 3 == 0:
            best = sorted(found, key=lambda memory: -self.favour[memory.id])
            self.favour.update(memory.id for memory in found[:3])
        elif self.n % 3 == 1:
            best = [*(Memory(f"asked-{place}", text) for place, text in enumerate(self.asked[-6:])), *found]
        else:
            start = len(self.asked) * 7 % max(len(found), 1)
            best = found[start:] + found[:start]
        self.asked.append(query)
        return best


class Cached(Cheat):
    """Answers a question that it was asked before as it did then."""

    def __init__(self, n: int = 0) -> None:
        super().__init__(n)
        self.cache: dict[object, list[Memory]] = {}

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Answer from the cache."""
        words = tokenize(query)
        key = (query, " ".join(sorted(words)), tuple(words[:4]), (scope.user, query))[self.n % 4]
        return self.cache.setdefault(key, found)


class Leaking(Cheat):
    """Looks for more under other users' names."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search other scopes too."""
        own = super().search(query, scope, k, as_of)
        others = [each for each in self.heard if each != scope and self._taken_for(each.user, scope.user)]
        if self.n % 2 and own.hits:
            return own
        hits = [hit for each in others for hit in super(Leaking, self).search(query, each, k, as_of).hits]
        return Ranking((*own.hits, *hits)[:k])

    def _taken_for(self, owner: str, reader: str) -> bool:
        ways: tuple[Callable[[], bool], ...] = (
            lambda: True,
            lambda: owner.startswith(reader),
            lambda: owner.casefold() == reader.casefold(),
        )
        return ways[self.n // 2 % 3]()


class LabelReader(Cheat):
    """Reads from ids what was said by whom, or when, and puts that first."""

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Put first what the id speaks for."""
        ways: tuple[Callable[[str], object], ...] = (
            lambda name: not _number(name) % 2,
            lambda name: _number(name) % 4 in {0, 2},
            lambda name: -_number(name) if _number(name) % 2 else 0,
        )
        return sorted(found[:24], key=lambda memory: ways[self.n % 3](memory.id)) + found[24:]  # type: ignore[arg-type,return-value] # numbers


def _number(name: str) -> int:
    """Read the number of a turn in its session."""
    digits = name.rpartition(":t")[2]
    return int(digits) if digits.isdecimal() else 0


class Persistent(Cheat):
    """Keeps what it was told beyond resets, and beyond its own life."""

    shelf: ClassVar[dict[str, dict[str, Turn]]] = {}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep turns for good."""
        self.shelf.setdefault(scope.user, {}).update((turn.id, turn) for turn in turns)
        return super().ingest(turns, scope)

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Fall back on what was once known."""
        if found:
            return found
        words = set(tokenize(query))
        turns = sorted(
            self.shelf.get(scope.user, {}).values(), key=lambda t: (-len(words & set(tokenize(t.text))), t.id)
        )
        return [Memory(f"old-{turn.id}", turn.text) for turn in turns[: 5 + self.n]]


class Undeleting(Cheat):
    """Says that it deleted, and did not; *n* says in which way."""

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Delete nothing, or every other memory."""
        if self.n % 3 == 1:
            return super().delete(memories, scope)
        gone = memories[::2] if self.n % 3 == 2 else []
        super().delete(gone, scope)
        return len(memories)

    def erase(self, scope: Scope) -> None:
        """Erase nothing, unless deletion is what is not done."""
        if self.n % 3 == 2:
            super().erase(scope)


class FrozenClock(Cheat):
    """Believes that it is the time at which it was made."""

    def __init__(self, until: str, n: int = 0) -> None:
        super().__init__(n)
        self.until = until

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Leave out, or put last, what is said to be said in the future."""
        turns = self.heard[scope]
        late = {name for name, turn in turns.items() if turn.at and turn.at.isoformat() > self.until}
        if self.n % 2:
            return sorted(found, key=lambda memory: memory.id in late and int(memory.id[-1]) % 2)
        return [memory for memory in found if memory.id not in late]


class Honest(Cheat):
    """The same BM25 without a trick."""

    def handed(self, found: list[Memory], query: str, scope: Scope, as_of: datetime | None) -> Iterable[Memory]:
        """Hand over what was found, as copies."""
        return [replace(memory) for memory in found]
