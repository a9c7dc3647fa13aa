"""A deterministic parser: what a turn states, as short texts, best first. It sees the turn and who else speaks.

Query-blind by its signature: no question, answer or evidence can reach it. Sentences and their clauses are
scored by what they hold (targets.md, section 3: content words, names, digits, times, the first person; small
talk counts against); a turn whose best part scores too little is not parsed at all. Behind them come finer
facts: single items of a list, what was named, what a photograph shows. The first N are kept.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.text.dates import MONTHS, spell_date
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from memgauge.records import Turn

GATE = 10
"""The score that the best part of a turn must reach, so that the turn is parsed."""
LEAST = 4
"""The score that any part must reach."""
_IMAGE = re.compile(r"\[shares image: (?P<caption>.*?)\]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = re.compile(
    r"\s*(?:;|\s[-\u2013\u2014]\s|,?\s+(?:but|because|although|while|when|so|and)\s+(?=(?:I|we|he|she|they|it|my)\b))\s*"
)
_ITEMS = re.compile(r"(?:\w[\w' -]*,\s+){1,6}(?:and|or)\s+\w[\w'-]*(?:\s\w[\w'-]*)?")
_ITEM_SEPARATOR = re.compile(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+")
_CHAT = re.compile(
    r"\b(?:thanks?|thank you|wow|hey|hi|hello|bye|congrats|congratulations|sounds (?:great|good|awesome)|take care"
    r"|good luck|talk (?:to you )?soon|that's (?:great|awesome|amazing|cool)|no problem|you're welcome"
    r"|how are you)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week(?:end)?s?|months?|years?|days?|morning|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october"
    r"|november|december|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'll|I'd|my|me|mine|we|our|us|myself)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'-]+(?:\s+(?:of\s+)?[A-Z][\w'-]+)*")

_DAYS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE = re.compile(
    rf"\b(?P<day>{'|'.join(_DAYS)})\b"
    rf"|\blast\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    r"|\b(?P<which>last|this|next)\s+(?P<unit>week|weekend|month|year)\b",
    re.IGNORECASE,
)


def facts(turn: Turn, other: str, limit: int) -> list[str]:
    """Return at most *limit* facts that *turn* states, best first.

    *other* is who is spoken to, where only one other person is known; empty otherwise.
    """
    words = _IMAGE.sub("", turn.text).strip()
    scored = sorted(((-_score(part), place, part) for place, part in enumerate(_parts(words))))
    worthy = [(part, -score) for score, _, part in scored if -score >= LEAST]
    if not worthy or worthy[0][1] < GATE:
        worthy = []
    texts = (_written(part, turn, other) for part, _ in worthy)
    finer = (*_finer(words, turn), *_images(turn)) if worthy else ()
    return list(dict.fromkeys([*texts, *finer]))[:limit]


def _parts(words: str) -> Iterator[str]:
    """Yield every sentence that states something, and its clauses where there are several."""
    seen = set()
    for sentence in _SENTENCE.split(words):
        if sentence.rstrip().endswith("?"):
            continue
        clauses = [clause.strip(" ,") for clause in _CLAUSE.split(sentence)]
        for part in (sentence.strip(), *(clauses if len(clauses) > 1 else ())):
            if part not in seen and len(_content(part)) >= 2:
                seen.add(part)
                yield part


def _score(part: str) -> int:
    signs = (_NAME.search(part), re.search(r"\d", part), _TIME.search(part), _FIRST_PERSON.search(part))
    return len(_content(part)) + 2 * sum(map(bool, signs)) - 6 * bool(_CHAT.search(part))


def _content(part: str) -> list[str]:
    return [word for word in tokenize(part) if word not in FUNCTION_WORDS]


def _finer(words: str, turn: Turn) -> Iterator[str]:
    """Yield the items of lists, each in its own fact, and every name."""
    # Without a comma there is no list, and to find that out takes the square of the length of a text.
    for match in _ITEMS.finditer(words) if "," in words else ():
        items = [item for item in _ITEM_SEPARATOR.split(match[0]) if item]
        before = " ".join(words[: match.start()].split()[-4:])
        for item in items:
            yield _dated(f"{turn.speaker}: {before} {item.strip()}".replace("  ", " "), turn)
    for match in _NAME.finditer(words):
        yield _dated(f"{turn.speaker} mentioned {match[0]}", turn)


def _images(turn: Turn) -> Iterator[str]:
    """Yield what a shared photograph shows; alone it does not open the gate."""
    for match in _IMAGE.finditer(turn.text):
        yield _dated(f"{turn.speaker} shared a photo of {match['caption']}", turn)


def _dated(text: str, turn: Turn) -> str:
    return text if turn.at is None else f"{text} ({turn.at.date().isoformat()})"


_PRONOUNS = (
    (re.compile(r"\bI(?:'m| am)\b", re.IGNORECASE), "{me} is"),
    (re.compile(r"\bI(?:'ve| have)\b", re.IGNORECASE), "{me} has"),
    (re.compile(r"\bI'll\b", re.IGNORECASE), "{me} will"),
    (re.compile(r"\bI'd\b", re.IGNORECASE), "{me} would"),
    (re.compile(r"\bI\b"), "{me}"),
    (re.compile(r"\b(?:my|mine)\b", re.IGNORECASE), "{me}'s"),
    (re.compile(r"\b(?:me|myself)\b", re.IGNORECASE), "{me}"),
)
_YOU = (
    (re.compile(r"\byou(?:'re| are)\b", re.IGNORECASE), "{you} is"),
    (re.compile(r"\byou(?:'ve| have)\b", re.IGNORECASE), "{you} has"),
    (re.compile(r"\byou'll\b", re.IGNORECASE), "{you} will"),
    (re.compile(r"\byou'd\b", re.IGNORECASE), "{you} would"),
    (re.compile(r"\byours?\b", re.IGNORECASE), "{you}'s"),
    (re.compile(r"\byou\b", re.IGNORECASE), "{you}"),
)


def _written(part: str, turn: Turn, other: str) -> str:
    """Write a part so that it stands alone: names for pronouns, dates for times."""
    text = part
    for pattern, name in (*_PRONOUNS, *(_YOU if other else ())):
        text = pattern.sub(name.format(me=turn.speaker, you=other).replace("\\", r"\\"), text)
    if turn.speaker not in text:
        text = f"{turn.speaker}: {text}"
    return text if turn.at is None else resolve(text, turn.at.date())


def resolve(text: str, day: date) -> str:
    """Put the date behind every time in *text* that depends on the *day* on which it is said."""
    return _RELATIVE.sub(lambda match: f"{match[0]} ({_when(match, day)})", text)


def _when(match: re.Match[str], day: date) -> str:
    if match["day"]:
        return spell_date(day + timedelta(days=_DAYS[match["day"].casefold()]))
    if match["weekday"]:
        back = (day.weekday() - _WEEKDAYS.index(match["weekday"].casefold())) % 7 or 7
        return spell_date(day - timedelta(days=back))
    step = {"last": -1, "this": 0, "next": 1}[match["which"].casefold()]
    unit = match["unit"].casefold()
    if unit == "year":
        return str(day.year + step)
    if unit == "month":
        months = day.year * 12 + day.month - 1 + step
        return f"{MONTHS[months % 12]} {months // 12}"
    monday = day - timedelta(days=day.weekday()) + timedelta(weeks=step)
    return f"the week of {spell_date(monday)}" if unit == "week" else spell_date(monday + timedelta(days=5))
