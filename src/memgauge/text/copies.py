"""Whether a text is a copy of others: their words, in their order, with next to nothing else."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

LOST: Final = 0.1
"""The share of a text's words that its copy may lack, where it puts nothing but function words in their place."""
ADDED: Final = 0.3
"""The share of its own words that a copy may add, besides :data:`FREE`: a speaker, a date, a heading."""
FREE: Final = 3
_LITTLE: Final = frozenset(word for each in FUNCTION_WORDS for word in tokenize(each))


def copies(text: str, originals: Iterable[str]) -> bool:
    """Whether *text* is made of whole *originals*, in whatever case, with a word before or after perhaps."""
    words = tokenize(text)
    folded_text = f" {'  '.join(words)} "
    copy_count = copied_words = 0
    for original in originals:
        original_words = tokenize(original)
        if original_words and (match_count := _matched(original_words, words, folded_text)):
            copy_count, copied_words = copy_count + 1, copied_words + match_count
    return copy_count > 0 and len(words) - copied_words <= ADDED * len(words) + FREE * copy_count


def _matched(original_words: list[str], words: list[str], folded_text: str) -> int:
    """Count the words of *original_words* that stand in *words* in their order; 0 where too many are missing.

    In a text much longer than an original only an unbroken copy of it is looked for.
    """
    if unbroken := folded_text.count(f" {'  '.join(original_words)} "):
        return unbroken * len(original_words)
    fewest = len(original_words) - int(LOST * len(original_words))
    if len(words) > 2 * len(original_words) + FREE or (Counter(words) & Counter(original_words)).total() < fewest:
        return 0
    blocks = SequenceMatcher(None, words, original_words, autojunk=False).get_matching_blocks()
    match_count = sum(block.size for block in blocks)
    if match_count < fewest or (
        match_count < len(original_words) and not _LITTLE.issuperset(_added(words, original_words))
    ):
        return 0  # another word stands in the place of one: a name for "I" is a change that serves
    return match_count


def _added(words: list[str], original_words: list[str]) -> set[str]:
    """Return the words that a text has and its original has not, or not as often."""
    return set(Counter(words) - Counter(original_words))
