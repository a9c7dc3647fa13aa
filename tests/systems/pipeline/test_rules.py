"""Extraction by rules: what is a statement, what only sounds like one, and what is said beside it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records.statements import ME, Act, Statement
from memgauge.systems.pipeline.rules import RuleExtractor
from memgauge.systems.pipeline.statements import TurnReading
from support.pipeline import turn

EMPLOYER = Statement("employer", "Acme")


def read(text: str, role: str = "user") -> TurnReading:
    """Read one turn."""
    return RuleExtractor().read(turn("t1", text, role=role))


def told(text: str) -> list[tuple[str, str]]:
    """Return slots and values of what is stated."""
    return [(one.slot, one.value) for one in read(text).statements]


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I had lunch with Bea Lind, my new manager, and Raj.", "manager", "Bea Lind"),
        ("From this month on my salary goes to Hooli, my only bank now.", "bank", "Hooli"),
        ("Mein Zahnarzt heißt Weber.", "zahnarzt", "Weber"),
        ("Ich habe gewechselt: Meine neue Ärztin ist jetzt Anna Kern.", "neue ärztin", "Anna Kern"),
        ("My employer is Acme.", "employer", "Acme"),
        ("My company is called Acme!", "employer", "Acme"),
        ("Acme is my employer", "employer", "Acme"),
        ("My project deadline is now 6 September 2084.", "project deadline", "6 September 2084"),
        ("By the way, my employer is Acme.", "employer", "Acme"),
        ("For the record: my employer is Acme.", "employer", "Acme"),
        ("It seems worth saying that my employer is Acme.", "employer", "Acme"),
        ("That has changed: I work for Acme Tools now.", "employer", "Acme Tools"),
        ("Acme pays my salary.", "employer", "Acme"),
        ("I moved to Lisbon in 2010.", "home city", "Lisbon"),
        ("I've been living in Ghent since May.", "home city", "Ghent"),
        ("The home city on my forms is Graz.", "home city", "Graz"),
        ("The manager of my team is Bea.", "manager", "Bea"),
        ("I report to Bea.", "manager", "Bea"),
        ("Bea is the boss of our group.", "manager", "Bea"),
        ("I rent my flat from Ravi.", "landlord", "Ravi"),
        ("My flat belongs to Ravi.", "landlord", "Ravi"),
        ("I keep my money with Hooli.", "bank", "Hooli"),
        ("My favourite drink is cocoa.", "favourite drink", "cocoa"),
        ("Of all beverages I prefer cocoa.", "favourite drink", "cocoa"),
        ("For programming I prefer Vim.", "code editor", "Vim"),
        ("All my work is due on 3 May 2024.", "project deadline", "3 May 2024"),
        ("I get around in a Nova.", "car", "Nova"),
        ("I drive a Nova, a car with character.", "car", "Nova"),
        ("I carry a Pixel 7 as my mobile.", "phone model", "Pixel 7"),
        ("I use Hooli as my bank.", "bank", "Hooli"),
        ("The ticket number of the broken lift is QD-4711.", "ticket number of the broken lift", "QD-4711"),
        ("My favourite book is The Lord of the Rings.", "favourite book", "The Lord of the Rings"),
        ("My favourite colour is blue.", "favourite colour", "blue"),
        ("I was born in Ghent.", "birthplace", "Ghent"),
        ("My phone number ends in 4711.", "phone number", "4711"),
        ("My rendezvous is at Harrods.", "rendezvous place", "Harrods"),
        ("My deadline for the migration is 3 May 2024.", "deadline for the migration", "3 May 2024"),
        ("The deadline for the migration moved to 4 May 2024.", "deadline for the migration", "4 May 2024"),
        ("My deadline was postponed to 4 May 2024.", "project deadline", "4 May 2024"),
        ("The lead of project Osprey is Bea from today.", "lead of project osprey", "Bea"),
        ("My door number is 42.", "door number", "42"),
    ],
)
def test_statements(text: str, slot: str, value: str) -> None:
    """Possessives and a few verbs, with or without an introduction, state one value of one slot of the user."""
    (one,) = read(text).statements
    assert (one.slot, one.value, one.subject, one.act) == (slot, value, ME, Act.HOLD)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Good morning!",
        "My car is red and fast.",
        "My phone is broken.",
        "My boss is nice.",
        "My manager is in Lisbon.",
        "My manager is not Bea.",
        "My manager is no longer Bea.",
        "My favourite drink is not cocoa.",
        "My brother's employer is Acme.",
        "The name of my employer is Acme's secret.",
        "I work for my uncle.",
        "He was born in Ghent.",
        "What I need is my phone.",
        "My employer was Acme.",
    ],
)
def test_descriptions_are_no_values(text: str) -> None:
    """An adjective, a place, a denial or somebody else's attribute is no value of a slot."""
    assert read(text) == TurnReading()


@pytest.mark.parametrize(
    "text",
    [
        "Imagine for a moment that my employer is Acme.",
        "What if it were so that my employer is Acme?",
        "In a dream last night it was so that my employer is Acme.",
        "If my employer is Acme, I am glad.",
        "I wish my employer is Acme.",
        "Maybe my employer is Acme.",
        "In the novel, my employer is Acme.",
        "It is simply wrong that my employer is Acme.",
        "People think that my employer is Acme, which is false.",
        "No, it is not the case that my employer is Acme.",
        "My employer is Acme. Just kidding!",
        "My employer is Acme, right?",
        "Do you know whether my employer is Acme?",
        "Bob told me that my employer is Acme.",
        "Bob says my employer is Acme.",
        "My sister said my employer is Acme.",
        "They claim my employer is Acme.",
        "According to Bob, my employer is Acme.",
        "I was told my employer is Acme.",
        'She said: "my employer is Acme."',
        "\u201cmy employer is Acme\u201d, she said.",
        "im\u200bagine that my employer is Acme.",
        "Imagi\u00adne that my employer is Acme.",
    ],
)
def test_what_is_not_meant_states_nothing(text: str) -> None:
    """Imagination, denial, doubt, questions, reports and quotations, also with something invisible inside."""
    assert (read(text).statements, read(text).rest) == ((), "")


@pytest.mark.parametrize(
    ("text", "void"),
    [
        ("Imagine that my employer were Acme - what would I earn there?", True),
        ("And my middle name is Acme, of course. Just kidding!", True),
        ("People claim that my employer is Acme; that is not true.", True),
        ("Suppose my yacht were called Acme, would that sound silly?", True),
        ("Imagine, the tram was packed and Bob sang.", False),
        ("If it rains, I stay at home.", False),
        ("Bob told me that my employer is Acme.", False),
        ("My employer is Acme.", False),
        ("Good morning.", False),
    ],
)
def test_what_would_mislead_is_void(text: str, void: bool) -> None:
    """A turn that says of a slot what is not meant is told apart from talk."""
    assert read(text).void is void


def test_only_users_are_believed() -> None:
    """The same words by anybody else are talk."""
    assert read("My employer is Acme.").statements == (EMPLOYER,)
    for role in ("assistant", "tool", "system", "web", "USER", ""):
        assert read("My employer is Acme.", role) == TurnReading()


@pytest.mark.parametrize(
    "text",
    [
        'Ravi told me: "my employer is Acme."',
        '"My employer is Acme", Ravi said to me.',
        "Ravi wrote this about their own life: \u201cmy employer is Acme.\u201d",
    ],
)
def test_what_somebody_says_of_themselves_is_theirs(text: str) -> None:
    """A quotation with a name is a fact about who is quoted."""
    (one,) = read(text).statements
    assert one == Statement("employer", "Acme", "Ravi")
    assert one.text == "Ravi's employer is Acme"


def test_a_quotation_may_be_meant_no_more_than_a_turn() -> None:
    """What is quoted and not meant is nobody's fact."""
    for said in ("imagine my employer is Acme.", "is Acme my employer?"):
        assert read(f'Ravi told me: "{said}"') == TurnReading()
    told_beside = read('The violin that Mei lost in Ghent is here; Ravi told me: "my employer is Acme."')
    assert told_beside.rest.startswith("The violin")


def test_some_attributes_have_many_values() -> None:
    """Members and friends are several; a manager is one."""
    assert [one.functional for one in read("Bea is my friend.").statements] == [False]
    assert [one.functional for one in read("Bea is my manager.").statements] == [True]
    joined, left = (
        read(text).statements[0] for text in ("Bea joined my project team.", "Bea left my project team.")
    )
    assert (joined.slot, joined.functional, joined.text) == ("project team", False, "my project team includes Bea")
    assert (left.slot, left.value, left.act) == ("project team", "Bea", Act.END)
    for text in (
        "I have a magazine subscription for The Salt Road.",
        "I cancelled my magazine subscription for The Salt Road.",
    ):
        assert [one.slot for one in read(text).statements] == ["magazine subscription"]


@pytest.mark.parametrize(
    "text",
    [
        "Strike what I said about my employer; it no longer holds.",
        "What you know about my employer is over, without a successor.",
        "Forget the past there: my employer is a blank right now.",
        "I no longer have an employer.",
        "By the way, I don't have an employer any more.",
    ],
)
def test_ends(text: str) -> None:
    """What is taken back ends whatever there was."""
    assert read(text).statements == (Statement("employer", act=Act.END),)


@pytest.mark.parametrize(
    "text",
    [
        "Please delete everything I told you about my employer.",
        "I want you to erase my employer from your notes.",
        "Remove the firm that I work for from whatever you keep about me.",
        "Can you delete everything about my employer?",
    ],
)
def test_erasures(text: str) -> None:
    """A request to forget names a slot and no value."""
    assert read(text).statements == (Statement("employer", act=Act.ERASE),)


@pytest.mark.parametrize(
    "text",
    [
        "Please don't delete everything I told you about my employer.",
        "I tend to forget everything about my employer.",
        "You should not forget what I said about my employer.",
        "Please forget everything about my sister's employer.",
        "Remove my phone from the table.",
        "The weather is bad, my bank is open.",
    ],
)
def test_what_is_no_request_to_forget(text: str) -> None:
    """Negations, habits, other people's slots and things on tables are left alone."""
    assert read(text).statements == ()


@pytest.mark.parametrize(
    "text",
    [
        "Looking back, until 3 March 2024 this was true: my employer is Acme.",
        "This held until 3 March 2024 and no longer: my employer is Acme.",
        "For completeness, up to 3 March 2024 it was so that my employer is Acme.",
    ],
)
def test_looking_back(text: str) -> None:
    """What held until a day is told of the past; the turn itself does not end."""
    assert read(text) == TurnReading((Statement("employer", "Acme", until=date(2024, 3, 3), over=True),))


def test_a_last_day() -> None:
    """A fact and its turn hold until a day; a day that does not exist is none."""
    until = date(2024, 3, 5)
    code = Statement("guest code for the door", "QX-1", until=until)
    assert read("The guest code for the door is QX-1 until 5 March 2024.") == TurnReading((code,), until)
    assert read("Until 5 March 2024 you will find me in Ghent.") == TurnReading((), until)
    for no_day in ("31 February 2024", "45 Nonsense 2024"):
        assert read(f"My employer is Acme until {no_day}.").statements == (EMPLOYER,)
    assert read("Looking back, until 31 February 2024 this was true: my employer is Acme.").statements[0].over


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("My employer is Acme.", ""),
        ("By the way, my employer is Acme.", ""),
        ("Back to the old state of things: my employer is Acme.", ""),
        ("My employer is Acme. Rex chewed the violin. My bank is Hooli.", "Rex chewed the violin"),
        ("My cat Luna died yesterday, my employer is Acme.", "My cat Luna died yesterday"),
        ("My employer is Acme and my bank is Hooli.", "and my bank is Hooli"),
        ("My car is a Nova and I drive it daily.", ""),
    ],
)
def test_what_is_said_beside_a_fact(text: str, rest: str) -> None:
    """Other sentences, and what stands around a fact where it holds names or many words; small talk is nothing."""
    assert read(text).rest.strip(" ,") == rest
    assert read(text).statements


def test_several_sentences_state_several_things() -> None:
    """One statement a sentence."""
    assert told("My employer is Acme. My bank is Hooli!") == [("employer", "Acme"), ("bank", "Hooli")]


@given(st.text(max_size=200), st.sampled_from(["user", "tool"]))
def test_any_text_is_read(text: str, role: str) -> None:
    """No text makes the rules fail, and every value that they find stands in it."""
    reading = read(text, role)
    assert role == "user" or reading == TurnReading()
    assert all(one.slot for one in reading.statements)


WORDS = [
    "my",
    "My",
    "employer",
    "is",
    "Acme",
    "not",
    "if",
    "told me",
    '"',
    "Bob",
    ".",
    "?",
    "until 3 May 2024",
    ":",
]


@given(st.lists(st.sampled_from([*WORDS, "forget", "everything about"]), max_size=12).map(" ".join))
def test_values_are_names(text: str) -> None:
    """Whatever the words are mixed into, a value is a name, never a negation or a clause."""
    for one in read(text).statements:
        assert one.act is not Act.HOLD or set(one.value.split()) <= {"Acme", "Bob", "3", "May", "2024", "My"}


def test_the_last_lesson_for_good_ends_what_comes_with_lessons() -> None:
    """Whoever taught has no successor and is not named; a last lesson that is only the latest ends nothing."""
    ended = read("Yesterday was my last guitar lesson ever; I sold it and stopped for good.").statements
    assert Statement("guitar teacher", act=Act.END) in ended
    assert {one.act for one in ended} == {Act.END}
    assert read("In my last guitar lesson we played a waltz.").statements == ()


@pytest.mark.parametrize(
    "text",
    ["I told Bea, my manager knows.", "Thanks, my friend!", "Meine Katze ist müde.", "Mein Zahnarzt ist nett."],
)
def test_what_only_stands_beside_a_name_states_nothing(text: str) -> None:
    """A comma before `my` is no apposition by itself, and an adjective is no name."""
    assert told(text) == []
