"""The Python interface, and the chapter's own test in it."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError
from memgauge.records import Verdict
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.cases import as_data
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.session import MemoryUnderTest
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS
from studies.golden.published import published, published_kills, stateful_scenario_test


def test_the_printed_test_runs_as_it_is_printed() -> None:
    """The ideal memory passes every assert of the chapter, and the ledger finds nothing either."""
    with published(Ideal) as system:
        stateful_scenario_test(system)
        assert system.anomalies == ()


def test_the_printed_test_notices_few_broken_memories() -> None:
    """It kills a handful of mutants; the same steps judged by the ledger kill more; the rest need a suite."""
    kills = set(published_kills(MUTANTS))
    assert {"append-only", "keeps-first", "null", "unaudited"} <= kills
    assert len(kills) < len(MUTANTS) / 4
    with published(Ideal) as system:
        stateful_scenario_test(system)
        scenario = system.as_scenario("session.chapter", "the test of the chapter")
    judged = {name for name, mutant in MUTANTS.items() if run_scenario(scenario, mutant).verdict == Verdict.FAIL}
    assert kills < judged


def test_what_was_done_is_a_scenario() -> None:
    """Values became typed variables, and the runner passes it as it stands."""
    with published(Ideal) as system:
        stateful_scenario_test(system)
        scenario = system.as_scenario("session.chapter", "the test of the chapter", tags=("normal",))
    steps = as_data(scenario)["steps"]
    assert steps[2] == {"say": "My deadline for the migration is {a}.", "sets": {"deadline": "a"}}
    assert steps[-1] == {"assert": {"audit": "erasure"}}
    assert scenario.vars == {"a": "date", "b": "date"}
    assert scenario.requires == ("mutable", "auditable")
    assert run_scenario(scenario, Ideal).verdict == Verdict.PASS


def test_the_ledger_names_what_went_wrong() -> None:
    """A failing assert has its anomaly beside it."""
    with published(MUTANTS["append-only"]) as system:
        with pytest.raises(AssertionError):
            stateful_scenario_test(system)
        assert system.anomalies == (Anomaly.MIXED_VERSIONS,)
        assert "replaced it by March 21" in system.findings[0].witness


def test_meaning_can_be_said_where_it_is_said() -> None:
    """Several slots, a list, time, maintenance and a restart, all in plain Python."""
    with MemoryUnderTest(Ideal) as system:
        ada = system.session("ada")
        ada.say("I moved to Oslo.", sets={"city": "Oslo"})
        ada.say("I speak Dutch.", adds={"language": "Dutch"})
        ada.say("I also speak Thai.", adds={"language": "Thai"})
        ada.say("The door code is 4471-AC until Friday.", sets={"code": "4471-AC"}, until="3d")
        system.advance("7d")
        system.maintain()
        system.restart()
        later = system.session("ada")
        assert later.ask("Which language do I speak?", about="language") == "Dutch and Thai"
        assert later.ask("What is the door code?", about="code") == "I do not know."
        assert system.session("ada", tenant="acme").ask("My city?", about="city") == "I do not know."
        later.request_erasure()
        assert later.ask("What is my city?", about="city") == "I do not know."
        assert system.anomalies == ()
        scenario = system.as_scenario("session.free", "in plain Python")
    assert scenario.requires == ("durable", "erasable")
    assert scenario.vars == {"d": "code"}


def test_a_session_may_keep_to_itself() -> None:
    """What is said in it is known in it alone, however often one comes back, and can be kept as a scenario."""
    with MemoryUnderTest(Ideal) as system:
        ada, aside = system.session("ada"), system.session("ada", confined=True)
        ada.say("My city is Oslo.", sets={"city": "Oslo"})
        aside.say("My lawyer is Ms Lund.", sets={"lawyer": "Ms Lund"})
        assert ada.ask("Who is my lawyer?", about="lawyer") == "I do not know."
        assert aside.ask("What is my city?", about="city") == "I do not know."
        assert aside.ask("Who is my lawyer?", about="lawyer") == "Ms Lund"
        assert system.session("ada", confined=True).ask("My lawyer?", about="lawyer") == "I do not know."
        assert system.anomalies == ()
        scenario = system.as_scenario("session.aside", "a session that keeps to itself")
    assert [step for step in as_data(scenario)["steps"] if step.get("confined")] == [
        *({"session": f"s{number}", "confined": True} for number in (2, 2, 3)),
    ]
    assert run_scenario(scenario, MUTANTS["leaky-session"]).anomalies == (Anomaly.CROSS_SESSION_LEAK,)


def test_a_memory_that_does_not_answer_returns_what_it_recalls() -> None:
    """The recalled texts are joined; nobody needs to say what sentences mean."""
    with MemoryUnderTest(lambda: Bm25Policy(as_heard=False)) as system:
        ada = system.session("ada")
        ada.say("The build server is in Oslo.")
        ada.say("The build server moved to Rome.")
        answer = ada.ask("Where is the build server?")
        assert sorted(answer.splitlines()) == ["The build server is in Oslo.", "The build server moved to Rome."]
        with pytest.raises(ConfigError, match="Where is the build server"):
            system.as_scenario("session.unjudged", "nobody can judge it")
        assert not system.audit.has_event("erasure", user="ada")


def test_mistakes_are_named() -> None:
    """A value that is not said, an event and a category that do not exist."""
    with MemoryUnderTest(Ideal) as system:
        ada = system.session("ada")
        with pytest.raises(ConfigError, match="stands nowhere in what is said"):
            ada.say("I moved.", sets={"city": "Oslo"})
        with pytest.raises(ConfigError, match="no event 'party'"):
            system.audit.has_event("party", user="ada")
        with pytest.raises(ConfigError, match="Nothing was said of 'hats'"):
            ada.request_erasure(category="hats")


def test_the_audit_knows_whose_event_it_is() -> None:
    """Writes and erasures are told by user."""
    with MemoryUnderTest(Ideal) as system:
        ada = system.session("ada")
        ada.say("My city is Oslo.", sets={"city": "Oslo"})
        assert system.audit.has_event("write", user="ada")
        assert not system.audit.has_event("erasure", user="ada")
        ada.request_erasure("city")
        assert system.audit.has_event("erasure", user="ada")
        assert not system.audit.has_event("erasure", user="bob")
