"""Slots: the same attribute under its many names."""

from __future__ import annotations

import re

ALIASES: dict[str, tuple[str, ...]] = {
    "home city": ("home town", "hometown", "city of residence", "place of residence", "residence", "town", "city"),
    "employer": ("company", "firm", "workplace"),
    "job": ("job title", "occupation", "profession", "role"),
    "manager": ("boss", "supervisor", "line manager", "team lead", "manager of my team"),
    "phone model": ("phone", "mobile", "mobile phone", "smartphone", "handset"),
    "favourite drink": ("favorite drink", "drink", "drink of choice", "usual drink"),
    "code editor": ("editor", "ide", "text editor"),
    "project deadline": ("deadline", "due date"),
    "car": ("vehicle", "wheels"),
    "flat": ("apartment",),
    "landlord": ("landlady",),
    "bank": (),
    "dentist": (),
}
"""Common attributes of people, each with other names for it; what is not here is its own name."""

CUES: tuple[tuple[str, str], ...] = (
    (r"\b(?:live|living|reside|residing|settled)\b", "home city"),
    (r"\b(?:work(?:ing)? (?:for|at)|pays? me|pays my)\b", "employer"),
    (r"\breport(?:ing)? to\b", "manager"),
    (r"\b(?:teeth|tooth|molars?)\b", "dentist"),
    (r"\b(?:sip|beverages?)\b|\bto drink\b|\bat the bar\b", "favourite drink"),
    (r"\b(?:programs?|programming|coding)\b", "code editor"),
    (r"\b(?:deliver|due|hand (?:it |everything )?(?:all )?in)\b", "project deadline"),
    (r"\b(?:money|savings|account)\b", "bank"),
    (r"\b(?:get around|drive)\b", "car"),
    (r"\b(?:rent|owns my (?:flat|house|place))\b", "landlord"),
    (r"\b(?:mobile|calls)\b", "phone model"),
)
"""Words that speak of an attribute without its name."""

MANY = frozenset({
    "friend", "brother", "sister", "sibling", "cousin", "aunt", "uncle", "child", "son", "daughter", "colleague",
    "neighbour", "neighbor", "roommate", "flatmate", "teammate", "member", "hobby", "pet", "cat", "dog", "allergy",
    "language", "instrument", "freund", "freundin", "bruder", "schwester", "kind", "sohn", "tochter", "kollege",
    "kollegin", "nachbar", "nachbarin", "haustier", "katze", "hund",
})  # fmt: skip
"""Attributes of which people have several; ``team member`` ends in one of them."""
TAUGHT_BY = ("teacher", "tutor", "coach", "instructor", "trainer", "school", "lesson", "class", "course")
"""What ends with the lessons in something."""
LIKED = re.compile(r"^(?:favou?rite|preferred|usual)\b|\bof choice$", re.IGNORECASE)
"""What is preferred may be anything; other values are names, numbers or dates."""

_CANON = {alias: slot for slot, aliases in ALIASES.items() for alias in (slot, *aliases)}
_ARTICLE = re.compile(r"^(?:my|the|our|a|an|his|her|their)\s+", re.IGNORECASE)
_CUES = tuple((re.compile(pattern, re.IGNORECASE), slot) for pattern, slot in CUES)
_NAMES = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, _CANON), key=len, reverse=True)) + r")\b", re.IGNORECASE
)


def slot_of(phrase: str) -> str:
    """Return the slot that a noun phrase names."""
    bare = _ARTICLE.sub("", " ".join(phrase.casefold().split()))
    if bare in _CANON:
        return _CANON[bare]
    if len(bare) > 4 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")):
        bare = bare[:-1]
    return _CANON.get(bare, bare)


def has_one(slot: str) -> bool:
    """Whether one value takes the place of another."""
    return slot not in MANY and slot.rpartition(" ")[2] not in MANY


def slots_in(text: str) -> tuple[str, ...]:
    """Return the known slots that *text* speaks of, by name or by a word that gives them away, each once."""
    named = (_CANON[match[0].casefold()] for match in _NAMES.finditer(text))
    hinted = (slot for pattern, slot in _CUES if pattern.search(text))
    return tuple(dict.fromkeys([*named, *hinted]))
