"""A memory is opened on the thread that calls it, whatever plays it: some bear no other."""

from __future__ import annotations

import pytest

from memgauge.errors import CallFailed, UnknownNameError
from memgauge.studies.attribution.cells import BY_NAME
from memgauge.studies.attribution.memories import Remembering
from memgauge.studies.attribution.question import make_questions, shown
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.identities import probe_identities
from memgauge.studies.golden.machine import explore
from memgauge.studies.golden.races.race import race
from memgauge.studies.golden.runner import Options
from memgauge.studies.golden.under_test import factory_of, look_at
from memgauge.studies.track.play.instance import Setup, opened
from support.one_thread import NeverFinds
from support.track.play import call, timeline

REF = "support.one_thread:OneThread"


def test_golden_calls_a_memory_where_it_was_opened() -> None:
    """Identities and programs reach it, and so does whoever looks at it first."""
    assert look_at(REF, 30).problem == ""
    probed = probe_identities(factory_of(REF))
    assert not probed.error
    assert not probed.vacuous
    explored = explore(factory_of(REF), count=3, options=Options(timeout_s=30))
    assert "error" not in [failure.anomalies or "error" for failure in explored.failures]


def test_races_are_not_tried_of_a_memory_that_refuses_a_second_thread() -> None:
    """It says so with the reason, and one whose search never works is broken instead."""
    driver = Driver.opening(factory_of(REF))
    report = race(driver, rounds=1)
    driver.close()
    assert report.not_tried.startswith("the memory refuses a second thread: ProgrammingError")
    broken = Driver.opening(NeverFinds)
    with pytest.raises(CallFailed, match="the index is broken"):
        race(broken, rounds=1)
    broken.close()


def test_attribution_calls_a_memory_where_it_was_opened() -> None:
    """Every ask is answered, in one reading and the next; a wrong name is a mistake of the user's."""
    memory = Remembering.opening(REF)
    question = make_questions(2)[0]
    replies = [reply for _ in range(2) for reply in memory.read([shown(question, BY_NAME["agree"])])]
    memory.close()
    assert [reply.failed for reply in replies] == ["", ""]
    with pytest.raises(UnknownNameError):
        Remembering.opening("nope")


@pytest.mark.parametrize("mode", ["passive", "tools"])
def test_track_calls_a_memory_where_it_was_opened(mode: str) -> None:
    """The harness writes and reads it, and so do the tools of an agent."""
    with opened(timeline(), Setup(REF, mode, "off")) as setting:  # type: ignore[arg-type] # one of the modes
        if mode == "tools":
            setting.router.call("store_memory", {"content": "dana leads the cache bug"})
            assert "dana leads" in setting.router.call("search_memory", {"query": "cache bug"}).text
        else:
            setting.arm.observe(call(0, "list_tickets"))
            setting.arm.recall("Who leads?")
        assert setting.arm.faults() == ()
