"""What a persona can be known for: values and the words that state, change and ask them.

Statements and questions share few words on purpose, so that matching words is not enough.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Slot:
    """One single-valued fact about a persona. ``{v}`` is the value, ``{n}`` the persona, ``{f}`` a friend."""

    name: str
    values: tuple[str, ...]
    states: tuple[str, ...]
    asks: tuple[str, ...]
    elsewhere: tuple[str, ...]
    """The same kind of fact about somebody else: a distractor, never evidence."""
    changes: tuple[str, ...] = ()
    """Statements of a new value; empty for facts that do not change."""
    asks_before: tuple[str, ...] = ()
    """Questions for the value before the change."""


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


SLOTS: tuple[Slot, ...] = (
    Slot(
        "city",
        (
            "Lisbon",
            "Ghent",
            "Tartu",
            "Porto",
            "Graz",
            "Malmo",
            "Cork",
            "Bergen",
            "Turin",
            "Gdansk",
            "Utrecht",
            "Nantes",
        ),
        (
            "The last box is unpacked, so {v} is officially home.",
            "I signed the lease for a flat in {v}.",
            "Rents here in {v} are climbing again and my landlord is smiling.",
        ),
        ("Where does {n} live?", "Which city is {n} based in?", "In what town does {n} reside?"),
        ("{f} keeps telling me how lovely it is to live in {v}.", "{f} is thinking of buying a house in {v}."),
        (
            "Big news: the moving van comes on Friday and I am off to {v} for good.",
            "We relocated! {v} it is from here on.",
        ),
        ("Where did {n} live before the move?", "Which city did {n} leave?"),
    ),
    Slot(
        "job",
        (
            "baker",
            "surveyor",
            "paramedic",
            "translator",
            "welder",
            "librarian",
            "chemist",
            "tailor",
            "pilot",
            "florist",
        ),
        (
            "Ten hours on my feet: being a {v} is harder than people think.",
            "My contract as a {v} got extended today.",
            "They gave me a badge that says '{v}' and a locker.",
        ),
        ("What does {n} do for a living?", "What is {n}'s occupation?", "What profession does {n} have?"),
        ("{f} earns a living as a {v} and hates the hours.", "{f} was a {v} once, of all professions."),
        (
            "I handed in my notice; from Monday they call me a {v}.",
            "Career switch complete: first shift as a {v} went fine.",
        ),
        ("What was {n}'s occupation before the career switch?", "What did {n} work as earlier?"),
    ),
    Slot(
        "pet",
        ("Biscuit", "Mango", "Pickle", "Nimbus", "Waffles", "Juno", "Pepper", "Olive", "Ziggy", "Clover"),
        (
            "{v} chewed through another slipper this morning.",
            "Had to bring {v} to the vet for the yearly shots.",
            "{v} learned to open the fridge with one paw.",
        ),
        ("What is the name of {n}'s pet?", "What is {n}'s animal called?"),
        ("{f} has a new pet and named the animal {v}.", "{f}'s animal is called {v}, which suits it."),
    ),
    Slot(
        "hobby",
        (
            "fencing",
            "pottery",
            "birdwatching",
            "bouldering",
            "origami",
            "rowing",
            "woodcarving",
            "salsa",
            "archery",
            "chess",
        ),
        (
            "Lost track of time again: four hours of {v} and not one regret.",
            "My evenings belong to {v} these days.",
            "I bought proper gear for {v} at last.",
        ),
        ("What is {n}'s hobby?", "How does {n} spend free time?", "Which pastime does {n} enjoy?"),
        ("{f} spends all free time on {v}.", "{f} has found a hobby in {v}."),
        ("I gave my old gear away; it is all about {v} from here.", "Sold everything and took up {v} instead."),
        ("Which pastime did {n} give up?", "What was {n}'s former hobby?"),
    ),
    Slot(
        "dish",
        ("ramen", "pierogi", "lasagne", "bibimbap", "paella", "goulash", "falafel", "moussaka", "laksa", "tagine"),
        (
            "Nothing beats a plate of {v} after a long day.",
            "If I could eat one thing forever it would be {v}.",
            "I queued forty minutes for {v} and would do it again.",
        ),
        ("What is {n}'s favourite food?", "Which meal does {n} like best?"),
        ("{f} cooked {v} for the whole street.", "{f} says the best meal is {v}."),
    ),
    Slot(
        "allergy",
        (
            "peanuts",
            "shellfish",
            "pollen",
            "penicillin",
            "latex",
            "sesame",
            "walnuts",
            "soy",
            "kiwi",
            "dust mites",
        ),
        (
            "One bite and my throat closed: {v} will be the end of me.",
            "The doctor confirmed that I must stay away from {v}.",
            "I carry an injector in case of {v}.",
        ),
        ("What is {n} allergic to?", "Which allergy does {n} have?"),
        ("{f} turned out to be allergic to {v}.", "{f} has an allergy against {v}."),
    ),
    Slot(
        "instrument",
        ("cello", "ukulele", "clarinet", "accordion", "trombone", "harp", "banjo", "oboe", "mandolin", "marimba"),
        (
            "The neighbours complained about my {v} again.",
            "I practised scales on the {v} until my fingers hurt.",
            "My {v} needed a repair before the concert.",
        ),
        ("Which instrument does {n} play?", "What musical instrument has {n} learned?"),
        ("{f} plays the {v} in a band.", "{f} wants to learn an instrument, maybe the {v}."),
    ),
    Slot(
        "language",
        (
            "Finnish",
            "Swahili",
            "Korean",
            "Welsh",
            "Catalan",
            "Turkish",
            "Hungarian",
            "Maltese",
            "Basque",
            "Icelandic",
        ),
        (
            "Forty flash cards of {v} before breakfast, every day.",
            "My {v} teacher says that my vowels are improving.",
            "I enrolled in an evening class for {v}.",
        ),
        ("Which language is {n} studying?", "What foreign tongue is {n} learning?"),
        ("{f} grew up speaking the {v} language.", "{f} is learning {v} for a partner."),
        ("The old textbooks are gone; {v} is my new challenge.", "I switched classes and do {v} at the moment."),
        ("Which language did {n} study first?", "What foreign tongue did {n} drop?"),
    ),
    Slot(
        "vehicle",
        (
            "scooter",
            "campervan",
            "tandem",
            "hatchback",
            "moped",
            "pickup",
            "cargo bike",
            "convertible",
            "minibus",
            "sidecar",
        ),
        (
            "Flat tyre on the {v}, so I was late again.",
            "The insurance for my {v} went up.",
            "I washed the {v} until it shone.",
        ),
        ("How does {n} get around?", "What does {n} drive or ride?"),
        ("{f} lets anybody drive the {v}.", "{f} gets around in a {v}."),
        ("Traded it in: a {v} now stands in the yard.", "I picked up the keys for a {v}; the old one is sold."),
        ("What did {n} drive or ride previously?", "How did {n} get around before the trade?"),
    ),
    Slot(
        "sibling",
        ("Ingrid", "Mateo", "Saskia", "Dariusz", "Noor", "Felix", "Amara", "Henrik", "Lucia", "Tomas"),
        (
            "{v} and I shared a bunk bed until I was twelve.",
            "Mum always took the side of {v} when the two of us fought.",
            "{v} got the same nose from our dad as I did.",
        ),
        ("What is the name of {n}'s sibling?", "Who is {n}'s brother or sister?"),
        ("{f} has a brother or sister called {v}.", "{f} and sibling {v} do not talk."),
    ),
    Slot(
        "drink",
        ("cortado", "chai", "kombucha", "espresso", "matcha", "lemonade", "rooibos", "cider", "mocha", "horchata"),
        (
            "The barista starts my {v} when I walk through the door.",
            "No conversation before my {v}, please.",
            "I brought a thermos of {v} to the meeting, as always.",
        ),
        ("What does {n} usually drink?", "What is {n}'s beverage of choice?"),
        ("{f} ordered {v} and left it.", "{f} will drink nothing but {v}."),
        ("My stomach rebelled, so I swapped it for {v}.", "I am off that stuff; {v} does the job."),
        ("What did {n} usually drink before swapping?", "What was {n}'s earlier beverage of choice?"),
    ),
    Slot(
        "school",
        (
            "botany",
            "philosophy",
            "robotics",
            "archaeology",
            "linguistics",
            "astronomy",
            "economics",
            "geology",
            "theology",
        ),
        (
            "My thesis in {v} still sits in a drawer somewhere.",
            "Four years of {v} lectures and I remember the cafeteria best.",
            "I framed the diploma in {v} for my grandmother.",
        ),
        ("What did {n} study at university?", "Which subject is {n}'s degree in?"),
        ("{f} dropped out of a degree in {v}.", "{f} went to university for {v}."),
    ),
)

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
        ("My ears still ring from {v}.", "{v} played three encores.", "Stood in the first row for {v}."),
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
        ("{when} we stared at jellyfish until closing time.",),
        ("When did {n} visit the aquarium?",),
    ),
    Happening(
        "running a half marathon",
        ("I crossed the finish line after 21 km {when}.",),
        ("When did {n} run a half marathon?",),
    ),
    Happening(
        "getting a tattoo",
        ("The needle hurt less than expected {when}; my arm has a swallow on it.",),
        ("On what day did {n} get a tattoo?",),
    ),
    Happening(
        "donating blood",
        ("They took half a litre from me {when} and gave me a cookie.",),
        ("When did {n} donate blood?",),
    ),
    Happening(
        "breaking a wrist",
        ("I slipped on the ice {when} and wear a cast.",),
        ("On which date did {n} break a wrist?",),
    ),
    Happening(
        "hosting a dinner party",
        ("Eight guests and one burnt pie in my kitchen {when}.",),
        ("When did {n} host a dinner party?",),
    ),
    Happening("losing a wallet", ("All my cards vanished on the bus {when}.",), ("When did {n} lose a wallet?",)),
    Happening(
        "adopting a beehive", ("A box with ten thousand bees arrived {when}.",), ("When did {n} get a beehive?",)
    ),
    Happening(
        "passing a driving test",
        ("The examiner finally nodded {when}: I may take the wheel alone.",),
        ("When did {n} pass the driving test?",),
    ),
    Happening(
        "planting an apple tree",
        ("I dug a hole and put a sapling in it {when}.",),
        ("On what day did {n} plant an apple tree?",),
    ),
    Happening(
        "seeing a solar eclipse",
        ("The sky went dark at noon {when} and the birds fell silent.",),
        ("When did {n} see a solar eclipse?",),
    ),
    Happening(
        "giving a wedding speech",
        ("My voice shook {when} when I raised the glass to the couple.",),
        ("When did {n} give a wedding speech?",),
    ),
)
