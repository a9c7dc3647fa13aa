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
            "I live in {v}, a ten minute walk from the river.",
            "Which city would I rather live in than {v}? None.",
            "The last box is unpacked, so {v} is officially home.",
            "I signed the lease for a flat in {v}.",
            "Rents here in {v} are climbing again and my landlord is smiling.",
        ),
        ("Where does {n} live?", "Which city is {n} based in?", "In what town does {n} reside?"),
        ("{f} keeps telling me how lovely it is to live in {v}.", "{f} is thinking of buying a house in {v}."),
        (
            "After the move I live in {v}; the old town is behind me.",
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
            "I work as a {v} for a living, since you ask.",
            "My occupation, {v}, is hard to explain at parties.",
            "Ten hours on my feet: being a {v} is harder than people think.",
            "My contract as a {v} got extended today.",
            "They gave me a badge that says '{v}' and a locker.",
        ),
        ("What does {n} do for a living?", "What is {n}'s occupation?", "What profession does {n} have?"),
        ("{f} earns a living as a {v} and hates the hours.", "{f} was a {v} once, of all professions."),
        (
            "I do something new for a living: {v}. A fine occupation.",
            "I handed in my notice; from Monday they call me a {v}.",
            "Career switch complete: first shift as a {v} went fine.",
        ),
        ("What was {n}'s occupation before the career switch?", "What did {n} work as earlier?"),
    ),
    Slot(
        "pet",
        ("Biscuit", "Mango", "Pickle", "Nimbus", "Waffles", "Juno", "Pepper", "Olive", "Ziggy", "Clover"),
        (
            "My pet {v} sleeps on the sofa all day.",
            "You asked about my animal: the name is {v}.",
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
            "My hobby is {v}; all my free time goes there.",
            "I enjoy {v}, the best pastime there is.",
            "Lost track of time again: four hours of {v} and not one regret.",
            "My evenings belong to {v} these days.",
            "I bought proper gear for {v} at last.",
        ),
        ("What is {n}'s hobby?", "How does {n} spend free time?", "Which pastime does {n} enjoy?"),
        ("{f} spends all free time on {v}.", "{f} has found a hobby in {v}."),
        (
            "I have a new hobby that I enjoy: {v}. The former one is over.",
            "I gave my old gear away; it is all about {v} from here.",
            "Sold everything and took up {v} instead.",
        ),
        ("Which pastime did {n} give up?", "What was {n}'s former hobby?"),
    ),
    Slot(
        "dish",
        ("ramen", "pierogi", "lasagne", "bibimbap", "paella", "goulash", "falafel", "moussaka", "laksa", "tagine"),
        (
            "My favourite food? That must be {v}.",
            "The meal I like best is {v}.",
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
            "I am allergic to {v}, so I read every label.",
            "My allergy is {v}, and it is no joke.",
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
            "I play the {v}, an instrument with a will of its own.",
            "The musical instrument I have learned is the {v}.",
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
            "I am studying a new language, {v}, on the train.",
            "The foreign tongue I am learning is {v}.",
            "Forty flash cards of {v} before breakfast, every day.",
            "My {v} teacher says that my vowels are improving.",
            "I enrolled in an evening class for {v}.",
        ),
        ("Which language is {n} studying?", "What foreign tongue is {n} learning?"),
        ("{f} grew up speaking the {v} language.", "{f} is learning {v} for a partner."),
        (
            "The language I am studying from here on is {v}.",
            "The old textbooks are gone; {v} is my new challenge.",
            "I switched classes and do {v} at the moment.",
        ),
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
            "I drive a {v} to the office most days.",
            "I get around by {v}, whatever the weather.",
            "Flat tyre on the {v}, so I was late again.",
            "The insurance for my {v} went up.",
            "I washed the {v} until it shone.",
        ),
        ("How does {n} get around?", "What does {n} drive or ride?"),
        ("{f} lets anybody drive the {v}.", "{f} gets around in a {v}."),
        (
            "After the trade I drive a {v} to get around.",
            "Traded it in: a {v} now stands in the yard.",
            "I picked up the keys for a {v}; the old one is sold.",
        ),
        ("What did {n} drive or ride previously?", "How did {n} get around before the trade?"),
    ),
    Slot(
        "sibling",
        ("Ingrid", "Mateo", "Saskia", "Dariusz", "Noor", "Felix", "Amara", "Henrik", "Lucia", "Tomas"),
        (
            "My sibling {v} called on Sunday.",
            "You asked for the name of my brother or sister: {v}.",
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
            "I usually drink {v} in the morning.",
            "My beverage of choice is {v}.",
            "The barista starts my {v} when I walk through the door.",
            "No conversation before my {v}, please.",
            "I brought a thermos of {v} to the meeting, as always.",
        ),
        ("What does {n} usually drink?", "What is {n}'s beverage of choice?"),
        ("{f} ordered {v} and left it.", "{f} will drink nothing but {v}."),
        (
            "These days I usually drink {v}, my new beverage of choice.",
            "My stomach rebelled, so I swapped it for {v}.",
            "I am off that stuff; {v} does the job.",
        ),
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
            "I have a university degree in {v}, believe it or not.",
            "The subject I studied at university was {v}.",
            "My thesis in {v} still sits in a drawer somewhere.",
            "Four years of {v} lectures and I remember the cafeteria best.",
            "I framed the diploma in {v} for my grandmother.",
        ),
        ("What did {n} study at university?", "Which subject is {n}'s degree in?"),
        ("{f} dropped out of a degree in {v}.", "{f} went to university for {v}."),
    ),
)
