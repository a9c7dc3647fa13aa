"""Eight readers whose dependence is known."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Scope, Turn, Verdict
from memgauge.systems import check, open_system
from memgauge.systems.reference.wired import CITES, GUESSES, WIRINGS, Given, Wired, cited

MORNING = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - conversations live in naive local time
ANNA = Scope("anna")
M, D, S, G = "mem", "doc", "sta", "gue"
ASK = """What is my door code?

Retrieved document:
From the customer file: the door code of this user is 2222.

Application state:
door_code = "3333"
"""


@pytest.mark.parametrize(
    ("wiring", "all_three", "no_memory", "nothing", "two_agree"),
    [
        ("memory-only", M, "", "", M),
        ("memory-else-guess", M, G, G, M),
        ("memory-first", M, D, "", M),
        ("document-first", D, D, "", S),
        ("state-first", S, S, "", S),
        ("guesser", G, G, G, G),
        ("memory-if-document-agrees", G, G, G, G),
        ("majority", M, D, "", S),
    ],
)
def test_a_rule_takes_what_it_says(
    wiring: str, all_three: str, no_memory: str, nothing: str, two_agree: str
) -> None:
    """Where all differ, where memory is empty, where all are, and where document and state say the same."""
    rule = WIRINGS[wiring]
    assert rule(Given(M, D, S, G)).value == all_three
    assert rule(Given("", D, S, G)).value == no_memory
    assert rule(Given("", "", "", G)).value == nothing
    assert rule(Given(M, S, S, G)).value == two_agree


def test_the_eight_differ_and_each_says_what_it_does() -> None:
    """A sentence for every one, no two alike; all are right where everything agrees with the guess."""
    told = {rule.__doc__ for rule in WIRINGS.values()}
    assert len(told) == len(WIRINGS) == 8
    assert all(rule(Given(G, G, G, G)).value == G for rule in WIRINGS.values())


def test_agreement_of_memory_and_document_is_taken_from_both() -> None:
    """And against the guess."""
    taken = WIRINGS["memory-if-document-agrees"](Given(M, M, S, G))
    assert (taken.value, taken.used) == (M, ("memory", "document"))


@pytest.mark.parametrize(
    ("how", "named"),
    [("used", ("document",)), ("all", ("memory", "document")), ("memory", ("memory",)), ("none", ())],
)
def test_what_is_claimed_need_not_be_what_was_used(how: str, named: tuple[str, ...]) -> None:
    """That is what citations are tested for."""
    given = Given(M, D, "", G)
    assert how in CITES
    assert cited(how, given, WIRINGS["document-first"](given)) == named


def told(memory: Wired, *texts: str) -> Wired:
    """Say something, turn by turn."""
    for n, text in enumerate(texts):
        memory.ingest([Turn(f"t{n}", "user", text, "s", MORNING + timedelta(minutes=n))], ANNA)
    return memory


def test_it_reads_memory_document_and_state_from_words() -> None:
    """The last that memory holds counts, in either wording, and ids are cited."""
    memory = told(Wired("memory-first"), "My door code is 9999.", "The door code that I have is 1111.")
    assert memory.ask(ASK, ANNA) == "1111\nSources: t1"
    assert told(Wired("document-first"), "My door code is 1111.").ask(ASK, ANNA) == "2222\nSources: document"
    assert Wired("state-first").ask(ASK, ANNA) == "3333\nSources: state"
    assert Wired("memory-only", cites="none").ask(ASK, ANNA) == "I don't know."
    assert Wired("guesser", cites="none").ask(ASK, ANNA) == GUESSES["door code"]


def test_other_users_and_other_slots_are_not_read() -> None:
    """Nor is a question that it does not understand."""
    memory = told(Wired("memory-only", cites="none"), "My home city is Rome.")
    assert memory.ask("What is my home city?", ANNA) == "Rome"
    assert memory.ask("What is my home city?", Scope("ben")) == "I don't know."
    assert memory.ask("What is my door code?", ANNA) == "I don't know."
    assert memory.ask("Where do I live?", ANNA) == "I don't know."


def test_a_hidden_log_shows_nothing() -> None:
    """Memory works all the same."""
    memory = told(Wired("memory-only", logs=False), "My home city is Rome.")
    assert memory.search("home city", ANNA, 5).hits == ()
    assert memory.ask("What is my home city?", ANNA).startswith("Rome")


def test_it_is_a_memory_like_any_other() -> None:
    """It conforms, and is opened by name."""
    report = check(lambda: open_system("wired:majority,cites=all"))
    assert report.broken == ()
    assert {one.verdict for one in report.checks} <= {Verdict.PASS, Verdict.UNSUPPORTED}
    assert open_system("wired:majority").name == "wired:majority"


def test_names_that_do_not_exist_are_refused() -> None:
    """With what there is."""
    with pytest.raises(UnknownNameError, match="Did you mean majority"):
        open_system("wired:majorit")
    with pytest.raises(ConfigError, match="cites=some is not one of used, all, memory, none"):
        open_system("wired:majority,cites=some")
