"""The same world under other names and with other figures: who knows its answers by heart knows nothing here."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memgauge.datasets.changed.entry import CaseWithGold, reworded
from memgauge.datasets.changed.vocabulary import Vocabulary
from memgauge.records import EvidencePolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.records import Gold

_PIECE: Final = re.compile(
    r"""(?P<fixed>
        (?<!\w)(?:1[89]|20)\d\d(?!\w)                          # a year
      | \d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})*                  # a date, a time
      | \d+(?:\.\d+)+                                          # a share, a version
      | \d+(?:st|nd|rd|th)\b
      | (?<!\w)\d{1,2}(?=(?:\ of)?[ ](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))
      | (?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\ )\d{1,2}(?!\d)
      | \d{1,2}(?=\ ?[ap]\.?m\b)                                # an hour
    )
    | (?P<figure>\d{1,3}(?:,\d{3})+(?![\d,]) | \d{2,})         # what has one digit was counted
    | (?P<word>[^\W\d_]{2,})
    """,
    re.VERBOSE,
)
_ONSETS: Final = (*"bdfghjklmnprstvz", "br", "tr", "kl", "st")
_SHORT_NAME: Final = 3
"""Letters from which the beginning of a name is taken for its short form."""


@dataclass(frozen=True)
class RenamedValues:
    """Gives names and figures others of the same length, everywhere in a conversation alike."""

    seed: int = 0

    def entry(self, entry: CaseWithGold) -> CaseWithGold:
        """Rename what is said, asked and right; an answer that was reckoned, and not said, is left out."""
        renaming = Renaming.of(entry, self.seed)
        texts = {turn.id: turn.text for turn in entry.conversation.turns()}
        remade = reworded(entry, renaming.text, renaming.text)
        golds = (
            _unanswered(new) if renaming.reckoned(old, _evidence(old, texts)) else new
            for old, new in zip(entry.golds, remade.golds, strict=True)
        )
        return replace(remade, golds=tuple(golds))


def _evidence(gold: Gold, texts: Mapping[str, str]) -> list[str]:
    return [texts[turn] for turn in gold.anchors(EvidencePolicy.REPAIR)]


def _unanswered(gold: Gold) -> Gold:
    return replace(gold, answers=(), raw_answer=None)


@dataclass(frozen=True)
class Renaming:
    """What everything in one conversation is called."""

    names: Mapping[str, str]
    """New names by old ones, both folded."""
    figures: Mapping[int, int]
    """New digits by old ones, as :meth:`str.translate` takes them."""

    @classmethod
    def of(cls, entry: CaseWithGold, seed: int) -> Renaming:
        """Find the names in everything that is said, asked and right."""
        vocabulary, right = Vocabulary.of((*entry.said(), *entry.right())), Vocabulary.of(entry.right())
        speakers = {turn.speaker for turn in entry.conversation.turns()}
        own = f"{seed}/{entry.conversation.id}"
        return cls(_named(vocabulary.names(speakers, right), vocabulary.words, own), _turned(own))

    def text(self, text: str) -> str:
        """Rename everything in a text."""
        return _PIECE.sub(self._renamed, text)

    def _renamed(self, match: re.Match[str]) -> str:
        if match["word"]:
            new = self.names.get(match[0].casefold())
            return match[0] if new is None else _cased(new, match[0])
        return match[0] if match["fixed"] else match[0].translate(self.figures)

    def reckoned(self, gold: Gold, evidence: Iterable[str]) -> bool:
        """Whether an answer holds a figure that would be renamed and that its evidence does not say."""
        stated = {figure for text in evidence for figure in _figures_of(text)}
        return any(figure not in stated for answer in gold.answers for figure in _figures_of(answer))


def _figures_of(text: str) -> set[str]:
    return {match["figure"] for match in _PIECE.finditer(text) if match["figure"]}


def _turned(seed: str) -> dict[int, int]:
    """Make every digit but 0 another one: figures keep their length, and those that are alike remain alike."""
    digits = list("123456789")
    random.Random(f"{seed}/figures").shuffle(digits)  # noqa: S311 - no secret
    return {ord(digits[place]): ord(digits[place - 1]) for place in range(len(digits))}


def _named(old: list[str], words: set[str], seed: str) -> dict[str, str]:
    """Give every name a new one that nobody says; the short form of a name becomes that of the new one."""
    taken, new = set(words), dict[str, str]()
    for name in sorted(old, key=lambda each: (-len(each), each)):
        whole = next((each for each in new if len(name) >= _SHORT_NAME and each.startswith(name)), None)
        made = new[whole][: len(name)] if whole else ""
        chance = random.Random(f"{seed}/{name}")  # noqa: S311 - no secret
        for extra in range(1_000):
            if made and made not in taken:
                break
            made = _made_up(chance, len(name) + extra // 100)
        taken.add(made)
        new[name] = made
    return new


def _made_up(chance: random.Random, length: int) -> str:
    """Make a pronounceable word of so many letters."""
    text = ""
    while len(text) < length:
        text += chance.choice(_ONSETS) + chance.choice("aeiou")
    return text[:length]


def _cased(word: str, like: str) -> str:
    """Write *word* with capitals where *like* has them."""
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[0].isupper() else word
