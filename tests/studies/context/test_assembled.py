"""What a memory's prompt keeps, worked out by hand and on real runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.measures.facts import Voiced
from memgauge.records import Evidence, Gold, Question
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.store import load
from memgauge.scoring.voiced import Truth
from memgauge.studies.context.assembled import FATES, RetrievedContext, asked, fate, measure_lane
from memgauge.studies.context.policies import POLICIES, Assembly, Cut, RetrievedMemory
from memgauge.text.counting import DEFAULT
from support.handmade import planned, two_questions

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.studies.context.assembled import AssemblyLane, Fate

TURNS = {
    "t1": (0, "I live in Porto."),
    "t2": (1, "I moved to Braga."),
    "t3": (2, "My ticket is QX-4471."),
    "t4": (3, "Nice weather."),
}
VALUES = {"t1": ("Porto",), "t2": ("Braga",)}


def memory(rank: int, *turns: str, text: str = "", marked: bool = False) -> RetrievedMemory:
    """Return a memory of some turns, in their own words unless others are given."""
    said = text or " ".join(TURNS[turn][1] for turn in turns)
    return RetrievedMemory(rank, said, max(TURNS[turn][0] for turn in turns), Voiced(frozenset(turns), (), marked))


def told(
    *items: RetrievedMemory,
    evidence: tuple[str, ...] = ("t2",),
    stale: tuple[str, ...] | None = ("t1",),
    policy: str = "relevance-first",
    budget: int = 500,
    cut: Cut = Cut.WHOLE,
) -> Fate:
    """Say what became of the evidence of one question."""
    question = Question(id="q1", conversation="c1", text="Where do I live?", category="now")
    gold = Gold("q1", tuple(Evidence(turn, exact=True, turns=(turn,)) for turn in evidence), stale=stale)
    one = RetrievedContext(question, gold, items, TURNS, VALUES)
    return fate(one, Assembly(policy, budget, DEFAULT, cut, "Answer.").assemble(items))


def test_evidence_beside_what_it_replaced() -> None:
    """Both versions are there: recall and survival are 1, and the stale one stands beside it, after it."""
    found = told(memory(0, "t2"), memory(1, "t1"))
    assert (found.recall, found.survival, found.complete, found.loss) == (1, 1, 1, 0)
    assert (found.stale, found.beside, found.ordered, found.marked) == (1, 1, 0, 0)
    assert (found.depth, found.edge) == (0, 1)


def test_order_decides_who_has_the_last_word() -> None:
    """By time, the newest version comes last; so does the best where relevance comes last."""
    both = (memory(0, "t2"), memory(1, "t1"))
    assert told(*both, policy="chronological").ordered == 1
    assert told(*both, policy="relevance-last").ordered == 1
    older = told(memory(0, "t1"), memory(1, "t2"), evidence=("t1",), stale=("t2",))
    assert (older.beside, older.ordered) == (1, None)


def test_a_memory_that_marks_history_says_so() -> None:
    """Where all that is stale is marked as past, the prompt tells."""
    assert told(memory(0, "t2"), memory(1, "t1", marked=True)).marked == 1
    assert told(memory(0, "t2")).marked is None


def test_without_stale_versions_staleness_is_undefined() -> None:
    """Where the data do not say what is stale, or nothing is, no share is made up."""
    for stale in (None, ()):
        found = told(memory(0, "t2"), memory(1, "t1"), stale=stale)
        assert (found.stale, found.beside, found.ordered) == (None, None, None)


def test_what_is_cut_was_found_and_is_lost() -> None:
    """A memory beyond the budget counts for recall and not for survival."""
    found = told(memory(0, "t4"), memory(1, "t2"), budget=7)
    assert (found.recall, found.survival, found.loss, found.complete) == (1, 0, 1, 0)
    assert (found.depth, found.edge, found.beside, found.verbatim) == (None, None, None, None)


def test_what_is_cut_in_two_survives_by_its_value() -> None:
    """Cut at the end, a memory whose value is still there survives; one whose value is gone does not."""
    kept = [told(memory(0, "t2"), cut=Cut.END, budget=budget).survival for budget in (4, 5, 6, 7)]
    assert kept == sorted(kept)
    assert set(kept) == {0, 1}
    whole = told(memory(0, "t4"), evidence=("t4",), cut=Cut.END, budget=5)
    assert (whole.recall, whole.survival) == (1, 0)


def test_evidence_in_several_turns_is_judged_turn_by_turn() -> None:
    """Survival is a share, and all of them a question of its own."""
    found = told(memory(0, "t4"), memory(1, "t3"), evidence=("t2", "t3"), stale=None)
    assert (found.recall, found.survival, found.complete) == (0.5, 0.5, 0)
    assert len(found.depths) == 1


def test_a_memory_that_rewrote_the_value_away_does_not_express_it() -> None:
    """Lineage alone is no survival: the value has to stand there."""
    found = told(memory(0, "t2", text="The user moved somewhere."))
    assert (found.recall, found.survival) == (1, 0)


def test_identifiers_have_to_stand_letter_by_letter() -> None:
    """An identifier that a memory rewrote is not verbatim, though its turn survives."""
    exact = told(memory(0, "t3"), evidence=("t3",), stale=None)
    loose = told(memory(0, "t3", text="The ticket is QX 4471."), evidence=("t3",), stale=None)
    assert (exact.verbatim, loose.verbatim, loose.survival) == (1, 0, 1)
    assert told(memory(0, "t2")).verbatim is None


def test_the_same_turns_again_are_redundant() -> None:
    """A memory that speaks for nothing new counts by its share of the text."""
    assert told(memory(0, "t2"), memory(1, "t2")).redundancy == 0.5
    assert told(memory(0, "t2"), memory(1, "t1")).redundancy == 0
    assert told().redundancy is None


def test_instructions_may_be_lost() -> None:
    """A window on the newest tokens loses what stands first."""
    many = [memory(n, "t4") for n in range(20)]
    assert told(*many, cut=Cut.START, budget=40).intact == 0
    assert told(*many, cut=Cut.END, budget=40).intact == 1


@pytest.fixture(scope="module")
def lanes(lines: dict[str, Run], world: Dataset, truth: Truth) -> dict[str, AssemblyLane]:
    """Assemble the prompts of three real runs."""
    return {
        name: measure_lane(run, asked(run, world, truth, 10), Assembly("relevance-first", 300, DEFAULT))
        for name, run in lines.items()
    }


def test_recall_hides_what_stands_beside(lanes: dict[str, AssemblyLane]) -> None:
    """Two memories that recall can hardly tell apart differ in every other prompt by the version that is over."""
    bm25, pipeline = lanes["bm25"].measures, lanes["pipeline"].measures
    assert abs((bm25["recall@k"].mean or 0) - (pipeline["recall@k"].mean or 0)) < 0.15
    beside = [measures["stale beside evidence"].mean or 0 for measures in (bm25, pipeline)]
    assert beside[0] > 0.6
    assert beside[1] < 0.3


def test_every_measure_has_its_denominator(lanes: dict[str, AssemblyLane]) -> None:
    """Means are over the questions for which a measure is defined."""
    for lane in lanes.values():
        assert set(lane.measures) == set(FATES)
        for name, value in FATES.items():
            defined = [found for one in lane.fates if (found := value(one)) is not None]
            assert lane.measures[name].n == len(defined)
            if defined:
                assert lane.measures[name].mean == pytest.approx(sum(defined) / len(defined))


def test_survival_does_not_depend_on_the_order(lines: dict[str, Run], world: Dataset, truth: Truth) -> None:
    """The same memories are kept under every order; only places differ."""
    questions = asked(lines["bm25"], world, truth, 10)
    found = [measure_lane(lines["bm25"], questions, Assembly(name, 120, DEFAULT)) for name in POLICIES.builtin]
    for name in ("recall@k", "survival", "truncation loss", "stale beside evidence", "tokens"):
        assert len({lane.measures[name].mean for lane in found}) == 1
    assert len({lane.measures["depth"].mean for lane in found}) > 1


def test_losses_add_up(lanes: dict[str, AssemblyLane]) -> None:
    """Recall is survival and loss; evidence that survives was found."""
    for one in (one for lane in lanes.values() for one in lane.fates):
        assert one.recall == pytest.approx(one.survival + one.loss)
        assert one.loss >= -1e-9
        assert one.complete == float(one.survival == 1)


def test_fewer_hits_cannot_keep_more(lines: dict[str, Run], world: Dataset, truth: Truth) -> None:
    """The first two of ten hold no more evidence than all of them."""
    few, many = (asked(lines["bm25"], world, truth, k) for k in (2, 10))
    assert all(len(one.items) <= 2 for one in few)
    assembly = Assembly("relevance-first", 10_000, DEFAULT)
    for one, other in zip(few, many, strict=True):
        assert fate(one, assembly.assemble(one.items)).recall <= fate(other, assembly.assemble(other.items)).recall


def test_data_without_truth_have_no_stale_versions(tmp_path: Path) -> None:
    """On a dataset that does not say what is stale, survival is measured and staleness undefined."""
    data = two_questions()
    (folder,) = execute(planned(data, "full"), tmp_path, executor=Inline(), check=False)
    questions = asked(load(folder), data, Truth.of(data), 10)
    lane = measure_lane(load(folder), questions, Assembly("relevance-first", 500, DEFAULT))
    assert lane.measures["survival"].mean is not None
    assert lane.measures["stale in prompt"].mean is None


def test_a_run_without_texts_or_evidence_is_refused(lines: dict[str, Run], world: Dataset, truth: Truth) -> None:
    """Where texts were left out, or nothing has evidence, one sentence says what to measure instead."""
    run = lines["bm25"]
    bare = {name: [hit | {"text": None} for hit in hits] for name, hits in run.hits_of(_all(run), 10).items()}

    class Bare:
        folder, questions = run.folder, run.questions

        def hits_of(self, names: list[str], k: int) -> dict[str, list[dict[str, object]]]:
            return {name: bare[name][:k] for name in names}

    with pytest.raises(ConfigError, match="texts of this run were left out"):
        asked(Bare(), world, truth, 10)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no question with evidence"):
        asked(run, two_questions(), replace(truth, by_turn={}), 10)


def _all(run: Run) -> list[str]:
    return [str(name) for name in run.questions["question"].tolist()]
