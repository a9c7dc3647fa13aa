"""The shortcut audit."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.asked import ABSTAIN, QuestionKind
from memgauge.datasets.synthetic.words import WordingLevel
from memgauge.datasets.synthetic.writing import WorldOrder, write_world
from memgauge.errors import ConfigError
from memgauge.records import Question
from memgauge.stats.proportion import wilson
from memgauge.studies.quality.difficulty import ALL, together
from memgauge.studies.quality.oracle import answer
from memgauge.studies.quality.shortcuts import (
    BEREFT,
    BOUNDS,
    CHANGED,
    FIRST_TOLD,
    LAST_TOLD,
    ORACLE,
    TIME,
    audit,
    bound_of,
)
from memgauge.studies.quality.solvers import SOLVERS, is_right, look_around
from support.own import pin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.records import Gold
    from memgauge.studies.quality.shortcuts import ShortcutAudit
    from memgauge.studies.quality.solvers import SolverScene

KNOWN = {"attribution", "reference", "order"}
"""Kinds that are known to leave a shortcut open; docs/synthetic.md says which."""


@pytest.fixture(
    scope="module", params=["mixed", *(pytest.param(level, marks=pytest.mark.slow) for level in WordingLevel)]
)
def audited(request: pytest.FixtureRequest) -> ShortcutAudit:
    """Audit the small world at one level."""
    return audit(open_dataset(f"synthetic:small,level={request.param}"))


@cache
def scenes() -> tuple[tuple[SolverScene, Question, Gold], ...]:
    """Look around in the small world once, for each of its questions."""
    return tuple(_scenes())


def _scenes() -> Iterator[tuple[SolverScene, Question, Gold]]:
    for case, golds, _ in together(open_dataset("synthetic:small,level=lex")):
        scene = look_around(case)
        yield from ((scene, question, gold) for question, gold in zip(case.questions, golds, strict=True))


def test_truth_answers_everything_and_nothing_else_does(audited: ShortcutAudit) -> None:
    """The oracle is right on every question; without the evidence it answers none that had some."""
    for cell in audited.cells:
        if cell.solver in {ORACLE, BEREFT}:
            assert (cell.rate, cell.beaten) == (1, False), cell
    bereft = {cell.kind for cell in audited.cells if cell.solver == BEREFT}
    assert bereft == {ALL, CHANGED, *(set(QuestionKind) - ABSTAIN)}


def test_no_shortcut_is_open_that_is_not_known(audited: ShortcutAudit) -> None:
    """Every solver stays within its bounds, but for kinds that are known to be too easy."""
    assert {cell.kind for cell in audited.beaten} <= KNOWN


def test_rates_come_with_their_counts_and_intervals(audited: ShortcutAudit) -> None:
    """Every cell is a count of a count, with Wilson's interval; all kinds together are all questions."""
    for cell in audited.cells:
        interval = wilson(cell.right, cell.n)
        assert (cell.rate, cell.low, cell.high) == (interval.mean, interval.low, interval.high)
    totals = {cell.n for cell in audited.cells if cell.kind == ALL and cell.solver in SOLVERS}
    assert totals == {audited.questions} == {331}


def test_silence_is_exactly_the_base_rate(audited: ShortcutAudit) -> None:
    """Always to abstain is right where nothing can be answered, and nowhere else."""
    for cell in audited.cells:
        if cell.solver == "always-abstain" and cell.kind not in {ALL, CHANGED}:
            assert cell.rate == float(cell.kind in ABSTAIN)


def test_a_list_of_everything_states_nothing() -> None:
    """Who echoes the whole conversation gets no value, list, count or order right."""
    for scene, question, gold in scenes():
        if question.category != QuestionKind.DURATION:
            assert not is_right(SOLVERS["echo-all"](scene, question), question, gold)


def test_a_beaten_bound_is_told() -> None:
    """With the bounds of far wording, near wording is a shortcut."""
    found = audit(open_dataset("synthetic:tiny,level=lex"), "latent")
    assert ("bm25", "identifier") in {(cell.solver, cell.kind) for cell in found.beaten}


def test_every_solver_has_a_bound_or_finding_is_free() -> None:
    """Only who searches by words has kinds without a bound, and only where wording is near."""
    for level in ("mixed", *WordingLevel):
        for kind in (ALL, CHANGED, *QuestionKind):
            for solver in (ORACLE, *SOLVERS):
                bound = bound_of(solver, kind, level)
                assert bound is not None or level == WordingLevel.LEX, (solver, kind, level)
    assert all(bound_of(solver, kind, "lex") for solver in (LAST_TOLD, FIRST_TOLD) for kind in TIME)
    assert all(0 <= bound.limit <= 1 and bound.why for bound in BOUNDS)


def test_the_first_turn_picked_decides() -> None:
    """A stale first turn is wrong even if the right one follows, and the right one alone is right."""
    seen = 0
    for scene, question, gold in scenes():
        if question.category != QuestionKind.CURRENT or not gold.stale:
            continue
        place = {turn.id: turn for turn in scene.turns}
        right, wrong = place[gold.anchors()[0]], place[gold.stale[0]]
        assert is_right([right, wrong], question, gold)
        assert not is_right([wrong, right], question, gold)
        assert not is_right(None, question, gold)
        seen += 1
    assert seen > 10


def test_a_whole_needs_all_of_its_evidence() -> None:
    """Of a list, a count or a sum, one turn too few or a wrong one among them is wrong."""
    for scene, question, gold in scenes():
        if question.category == QuestionKind.COUNT:
            evidence = [turn for turn in scene.turns if turn.id in gold.anchors()]
            other = next(turn for turn in scene.turns if turn.id not in gold.anchors())
            assert is_right([*evidence, other], question, gold)
            assert not is_right([other, *evidence], question, gold)


def test_the_oracle_says_nothing_to_what_it_does_not_understand() -> None:
    """A question of another wording is none of the world's."""
    _, _, facts = next(iter(together(open_dataset("synthetic:tiny"))))
    assert answer(Question("q", "u", "How is the weather on Mars?", "current"), facts, []) is None


def test_a_folder_is_audited_at_the_level_that_it_was_written_at(tmp_path: Path) -> None:
    """The manifest says which bounds apply, and the cells are those of the generated world."""
    write_world(tmp_path, WorldOrder("tiny", level="para"))
    read, made = audit(open_dataset(f"own:{tmp_path}")), audit(open_dataset("synthetic:tiny,level=para"))
    assert read.level == "para"
    assert (read.cells, read.sha256) == (made.cells, made.sha256)


def test_other_datasets_are_refused(tmp_path: Path) -> None:
    """Solvers and bounds are about this world alone."""
    for name in ("turns", "questions", "truth"):
        (tmp_path / f"{name}.jsonl").write_text("")
    pin(tmp_path)
    with pytest.raises(ConfigError, match="no synthetic world"):
        audit(open_dataset(f"own:{tmp_path}"))
