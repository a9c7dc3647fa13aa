"""Words for lexical search, and an approximate count of model tokens."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WORDS = r"[^\W_]+(?:'[^\W_]+)*"
"""Letters and digits of any script, with apostrophes inside a word (``didn't``); ``_`` separates.

Scripts that write no spaces give one token a run of letters; :func:`paired` cuts them.
"""

_LETTERS_UNSPACED = (
    r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_BY_SCRIPT = f"[{_LETTERS_UNSPACED}]+|[^{_LETTERS_UNSPACED}]+"
_PIECES = r"[^\W\d_]+|\d|[^\w\s]|_|\n+"
_LETTERS = 8
"""Letters of a word that one token holds."""
TOKEN_COUNTER = "chars/4"  # noqa: S105 - the name of a way to count
"""How :func:`count_tokens` counts; written into runs, since other counters differ by some 10 %."""

_APART = bytes(ord(chr(n).lower()) if n < 128 and (chr(n).isalnum() or n == ord("'")) else 32 for n in range(256))
"""What each byte of ASCII is to a word: a small letter, a digit, an apostrophe, or space between two."""
_LOOSE = re.compile("^'|'$|''")
_LOOSE_BYTES = re.compile(rb"(?<![0-9a-z])'|'(?![0-9a-z])")


def tokenize(text: str, *, pattern: str = WORDS, stem: str | None = None) -> list[str]:
    """Split *text* into case-folded words.

    Text beyond ASCII is first brought to NFKC and its typographic apostrophes become plain ones, so that the
    tokens do not depend on how an accent was typed. *pattern* is what counts as a word, matched against the
    case-folded text; *stem* a Snowball language (``english``), ``None`` keeps words as they are.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    words = _ascii_words(text) if pattern == WORDS and text.isascii() else _finder(pattern)(text.casefold())
    return words if stem is None else list(map(_stems(stem).__getitem__, words))


def spaced(text: str) -> bytes:
    """Write the words that :func:`tokenize` cuts by default, in UTF-8 with nothing but spaces between them."""
    if not text.isascii():
        return " ".join(tokenize(text)).encode()
    words = text.encode().translate(_APART)
    return _LOOSE_BYTES.sub(b" ", words) if b"'" in words else words


def paired(words: Iterable[str]) -> list[str]:
    """Cut runs of Han, kana and hangul into pairs of neighbours, as Lucene's CJK analyser does; leave other words.

    These scripts write no spaces, so that a run of theirs is a sentence, which no other one repeats. A letter that
    stands alone stays.
    """
    by_script, is_unspaced = _finder(_BY_SCRIPT), _unspaced().match
    pieces = (piece for word in words for piece in by_script(word))
    return [pair for piece in pieces for pair in (_pairs(piece) if is_unspaced(piece) else (piece,))]


def _pairs(run: str) -> Iterable[str]:
    return (run[place : place + 2] for place in range(max(len(run) - 1, 1)))


def _ascii_words(text: str) -> list[str]:
    """Cut a text of ASCII by :data:`WORDS`, in C: at everything that is no letter, digit or apostrophe.

    Only where apostrophes stand anywhere but inside a word are words looked for in what was cut.
    """
    words = text.encode().translate(_APART).decode().split()
    if "'" in text and any(map(_LOOSE.search, words)):
        find = _finder(WORDS)
        return [word for run in words for word in (find(run) if "'" in run else (run,))]
    return words


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
def _unspaced() -> re.Pattern[str]:
    """Compile where it is used: many scripts take a while, and most commands cut no words."""
    return re.compile(f"[{_LETTERS_UNSPACED}]")


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
