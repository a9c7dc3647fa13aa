"""Searches beside the record: asked again, in another order, and of a fresh instance under other names.

Nothing here is scored: it happens when everything that counts is frozen, and the instance is not used afterwards.
A ranking is what a reader would see of it, the texts in their order; under other names up to ties of scores,
which a system may break by names.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Final

from memgauge.errors import ContractBreach, SystemFault
from memgauge.records import Scope
from memgauge.runs.play.call import Caller, let_go, shut
from memgauge.runs.record.probes import RENAMED, REPEATED, SHUFFLED, SearchProbe
from memgauge.streams import Ask, SessionEnd, Write, in_units
from memgauge.systems.plain import plain_ranking
from memgauge.systems.protocol import Closing, implements
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Hit, Question, Ranking, Turn
    from memgauge.runs.record.manifest import Limits
    from memgauge.streams import Stream
    from memgauge.systems.protocol import MemorySystem

    Texts = tuple[tuple[str, float | None], ...]
    """Texts in the order of a ranking, with their scores."""

TURNS: Final = 120
"""Turns that a fresh instance is given."""
QUESTIONS: Final = 6
"""Questions that it is asked."""
PATIENCE_S: Final = 2.0
"""Seconds after which a fresh instance is given up: a probe must not cost what a run costs."""
FIRST: Final = 10
"""Memories at the head of a ranking that are looked at."""
SHARED: Final = 0.8
"""The share of them that has to stay."""
_NAME: Final = re.compile(r"probe-([tsu])(\d{6})")


@dataclass(frozen=True)
class Probing:
    """What is probed in one conversation."""

    seed: str
    """Of the choice of questions."""
    searches: int = 0
    """How many searches are made again; 0 probes nothing."""
    renamed: bool = False
    """Whether a fresh instance is asked under other names."""

    def chosen(self, searched: Sequence[Searched]) -> list[Searched]:
        """Choose what is searched again, in the order in which it was."""
        chance = random.Random(self.seed)  # noqa: S311 - no secret
        places = sorted(chance.sample(range(len(searched)), min(self.searches, len(searched))))
        return [searched[place] for place in places]


@dataclass(frozen=True)
class Searched:
    """One search and what it returned."""

    question: Question
    ranking: Ranking
    limits: Limits

    @classmethod
    def of(cls, question: Question, ranking: Ranking, limits: Limits) -> Searched:
        """Remember a search, and no more hits of it than a reader may see."""
        if len(ranking.hits) > limits.k:
            distinct: dict[str, Hit] = {}
            for hit in ranking.hits:
                distinct.setdefault(hit.memory.id, hit)
            ranking = replace(ranking, hits=tuple(islice(distinct.values(), limits.k)))
        return cls(question, ranking, limits)

    @property
    def texts(self) -> Texts:
        """Return what a reader saw."""
        return texts_of(self.ranking, self.limits.k, self.limits.budget_tokens)


def texts_of(ranking: Ranking, k: int, budget_tokens: int | None = None) -> Texts:
    """Return what a reader sees of a ranking: each memory once, *k* at most, and whole ones within a budget."""
    texts: list[tuple[str, float | None]] = []
    seen: set[str] = set()
    tokens = 0
    for hit in ranking.hits:
        memory = hit.memory
        if memory.id in seen:
            continue
        if len(texts) == k:
            break
        if budget_tokens is not None:
            tokens += count_tokens(memory.text)
            if tokens > budget_tokens:
                break
        seen.add(memory.id)
        texts.append((memory.text, _comparable(hit.score)))
    return tuple(texts)


def _comparable(score: float | None) -> float | None:
    """Return what equals itself: a score that is no number says as much as none."""
    return None if score is None or isnan(score) else score


def asked_again(
    searched: Sequence[Searched], probing: Probing, search: Callable[[Question], Texts | None]
) -> list[SearchProbe]:
    """Search for a sample twice more, in its order and in another; ``None`` of *search* is a call that failed."""
    sample = probing.chosen(searched)
    if not sample:
        return []
    again = [_compared(REPEATED, [(each, search(each.question)) for each in sample])]
    if len(sample) > 1:
        again.append(_compared(SHUFFLED, [(each, search(each.question)) for each in reversed(sample)]))
    return again


def asked_under_other_names(
    stream: Stream,
    open_system: Callable[[], MemorySystem],
    limits: Limits,
    probing: Probing,
    conversation: str,
    *,
    in_order: bool = False,
) -> list[SearchProbe]:
    """Give the beginning of a stream to two fresh instances, one under other names, and ask both the same.

    The second is asked *in_order* where searches leave something behind, and in another order where they do not.
    Nothing comes of it where an instance fails or takes too long: that proves nothing about names. Rankings are
    compared before a budget of tokens cuts them: equals that change places at the cut would be other memories.
    """
    names = _Names(conversation)
    events = _beginning(stream)
    questions = [event.question for event in stream if isinstance(event, Ask)]
    chance = random.Random(f"{probing.seed}/names")  # noqa: S311 - no secret
    chosen = [
        questions[place] for place in sorted(chance.sample(range(len(questions)), min(QUESTIONS, len(questions))))
    ]
    until = time.monotonic() + PATIENCE_S
    try:
        plain = _played(events, chosen, open_system, limits, Scope(user=conversation), until)
        other = [event if isinstance(event, SessionEnd) else names.write(event) for event in events]
        asked = chosen if in_order else chance.sample(chosen, len(chosen))
        renamed = _played(other, asked, open_system, limits, Scope(user=names.user), until)
    except (SystemFault, TimeoutError):
        return []
    if not plain:
        return []
    after = {name: tuple((names.undone(text), score) for text, score in texts) for name, texts in renamed.items()}
    pairs = [(question, plain[question.id], after[question.id]) for question in chosen]
    changed = [pair for pair in pairs if _up_to_ties(pair[1], limits.k) != _up_to_ties(pair[2], limits.k)]
    return [_counted(RENAMED, len(pairs), changed)]


def _up_to_ties(texts: Texts, k: int) -> list[list[str]]:
    """Group the texts of equal score: among them a name may decide, and at rank *k* which of them are returned."""
    groups: list[list[str]] = []
    last: float | None = None
    for text, score in texts:
        if groups and score is not None and score == last:
            groups[-1].append(text)
        else:
            groups.append([text])
        last = score
    cut = groups[:-1] if len(texts) == k and last is not None else groups
    return [sorted(group) for group in cut]


def _compared(kind: str, pairs: Sequence[tuple[Searched, Texts | None]]) -> SearchProbe:
    returned = [(each.question, each.texts, texts) for each, texts in pairs if texts is not None]
    changed = [(question, seen, texts) for question, seen, texts in returned if texts != seen]
    return replace(_counted(kind, len(pairs), changed), failed=len(pairs) - len(returned))


def _counted(kind: str, asked: int, changed: Sequence[tuple[Question, Texts, Texts]]) -> SearchProbe:
    """Count the rankings that *changed*, and those of them that changed far."""
    far = sum(shared(before, after) < SHARED for _, before, after in changed)
    return SearchProbe(kind, asked, len(changed), changed[0][0].id if changed else "", far)


def shared(before: Texts, after: Texts) -> float:
    """Return the share of the first memories of either ranking that both have.

    A system that says no scores may break ties by names, which moves few of its first memories and no others.
    """
    first, second = ({text for text, _ in texts[:FIRST]} for texts in (before, after))
    most = max(len(first), len(second))
    return len(first & second) / most if most else 1.0


def _beginning(stream: Stream) -> list[Write | SessionEnd]:
    """Return the writes of a stream up to a number of turns, whole sessions apart."""
    events: list[Write | SessionEnd] = []
    turns = 0
    for event in stream:
        if isinstance(event, Write) and turns < TURNS:
            turns += len(event.turns)
            events.append(event)
        elif isinstance(event, SessionEnd) and events and isinstance(events[-1], Write):
            events.append(event)
    return events


def _played(
    events: Sequence[Write | SessionEnd],
    questions: Sequence[Question],
    open_system: Callable[[], MemorySystem],
    limits: Limits,
    scope: Scope,
    until: float,
) -> dict[str, Texts]:
    """Play a beginning with a fresh instance, and return what it returns for each question.

    Raises:
        TimeoutError: It takes too long.
        CallFailed: A call raised.
        CallTimeout: A call did not return.
        ContractBreach: A ranking is none.
    """
    caller = Caller()
    system: MemorySystem | None = None

    def call(what: str, function: Callable[[], object]) -> object:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return caller.call(what, function, min(limits.timeout_s, left)).value

    try:
        opened = caller.call(
            "opening the system", open_system, max(0.01, until - time.monotonic()), late=let_go
        ).value
        system = opened
        call("reset", opened.reset)
        for event in in_units(tuple(events), str(opened.capabilities().unit)):
            if isinstance(event, Write):
                turns = event.turns
                call("ingest", partial(opened.ingest, turns, scope))
            else:
                call("flush", lambda: opened.flush(scope, limits.timeout_s))
        call("flush", lambda: opened.flush(scope, limits.timeout_s))
        returned: dict[str, Texts] = {}
        for asked in questions:
            ranking = call("search", partial(_searched, opened, asked, scope, limits.k))
            if isinstance(ranking, ContractBreach):
                raise ranking
            returned[asked.id] = texts_of(ranking, limits.k)  # type: ignore[arg-type] # no breach is left
        return returned
    finally:
        if implements(system, Closing):
            shut(caller, system.close)
        caller.close()


def _searched(system: MemorySystem, asked: Question, scope: Scope, k: int) -> Ranking | ContractBreach:
    return plain_ranking(system.search(asked.text, scope, k, asked.asked_at))


@dataclass
class _Names:
    """Other names for turns, sessions and the user, and the way back."""

    conversation: str
    user: str = "probe-u000000"

    def __post_init__(self) -> None:
        self._old: dict[str, str] = {self.user: self.conversation}
        self._new: dict[tuple[str, str], str] = {}

    def write(self, event: Write) -> Write:
        """Rename the turns that are written."""
        return Write(tuple(map(self._turn, event.turns)))

    def undone(self, text: str) -> str:
        """Put the old names into a text that quotes the new ones."""
        return _NAME.sub(lambda match: self._old.get(match[0], match[0]), text)

    def _turn(self, turn: Turn) -> Turn:
        return replace(turn, id=self._name("t", turn.id), session=self._name("s", turn.session))

    def _name(self, kind: str, old: str) -> str:
        new = self._new.setdefault((kind, old), f"probe-{kind}{7919 * (len(self._new) + 1) % 1_000_000:06d}")
        self._old[new] = old
        return new
