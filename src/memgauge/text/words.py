"""English words that carry no content of their own."""

from __future__ import annotations

from memgauge.text.tokens import tokenize

_LITTLE = """
a about after all also am an and any are as at be been before being but by can could did do does during for
from had has have he her here him his how i i'm i've if in into is it it's its just kind many me might more
most much must my no not of on or our she should since so some than that that's the their them then there
these they this those to too type us very was we were what when where which who whom whose why will with would
yes you you're your
"""
FUNCTION_WORDS = frozenset(_LITTLE.split())
"""What a question or a sentence can lose without losing what it is about."""

_LUCENE = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
was will with
"""
LUCENE_STOP_WORDS = frozenset(_LUCENE.split())
"""The 33 words that Lucene's English analyser drops by default."""


def content_stems(text: str) -> frozenset[str]:
    """Return the English stems of the words that carry meaning."""
    return frozenset(tokenize(" ".join(w for w in tokenize(text) if w not in FUNCTION_WORDS), stem="english"))
