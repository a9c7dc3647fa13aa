"""Lives: what is shipped is what is drawn, and holds what short stories lack."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Verdict
from memgauge.studies.golden.contents import demands
from memgauge.studies.golden.lives import shipped
from memgauge.studies.golden.lives.moves import nearly
from memgauge.studies.golden.lives.shipped import SHIPPED, drawn, live
from memgauge.studies.golden.matrix import trusting
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import Say, flat
from memgauge.suites import paths
from memgauge.systems.reference.named import REFERENCES
from support.golden import read_once

if TYPE_CHECKING:
    from memgauge.studies.golden.lives.shipped import Life

(FILE,) = (path for path in paths() if path.name == "lives.memsuite.yaml")


def test_the_suites_are_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has edited them by hand, or a story without telling it again, and they read as the same scenarios."""
    monkeypatch.setattr(shipped, "load_suite", read_once)
    for path, text in drawn():
        assert path.read_text("utf-8") == text, f"{path.name}: draw it again"
    assert list(read_once(FILE).suite.scenarios) == [live(life) for life in SHIPPED]


@pytest.mark.parametrize("life", SHIPPED, ids=lambda life: life.name)
def test_a_life_is_long_and_asks_for_no_more_than_it_says(life: Life) -> None:
    """It does everything many times over, with what a memory offers that it is meant for."""
    drawn = live(life)
    kinds = Counter(type(step).__name__ for step in flat(drawn.steps))
    assert len(drawn.steps) > 100
    assert kinds["Say"] > 25
    assert kinds["AskStep"] > 50
    assert {need for step in flat(drawn.steps) for need in demands(step)} <= life.offers
    assert live(life, 1).steps != drawn.steps == live(life).steps


def test_all_of_a_memory_is_old_or_full_somewhere() -> None:
    """Some life has a thousand things, some sixty users, some a hundred sweeps."""
    says = [step for life in SHIPPED for step in life.before if isinstance(step, Say)]
    assert max(step.times for step in says) > 1_000
    assert {life.name for life in SHIPPED if life.before} == {"agents", "old", "late", "full"}


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_memory_that_is_right_lives_through_one(reference: str) -> None:
    """The longest lives are played by the self-test."""
    told = next(life for life in SHIPPED if life.name == "told")
    assert run_scenario(live(told), REFERENCES[reference], trusting()).verdict == Verdict.PASS


@given(st.sampled_from(("alice", "Zo\u00eb@example.org", "Ali_ce%2B", "bob", "A")))
def test_ids_that_are_nearly_one_are_others(name: str) -> None:
    """Nobody is nearly themselves, and no id comes twice."""
    ids = nearly(name)
    assert name not in ids
    assert len(set(ids)) == len(ids) > 8
