"""Scores of verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import IdentityError
from memgauge.llm.answerers import open_answerer
from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.scripted import Scripted
from memgauge.runs.layers.answering import answer_run
from memgauge.runs.layers.judging import judge_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.judged import judged_entry
from memgauge.scoring.verify import passed, verify

if TYPE_CHECKING:
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.store import Run

TINY = open_dataset("synthetic:tiny")
GOLD = GoldTable.read(TINY)


def made(tmp_path: Path, answerer: str = "first", system: str = "bm25") -> tuple[Run, Layer]:
    """Run and answer the tiny world."""
    (folder,) = execute(plan(["synthetic:tiny"], [system]), tmp_path, executor=Inline(), check=False)
    run = load(folder)
    return run, answer_run(run, TINY, open_answerer(answerer))


def judge(name: str, text: str) -> Judge:
    """Make a judge that always says *text*."""
    return Judge(Scripted(lambda _: text, name=name))


def test_verdicts_are_scored_and_everybody_is_counted(tmp_path: Path) -> None:
    """Right and wrong are scored; what was not judged, or not decided, is counted with its reason."""
    run, answers = made(tmp_path)
    panel = Panel((judge("a", "CORRECT"), judge("b", "INCORRECT"), judge("c", "hm")))
    verdicts = judge_layer(run, answers, TINY, panel, workers=2)
    found = judged_entry(run, answers, verdicts, GOLD)
    asked = [row for row in verdicts.rows() if not row["rule"]]
    assert found.score.denominator.excluded["verdict undecided"] == len(asked)
    assert found.by_judge["c"] == {"invalid": len(asked)}
    flips = {(flip.a, flip.b): flip for flip in found.flips}
    assert (flips["a", "b"].both, flips["a", "b"].agreed, flips["a", "b"].only_a) == (len(asked), 0, len(asked))
    assert flips["a", "c"].both == 0
    assert flips["a", "c"].kappa.reason == "no item was rated twice"
    assert passed(verify(run.folder))


@pytest.mark.parametrize("backwards", [False, True])
def test_verdicts_stand_on_answers_in_whatever_order_folders_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backwards: bool
) -> None:
    """A file system names what lies in a folder as it likes."""
    run, answers = made(tmp_path)
    judge_layer(run, answers, TINY, Panel((judge("a", "CORRECT"),)))
    entries = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda at: iter(sorted(entries(at), reverse=backwards)))
    assert passed(verify(run.folder))


def test_a_majority_is_right(tmp_path: Path) -> None:
    """With two of three for it every judged answer is right, and the same layer is opened again."""
    run, answers = made(tmp_path)
    panel = Panel((judge("a", "CORRECT"), judge("b", "INCORRECT"), judge("c", "CORRECT")))
    verdicts = judge_layer(run, answers, TINY, panel)
    found = judged_entry(run, answers, verdicts, GOLD)
    judged = [row for row in verdicts.rows() if not row["rule"]]
    assert {row["grade"] for row in judged} == {"correct"}
    assert found.fleiss.mean is not None
    silent = Panel(tuple(Judge(Scripted([], name=name)) for name in "abc"))
    assert judge_layer(run, answers, TINY, silent).hash == verdicts.hash


def test_an_empty_answer_is_judged_by_rule(tmp_path: Path) -> None:
    """It is right where the question must not be answered, and no model is asked."""
    run, answers = made(tmp_path, "none")
    panel = Panel((judge("a", "CORRECT"),))
    rows = judge_layer(run, answers, TINY, panel).rows()
    abstain = {gold.question for gold in TINY.gold() if gold.abstain}
    assert all(row["votes"] == [] for row in rows)
    assert {row["question"] for row in rows if row["grade"] == "correct"} == abstain
    assert (
        judged_entry(run, answers, judge_layer(run, answers, TINY, panel), GOLD).fleiss.reason
        == "no model was asked"
    )


def test_the_order_of_asking_is_shuffled_and_part_of_the_layer(tmp_path: Path) -> None:
    """Another seed asks in another order, and is another layer with the same verdicts."""
    run, answers = made(tmp_path)
    panel = Panel((judge("a", "CORRECT"),))
    first, second = (judge_layer(run, answers, TINY, panel, seed=seed) for seed in (0, 1))
    orders = [[row["question"] for row in layer.rows()] for layer in (first, second)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_verdicts_on_other_answers_are_refused(tmp_path: Path) -> None:
    """Verdicts name the answers that they stand on."""
    run, answers = made(tmp_path)
    other = answer_run(run, TINY, open_answerer("none"))
    verdicts = judge_layer(run, other, TINY, Panel((judge("a", "CORRECT"),)))
    with pytest.raises(IdentityError, match="stands on other answers"):
        judged_entry(run, answers, verdicts, GOLD)
