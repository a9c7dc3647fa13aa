"""Extraction by rules: possessives, a few verbs, ends, quotes; and what only sounds like a statement.

Only users are believed. What somebody else is reported to have said of the user is not taken as a fact; what
somebody says of themselves, in quotation marks, is a fact about them.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from memgauge.systems.pipeline.slots import is_known, slot_of, slots_in
from memgauge.systems.pipeline.statements import ME, Act, Reading, Statement
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Turn

_NAME = r"[A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*"
_DAY = r"\d{1,2} [A-Z][a-z]+ \d{4}"
_VALUE = r"(?:called |named )?(?:the |an? )?(?P<value>[\w'&-]+(?: [\w'&-]+){0,4}?)"
_SLOT = r"(?P<slot>[a-z][a-z-]*(?: [a-z][a-z-]*){0,2})"
_END = r"(?= and\b| with\b|[,.;:!?]|$)"

_QUOTES = (
    re.compile(rf'(?P<who>{_NAME}) (?:told|said|wrote|says|writes)\b[^"]*"(?P<said>[^"]+)"'),
    re.compile(rf'"(?P<said>[^"]+)",? (?P<who>{_NAME}) (?:told|said|wrote|says|writes)\b'),
)
_REPORTED = re.compile(
    rf"\b(?:{_NAME} (?:told|informed) me that|I heard from {_NAME}|according to {_NAME}|{_NAME} (?:says|claims) )",
)
_UNREAL = re.compile(
    r"\b(?:imagine|suppose|supposing|pretend|hypothetically|what if|in a dream|would be nice|if only|were to)\b"
    r"|\b(?:is|was|it's) (?:simply |just |plainly )?(?:wrong|false|untrue|a lie|not true|not the case)\b"
    r"|\bnot the case\b|\bjust kidding\b|\bas a joke\b",
    re.IGNORECASE,
)
_TAKEN_BACK = (
    (
        Act.ERASE,
        re.compile(
            r"\b(?:delete|erase|remove|forget) (?:everything|all|anything|whatever)\b.*?\babout (?P<topic>.+)",
            re.IGNORECASE,
        ),
    ),
    (
        Act.ERASE,
        re.compile(r"\b(?:delete|erase|remove) (?P<topic>.+?) from (?:your|whatever|the) ", re.IGNORECASE),
    ),
    (
        Act.END,
        re.compile(
            r"\b(?:strike|forget|disregard) what I (?:said|told you) about (?P<topic>[^;,.]+)", re.IGNORECASE
        ),
    ),
    (Act.END, re.compile(r"\bwhat you know about (?P<topic>.+?) is over\b", re.IGNORECASE)),
    (Act.END, re.compile(r"[:,] (?P<topic>.+?) is (?:a blank|unknown|open|gone)\b", re.IGNORECASE)),
)
_OVER = re.compile(
    rf"(?:\b(?:until|up to|till) (?P<first>{_DAY}),? (?:this|that|it) (?:was|held)"
    rf"|\b(?:this|that|it) (?:was|held)\b[^:]*?\b(?:until|up to|till) (?P<second>{_DAY}))"
    r"[^:]*?(?:: | so that )(?P<said>.+)",
    re.IGNORECASE,
)
_UNTIL = re.compile(rf",? ?\b(?:until|till|up to|through) (?P<day>{_DAY}),?", re.IGNORECASE)
_LEAD = re.compile(r"^(?:it (?:seems|is|was|'s) [^,;:]*?\bthat\s+|.*?[:;,]\s+)", re.IGNORECASE)

_ASSERTIONS = (
    re.compile(rf"(?<!of )(?<!on )(?<!in )\bmy {_SLOT} is {_VALUE}{_END}"),
    re.compile(rf"^{_VALUE} is my {_SLOT}{_END}"),
    re.compile(
        rf"\bthe {_SLOT} (?:that I (?:have|use|drive|own|am \w+)|(?:on|in|of) my \w+(?: \w+)?) is {_VALUE}{_END}"
    ),
    re.compile(rf"\bthe (?P<slot>[a-z]+(?: [a-z]+)? (?:of|for) the [a-z]+(?: [a-z]+)?) is {_VALUE}{_END}"),
    re.compile(rf"\bI use {_VALUE} as my {_SLOT}{_END}"),
    re.compile(rf"\bI drive an? {_VALUE}, an? (?P<slot>car|van|truck|motorbike)\b"),
)
_LIVE = r"\bI(?:'ve| have| am|'m)? ?(?:been )?(?:live|living|reside|residing|based|moved|settled)"
_VERBS = (
    ("home city", rf"{_LIVE} (?:in|to) {_VALUE}{_END}"),
    ("employer", rf"\bI (?:work|am working) (?:for|at) {_VALUE}{_END}"),
    ("employer", rf"^{_VALUE} pays my (?:salary|wages)\b"),
    ("manager", rf"\bI report to {_VALUE}{_END}"),
    ("manager", rf"^{_VALUE} is the boss of (?:my|our)\b"),
    ("landlord", rf"\bI rent (?:my \w+ )?from {_VALUE}{_END}"),
    ("landlord", rf"\bmy (?:flat|house|apartment) belongs to {_VALUE}{_END}"),
    ("bank", rf"\b(?:my account is|I bank|I keep my money) (?:held )?(?:at|with) {_VALUE}{_END}"),
    ("favourite drink", rf"\bof all beverages I prefer {_VALUE}{_END}"),
    ("code editor", rf"\bfor (?:programming|coding) I (?:prefer|use) {_VALUE}{_END}"),
    ("project deadline", rf"\b(?:is|are) due on {_VALUE}{_END}"),
    ("project deadline", rf"\bI (?:have to|must) (?:deliver|hand in|finish) \w+ by {_VALUE}{_END}"),
    ("car", rf"\bI (?:drive|get around in) an? {_VALUE}{_END}"),
    ("phone model", rf"\bI (?:carry|own) an? {_VALUE} as my (?:mobile|phone)\b"),
    ("birthplace", rf"^(?P<who>{_NAME}) (?:was born in|comes from) {_VALUE}{_END}"),
)
_PATTERNS = tuple((slot, re.compile(pattern)) for slot, pattern in _VERBS)
_JOINED = (
    re.compile(rf"^{_VALUE} (?:is (?:on|among|in)|joined) my {_SLOT}{_END}"),
    re.compile(rf"\bmy {_SLOT} includes? {_VALUE}{_END}"),
    re.compile(rf"\bI have an? {_SLOT} for {_VALUE}{_END}"),
)
_LEFT = (
    re.compile(rf"^{_VALUE} (?:left|is no longer (?:on|among|in)) my {_SLOT}{_END}"),
    re.compile(rf"\bI (?:ended|cancelled) (?:the|my) {_SLOT} for {_VALUE}{_END}"),
)


class Rules:
    """Reads English by rules, and takes what they do not cover for talk."""

    name = "rules-1"

    def read(self, turn: Turn) -> Reading:
        """Say what *turn* states; only a user states anything."""
        if turn.role != "user":
            return Reading()
        for quote in _QUOTES:
            if match := quote.search(turn.text):
                return Reading(tuple(_statements(match["said"].strip(" ."), subject=match["who"])))
        if _UNREAL.search(turn.text) or _REPORTED.search(turn.text):
            return Reading()
        until = _last_day(_UNTIL, turn.text)
        found = [statement for sentence in _sentences(turn.text) for statement in _sentence(sentence)]
        over = any(statement.over for statement in found)
        return Reading(tuple(found), None if over else until)


def _sentences(text: str) -> list[str]:
    return [part.strip(" .!") for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()]


def _sentence(text: str) -> Iterator[Statement]:
    for act, pattern in _TAKEN_BACK:
        if match := pattern.search(text):
            topic = match["topic"].strip(" .")
            for slot in slots_in(topic)[:1] or (slot_of(topic),):
                yield Statement(slot, act=act)
            return
    if match := _OVER.search(text):
        day = _day(match["first"] or match["second"])
        for statement in _statements(match["said"]):
            yield Statement(statement.slot, statement.value, until=day, over=True)
        return
    until = _last_day(_UNTIL, text)
    for statement in _statements(_UNTIL.sub("", text)):
        yield Statement(
            statement.slot, statement.value, statement.subject, statement.act, statement.functional, until
        )


def _statements(text: str, subject: str = ME) -> Iterator[Statement]:
    """Match one clause, whole or without what leads into it; the first match that can be a fact counts."""
    for statement in _matches(text, subject):
        if _sound(statement):
            yield statement
            return


def _matches(text: str, subject: str) -> Iterator[Statement]:
    for clause in dict.fromkeys([text, *_without_leads(text)]):
        for pattern in _LEFT:
            if match := pattern.search(clause):
                yield _made(match, slot_of(match["slot"]), subject, functional=False, act=Act.END)
        for pattern in _JOINED:
            if match := pattern.search(clause):
                yield _made(match, slot_of(match["slot"]), subject, functional=False)
        for slot, pattern in _PATTERNS:
            if match := pattern.search(clause):
                yield _made(match, slot, match.groupdict().get("who") or subject)
        for pattern in _ASSERTIONS:
            if match := pattern.search(clause):
                yield _made(match, slot_of(match["slot"]), subject)


def _without_leads(text: str) -> Iterator[str]:
    """Yield what remains when one introduction after the other is taken away."""
    while match := _LEAD.match(text):
        text = text[match.end() :]
        yield text


def _sound(statement: Statement) -> bool:
    """Whether it can be a fact: of a slot that is known, or with a value that is a name, a number or a date."""
    return is_known(statement.slot) or bool(re.search(r"[A-Z0-9]", statement.value))


def _made(
    match: re.Match[str], slot: str, subject: str, *, functional: bool = True, act: Act = Act.HOLD
) -> Statement:
    return Statement(slot, match["value"].strip(" '\""), subject, act, functional)


def _last_day(pattern: re.Pattern[str], text: str) -> date | None:
    match = pattern.search(text)
    return _day(match["day"]) if match else None


def _day(text: str) -> date | None:
    found = days(text)
    reading = found[0].readings[0] if found else None
    if reading is None or reading.year is None or reading.month is None or reading.day is None:
        return None
    try:
        return date(reading.year, reading.month, reading.day)
    except ValueError:
        return None
