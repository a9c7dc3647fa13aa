"""Numbers in English words."""

from __future__ import annotations

_TO_NINETEEN = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_BY_TEN = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL = {word: n for n, word in enumerate(_TO_NINETEEN.split())} | {"dozen": 12}
TENS = {word: 10 * n for n, word in enumerate(_BY_TEN.split(), 2)}
NUMBER_WORDS = {word: str(n) for word, n in (SMALL | TENS).items() if n > 1}
"""Numbers as one writes them in words; ``one`` and ``zero`` mean other things more often."""
LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
