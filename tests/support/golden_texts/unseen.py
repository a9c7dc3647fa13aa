"""Texts from templates that were written before the rules that they test, and from which no rule was made."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

_SUBJECTS = ("Alice", "the user", "she", "our client", "the speaker")
_SLOTS = ("bank", "dentist", "gym", "travel agent", "landlord", "piano teacher", "internet provider")
_DAYS = ("3 March 2025", "last autumn", "May", "2025-06-30", "the end of June")
_STANCES = {
    "affirmed": (
        "{S}'s {slot} is {x}.",
        "{slot} = {x}",
        "Since {day}, {x} has been the {slot} of {S}.",
        "{S} confirmed it: the {slot} is {x}.",
        "The {slot} is now {x}, not {y}.",
        "{S} left {y} and went to {x} as her new {slot}.",
        "As of {day} the {slot} is {x}; before that it was {y}.",
        "There is no doubt that {x} is the {slot}.",
        "The current {slot} ({x}) replaced {y}.",
        "{y} no longer applies, the {slot} is {x}.",
        "{S} changed her {slot} from {y} to {x}.",
        '{{"slot": "{slot}", "value": "{x}", "valid": true}}',
        "{S} did not like {y}, so the {slot} is {x} today.",
        "It isn't {y} any more but {x}.",
        "Formerly {y}, today {x}.",
    ),
    "denied": (
        "{S}'s {slot} is certainly not {x}.",
        "{x} isn't the {slot} of {S}.",
        "It is untrue that the {slot} is {x}.",
        "Whoever the {slot} is, it is not {x}.",
        "{S} has never had {x} as a {slot}.",
        "NOT {slot}: {x}",
        "{S} denies that {x} is her {slot}.",
        "{slot} != {x}",
        "The claim that the {slot} is {x} is false.",
        "By no means is the {slot} {x}.",
        "The {slot} is anything but {x}.",
        "Der {slot} ist nicht {x}.",
        "{x} was never the {slot}.",
        "The {slot} is {y}, not {x}.",
        "{slot}: {x} (wrong)",
    ),
    "past": (
        "Until {day} the {slot} was {x}.",
        "{S} used to have {x} as a {slot}.",
        "{S}'s former {slot} is {x}.",
        "{y} is the {slot}; {x} was before that.",
        "{S} moved from {x} to {y}.",
        "{slot}: {y} (previously {x})",
        "{slot}: {x} -> {y}",
        "{y} replaced {x} as {slot} on {day}.",
        "Back then the {slot} was {x}, but it is {y} now.",
        "{x} has been superseded by {y}.",
        "{S} switched her {slot} from {x} to {y} on {day}.",
        "{slot}: ~~{x}~~ {y}",
        "{slot}: {y} (was {x})",
        "Once it was {x}; nowadays the {slot} is {y}.",
        "The {slot} is no longer {x}.",
    ),
}


class LabelledText(NamedTuple):
    """A text, the value that it is about, and what it does with it."""

    text: str
    value: str
    others: tuple[str, ...]
    label: str


def word(dice: Random) -> str:
    """Make a value up."""
    return "Zq" + "".join(dice.choice("bdfgklmnprstvz") + dice.choice("aeiou") for _ in range(4))


def stances(seed: int, n: int) -> list[LabelledText]:
    """Make *n* texts that affirm, deny or recall a value."""
    dice = Random(seed)  # noqa: S311 - texts that can be made again
    made = []
    for number in range(n):
        label = ("affirmed", "denied", "past")[number % 3]
        x, y = word(dice), word(dice)
        said = dice.choice(_STANCES[label]).format(
            S=dice.choice(_SUBJECTS), slot=dice.choice(_SLOTS), day=dice.choice(_DAYS), x=x, y=y
        )
        made.append(LabelledText(said[0].upper() + said[1:], x, (y,), label))
    return made


_THINGS = ("locker code", "shoe size", "badge number", "parking spot", "night train", "tax advisor", "garden key")
_BOUND = (
    "{T}: {x}",
    "{snake}: {x}",
    "{camel}={x}",
    "Alice's {t} is {x}.",
    "The user told me that the {t} is {x}.",
    "(alice)-[{snake}]->({x})",
    "| {t} | {x} |",
    '{{"attribute": "{snake}", "value": "{x}"}}',
    "{x} is what alice uses as {t}.",
    "Profile of alice. {U}: {y}. {T}: {x}.",
    "alice: {u} {y}, {t} {x}",
    "Facts:\n- {u}: {y}\n- {t}: {x}\n",
)
_UNBOUND = (
    "{U}: {x}",
    "Alice's {u} is {x}.",
    "The user told me that the {u} is {x}.",
    "{x}",
    '{{"attribute": "{snakeu}", "value": "{x}"}}',
    "| {u} | {x} |",
    "Favourite colour: {x}",
    "Profile of alice. {T}: {y}. {U}: {x}.",
    "alice likes {x}",
    "(alice)-[{snakeu}]->({x})",
    "Bob's {u} is {x}.",
)


class BoundText(NamedTuple):
    """A text, the thing whose value it bears, another thing with its own value, and whether it binds it."""

    text: str
    thing: str
    value: str
    other: str
    other_value: str
    bound: bool


def bindings(seed: int, n: int) -> list[BoundText]:
    """Make *n* texts that tell a value of its thing, or of another."""
    dice = Random(seed)  # noqa: S311 - texts that can be made again
    made = []
    for number in range(n):
        t, u = dice.sample(_THINGS, 2)
        x, y = word(dice), word(dice)
        first, *rest = t.split()
        said = dice.choice((_BOUND, _UNBOUND)[number % 2]).format(
            t=t, u=u, T=t.capitalize(), U=u.capitalize(), x=x, y=y, snake=t.replace(" ", "_"),
            snakeu=u.replace(" ", "_"), camel=first + "".join(map(str.capitalize, rest)),
        )  # fmt: skip
        made.append(BoundText(said, t, x, u, y, number % 2 == 0))
    return made


_DECLINES = (
    "I have no record of {q}.",
    "You never mentioned {q} to me.",
    "Sorry, {q} is something you haven't shared with me yet.",
    "That is not in my notes. I do know that your cat is called {fact}.",
    "Nothing about {q} has come up so far.",
    "I'm afraid I can't say who or what {q} is.",
    "No information available.",
    "I don't have that; could you tell me?",
    "{q}? I wish I knew.",
    "Unknown.",
    "Though your cat is {fact}, nothing was said of {q}.",
    "I'd rather not guess: nobody told me about {q}.",
)
_INVENTIONS = (
    "It is probably {g}.",
    "{g}.",
    "I'm not sure, but my guess is {g}.",
    "You never told me, though I believe it is {g}.",
    "Your {q} is {g}.",
    "I cannot be certain; perhaps {g}.",
    "I don't know for sure. It is {g}.",
    "No record exists, but it must be {g}.",
    "As you said, {g}.",
    "Not {fact}; more likely {g}.",
    "I have no idea. Let's say {g}.",
    "If I remember correctly, it is {g}.",
)
_ASKED = ("your blood type", "your surgeon", "the wine you like", "aunt Vera's town", "your middle name")
_GUESSES = ("blue", "42", "Doctor Miller", "12 May 2024", "XK-4471", "Paris", "a red one", '"Lola"', "AB negative")


class AskedText(NamedTuple):
    """A question about what nobody knows, an answer, what is known, and whether it makes anything up."""

    question: str
    answer: str
    known: str
    invented: bool


def answers(seed: int, n: int) -> list[AskedText]:
    """Make *n* answers to what nobody knows."""
    dice = Random(seed)  # noqa: S311 - texts that can be made again
    made = []
    for number in range(n):
        q, fact = dice.choice(_ASKED), word(dice)
        said = dice.choice((_DECLINES, _INVENTIONS)[number % 2]).format(q=q, fact=fact, g=dice.choice(_GUESSES))
        known = f"My cat is called {fact}."
        made.append(AskedText(f"What is {q}?", said[0].upper() + said[1:], known, number % 2 == 1))
    return made
