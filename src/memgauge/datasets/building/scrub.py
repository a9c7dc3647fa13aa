"""Replace what names or reaches a person: equal by equal, different by different, and nothing twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memgauge.datasets.building.names import MADE_UP, dress, fold, invent, pattern, words_of
from memgauge.datasets.building.patterns import FORMS, STAND_INS, IdentifierKind, found, stand_in
from memgauge.errors import ConfigError
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memgauge.records import Conversation, Session


@dataclass(frozen=True)
class Replaced:
    """One value that was replaced, told without the value."""

    kind: IdentifierKind
    stand_in: str
    occurrences: int
    """In texts; names of speakers are not counted."""
    turns: tuple[str, ...]
    """Where, as ``conversation/turn``."""


@dataclass(frozen=True)
class Scrubbed:
    """Conversations without what was replaced in them."""

    conversations: tuple[Conversation, ...]
    replaced: tuple[Replaced, ...]
    """By kind, and then in the order in which they first appear."""
    speakers: int
    """Names of speakers that were replaced."""

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Count distinct values and occurrences by kind, those that do not occur as well."""
        return {
            kind.value: {
                "distinct": sum(1 for value in self.replaced if value.kind is kind),
                "occurrences": sum(value.occurrences for value in self.replaced if value.kind is kind),
            }
            for kind in IdentifierKind
        }


def scrub(conversations: Sequence[Conversation], *, key: str, names: Iterable[str] = ()) -> Scrubbed:
    """Replace e-mail and other addresses, numbers and names in every text and in the names of speakers.

    Names are those given and those of the speakers, word by word. Numbers of stand-ins follow the order of
    appearance, made-up names follow from *key*, which is best kept secret. What was scrubbed can be scrubbed again
    without a change.

    Raises:
        ConfigError: The key is empty.
    """
    if not key:
        raise ConfigError("Made-up names need a key.", "Choose a text that nobody can guess, and keep it.")
    speakers = list(dict.fromkeys(turn.speaker for whole in conversations for turn in whole.turns()))
    # A speaker may be known by a number or an address, which are no names.
    parts = [piece.text for speaker in speakers for piece in _cut(speaker, lambda *_: "") if not piece.done]
    texts = [*speakers, *(turn.text for whole in conversations for turn in whole.turns())]
    ledger = _Ledger(key, words_of([*names, *parts]), texts)
    called = {speaker: ledger.scrub(speaker) for speaker in speakers}
    ledger.uses.clear()

    def cleaned(session: Session, home: str) -> Session:
        turns = (
            replace(turn, speaker=called[turn.speaker], text=ledger.scrub(turn.text, f"{home}/{turn.id}"))
            for turn in session.turns
        )
        return replace(session, turns=tuple(turns))

    scrubbed = tuple(
        replace(whole, sessions=tuple(cleaned(session, whole.id) for session in whole.sessions))
        for whole in conversations
    )
    return Scrubbed(scrubbed, ledger.report(), sum(old != new for old, new in called.items()))


class _Ledger:
    """Which stand-in every value has, and where it was used."""

    def __init__(self, key: str, names: frozenset[str], texts: Iterable[str]) -> None:
        self._key = key
        self._names = pattern(names)
        self._given: dict[tuple[IdentifierKind, str], str] = {}
        self._next: Counter[IdentifierKind] = Counter()
        # A stand-in that stands in the texts already would make two things one.
        self._taken: set[str] = set()
        for text in texts:
            self._taken.update(STAND_INS.findall(text))
            self._taken.update(word for word in tokenize(text) if MADE_UP.fullmatch(word))
        self.uses: dict[tuple[IdentifierKind, str], Counter[str]] = {}
        for name in sorted(names):  # so that a made-up name does not depend on who is mentioned first
            self._of(IdentifierKind.NAME, name)

    def scrub(self, text: str, where: str = "") -> str:
        """Replace until nothing is left to replace: what a replacement leaves may have a form of its own."""

        def use(kind: IdentifierKind, value: str) -> str:
            return self._use(kind, value, where)

        while (
            done := "".join(p.text if p.done else self._rename(p.text, where) for p in _cut(text, use))
        ) != text:
            text = done
        return text

    def report(self) -> tuple[Replaced, ...]:
        """List what was used."""
        order = list(IdentifierKind)
        return tuple(
            Replaced(kind, self._given[kind, value], uses.total(), tuple(uses))
            for (kind, value), uses in sorted(self.uses.items(), key=lambda item: order.index(item[0][0]))
        )

    def _rename(self, text: str, where: str) -> str:
        if self._names is None:
            return text
        return self._names.sub(lambda m: dress(self._use(IdentifierKind.NAME, fold(m[0]), where), m[0]), text)

    def _use(self, kind: IdentifierKind, value: str, where: str) -> str:
        self.uses.setdefault((kind, value), Counter())[where] += 1
        return self._of(kind, value)

    def _of(self, kind: IdentifierKind, value: str) -> str:
        if (kind, value) not in self._given:
            if kind is IdentifierKind.NAME:
                chosen = next(word for word in invent(value, self._key) if word not in self._taken)
            else:
                chosen = self._numbered(kind, value)
            self._given[kind, value] = chosen
            self._taken.add(chosen)
        return self._given[kind, value]

    def _numbered(self, kind: IdentifierKind, value: str) -> str:
        while True:
            self._next[kind] += 1
            chosen = stand_in(kind, self._next[kind], value)
            if chosen not in self._taken:
                return chosen


class _Piece(NamedTuple):
    """A part of a text."""

    text: str
    done: bool
    """Whether it is a stand-in, and nothing in it is to be replaced."""


def _cut(text: str, replacement: Callable[[IdentifierKind, str], str]) -> list[_Piece]:
    """Replace by form; what one form has found, or was a stand-in before, is not looked at by the next."""
    pieces = _parts(text, ((match.start(), match.end(), match[0]) for match in STAND_INS.finditer(text)))
    for kind in FORMS:
        pieces = [
            part
            for piece in pieces
            for part in (
                (piece,)
                if piece.done
                else _parts(
                    piece.text, ((s.start, s.end, replacement(kind, s.value)) for s in found(kind, piece.text))
                )
            )
        ]
    return pieces


def _parts(text: str, replaced: Iterable[tuple[int, int, str]]) -> list[_Piece]:
    parts: list[_Piece] = []
    end = 0
    for start, stop, instead in replaced:
        parts += (_Piece(text[end:start], done=False), _Piece(instead, done=True))
        end = stop
    return [*parts, _Piece(text[end:], done=False)]
