"""Files of turns, searched as one does by hand: a regular expression, or the words of a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.systems.notes.folder import EditableNotes
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Memory
    from memgauge.systems.notes.folder import Ranked

MATCHES: Final = ("any", "all", "regex")
_SMALL: Final = frozenset(word for each in FUNCTION_WORDS for word in tokenize(each))


class Grep(EditableNotes):
    """Keeps a file of turns for each session, and finds lines as ``grep -i`` does.

    ``any`` prints lines that hold a word of the question, those with most of its words first; ``all`` lines that
    hold every one; ``regex`` takes the question for a regular expression, and counts how often a line matches.
    Of equals the newest comes first.
    """

    name = "grep"

    def __init__(self, *, match: str = "any", as_heard: bool = True, path: str = "") -> None:
        """Open the folder at *path*, or an empty one that goes with this object.

        Args:
            match: ``any``, ``all`` or ``regex``.
            as_heard: Whether a line begins with who spoke and when; else it is the words alone.
            path: An empty folder, or one that holds a store.

        Raises:
            ConfigError: There is no such way to match.
        """
        if match not in MATCHES:
            raise ConfigError(f"grep has no match={match}.", f"Take {', '.join(MATCHES[:-1])} or {MATCHES[-1]}.")
        self._match = match
        super().__init__(as_heard=as_heard, path=path)

    def _ranked(self, query: str, memories: Sequence[Memory]) -> Ranked:
        if self._match == "regex":
            pattern = _compiled(query)
            return by_count([(memory, len(pattern.findall(memory.text))) for memory in memories])
        words = keywords(query)
        counted = counted_words(words, memories)
        least = len(words) if self._match == "all" else 1
        return by_count([(memory, count) for memory, count in counted if count >= least])


def keywords(query: str) -> tuple[str, ...]:
    """Return the words of a question that carry content, each once."""
    return tuple(dict.fromkeys(word for word in tokenize(query) if word not in _SMALL))


def counted_words(words: Sequence[str], memories: Sequence[Memory]) -> list[tuple[Memory, int]]:
    """Count for each memory how many of *words* it holds, also as a part of others, as ``grep -i`` finds them."""
    folded = (" ".join(tokenize(memory.text)) for memory in memories)
    return [(memory, sum(word in text for word in words)) for memory, text in zip(memories, folded, strict=True)]


def by_count(counted: Sequence[tuple[Memory, int]]) -> Ranked:
    """Order what was counted at least once: most first, and of equals the newest."""
    ordered = sorted(enumerate(counted), key=lambda numbered: (-numbered[1][1], -numbered[0]))
    return [(memory, float(count)) for _, (memory, count) in ordered if count]


def _compiled(query: str) -> re.Pattern[str]:
    try:
        return re.compile(query or r"(?!)", re.IGNORECASE)
    except re.error:
        return re.compile(re.escape(query), re.IGNORECASE)
