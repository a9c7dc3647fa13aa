"""Abstaining: whether an answer to what nobody knows makes anything up.

A decline may be worded in any way, may repeat the question, and may say what else is known. What counts as made
up is a value that nobody said, of whatever kind, and a guess, however it is hedged.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.studies.golden.binding import words_of
from memgauge.studies.golden.spellings import written
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

_DECLINES = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|cant|dont|unknown|unable|unsure|"
    r"uncertain|unclear|"
    r"unaware|unfamiliar|undisclosed|unspecified|unavailable|unanswered|without|lacks?|lacking|missing|"
    r"absent|empty|blank|"
    r"insufficient|sorry|apolog\w+|regret\w*|afraid|(?:have|has|had|is|are) yet to|beats me|clueless|"
    r"in the dark|at a loss|"
    r"forgot\w*|fail(?:s|ed)? to|declin\w+|refus\w+|abstain\w*|n/?a|null|nil|undefined|could you|can you|"
    r"would you|"
    r"please (?:tell|share|let|provide|say|remind)|tell me|let me know|wish i knew|who knows|hard to say|"
    r"beyond me|"
    r"(?:first|only) i'?ve heard|remains? (?:a mystery|open)|anyone's guess|a mystery|rather not|outside|beyond|"
    r"nicht|kein\w*|nichts|leider|unbekannt|nada|ning[u\u00fa]n\w*|desconocid\w*|pas|aucun\w*|rien|"
    r"inconnu\w*|nunca|jamais|non|n\u00e3o|niet|geen)\b"
    r"|\w+n['\u2019]t\b|\u4e0d|\u6ca1|\u7121|\u65e0|\u672a|\u308f\u304b\u3089|\u77e5\u3089|\u306a\u3044|"
    r"\u306a\u304b|\u307e\u305b\u3093|\ubaa8\ub974|\u043d\u0435|\u043d\u0438\u0447|^\W*$",
    re.IGNORECASE,
)
_SURE = re.compile(
    r"\b(?:no (?:doubt|question|less|matter)|without (?:a |any )?(?:doubt|question|being (?:sure|certain))|"
    r"not only|never mind|"
    r"(?:never|don't|do not) (?:tell|forget|worry))\b", re.IGNORECASE
)  # fmt: skip
"""What declines nothing, whatever its words."""
_GUESSES = re.compile(
    r"\b(?:probabl[ey]|perhaps|maybe|possibly|presumabl[ey]|likely|my (?:best )?guess|guess(?:ing)?|i(?:'d|"
    r" would) say|"
    r"i(?:'d| would) (?:guess|bet|assume|go with|imagine)|(?:might|may|could|must|should|has to|"
    r"ought to) (?:well )?(?:be|have been)|"
    r"i (?:think|believe|suspect|suppose|assume|reckon|imagine|feel)|seems?|appears?|apparently|let's say|"
    r"say,|if i (?:remember|recall)|"
    r"off the top|something like|some(?:where|thing) around|roughly|approximately|i'm (?:fairly|pretty|"
    r"quite) sure|"
    r"vermutlich|vielleicht|wahrscheinlich|quiz\u00e1s|peut-\u00eatre|tal vez)\b", re.IGNORECASE
)  # fmt: skip
_PARTS = re.compile(
    r"(?<=[.!?;:])\s+|[\n\u2022]|\s[\u2013\u2014-]\s|[,\u3002\uff0c]\s*|\b(?:but|although|though|however|"
    r"yet(?! to\b)|still|while|only|and)\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:(?:it|that|this|he|she|they|which|what|answer|one|(?:your|the|my|his|her|"
    r"their) [\w' ]{1,40}?)\s*(?:is|was|are|were|'s|\u2019s)|"
    r"(?:is|was|are|were) called|named|lives? in|works? (?:at|for)|comes? from|as you (?:said|told|"
    r"mentioned)|answer)\b[:,]?\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab](?P<word>[^\"\u201d\u201c\u00bb]{1,60})[\"\u201d\u201c\u00bb]|"
    r"(?<!\w)'(?P<other>[^']{1,60})'(?!\w)"
)
_NAME = re.compile(r"(?<![.!?:\"\u201c(\n-] )(?<!^)(?<![\w'])(?P<name>[A-Z]\w+|[A-Z]{2,})")
_COUNTED = """
two three four five six seven eight nine ten eleven twelve thirteen twenty thirty forty fifty hundred thousand
"""
_COURTESY = """
sorry afraid please tell let ask happy glad help anything else more information info detail details memory
memories record records note notes check share shared provide remember recall question answer sure certain say
said mention mentioned told know known known knew about far date time moment yet ever here there something
someone come came find found look looked search searched see seen heard hear hold held store stored have got
available certain safe exactly matter topic point point case thing things reason way good great open private
true right wrong correct fine hmm well oh ah ok okay hi hello yes unfortunately honestly frankly actually indeed
truly really simply memgauge assistant ai model i'm i've i'd i'll
thank thanks asking question questions patience welcome appreciate interest reaching problem worries course dear
moment wait checking apologies cheers kindly regards excellent nice pleasure
"""
_HEDGING = """
think believe suspect suppose assume reckon imagine guess guessing likely probable probably perhaps maybe
possibly best say seems seem appears appear might could may must well if i'd let's roughly approximately
apparently though
"""
_ALTERNATIVE = re.compile(
    r"\b(?:or|perhaps|maybe|possibly|probably|alternatively|"
    r"(?:might|may|could) (?:also |well )?(?:be|have been))\b",
    re.IGNORECASE,
)
"""What stands before something else that an answer holds possible."""
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december today yesterday
"""
_CALENDAR = frozenset(_DAYS.split())
_NUMBER_WORDS, _POLITE = frozenset(_COUNTED.split()), frozenset(_COURTESY.split())
_HEDGES = frozenset(_HEDGING.split())


def invented(answer: str, question: str, known: Iterable[str]) -> str:
    """Return what *answer* makes up where nothing is known; empty where it declines and does not.

    A decline may repeat the *question*, and mention what is *known*: what was said, and holds.
    """
    if not _DECLINES.search(_SURE.sub(" ", answer)):
        return answer.strip()
    heard, values = _heard((question, *known))
    refused = False
    for part in _joined(answer):
        if part.rstrip().endswith("?") and not _GUESSES.search(part):
            continue
        declines = bool(_DECLINES.search(_SURE.sub(" ", part)))
        if made_up := _values(part, heard, values) or (not declines and _statement(part, heard, refused=refused)):
            return str(made_up)
        refused = refused or declines
    return ""


def alternative(answer: str, question: str, known: Iterable[str]) -> str:
    """Return the value that *answer* names beside what it knows, and that nobody said: "it is X, or perhaps Y"."""
    beside = _ALTERNATIVE.split(answer)[1:]
    if not beside:
        return ""
    heard, values = _heard((question, *known))
    return next(filter(None, (_values(f" or {part}", heard | _CALENDAR, values) for part in beside)), "")


def _heard(texts: Iterable[str]) -> tuple[set[str], frozenset[str]]:
    """Return the words and the values of what was said."""
    turns = list(texts)
    words, values = map(_words_of, turns), (written(text).keys for text in turns)
    return {word for each in words for word in each}, frozenset(key for keys in values for key in keys)


@lru_cache(maxsize=16_384)
def _words_of(text: str) -> frozenset[str]:
    """Return the words of a text, and those that stand before an apostrophe."""
    return frozenset(part for word in tokenize(text) for part in (word, word.partition("'")[0]))


def _joined(answer: str) -> list[str]:
    """Cut an answer into its parts."""
    parts = [part for part in _PARTS.split(answer) if part and part.strip()]
    ends = [answer.find(part) + len(part) for part in parts]
    marks = ["?" if answer[end : end + 1] == "?" else "" for end in ends]
    return [part + mark for part, mark in zip(parts, marks, strict=True)]


def _values(part: str, heard: set[str], values: frozenset[str]) -> str:
    """Return a number, a day, a code, a name or a quoted word that nobody said."""
    for match in _QUOTED.finditer(part):
        word = match["word"] or match["other"]
        if not set(tokenize(word)) <= heard | _POLITE | FUNCTION_WORDS:
            return word
    for place in written(part).places:
        if (place.key[0] in "#@" or any(map(str.isdigit, place.key))) and place.exact and place.key not in values:
            return part[place.start : place.end]
    for word in tokenize(part):
        if word in _NUMBER_WORDS and word not in heard:
            return word
    for match in _NAME.finditer(part):
        if not set(tokenize(match["name"])) <= heard | _POLITE | FUNCTION_WORDS:
            return match["name"]
    return ""


def _statement(part: str, heard: set[str], *, refused: bool) -> str:
    """Return what a part that declines nothing says that nobody said."""
    unheard = [word for word in tokenize(part) if word not in heard | _POLITE | FUNCTION_WORDS]
    if _GUESSES.search(part):
        guess = [word for word in unheard if not _GUESSES.search(word) and word not in _HEDGES]
        return part.strip() if guess else ""
    stated = _STATES.search(part)
    if stated:
        rest = [word for word in tokenize(stated["rest"]) if word in unheard]
        return part.strip() if rest else ""
    bare = len(tokenize(part)) <= 3 and unheard and (not refused or part.strip()[:1].isupper())
    return part.strip() if bare and words_of(part) else ""
