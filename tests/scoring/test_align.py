"""A run beside its gold: who is scored, who is not, and that it adds up."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import IdentityError
from memgauge.measures import parse
from memgauge.records import Contract
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import NOT_RUN, GoldTable
from support.handmade import five_questions, many_questions, planned
from support.systems import MARKS

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

GOLD = GoldTable.read(five_questions())


def test_questions_asked_out_of_order_keep_their_hits(runs: dict[str, Run]) -> None:
    """The second question was asked first, after one session; its ranks are its own."""
    judged = align(runs["five Backwards"], GOLD, Contract(), 60)
    assert judged.judged.returned.tolist() == [9, 3, 9, 9, 9]
    assert judged.rows(parse("MRR")).values.tolist() == [pytest.approx(1 / 7), 1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("contract", ["", "evidence=repair", "items=clean", "failures=zero", "target=raw"])
@pytest.mark.parametrize("system", ["Notebook", "Failing", "Nothing", "Digest"])
def test_denominators_add_up(runs: dict[str, Run], system: str, contract: str) -> None:
    """Whoever is not scored is counted under a reason; nobody is lost."""
    judged = align(runs[f"five {system}"], GOLD, Contract.parse(contract), 60)
    rows = judged.rows(parse("Recall@5"))
    denominator = judged.denominator(rows)
    assert denominator.total == 5
    assert denominator.scored == int(rows.defined.sum())
    assert denominator.scored + sum(denominator.excluded.values()) == 5


def test_what_a_measure_cannot_value_is_counted_as_such(runs: dict[str, Run]) -> None:
    """A question with nothing of the credited form is undefined, not zero."""
    judged = align(runs["five Digest"], GOLD, Contract.parse("target=raw"), 60)
    assert dict(judged.denominator(judged.rows(parse("Hit@1"))).excluded) == {
        "no evidence": 1, "no evidence resolves": 1, "undefined for this measure": 3,
    }  # fmt: skip


def test_failed_questions_are_excluded_by_outcome(runs: dict[str, Run]) -> None:
    """A label that says nothing comes before the failure of a system."""
    judged = align(runs["five Failing"], GOLD, Contract(), 60)
    assert Counter(judged.reasons) == {"error": 3, "no evidence": 1, "no evidence resolves": 1}
    assert align(runs["five Failing"], GOLD, Contract.parse("failures=zero"), 60).scored.sum() == 3


def test_conversations_that_were_not_run_are_not_part_of_the_denominator(tmp_path: Path) -> None:
    """A partial run is scored on its own questions."""
    work = planned(many_questions(), "support.systems:Notebook")
    cell = work.cells[0]
    part = type(cell)(cell.manifest.model_copy(update={"conversations": 1}), 1, 9, 6)
    (folder,) = execute(type(work)((part,), work.datasets), tmp_path, executor=Inline(), check=False)
    judged = align(load(folder), GoldTable.read(many_questions()), Contract(), 60)
    assert Counter(judged.reasons) == {"": 6, NOT_RUN: 18}
    assert str(judged.denominator(judged.rows(parse("Hit@1")))) == "6/6"
    assert judged.run_mask.sum() == 6


def test_memories_of_attempts_that_do_not_count_are_not_there_to_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a failed first attempt stored is no second member of the target."""
    monkeypatch.setenv(MARKS, str(tmp_path))
    limits = Limits(attempts=2, retries=0)
    (folder,) = execute(
        planned(many_questions(1, 2), "support.systems:SecondTime", limits=limits),
        tmp_path,
        executor=Inline(),
        check=False,
    )
    run, gold = load(folder), GoldTable.read(many_questions(1, 2))
    assert len(run.memories["attempt"]) == 18
    judged = align(run, gold, Contract.parse("credit=id"), 60)
    assert judged.rows(parse("Recall@60")).values.tolist() == [1.0, 1.0]


def test_other_data_is_refused(runs: dict[str, Run]) -> None:
    """Hits are never laid beside the gold of something else."""
    with pytest.raises(IdentityError):
        align(runs["two Notebook"], GOLD, Contract(), 60)
