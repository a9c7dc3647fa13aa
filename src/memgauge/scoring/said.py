"""What was said in the conversations of a dataset, read only where it is asked for: scoring keeps little of it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from memgauge.runs.record.lineage import digest, spelled
from memgauge.text.tokens import count_tokens
from memgauge.text.witness import Lexicon, Passage, passages, plain, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.records import Conversation, Turn

HELD: Final = 8_000_000
"""Characters of conversations that are held at once: the whole of LoCoMo eight times, a few dozen haystacks."""


@dataclass(frozen=True, slots=True)
class ConversationSize:
    """How long a conversation is."""

    turns: int
    tokens: int


@dataclass(frozen=True, eq=False)
class ConversationText:
    """One conversation, ready to be laid beside the texts of memories."""

    turns: Mapping[str, Turn]

    @classmethod
    def of(cls, conversation: Conversation) -> ConversationText:
        """Take the turns of *conversation*."""
        return cls({turn.id: turn for turn in conversation.turns()})

    def copies(self, names: Iterable[str]) -> Mapping[str, int]:
        """Return the length of every text that says these turns word for word, by its hash."""
        known = tuple(name for name in names if name in self.turns)
        if known not in self._copies:
            texts = spelled([self.turns[name] for name in known])
            self._copies[known] = {digest(text): len(text) for text in texts}
        return self._copies[known]

    @cached_property
    def _copies(self) -> dict[tuple[str, ...], Mapping[str, int]]:
        return {}

    @cached_property
    def length(self) -> int:
        """The characters of all turns."""
        return sum([len(turn.text) for turn in self.turns.values()])

    @cached_property
    def plain(self) -> Mapping[str, str]:
        """The words of every turn as they stand."""
        return {name: plain(turn.text) for name, turn in self.turns.items()}

    @cached_property
    def passages(self) -> Mapping[str, Passage]:
        """Every turn between its neighbours."""
        sessions: dict[str, list[str]] = {}
        for name, turn in self.turns.items():
            sessions.setdefault(turn.session, []).append(name)
        return {
            name: passage
            for names in sessions.values()
            for name, passage in zip(
                names, passages([self._words[name] for name in names], self.lexicon), strict=True
            )
        }

    @cached_property
    def lexicon(self) -> Lexicon:
        """What words weigh here."""
        names = frozenset().union(*(words_of(speaker) for speaker in {t.speaker for t in self.turns.values()}))
        return Lexicon.of(list(self._words.values()), names)

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        return {name: words_of(f"{turn.speaker} {turn.text}") for name, turn in self.turns.items()}


@dataclass(frozen=True, eq=False)
class Conversations:
    """The conversations of a dataset by id: how long they are, and, when asked, what was said."""

    sizes: Mapping[str, ConversationSize] = field(default_factory=dict)
    evidence: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The text of every turn that is evidence of anything."""
    dataset: Dataset | None = None

    def evidence_words(self, key: tuple[str, str]) -> str | None:
        """Return the words of a turn, as :func:`memgauge.text.witness.plain` gives them, where it is evidence."""
        words = self._evidence_words.get(key)
        if words is None and key in self.evidence:
            words = self._evidence_words[key] = plain(self.evidence[key])
        return words

    @cached_property
    def _evidence_words(self) -> dict[tuple[str, str], str]:
        return {}

    def said(self, wanted: Collection[str]) -> Iterator[tuple[str, ConversationText]]:
        """Yield the conversations *wanted*, those at hand first; what the dataset does not have is left out."""
        missing = set(wanted)
        for name in [name for name in self._held if name in missing]:
            missing.discard(name)
            self._held.move_to_end(name)
            yield name, self._held[name]
        for case in self.dataset.cases() if missing and self.dataset else ():
            if case.conversation.id in missing:
                missing.discard(case.conversation.id)
                yield case.conversation.id, self._hold(case.conversation)
            if not missing:
                return

    def _hold(self, conversation: Conversation) -> ConversationText:
        """Keep a conversation at hand, and let go of those that were longest not asked for."""
        held = self._held[conversation.id] = ConversationText.of(conversation)
        total = sum(each.length for each in self._held.values())
        while total > HELD and len(self._held) > 1:
            total -= self._held.popitem(last=False)[1].length
        return held

    @cached_property
    def _held(self) -> OrderedDict[str, ConversationText]:
        return OrderedDict()


def size_of(conversation: Conversation) -> ConversationSize:
    """Count the turns of *conversation* and the tokens of their texts."""
    lengths = [count_tokens(turn.text) for turn in conversation.turns()]
    return ConversationSize(len(lengths), sum(lengths))
