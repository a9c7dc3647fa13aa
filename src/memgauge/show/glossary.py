"""Words of the field in plain English: the one place where they are explained, on every page the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

TERMS: Final = {
    "Recall": "The share of what is needed to answer that was handed over, averaged over questions.",
    "nDCG": "How far up the list what is needed stands: 1 when all of it comes first, less the deeper it lies.",
    "MRR": "One over the rank of the first needed memory: 1 when it is first, 0.5 when it is second.",
    "Hit": "The share of questions for which at least one needed thing was handed over.",
    "Complete": "The share of questions for which everything that is needed was handed over.",
    "MAP": "How clean the list is down to each needed memory, averaged: 1 when nothing else comes before.",
    "Precision": "The share of what was handed over that is needed.",
    "interval": "Where the true value lies in 95 of 100 repetitions with other conversations of the same kind.",
    "conversation": "What was sampled: a long exchange between the same people, with questions about it.",
    "evidence": "The turns of a conversation that say what a question asks; labelled by the dataset's makers.",
    "floor": "What takes no skill, such as random memories: who is not above it has shown nothing.",
    "ceiling": "What nobody can beat here, because it is told what is needed.",
    "coverage": "The share of a conversation's turns that what was returned bears.",
    "witness": "The check that a returned text bears what it is credited for; a claim alone does not count.",
    "stand-in": "A product that ran on made-up vectors or a scripted model: it is never ranked.",
    "marked": "Ranked, but the notes name something to know before its number is believed.",
    "unranked": "Measured, but not compared: the notes say why.",
    "tokens": "Pieces of words, which a reader pays for; 2,000 are about three pages.",
    "contract": "The rules by which something counts as found.",
    "k": "How many memories a system may return for a question.",
    "p50": "The median: half of all calls are quicker.",
    "p95": "95 of 100 calls are quicker.",
    "L0": "Level 0, claim: nothing was verified.",
    "L1": "Level 1, recomputed: the record agrees with itself and the numbers follow; not who made it.",
    "L2": "Level 2, repeated: level 1, with three runs or more of the submitter.",
    "L3": "Level 3, reproduced: somebody else played the same thing again, and it agreed.",
    "L4": "Level 4, run in CI: installed from its lock and played in the open.",
    "L5": "Level 5, audited: reproduced, on a fresh world and with every compliance test.",
    "tie group": "Systems of which none is shown to be worse than the best of them: their order means nothing.",
    "division": "Closed: one setting, one contract, comparable; open: anything, described.",
    "lane": "What stands behind a memory: no model, a stand-in, local weights, or a provider's model.",
    "rank": "The places that a system may truly have; one place where the data can tell.",
}
"""Each word as it is written where it stands alone, and what it means in one sentence."""
_PLURAL = {"interval", "conversation", "floor", "ceiling", "stand-in", "contract", "rank", "tie group", "lane"}
_WORDS = re.compile(
    r"(?<![\w@:/.-])(?:"
    + "|".join(
        f"{re.escape(word)}{'s?' if word in _PLURAL else ''}" for word in sorted(TERMS, key=len, reverse=True)
    )
    + r")(?:@\d+(?:tok)?)?(?![\w@:/=-])"
)


@dataclass(frozen=True)
class GlossedPart:
    """A piece of a text, with what it means where it is a word of the field."""

    text: str
    meaning: str = ""


def meaning(word: str) -> str:
    """Explain a word, or the name of a measure with its cutoff; nothing where nobody asks."""
    stem = word.partition("@")[0]
    return TERMS.get(stem) or TERMS.get(stem.removesuffix("s"), "")


def glossed(text: str) -> Iterator[GlossedPart]:
    """Cut a text at the words that are explained, each the first time that it stands there."""
    at, explained_terms = 0, set()
    for match in _WORDS.finditer(text):
        means = meaning(match[0])
        if not means or means in explained_terms:
            continue
        explained_terms.add(means)
        if text[at : match.start()]:
            yield GlossedPart(text[at : match.start()])
        yield GlossedPart(match[0], means)
        at = match.end()
    if text[at:]:
        yield GlossedPart(text[at:])
