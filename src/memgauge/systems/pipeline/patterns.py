"""How English states an attribute: the clauses that the rules of extraction know."""

from __future__ import annotations

import re

_NOBODY = "He|She|It|They|We|You|This|That|There|Who|What|Nobody|Somebody|Someone"
NAMES = rf"(?!(?:{_NOBODY})\b)[A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*"
"""One or more names in a row."""
DAY = r"\d{1,2} [A-Z][a-z]+ \d{4}"
_VALUE = r"(?:called |named )?(?:the |an? )?(?P<value>[\w'&-]+(?: [\w'&-]+){0,4}?)"
_NUMBER = r"(?P<value>\d[\w'&/.:-]*(?: [\w'&-]+){0,3}?)"
_SLOT = r"(?P<slot>[a-z][a-z-]*(?: [a-z][a-z-]*){0,2})"
_BRIEF = _SLOT.replace("{0,2}", "{0,2}?")
_OF = r"(?P<slot>[a-z]+(?: [a-z]+)? (?:of|for) the [a-z]+(?: [a-z]+)?)"
_AFTER = (
    "and with now again since currently for because but which who where though while these in on at from as to"
)
_END = rf"(?= (?:{_AFTER.replace(' ', '|')})\b|[,.;:!?]|$)"
_IS = r"is (?:now |currently |again |still |actually )?"
_MOVED = r"(?:has |was |has been )?(?:moved|changed|postponed|brought forward) to"
_NOW = r"(?:jetzt |nun |inzwischen |wieder |seitdem )?"
_OTHERS = r"(?<!of )(?<!on )(?<!in )(?<!by )(?<!to )(?<!for )(?<!with )(?<!from )(?<!at )"
_LIVE = r"\bI(?:'ve| have| am|'m)? ?(?:been )?(?:live|living|reside|residing|based|moved|settled)"
_MINE = r"that I (?:have|use|drive|own|am \w+)|(?:on|in|of) my \w+(?: \w+)?"

NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_OTHERS}\b[Mm]y {_SLOT} {_IS}{_VALUE}{_END}",
        rf"^{_VALUE} {_IS}my {_SLOT}{_END}",
        rf"\b[Tt]he {_SLOT} (?:{_MINE}) is {_VALUE}{_END}",
        rf"\b(?:[Mm]y|[Tt]he) {_OF} {_IS}{_VALUE}{_END}",
        rf"\b(?:[Mm]y|[Tt]he) (?:{_OF.replace('slot', 'whole')}|{_BRIEF}) {_MOVED} {_NUMBER}{_END}",
        rf"\b[Tt]he (?P<slot>[a-z]+(?: [a-z]+)? of (?:[a-z]+ )?{NAMES}) {_IS}{_VALUE}{_END}",
        rf"{_OTHERS}\b[Mm]y {_SLOT} (?:ends in|starts with) {_VALUE}{_END}",
        rf"\bI use {_VALUE} as my {_SLOT}(?=[,.;:!?]|$)",
        rf"\bI drive an? {_VALUE}, an? (?P<slot>car|van|truck|motorbike)\b",
        rf"(?<=[a-z] )(?P<value>{NAMES}), my (?:only |new |current )?(?P<slot>[a-z-]+)(?: now)?(?=[,.;:!?]|$)",
        rf"\b[Mm]eine? (?P<slot>(?:[a-zäöüß]+ )?[A-ZÄÖÜ][\wäöüß-]+) (?:heißt|ist|lautet) {_NOW}{_VALUE}{_END}",
    )
)
"""Clauses that name the attribute, in English and, of the plainest form, in German."""
PLACED = re.compile(rf"{_OTHERS}\b[Mm]y {_SLOT} {_IS}at {_VALUE}{_END}")
"""A clause that says where something is, which is not what it is."""
_VERBS = (
    ("home city", rf"{_LIVE} (?:in|to) {_VALUE}{_END}"),
    ("home city", rf"\b[Mm]y (?P<who>[a-z]+ {NAMES}) (?:lives|is living) in {_VALUE}{_END}"),
    ("employer", rf"\bI (?:work|am working) (?:for|at) {_VALUE}{_END}"),
    ("employer", rf"^{_VALUE} pays my (?:salary|wages)\b"),
    ("manager", rf"\bI report to {_VALUE}{_END}"),
    ("manager", rf"^{_VALUE} is the boss of (?:my|our)\b"),
    ("landlord", rf"\bI rent (?:my \w+ )?from {_VALUE}{_END}"),
    ("landlord", rf"\b[Mm]y (?:flat|house|apartment) belongs to {_VALUE}{_END}"),
    ("bank", rf"\b(?:[Mm]y account is|I bank|I keep my money) (?:held )?(?:at|with) {_VALUE}{_END}"),
    ("favourite drink", rf"\b[Oo]f all beverages I prefer {_VALUE}{_END}"),
    ("code editor", rf"\b[Ff]or (?:programming|coding) I (?:prefer|use) {_VALUE}{_END}"),
    ("project deadline", rf"\b(?:is|are) due on {_VALUE}{_END}"),
    ("project deadline", rf"\bI (?:have to|must) (?:deliver|hand in|finish) \w+ by {_VALUE}{_END}"),
    ("car", rf"\bI (?:drive|get around in) an? {_VALUE}{_END}"),
    ("phone model", rf"\bI (?:carry|own) an? {_VALUE} as my (?:mobile|phone)\b"),
    ("birthplace", rf"^(?P<who>{NAMES}) (?:was born in|comes from) {_VALUE}{_END}"),
)
OF_SLOT = tuple((slot, re.compile(pattern)) for slot, pattern in _VERBS)
"""Clauses that give an attribute away by their verb."""
NONE_LEFT = re.compile(
    rf"\bI (?:no longer have|have no longer|do not have|don't have) (?:an? |any |my ){_SLOT}"
    r"(?: any ?more| any longer)?(?=[,.;:!?]|$)"
)
"""A clause that ends whatever an attribute had."""
JOINED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_VALUE} (?:is (?:on|among|in)|joined) my {_SLOT}{_END}",
        rf"\b[Mm]y {_SLOT} includes? {_VALUE}{_END}",
        rf"\bI have an? {_SLOT} for {_VALUE}{_END}",
    )
)
LEFT = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_VALUE} (?:left|is no longer (?:on|among|in)) my {_SLOT}{_END}",
        rf"\bI (?:ended|cancelled) (?:the|my) {_SLOT} for {_VALUE}{_END}",
    )
)
LAST_LESSON = re.compile(
    r"\bmy (?:very )?last (?P<topic>[a-z]+(?: [a-z]+)?) (?:lesson|class|course|training|session)\b", re.IGNORECASE
)
"""A clause that may end what somebody was taught."""
FOR_GOOD = re.compile(r"\b(?:ever|for good|for ever|forever|once and for all)\b", re.IGNORECASE)
"""What makes the last one so far the last one."""
