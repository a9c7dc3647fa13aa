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
    folded = f" {'  '.join(words)} "
    held = repeated = 0
    for original in originals:
        wanted = tokenize(original)
        if wanted and (matched := _matched(wanted, words, folded)):
            held, repeated = held + 1, repeated + matched
    return held > 0 and len(words) - repeated <= ADDED * len(words) + FREE * held


def _matched(wanted: list[str], words: list[str], folded: str) -> int:
    """Count the words of *wanted* that stand in *words* in their order; 0 where too many are missing.

    In a text much longer than an original only an unbroken copy of it is looked for.
    """
    if unbroken := folded.count(f" {'  '.join(wanted)} "):
        return unbroken * len(wanted)
    least = len(wanted) - int(LOST * len(wanted))
    if len(words) > 2 * len(wanted) + FREE or (Counter(words) & Counter(wanted)).total() < least:
        return 0
    blocks = SequenceMatcher(None, words, wanted, autojunk=False).get_matching_blocks()
    matched = sum(block.size for block in blocks)
    if matched < least or (matched < len(wanted) and not _LITTLE.issuperset(_added(words, wanted))):
        return 0  # another word stands in the place of one: a name for "I" is a change that serves
    return matched


def _added(words: list[str], wanted: list[str]) -> set[str]:
    """Return the words that a text has and its original has not, or not as often."""
    return set(Counter(words) - Counter(wanted))
