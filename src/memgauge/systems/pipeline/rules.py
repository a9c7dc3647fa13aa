"""Extraction by rules: what only sounds like a statement is none, and the rest is matched clause by clause.

Only users are believed. What somebody else is reported to have said of the user is not taken as a fact; what
somebody says of themselves, in quotation marks, is a fact about them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from memgauge.records.statements import ME, Act, Statement
from memgauge.systems.pipeline.patterns import (
    DAY,
    FOR_GOOD,
    JOINED,
    LAST_LESSON,
    LEFT,
    NAMED,
    NAMES,
    NONE_LEFT,
    OF_SLOT,
    PLACED,
)
from memgauge.systems.pipeline.slots import LIKED, TAUGHT_BY, has_one, slot_of, slots_in
from memgauge.systems.pipeline.statements import TurnReading
from memgauge.text.values import days
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Turn

    Found = tuple[Statement, str]
    """A statement, and what its sentence says beside it."""

_QUOTES = (
    re.compile(rf'(?P<who>{NAMES}) (?:told|said|wrote|says|writes)\b[^"]*"(?P<said>[^"]+)"'),
    re.compile(rf'"(?P<said>[^"]+)",? (?P<who>{NAMES}) (?:told|said|wrote|says|writes)\b'),
)
_QUOTED = re.compile(r'"[^"]*\b(?:I|me|my|mine)\b[^"]*"', re.IGNORECASE)
_SOMEBODY = rf"(?:(?!I\b){NAMES}|(?i:he|she|they|somebody|someone|everyone|everybody|people|(?:my|the|a) [a-z]+))"
_REPORTED = re.compile(
    rf"\b{_SOMEBODY} (?:told|informed|assured) (?:me|us|everyone|everybody)\b"
    rf"|\b{_SOMEBODY} (?:says?|said|claims?|claimed|thinks?|thought|believes?|believed|insists?|insisted)\b"
    r"|\b(?i:I (?:heard|read|was told)|according to|rumou?r has it|word is)\b"
)
_UNREAL = re.compile(
    r"\b(?:imagine|suppose|supposing|pretend|hypothetically|what if|in (?:a|my) dream|dream(?:t|ed) that"
    r"|would be nice|if only|were to|if|unless|whether|wish|as though|maybe|perhaps|might|could be|would be"
    r"|in (?:the|a|my) (?:book|film|game|movie|novel|play|story|series))\b"
    r"|\b(?:is|was|it's|that's) (?:simply |just |plainly )?(?:wrong|false|untrue|a lie|not true|not the case)\b"
    r"|\bnot the case\b|\b(?:just|only) (?:kidding|joking)\b|\bas a joke\b|\b(?:not|never) true that\b",
    re.IGNORECASE,
)
_ASK = r"(?:^|\bplease,? |\bwant you to |\b(?:can|could|would|will) you (?:please )?|[:;,] )"
_ALL = r"(?:delete|erase|remove|forget) (?:everything|all|anything|whatever)\b.*?\babout"
_NOTES = r"(?:your (?:notes?|memory|memories|mind|records?)|what(?:ever)? you|the (?:notes|memory|records))"
_TAKEN_BACK = (
    (Act.ERASE, rf"{_ASK}{_ALL} (?P<topic>.+)"),
    (Act.ERASE, rf"{_ASK}(?:delete|erase|remove) (?P<topic>.+?) from {_NOTES}\b"),
    (Act.END, rf"{_ASK}(?:strike|forget|disregard) what I (?:said|told you) about (?P<topic>[^;,.]+)"),
    (Act.END, r"\bwhat you know about (?P<topic>.+?) is over\b"),
    (Act.END, r"[:,] (?P<topic>.+?) is (?:a blank|unknown)\b"),
)
_TAKEN = tuple((act, re.compile(pattern, re.IGNORECASE)) for act, pattern in _TAKEN_BACK)
_OVER = re.compile(
    rf"(?:\b(?:until|up to|till) (?P<first>{DAY}),? (?:this|that|it) (?:was|held)"
    rf"|\b(?:this|that|it) (?:was|held)\b[^:]*?\b(?:until|up to|till) (?P<second>{DAY}))"
    r"[^:]*?(?:: | so that )(?P<said>.+)",
    re.IGNORECASE,
)
_UNTIL = re.compile(rf",? ?\b(?:until|till|up to|through) (?P<day>{DAY}),?", re.IGNORECASE)
_SINCE = re.compile(
    rf",? ?\b(?:from|as of|starting(?: on)?|beginning(?: on)?) (?P<day>{DAY})(?: on(?:wards?)?\b)?,? ?",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:it (?:seems|is|was|'s) [^,;:]*?\bthat\s+|.*?[:;,]\s+)", re.IGNORECASE)
_NAMING = re.compile(r"(?<=\w )[A-Z]\w|\d")
_SMALL_TALK = 6
"""Words with a meaning that may stand beside a fact and say nothing."""
_CONNECTORS = frozenset(
    {"of", "de", "del", "der", "di", "da", "du", "la", "le", "van", "von", "the", "and", "&", "y"}
)


class RuleExtractor:
    """Reads English (and the plainest German) by rules, and takes what they do not cover for talk."""

    name = "rules-3"

    def read(self, turn: Turn) -> TurnReading:
        """Say what *turn* states; only a user states anything."""
        if turn.role != "user":
            return TurnReading()
        text = _plain(turn.text)
        for quote in _QUOTES:
            if match := quote.search(text):
                if _doubtful(match["said"]):
                    return TurnReading()
                quoted = [statement for statement, _ in _statements(match["said"].strip(" ."), match["who"])]
                return TurnReading(tuple(quoted), rest=turn.text if _tells(_around(text, match)) else "")
        text = _QUOTED.sub("", text)
        if _UNREAL.search(text):
            return TurnReading(
                void=any(True for sentence in _sentences(text) for _ in _statements(_as_if(sentence), ME))
            )
        if _REPORTED.search(text):
            return TurnReading()
        read = [(sentence, list(_sentence(sentence))) for sentence in _sentences(text)]
        statements = [statement for _, stated in read for statement, _ in stated]
        beside = [
            " ".join(filter(None, [rest for _, rest in stated])) if stated else sentence
            for sentence, stated in read
        ]
        until = None if any(statement.over for statement in statements) else _last_day(text)
        rest = " ".join(filter(None, beside)) if statements else ""
        return TurnReading(tuple(statements), until, rest)


def _plain(text: str) -> str:
    """Bring a text to the form that patterns know: nothing invisible, one kind of quotation marks."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    shown = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return shown.translate(
        dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb"), '"')
        | dict.fromkeys(map(ord, "\u2018\u2019"), "'")
    )


def _doubtful(text: str) -> bool:
    return bool(_UNREAL.search(text) or _REPORTED.search(text) or text.rstrip().endswith("?"))


def _as_if(text: str) -> str:
    """Say what is not meant as if it were, to see what it would state."""
    clause = re.sub(r"^.*?(?=\b(?:[Mm]y|I|the) )", "", text.rstrip("?"))
    return re.sub(
        r"\b(?:were|was|would be|could be|might be)\b|\s-.*", lambda m: "is" if m[0][0] != " " else "", clause
    )


def _sentences(text: str) -> list[str]:
    return [part.strip(" .!") for part in re.split(r"(?<=[.!?])\s+", text) if part.strip(" .!")]


def _sentence(text: str) -> Iterator[Found]:
    for act, pattern in _TAKEN:
        if match := pattern.search(text):
            topic = match["topic"].strip(" .!?")
            if "'s " not in topic:
                yield Statement((slots_in(topic)[:1] or (slot_of(topic),))[0], act=act), ""
            return
    if text.endswith("?"):
        return
    if match := _OVER.search(text):
        day = _day(match["first"] or match["second"])
        for statement, rest in _statements(match["said"], ME):
            yield replace(statement, until=day, over=True), rest
        return
    if (match := LAST_LESSON.search(text)) and FOR_GOOD.search(text):
        yield from ((Statement(slot_of(f"{match['topic']} {by}"), act=Act.END), "") for by in TAUGHT_BY)
        return
    if match := NONE_LEFT.search(text):
        yield Statement(slot_of(re.sub(r" any(?: ?more| longer)?$", "", match["slot"])), act=Act.END), ""
        return
    since, until = _first_day(text), _last_day(text)
    timeless = _UNTIL.sub("", _SINCE.sub(" ", text).strip() if since else text)
    for statement, rest in _statements(timeless, ME):
        yield replace(statement, since=since, until=until), rest


def _statements(text: str, subject: str) -> Iterator[Found]:
    """Match one clause, whole or without what leads into it; the first match that can be a fact counts."""
    for clause in dict.fromkeys([text, *_without_leads(text)]):
        for statement, match in _matches(clause, subject):
            lead = text.removesuffix(clause)
            yield statement, " ".join(part for part in (lead, *_around(clause, match)) if _tells([part])).strip()
            return


def _matches(clause: str, subject: str) -> Iterator[tuple[Statement, re.Match[str]]]:
    for patterns, act in ((LEFT, Act.END), (JOINED, Act.HOLD)):
        for pattern in patterns:
            if (match := pattern.search(clause)) and _is_name(_value(match), clause):
                yield Statement(slot_of(match["slot"]), _value(match), subject, act, functional=False), match
    for slot, pattern in OF_SLOT:
        if (match := pattern.search(clause)) and _is_name(_value(match), clause, liked=bool(LIKED.search(slot))):
            who = match.groupdict().get("who") or subject
            yield Statement(slot, _value(match), subject if who == "I" else who), match
    for pattern in NAMED:
        if match := pattern.search(clause):
            phrase = match["slot"] or match["whole"]
            slot, liked = slot_of(phrase), bool(LIKED.search(phrase))
            if _is_name(_value(match), clause, liked=liked):
                yield Statement(slot, _value(match), subject, functional=has_one(slot)), match
    if (match := PLACED.search(clause)) and _is_name(_value(match), clause):
        yield Statement(f"{slot_of(match['slot'])} place", _value(match), subject), match


def _value(match: re.Match[str]) -> str:
    return match["value"].strip(" '\"")


def _is_name(value: str, clause: str, *, liked: bool = False) -> bool:
    """Whether a value can be one: a name, a number or a date, or where something is *liked*, anything named."""
    words = value.removeprefix("The ").split()
    first = clause.strip(" '\"").startswith(value) and len(words) == 1
    named = [word[:1].isupper() or any(char.isdigit() for char in word) or word in _CONNECTORS for word in words]
    if liked:
        return bool(words) and words[0].casefold() not in FUNCTION_WORDS
    return bool(words) and (named[0] or first) and all(named) and words[0].casefold() not in FUNCTION_WORDS


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    return text[: match.start()].strip(" ,;:."), text[match.end() :].strip(" ,;:.")


def _tells(parts: tuple[str, ...] | list[str]) -> bool:
    """Whether what stands around a fact says something itself: a name, a number, or many words."""
    text = " ".join(parts)
    words = [word for word in re.findall(r"[\w']+", text.casefold()) if word not in FUNCTION_WORDS]
    return len(words) >= _SMALL_TALK or bool(_NAMING.search(text))


def _without_leads(text: str) -> Iterator[str]:
    """Yield what remains when one introduction after the other is taken away."""
    while match := _LEAD.match(text):
        text = text[match.end() :]
        yield text


def _first_day(text: str) -> date | None:
    match = _SINCE.search(text)
    return _day(match["day"]) if match else None


def _last_day(text: str) -> date | None:
    match = _UNTIL.search(text)
    return _day(match["day"]) if match else None


def _day(text: str) -> date | None:
    dates = days(text)
    reading = dates[0].readings[0] if dates else None
    if reading is None or reading.year is None or reading.month is None or reading.day is None:
        return None
    try:
        return date(reading.year, reading.month, reading.day)
    except ValueError:
        return None
