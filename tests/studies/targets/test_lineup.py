"""Runs side by side under every target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, IdentityError
from memgauge.records import Contract, Coverage, Credit, Target
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.studies.targets.lineup import AuditSpec, EvidenceUnit, _parameters, line_up
from support.targets import GOLD, SPEC, WORLD, folder, lineup, plain, runs


def test_names_say_what_differs() -> None:
    """The store and the system; what all share is left out."""
    assert [one.label for one in lineup().runs] == [
        "bm25 facts-1",
        "bm25 facts-5",
        "tfidf facts-1",
        "tfidf facts-5",
    ]
    assert _parameters("bm25:k1=1.2,store=a/b/obs-79fa87e9.jsonl") == ("bm25", {"k1": "1.2", "store": "obs"})
    assert _parameters("My system: v2") == ("My system: v2", {})


@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("credit", list(Credit))
def test_values_are_those_of_scoring(target: Target, credit: Credit) -> None:
    """The audit and `memgauge score` are one computation under one contract."""
    contract = Contract(target=target, credit=credit, coverage=Coverage.ALL)
    judged = align(runs()[1], GOLD, contract, 20).judged
    rows = lineup().runs[1].rows(target, credit=credit, coverage=Coverage.ALL)
    from memgauge.measures import parse

    assert np.array_equal(parse("nDCG@20").rows(judged).values, rows.values)


def test_shared_questions_are_those_of_every_run_that_serves_the_target() -> None:
    """One sparse store narrows the questions of all; a run without derived memories narrows nobody's."""
    each = [lineup().runs[number].rows(Target.CANONICAL).defined for number in range(4)]
    shared = lineup().shared(Target.CANONICAL)
    assert np.array_equal(shared, np.logical_and.reduce([*each, lineup().inside]))
    with_turns = line_up([*runs(), plain()], GOLD, SPEC)
    assert np.array_equal(with_turns.shared(Target.CANONICAL), shared)
    assert not with_turns.runs[4].serves(Target.CANONICAL)
    assert with_turns.runs[4].serves(Target.RAW)


def test_questions_without_answers_are_the_users_choice() -> None:
    """Left out as in the paper's native runs, with their number; or kept."""
    every = line_up(runs(), GOLD, AuditSpec(k=20, answerable=False))
    assert every.inside.sum() >= lineup().inside.sum()
    assert sum(lineup().excluded.values()) + lineup().inside.sum() == len(GOLD.questions)


def test_a_run_without_lineage_is_unsupported_and_never_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name and the reason stand beside the others; alone it is refused."""
    bare = replace(plain())
    nothing = plain().memories | {"sources": np.array([[]] * len(plain().memories["form"]), dtype=object)}
    monkeypatch.setitem(bare.__dict__, "memories", nothing)
    found = line_up([bare, *runs()], GOLD, SPEC)
    assert found.unsupported == {"bm25": "no memory names the turns that it descends from"}
    assert len(found.runs) == 4
    with pytest.raises(ConfigError, match="No run can be audited"):
        line_up([bare], GOLD, SPEC)


def test_a_target_of_the_users_own_is_a_target() -> None:
    """Forms joined by + credit what they name."""
    found = line_up(runs(), GOLD, AuditSpec(k=20, own=("canonical+summary",)))
    own, canonical = (found.runs[0].rows(target) for target in ("canonical+summary", Target.CANONICAL))
    assert np.array_equal(own.values, canonical.values)


def test_mistakes_are_refused() -> None:
    """No run, no ranks, one run twice, other data."""
    with pytest.raises(ConfigError, match="No run to audit"):
        line_up([], GOLD, SPEC)
    with pytest.raises(ConfigError, match="at least 1"):
        AuditSpec(k=0)
    with pytest.raises(IdentityError, match="named twice"):
        line_up([runs()[0], runs()[0]], GOLD, SPEC)
    (other,) = execute(plan(["synthetic:tiny"], ["bm25"]), folder() / "tiny", executor=Inline(), check=False)
    with pytest.raises(IdentityError, match="was made on"):
        line_up([load(other)], GOLD, SPEC)
    assert GoldTable.read(open_dataset("synthetic:tiny")) is not GOLD


def test_a_session_is_found_by_any_of_its_turns() -> None:
    """Evidence by session is never harder than by turn under one target, and needs the dataset."""
    by_turn, by_session = (line_up(runs(), GOLD, replace(SPEC, anchors=unit), WORLD) for unit in EvidenceUnit)
    for number in range(4):
        turns, sessions = (
            each.runs[number].rows(Target.SOURCE, "Hit@20").values for each in (by_turn, by_session)
        )
        assert (sessions >= turns).all()
    assert (by_session.runs[0].rows(Target.RAW).values != by_turn.runs[0].rows(Target.RAW).values).any()
    with pytest.raises(ConfigError, match="need the dataset"):
        line_up(runs(), GOLD, replace(SPEC, anchors=EvidenceUnit.SESSION))
