"""What a memory must not do to look better than it is, one probe each.

A board cannot tell these by a score: time that passes after the clock, sources that a text does not bear, a memory
that is made of the question, one memory that is everything, a search that gives up where it is unsure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from memgauge.foreign import Raised, call_foreign
from memgauge.records import Hit, Memory, Ranking
from memgauge.systems.conformance.bench import CANARY, HERE, PASSED, K, ask, failed, judged, turns, vacuous
from memgauge.systems.conformance.whole import keeps_turns_whole
from memgauge.text.witness import BearingText, Lexicon, holds, passages, plain, room, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.records import Turn
    from memgauge.systems.conformance.bench import Bench, Finding, Probe
    from memgauge.text.witness import Passage

STRANGERS: Final = ("zanthoxylum", "a violoncello in Ouagadougou", "why not?")
"""Questions about what nobody said."""
SESSIONS: Final = 4
BORNE: Final = 0.5
"""The share of the turns that memories name of which they must hold something."""
ROOM: Final = 0.4
"""How much of a turn a text must have room for to hold something of it: a sixth of its length will do."""
_WORDS: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Spoken:
    """What was written, ready for the witness of words that boards credit by."""

    lexicon: Lexicon
    passages: Mapping[str, Passage]
    """By turn."""
    folded: Mapping[str, str]
    """The words of every turn as they stand."""

    @classmethod
    def of(cls, written: Sequence[Turn]) -> Spoken:
        """Weigh the words of *written*."""
        words = {each.id: words_of(f"{each.speaker} {each.text}") for each in written}
        lexicon = Lexicon.of(list(words.values()), words_of(" ".join({each.speaker for each in written})))
        sessions: dict[str, list[str]] = {}
        for each in written:
            sessions.setdefault(each.session, []).append(each.id)
        between = {
            turn: passage
            for turns_of in sessions.values()
            for turn, passage in zip(turns_of, passages([words[turn] for turn in turns_of], lexicon), strict=True)
        }
        return cls(lexicon, between, {each.id: plain(each.text) for each in written})

    def borne_by(self, text: str, turn: str) -> bool:
        """Whether *text* repeats *turn*, or is about it and long enough to say something of it."""
        folded = plain(text)
        if holds(folded, self.folded[turn]):
            return True
        enough = room(len(folded), len(self.folded[turn])) >= ROOM
        return enough and BearingText(text, self.lexicon).about(self.passages[turn])


def plain_values(bench: Bench) -> Finding:
    """Return values, not code that computes them while they are read."""
    bench.fill()
    ranking: object = bench.system.search_itself(ask(CANARY), HERE, K)
    strange = sorted(set(_strange(ranking)))
    if strange:
        return failed(f"not plain, so that reading it may take time: {', '.join(strange)}")
    if not isinstance(ranking, Ranking) or not ranking.hits:
        return vacuous("no search returned anything")
    first = [(hit.memory.id, hit.memory.text, hit.score) for hit in ranking.hits]
    again = [(hit.memory.id, hit.memory.text, hit.score) for hit in ranking.hits]
    return judged(first == again, "what was read twice was not the same")


def bears_sources(bench: Bench) -> Finding:
    """Hold something of the turns that memories are said to come from."""
    written = turns()
    claims: dict[str, set[str]] = {}
    for each in written:
        receipt = bench.system.ingest([each], HERE)
        for change in receipt.changes or ():
            claims.setdefault(change.memory, set()).add(each.id)
    bench.flush()
    stored = bench.dump()
    for memory in stored:
        claims.setdefault(memory.id, set()).update(memory.sources)
    spoken = Spoken.of(written)
    pairs = [(memory.text, turn) for memory in stored for turn in claims[memory.id] if turn in spoken.passages]
    if not pairs:
        return vacuous("no memory names the turns that it comes from")
    held = sum(spoken.borne_by(text, turn) for text, turn in pairs)
    return judged(
        held >= BORNE * len(pairs),
        f"memories name {len(pairs)} turns as their sources and hold nothing of {len(pairs) - held} of them",
    )


def makes_no_memories_of_questions(bench: Bench) -> Finding:
    """Return what was stored, and nothing made of the question."""
    bench.fill()
    for question in STRANGERS[:2]:
        word = max(_words(question), key=len)
        returned = bench.system.search(f"Who in the garden has {question}?", HERE, K, None)
        if any(word in _words(hit.memory.text) for hit in returned.hits):
            return failed(f"a memory holds {word!r}, a word of the question that nobody said")
    return PASSED


def keeps_apart(bench: Bench) -> Finding:
    """Keep more than one memory of several sessions."""
    written = _sessions()
    for each in written:
        bench.system.ingest([each], HERE)
    bench.flush()
    stored = bench.dump()
    if not stored:
        return vacuous("the dump is empty")
    spoken = Spoken.of(written)
    whole = [
        memory
        for memory in stored
        if len({each.session for each in written if spoken.borne_by(memory.text, each.id)}) == SESSIONS
    ]
    returned = bench.search()
    only = len(stored) == 1 or (len(returned) == 1 and returned[0].memory.id in {memory.id for memory in whole})
    return judged(
        not (whole and only),
        f"one memory holds all {SESSIONS} sessions, so that whatever is found is everything",
    )


def answers_strangers(bench: Bench) -> Finding:
    """Answer also where nothing fits, if only with nothing."""
    bench.fill()
    for question in (*STRANGERS, "note", f"{CANARY} {CANARY} beans"):
        answer = call_foreign(partial(bench.system.search, question, HERE, K, None))
        if isinstance(answer, Raised):
            what = f"a search for {question!r} raised {type(answer.error).__name__}: what is unsure is no failure"
            return failed(what)
    return PASSED


def _strange(ranking: object) -> Iterable[str]:
    """Name the parts of a ranking that are of a class of the system's own."""
    if type(ranking) is not Ranking:
        yield type(ranking).__name__
        return
    if type(ranking.hits) not in {tuple, list}:
        yield f"hits ({type(ranking.hits).__name__})"
        return
    for hit in ranking.hits:
        if type(hit) is not Hit or type(hit.memory) is not Memory:
            yield type(hit).__name__ if type(hit) is not Hit else type(hit.memory).__name__
            continue
        memory = hit.memory
        yield from (
            f"{name} ({type(value).__name__})"
            for name, value, kinds in (
                ("id", memory.id, {str}),
                ("text", memory.text, {str}),
                ("sources", memory.sources, {tuple, list}),
            )
            if type(value) not in kinds
        )


def _sessions() -> Sequence[Turn]:
    """Deal the known turns out to sessions, days apart."""
    each = turns()
    size = len(each) // SESSIONS
    return [
        replace(turn, session=f"s{n // size}", at=turn.at + timedelta(days=n // size) if turn.at else None)
        for n, turn in enumerate(each)
    ]


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))


HONEST: Mapping[str, Probe] = {
    "rankings are plain values": plain_values,
    "memories bear their sources": bears_sources,
    "hits are not the question": makes_no_memories_of_questions,
    "memories are kept apart": keeps_apart,
    "searches answer when unsure": answers_strangers,
    "turns are kept whole": keeps_turns_whole,
}
"""Probes of what scores cannot tell, by the name under which a report lists them."""
