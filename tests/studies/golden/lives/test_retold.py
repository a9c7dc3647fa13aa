"""Stories retold: each once, of other people, and all the better at showing what waits for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from memgauge.records import Verdict
from memgauge.studies.golden.lives.retold import AT_ONCE, demanded, retell, stories
from memgauge.studies.golden.matrix import trusting
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import AskStep, Say, User
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.unusual import UNUSUAL
from support import Once
from support.golden import shipped_scenarios

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Receipt, Scope, Turn

CASES = Once(shipped_scenarios)
RETOLD = Once(lambda: tuple(retell(CASES)))


def test_every_short_story_is_told_once_more() -> None:
    """None is left out and none comes twice, and no memory hears more than a few."""
    told = [name for scenario in RETOLD for name in scenario.provenance.ref.split()]
    assert sorted(told) == sorted(story.id for story in stories(CASES))
    assert len(told) > 400
    assert max(len(scenario.provenance.ref.split()) for scenario in RETOLD) == AT_ONCE


def test_it_asks_for_no_more_than_its_stories_do() -> None:
    """What a memory must offer is what some story in it needs."""
    needs = {case.id: demanded(case) for case in CASES}
    for scenario in RETOLD:
        wanted = frozenset().union(*(needs[name] for name in scenario.provenance.ref.split()))
        assert set(scenario.requires) == wanted
        assert wanted <= demanded(scenario) <= wanted | {"durable"}


def test_names_of_values_belong_to_one_story() -> None:
    """No story says a value of another, and everybody in it is somebody new."""
    for scenario in RETOLD[::8]:
        users = [step.user for step in scenario.steps if isinstance(step, User)]
        assert all(user.startswith("Zo\u00eb") or not user.strip() for user in users), scenario.id
        texts = [step.say for step in scenario.steps if isinstance(step, Say)]
        asked = [step.ask for step in scenario.steps if isinstance(step, AskStep)]
        names = {name for text in (*texts, *asked) for name in re.findall(r"\{(\w+)\}", text)}
        assert names, scenario.id
        assert all(re.fullmatch(r"[a-z]+_\w+", name) for name in names), scenario.id


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_whoever_refuses_odd_ids_is_not_tried(every: int) -> None:
    """Everybody in a retold story has one, and may meet the refusal inside of another step."""
    verdicts = {s.id: run_scenario(s, UNUSUAL["refuses-odd-ids"], trusting()).verdict for s in RETOLD[::every]}
    assert verdicts == dict.fromkeys(verdicts, Verdict.UNSUPPORTED)


class Forgetful(Ideal):
    """Loses what somebody in another tenant says, who has an accent."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep *turns*, but for theirs."""
        lost = scope.tenant != "default" and not scope.user.isascii()
        return super().ingest([] if lost else turns, scope)


def test_what_waits_for_somebody_shows_here_and_in_no_story() -> None:
    """A fault for people of another tenant with an accent is in no short story, and in most that are retold."""
    assert all(run_scenario(case, Forgetful, trusting()).verdict == Verdict.PASS for case in stories(CASES)[::80])
    assert [run_scenario(case, Forgetful, trusting()).verdict for case in RETOLD[:2]] == [Verdict.FAIL] * 2
