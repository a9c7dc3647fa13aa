"""Words for lexical search, and an approximate count of model tokens."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = r"[^\W_]+(?:'[^\W_]+)*"
"""Letters and digits of any script, with apostrophes inside a word (``didn't``); ``_`` separates.

Scripts that write no spaces give one token a run of letters.
"""

_PIECES = r"[^\W\d_]+|\d|[^\w\s]|_|\n+"
_LETTERS = 8
"""Letters of a word that one token holds."""
_SMALL = bytes(
    ord(chr(n).lower()) if (n < 128 and chr(n).isalnum()) or n == ord("'") else ord(" ") for n in range(256)
)
"""What every ASCII character counts as in a word; separators are spaces."""
_EDGES = b" '", b"' ", b"''"
TOKEN_COUNTER = "chars/4"  # noqa: S105 - the name of a way to count
"""How :func:`count_tokens` counts; written into runs, since other counters differ by some 10 %."""


def tokenize(text: str, *, pattern: str = WORDS, stem: str | None = None) -> list[str]:
    """Split *text* into case-folded words.

    Text beyond ASCII is first brought to NFKC and its typographic apostrophes become plain ones, so that the
    tokens do not depend on how an accent was typed.

    Args:
        text: Anything; an empty text has no tokens.
        pattern: What counts as a word, matched against the case-folded text.
        stem: A Snowball language (``english``); ``None`` keeps words as they are.
    """
    if pattern == WORDS and text.isascii():
        words = _plain(text)
    else:
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
        words = _finder(pattern)(text.casefold())
    return words if stem is None else list(map(_stems(stem).__getitem__, words))


def _plain(text: str) -> list[str]:
    """Split ASCII as :data:`WORDS` does, without a look at every character: one table, and a few replacements."""
    words = text.encode().translate(_SMALL)
    if b"'" in words:
        words = b" " + words + b" "
        while any(edge in words for edge in _EDGES):  # no word begins or ends with an apostrophe, or has two
            for edge in _EDGES:
                words = words.replace(edge, b"  ")
    return words.decode().split()


def count_tokens(text: str) -> int:
    """Estimate how many tokens a language model sees: one for every four characters begun."""
    return -(-len(text) // 4)


def expected_tokens(text: str) -> int:
    """Expect how many tokens the tokenizer of a model makes of *text*: what a call is planned and priced by.

    A word is a token for every eight letters begun; a digit, a mark, a run of line ends and a letter beyond ASCII
    are one each. Prompts with dates, ids and fences have a quarter to a half more tokens than :func:`count_tokens`
    says; beside SmolLM2's own count this is right within a few percent, and it errs high for larger vocabularies.
    """
    return sum(_expected(piece) for piece in _finder(_PIECES)(text))


def _expected(piece: str) -> int:
    if not piece.isascii():
        return len(piece)
    return -(-len(piece) // _LETTERS) if piece.isalpha() else 1


def cut_to_tokens(text: str, tokens: int) -> str:
    """Return the beginning of *text* that :func:`count_tokens` counts as at most *tokens*."""
    return text[: 4 * tokens]


@cache
def _finder(pattern: str) -> Callable[[str], list[str]]:
    return re.compile(pattern).findall


class _Stems(dict[str, str]):
    """The stem of every word met so far, so that each distinct word is stemmed once."""

    def __init__(self, language: str) -> None:
        import Stemmer

        super().__init__()
        self._stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord

    def __missing__(self, word: str) -> str:
        return self.setdefault(word, self._stem(word))


@cache
def _stems(language: str) -> _Stems:
    return _Stems(language)
