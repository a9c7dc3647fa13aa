"""Scores of answers, and where wrong ones were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import IdentityError
from memgauge.llm.answerers import open_answerer
from memgauge.records import Contract, Failures
from memgauge.runs.layers.answering import Context, answer_run
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.answered import DEFAULT, answer_column, entry
from memgauge.scoring.attribution import Stage, attribute
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.verify import passed, verify

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run

TINY = open_dataset("synthetic:tiny")
GOLD = GoldTable.read(TINY)
ANSWERABLE = [g.question for g in GOLD.golds if g.answers and not g.abstain]
ABSTAIN = [g.question for g in GOLD.golds if g.abstain]


def made(tmp_path: Path, system: str = "bm25", k: int = 60) -> Run:
    """Run one system on the tiny world."""
    (folder,) = execute(
        plan(["synthetic:tiny"], [system], limits=Limits(k=k)), tmp_path, executor=Inline(), check=False
    )
    return load(folder)


def rows(texts: Mapping[str, str | None]) -> list[Row]:
    """Write answers; ``None`` is an error."""
    return [
        {
            "key": q,
            "question": q,
            "outcome": "error" if t is None else "ok" if t else "empty",
            "text": t,
            "shown": 1,
        }
        for q, t in texts.items()
    ]


def test_answers_are_scored_where_there_is_something_to_match() -> None:
    """The accepted answer is 1, another 0, and whoever cannot be scored is counted with the reason."""
    answers = {g.question: g.answers[0] for g in GOLD.golds if g.question in ANSWERABLE}
    wrong = ANSWERABLE[0]
    column = answer_column(rows(answers | {wrong: "xyzzy"} | dict.fromkeys(ABSTAIN, "x")), GOLD, Contract(), "EM")
    assert column.rows.values.sum() == len(ANSWERABLE) - 1
    assert column.denominator.scored == len(ANSWERABLE)
    assert dict(column.denominator.excluded) == {"the right reply is to abstain": len(ABSTAIN)}


def test_abstention_is_scored_on_both_sides() -> None:
    """Silence is right where nobody said, and wrong where somebody did."""
    silent = rows(dict.fromkeys([*ANSWERABLE, *ABSTAIN], ""))
    right = answer_column(silent, GOLD, Contract(), "Abstention")
    wrong = answer_column(silent, GOLD, Contract(), "FalseAbstention")
    assert (right.rows.values.sum(), right.denominator.scored) == (len(ABSTAIN), len(ABSTAIN))
    assert (wrong.rows.values.sum(), wrong.denominator.scored) == (len(ANSWERABLE), len(ANSWERABLE))


@pytest.mark.parametrize(("failures", "scored"), [(Failures.EXCLUDE, 0), (Failures.ZERO, 1)])
def test_a_failed_answer_counts_as_the_contract_says(failures: Failures, scored: int) -> None:
    """Excluded with its outcome, or zero; a question that could not be scored anyway keeps its own reason."""
    column = answer_column(rows({ANSWERABLE[0]: None}), GOLD, Contract(failures=failures), "F1")
    assert (column.denominator.scored, column.denominator.total) == (scored, 1)
    assert column.rows.values.sum() == 0
    other = answer_column(rows({ABSTAIN[0]: None}), GOLD, Contract(failures=failures), "F1")
    assert other.denominator.scored == 0


def test_a_layer_is_scored_as_a_whole(tmp_path: Path) -> None:
    """Every scorer with interval and denominator; a layer of another run is refused; the layer verifies."""
    run = made(tmp_path)
    layer = answer_run(run, TINY, open_answerer("extractive"))
    found = entry(run, layer, GOLD, Contract(), DEFAULT)
    assert [score.measure for score in found.scores] == list(DEFAULT)
    assert (found.scores[0].low or 0) <= (found.scores[0].value or 0) <= (found.scores[0].high or 0)
    assert (found.tokens or 0) > 0
    assert found.usd is None
    other = made(tmp_path, "recency")
    with pytest.raises(IdentityError, match="stands on another run"):
        entry(other, layer, GOLD, Contract(), DEFAULT)
    checks = {one.subject: one for one in verify(run.folder)}
    assert checks[f"layers/{layer.folder.name}"].verdict == "pass"
    (layer.folder / "rows.jsonl").write_text("")
    assert not passed(verify(run.folder))


def test_a_layer_that_stands_on_nothing_known_fails_verification(tmp_path: Path) -> None:
    """Moved to another run, a layer no longer stands on what it names."""
    run, other = made(tmp_path), made(tmp_path, "recency")
    layer = answer_run(run, TINY, open_answerer("first"))
    (other.folder / "layers").mkdir()
    layer.folder.rename(other.folder / "layers" / layer.folder.name)
    (found,) = [one for one in verify(other.folder) if one.subject.startswith("layers/")]
    assert (found.verdict, found.detail) == ("fail", "stands on something else")


def test_a_wrong_answer_is_lost_at_one_stage(tmp_path: Path) -> None:
    """Right, failed, unknown, never stored, not retrieved, cut, or not used: exactly one for each question."""
    run = made(tmp_path, k=3)
    layer = answer_run(run, TINY, open_answerer("first"))
    asked = layer.rows()
    hits = run.hits_of([row["question"] for row in asked], 3)
    anchors = {g.question: set(g.anchors()) for g in GOLD.golds}
    wrong = dict.fromkeys((row["question"] for row in asked), False)
    stages = attribute(run, asked, wrong, GOLD).stages
    for row in asked:
        wanted = anchors[row["question"]]
        found = any(wanted & set(hit["sources"]) for hit in hits[row["question"]])
        expected = Stage.UNKNOWN if not wanted else Stage.NOT_USED if found else Stage.NOT_RETRIEVED
        assert stages[row["question"]] is expected
    used = next(q for q, stage in stages.items() if stage is Stage.NOT_USED)
    cut = [row | {"shown": 0} if row["question"] == used else row for row in asked]
    assert attribute(run, cut, wrong, GOLD).stages[used] is Stage.CUT
    assert attribute(run, asked, {used: True}, GOLD).counts[Stage.RIGHT] == 1
    failed = [row | {"outcome": "timeout"} for row in asked]
    assert set(attribute(run, failed, wrong, GOLD).counts) == set(Stage)
    assert attribute(run, failed, {used: False}, GOLD).stages == {used: Stage.FAILED}


def test_what_was_never_stored_is_told_from_what_was_not_found(tmp_path: Path) -> None:
    """A memory that keeps the newest turn alone has lost the others before anybody asked."""
    run = made(tmp_path, "bm25:capacity=1")
    layer = answer_run(run, TINY, open_answerer("first"), context=Context.RETRIEVED)
    counts = attribute(run, layer.rows(), dict.fromkeys(ANSWERABLE, False), GOLD).counts
    assert counts[Stage.NOT_RETRIEVED] + counts[Stage.NOT_STORED] > 0
