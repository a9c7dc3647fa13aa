"""What people do by hand: a folder of notes, one a session, with a table of contents and grep."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgauge.records import ScoreKind
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.systems.policies.writing import TURNS
from memgauge.text.dates import spell_date
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge import ranges
    from memgauge.records import Memory, Scope, Turn
    from memgauge.systems.policies.indexed import Index

_FREQUENT = frozenset(word for each in FUNCTION_WORDS for word in tokenize(each))


@dataclass(frozen=True)
class NoteFile:
    """One file: its heading, and places of the lines in it."""

    title: str
    lines: list[int] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)


class NoteFolder:
    """Notes of one scope, in the order in which they were begun."""

    def __init__(self, topics: int, around: int) -> None:
        self._topics = topics
        self._around = around
        self._notes: dict[str, NoteFile] = {}
        self._words: list[frozenset[str]] = []

    def extend(self, memories: Sequence[Memory]) -> None:
        """Write each memory as the next line of the note of its session."""
        for memory in memories:
            day = "" if memory.event_at is None else spell_date(memory.event_at.date())
            note = self._notes.setdefault(memory.channel, NoteFile(day))
            note.lines.append(len(self._words))
            words = tokenize(memory.text)
            note.words.update(word for word in words if word not in _FREQUENT)
            self._words.append(frozenset(words))

    def contents(self) -> list[str]:
        """Return the table of contents: of each note its day, and the words that mark it off from the others."""
        notes = self._notes.values()
        spread = Counter(word for note in notes for word in note.words)
        return [" ".join((note.title, *self._topics_of(note, spread))) for note in notes]

    def _topics_of(self, note: NoteFile, spread: Counter[str]) -> list[str]:
        """Return the words that a note says most, each shared among the notes that hold it."""
        weighed = sorted(note.words, key=lambda word: (-note.words[word] / spread[word], word))
        return weighed[: self._topics]

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Grep for the words of *query*, notes first whose line in the table of contents holds most of them.

        A line counts by how many different words it holds; those around it follow it, as ``grep -C`` shows them.
        """
        asked = set(tokenize(query)) - _FREQUENT
        headed = [len(asked & set(tokenize(line))) for line in self.contents()]
        matched = [
            (-len(asked & self._words[line]), -headed[number], number, place)
            for number, note in enumerate(self._notes.values())
            for place, line in enumerate(note.lines)
            if asked & self._words[line]
        ]
        return list(self._shown(sorted(matched)))[:k]

    def _shown(self, matched: Sequence[tuple[int, int, int, int]]) -> Iterator[tuple[int, float]]:
        """Yield lines with what surrounds them, each once, by the words that the matching line held."""
        notes, shown = tuple(self._notes.values()), set[int]()
        for words, _, number, place in matched:
            lines = notes[number].lines
            near = range(max(0, place - self._around), min(len(lines), place + self._around + 1))
            for each in sorted(near, key=lambda other: (abs(other - place), other)):
                if lines[each] not in shown:
                    shown.add(lines[each])
                    yield lines[each], float(-words)


@dataclass(kw_only=True, eq=False)
class FilesPolicy(IndexedPolicy):
    """Keeps a note for each session under a table of contents, and greps: no index, no weights, no model.

    What a note would be is held in memory. Tie rule: words that a line holds, words in the table of contents, then
    as the notes were written.
    """

    name = "files"
    score_kind = ScoreKind.SIMILARITY

    topics: ranges.Number = 8
    """Words that stand for a note in the table of contents, besides its day."""
    around: ranges.Number = 1
    """Lines before and after a line that matches, as ``grep -C`` shows them."""
    store: str = field(default=TURNS, init=False)

    def _new_index(self, scope: Scope) -> Index:  # noqa: ARG002 - the protocol of the base
        return NoteFolder(self.topics, self.around)

    def _memory(self, turn: Turn) -> Memory:
        return replace(super()._memory(turn), channel=turn.session)
