"""What a persona collects and what happens to it: words that state and ask deeds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Collection:
    """A many-valued fact whose members come up in different sessions."""

    name: str
    values: tuple[str, ...]
    states: tuple[str, ...]
    asks: tuple[str, ...]
    counts: tuple[str, ...]


@dataclass(frozen=True)
class Happening:
    """Something that happened on one day. ``{when}`` is a relative time."""

    name: str
    """As a noun phrase that starts with its gerund: ``visiting the aquarium``."""
    states: tuple[str, ...]
    asks: tuple[str, ...]


COLLECTIONS: tuple[Collection, ...] = (
    Collection(
        "books",
        (
            "The Salt Road",
            "Paper Lanterns",
            "A Quiet Orbit",
            "Nine Bridges",
            "The Glass Ferry",
            "Cold Harvest",
            "Maps of Rain",
        ),
        (
            "I read '{v}', one of the better books.",
            "I finished '{v}', a novel in three parts.",
            "Stayed up until two to reach the end of '{v}'.",
            "'{v}' made me cry on the train.",
            "Closed '{v}' with a sigh.",
        ),
        ("Which books has {n} read?", "List the novels that {n} finished."),
        ("How many books has {n} read?",),
    ),
    Collection(
        "peaks",
        ("Mount Harrow", "Kestrel Ridge", "the Needle", "Old Baldy", "Stag Fell", "Widow's Tooth", "Fox Summit"),
        (
            "I climbed {v}, my favourite among the mountains.",
            "We did a hike up {v}, a peak with a view.",
            "My knees hurt, but the view from {v} was worth it.",
            "Fog all the way up {v}.",
            "Ate my sandwich on top of {v}.",
        ),
        ("Which mountains has {n} climbed?", "What peaks did {n} hike?"),
        ("How many mountains has {n} climbed?",),
    ),
    Collection(
        "concerts",
        (
            "the Velvet Owls",
            "Tin Harbour",
            "Mira Sol",
            "the Slow Comets",
            "Paper Tigers",
            "Nightjar",
            "Copper Choir",
        ),
        (
            "I have seen {v} live, what a band.",
            "I attended a concert by {v}.",
            "My ears still ring from {v}.",
            "{v} played three encores.",
            "Stood in the first row for {v}.",
        ),
        ("Which bands has {n} seen live?", "What concerts did {n} attend?"),
        ("How many bands has {n} seen live?",),
    ),
    Collection(
        "repairs",
        (
            "the toaster",
            "the porch lamp",
            "the garden gate",
            "the radio",
            "the sewing machine",
            "the kettle",
            "the drawer",
        ),
        (
            "I repaired {v}, the first of many household things.",
            "I managed to mend {v}.",
            "Two screws and some glue, and {v} works again.",
            "Fixed {v} with a paper clip.",
            "{v} is no longer broken, thanks to me.",
        ),
        ("What has {n} repaired?", "Which household things did {n} mend?"),
        ("How many household things has {n} repaired?",),
    ),
)

HAPPENINGS: tuple[Happening, ...] = (
    Happening(
        "visiting the aquarium",
        (
            "We made a visit to the aquarium {when}.",
            "{when} we stared at jellyfish until closing time.",
        ),
        ("When did {n} visit the aquarium?",),
    ),
    Happening(
        "running a half marathon",
        (
            "I ran a half marathon {when}.",
            "I crossed the finish line after 21 km {when}.",
        ),
        ("When did {n} run a half marathon?",),
    ),
    Happening(
        "getting a tattoo",
        (
            "I had a tattoo done {when}.",
            "The needle hurt less than expected {when}; my arm has a swallow on it.",
        ),
        ("On what day did {n} get a tattoo?",),
    ),
    Happening(
        "donating blood",
        (
            "I went to donate blood {when}.",
            "They took half a litre from me {when} and gave me a cookie.",
        ),
        ("When did {n} donate blood?",),
    ),
    Happening(
        "breaking a wrist",
        (
            "My wrist is broken since {when}.",
            "I slipped on the ice {when} and wear a cast.",
        ),
        ("On which date did {n} break a wrist?",),
    ),
    Happening(
        "hosting a dinner party",
        (
            "I was the host of a dinner party {when}.",
            "Eight guests and one burnt pie in my kitchen {when}.",
        ),
        ("When did {n} host a dinner party?",),
    ),
    Happening(
        "losing a wallet",
        (
            "I lost my wallet {when}.",
            "All my cards vanished on the bus {when}.",
        ),
        ("When did {n} lose a wallet?",),
    ),
    Happening(
        "adopting a beehive",
        (
            "I became the owner of a beehive {when}.",
            "A box with ten thousand bees arrived {when}.",
        ),
        ("When did {n} get a beehive?",),
    ),
    Happening(
        "passing a driving test",
        (
            "I took the driving test {when} and passed.",
            "The examiner finally nodded {when}: I may take the wheel alone.",
        ),
        ("When did {n} pass the driving test?",),
    ),
    Happening(
        "planting an apple tree",
        (
            "I planted an apple tree {when}.",
            "I dug a hole and put a sapling in it {when}.",
        ),
        ("On what day did {n} plant an apple tree?",),
    ),
    Happening(
        "seeing a solar eclipse",
        (
            "I saw the solar eclipse {when}.",
            "The sky went dark at noon {when} and the birds fell silent.",
        ),
        ("When did {n} see a solar eclipse?",),
    ),
    Happening(
        "giving a wedding speech",
        (
            "I gave a speech at a wedding {when}.",
            "My voice shook {when} when I raised the glass to the couple.",
        ),
        ("When did {n} give a wedding speech?",),
    ),
)
