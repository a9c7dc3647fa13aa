"""Talk that carries no fact anybody asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

NAMES: tuple[str, ...] = (
    "Alma", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katya", "Leon", "Mira",
    "Nico", "Orla", "Pavel", "Quinn", "Rosa", "Sven", "Tessa", "Umar", "Vera", "Wanda", "Yusuf",
)  # fmt: skip
FRIENDS: tuple[str, ...] = (
    "my cousin Bea", "my neighbour Otto", "my colleague Priya",
    "my flatmate Cal", "my aunt Jo", "my old friend Ravi",
)  # fmt: skip

_OPENERS = ("Honestly,", "By the way,", "You know what?", "Today", "Funny thing:", "Well,", "So,", "Right now")
_TOPICS = (
    "the weather cannot make up its mind",
    "the tram was packed to the doors",
    "my phone battery gives up by lunch",
    "the supermarket moved every shelf",
    "I slept badly and yawn all day",
    "the news was too loud to listen to",
    "there is a hole in my umbrella",
    "the upstairs tap drips the whole night",
    "the parcel went to the wrong door",
    "I cannot find my other glove",
    "the lift is out of order again",
    "somebody painted the bench green",
    "the queue at the post office never moved",
    "the printer ate three sheets of paper",
    "the sunset was absurdly pink",
    "my inbox has four hundred messages",
)
_TAILS = (
    "and I had to laugh.",
    "as usual.",
    "but never mind.",
    "and it is not even Wednesday.",
    "which says it all.",
    "and nobody seems to care.",
    "so I made a list.",
    "and that was the highlight.",
)
_REPLIES = (
    "That sounds like quite a day. How do you feel about it?",
    "Thanks for telling me. Is there more to the story?",
    "I see. Would you like some help with that?",
    "Good to know! What happened next?",
    "Ha, I can picture it. Anything planned for the weekend?",
    "Understood. Shall we talk about something else?",
    "Oh, I had not expected that. And how did the others react?",
    "That makes sense. Do you want a reminder about it?",
    "Noted. How is everything else at home?",
    "Fair enough. What is on your mind besides that?",
)


def remark(rng: Random) -> str:
    """Make small talk of the persona."""
    return f"{rng.choice(_OPENERS)} {rng.choice(_TOPICS)}, {rng.choice(_TAILS)}"


def reply(rng: Random) -> str:
    """Make a reply of the assistant; it never repeats a fact, so evidence stays where it is labelled."""
    return rng.choice(_REPLIES)
