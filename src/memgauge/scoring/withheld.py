"""What searches show of what the memory was never told, or was told to forget.

What it can know at a question follows from the stream: what was written in its name since it was last emptied.
A hit shows a withheld turn where it claims it, or where it holds half of the words by which that turn can be told
from everything else that the memory may say: what it was told, the question, names of speakers, and dates.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import EvidencePolicy
from memgauge.streams import Ask, Remove, Reset, Write
from memgauge.text.dates import MONTHS, spell_date
from memgauge.text.witness import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memgauge.records import Case, Gold, Turn
    from memgauge.streams import Stream

_CALENDAR: Final = " ".join(
    (*MONTHS, "Monday Tuesday Wednesday Thursday Friday Saturday Sunday session user assistant")
)
_SHORT: Final = 3
"""Letters of a word from which it can tell turns apart."""
_TELLING: Final = 3
"""Words by which a turn must differ where nothing at all is known: what is shorter is said by everybody."""


@dataclass(frozen=True)
class Withheld:
    """What one question may not show: turns, and the words that tell each from what is known."""

    turns: frozenset[str]
    """Everything that was withheld; a hit that claims any of it shows it."""
    telling: tuple[frozenset[str], ...]
    partial: bool
    """Whether the memory knows something, so that a word may be there by chance."""

    @property
    def countable(self) -> bool:
        """Whether anything could be recognised."""
        return bool(self.telling)

    def shown(self, hits: Iterable[Mapping[str, Any]]) -> bool:
        """Whether any hit shows anything of it."""
        return any(self._in(hit) for hit in hits)

    def _in(self, hit: Mapping[str, Any]) -> bool:
        if not self.turns.isdisjoint(hit["sources"] or ()):
            return True
        words = words_of(hit["text"] or "")
        return any(2 * len(words & own) >= len(own) for own in self.telling)


def known_at(stream: Stream) -> dict[str, frozenset[Turn]]:
    """Return the turns that a memory can know of when each question is asked; questions share what they can."""
    known: set[Turn] = set()
    seen: frozenset[Turn] | None = frozenset()
    at: dict[str, frozenset[Turn]] = {}
    for event in stream:
        if isinstance(event, Write) and not event.user:
            known.update(event.turns)
            seen = None
        elif isinstance(event, (Reset, Remove)):
            known.clear()
            seen = None
        elif isinstance(event, Ask):
            seen = frozenset(known) if seen is None else seen
            at[event.question.id] = seen
    return at


def withheld_from(case: Case, golds: Sequence[Gold], stream: Stream) -> dict[str, Withheld]:
    """Say what each question may not show, by its id.

    Args:
        case: Everything that was ever said, unchanged.
        golds: Of its questions, in their order.
        stream: What was played instead, perhaps in other words.
    """
    turns = {turn.id: turn for turn in case.conversation.turns()}
    asks = {event.question.id: event.question.text for event in stream if isinstance(event, Ask)}
    groups: defaultdict[frozenset[Turn], list[str]] = defaultdict(list)
    for name, known in known_at(stream).items():
        groups[known].append(name)
    own = {question.id: gold for question, gold in zip(case.questions, golds, strict=True)}
    withheld: dict[str, Withheld] = {}
    for known, questions in groups.items():
        known_turns = {turn.id: turn for turn in known}
        gone = frozenset(turns.keys() - known_turns.keys())
        spoken = _spoken(known, known or turns.values())
        everything = _telling([] if known else turns.values(), spoken, _TELLING)
        for name in (each for each in questions if each in own):
            secret = [
                turns[turn] for turn in own[name].anchors(EvidencePolicy.REPAIR) if _lost(turns[turn], known_turns)
            ]
            words = words_of(asks[name])
            telling = _telling(secret, spoken | words, 1) if known else _less(everything, words)
            withheld[name] = Withheld(gone, telling, partial=bool(known))
    return withheld


def _lost(turn: Turn, known_turns: Mapping[str, Turn]) -> bool:
    """Whether a turn was not said, or in other words."""
    return turn.id not in known_turns or known_turns[turn.id].text != turn.text


def _spoken(known: Collection[Turn], turns: Collection[Turn]) -> frozenset[str]:
    """Return the words that may be said without having been told anything else: what is known, names, dates."""
    speakers = {turn.speaker for turn in turns} | {turn.role for turn in turns}
    times = {turn.at for turn in turns if turn.at is not None}
    dates = (f"{spell_date(at)} {at:%Y-%m-%d %H:%M:%S}" for at in times)
    texts = (turn.text for turn in known)
    return frozenset[str]().union(*map(words_of, (_CALENDAR, *speakers, *dates, *texts)))


def _telling(turns: Iterable[Turn], spoken: Collection[str], least: int) -> tuple[frozenset[str], ...]:
    """Return for each turn that can be told from what is *spoken* the words that tell it."""
    words = (words_of(turn.text) - set(spoken) for turn in turns)
    own = (frozenset(filter(_tells, each)) for each in words)
    return tuple(dict.fromkeys(each for each in own if len(each) >= least))


def _less(telling: tuple[frozenset[str], ...], words: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Take the words of a question away."""
    return tuple(each - words if each & words else each for each in telling if len(each - words) >= _TELLING)


def _tells(word: str) -> bool:
    return len(word) >= _SHORT or not word.isalpha()
