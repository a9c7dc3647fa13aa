"""A board of answers ranks by the grades of one certified judge, and says of everybody else why not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MalformedDataError
from memgauge.runs.record.seal import file_hash
from memgauge.show.markdown import markdown
from memgauge.submissions.layout import GRADES, SHEET
from memgauge.submissions.repository import Repository
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.grades import GradesSheet
from memgauge.submissions.sheets.registry import BoardSheet, JudgeSheet
from memgauge.submissions.sheets.writing import sheet_text
from memgauge.submissions.site.board_page import board_document
from support.graded import BOARD, CERTIFICATE, TINY
from support.small_registry import copied, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.submissions.boards.board import QualityRow, ResultsBoard
    from support.small_registry import ViewOf


@pytest.fixture
def mine(graded_registry: Path, tmp_path: Path) -> Path:
    """Copy the registry."""
    return copied(graded_registry, tmp_path / "registry")


def shown(view: ViewOf, root: Path) -> ResultsBoard:
    """Build the board of answers."""
    return next(each for each in view(root).boards if each.name == BOARD)


def row_of(board: ResultsBoard, product: str) -> QualityRow:
    """Find a row."""
    return next(each for each in board.rows if each.head.product == product)


def edited(root: Path, product: str, change: Callable[[dict[str, Any]], object], *, named: bool = True) -> None:
    """Change the grades of a submission, and, where *named*, the digest in its sheet with them."""
    (folder,) = (path.parent for path in root.glob(f"submissions/{product}/*/*/{GRADES}"))
    data = json.loads((folder / GRADES).read_text("utf-8"))
    for graded in data["graded"]:
        change(graded)
    before = file_hash(folder / GRADES)
    (folder / GRADES).write_text(json.dumps(data), "utf-8")
    if named:
        text = (folder / SHEET).read_text("utf-8")
        (folder / SHEET).write_text(text.replace(before, file_hash(folder / GRADES)), "utf-8")


def test_accuracy_is_the_share_of_right_grades(graded_registry: Path, viewed: ViewOf) -> None:
    """Of all questions that can be judged, over all runs, with interval and spread; tokens stand beside it."""
    board = shown(viewed, graded_registry)
    submission = next(each for each in Repository.at(graded_registry).submissions() if "tfidf" in each.place)
    read = read_sheet(GradesSheet, submission.folder / GRADES)
    judged = {gold.question for gold in open_dataset(TINY).gold() if gold.answers or gold.abstain}
    shares = [sum(each.grades[name] == "correct" for name in judged) / len(judged) for each in read.graded]
    row = row_of(board, "tfidf")
    assert row.value == pytest.approx(sum(shares) / 2)
    assert row.spread == (min(shares), max(shares))
    assert row.low is not None
    assert row.low <= (row.value or 0.0) <= (row.high or 0.0)
    assert (board.judge, row.seeds, row.asked, board.questions) == ("exact", 2, 2 * len(judged), len(judged))
    assert row.cost == row.tokens
    assert row.group == row_of(board, "bm25").group == 1


def test_what_was_not_decided_or_not_answered_counts_nothing(mine: Path, viewed: ViewOf) -> None:
    """It stays in the denominator, and is counted apart."""

    def change(graded: dict[str, Any]) -> None:
        names = list(graded["grades"])
        graded["grades"] |= dict.fromkeys(names, "correct") | {names[0]: "unscored", names[1]: "failed"}
        del graded["grades"][names[2]]

    edited(mine, "bm25", change)
    row = row_of(shown(viewed, mine), "bm25")
    assert (row.unscored, row.unanswered, row.asked) == (2, 4, 64)
    assert row.value == pytest.approx(1 - 3 / 32)


def test_another_judge_is_not_compared(graded_registry: Path, viewed: ViewOf) -> None:
    """Its row stands without a value, and names who judged."""
    row = row_of(shown(viewed, graded_registry), "recency")
    assert (row.group, row.value) == (None, None)
    assert any("judged by strict, and this board is of exact" in reason for reason in row.barred)


def test_grades_that_are_not_those_of_the_sheet_have_no_value(mine: Path, viewed: ViewOf) -> None:
    """A board does not rely on somebody's having checked."""
    edited(
        mine,
        "bm25",
        lambda graded: graded["grades"].update(dict.fromkeys(graded["grades"], "correct")),
        named=False,
    )
    row = row_of(shown(viewed, mine), "bm25")
    assert row.value is None
    assert any("not the file that its sheet names" in reason for reason in row.barred)


def _judge(root: Path, **fields: Any) -> None:
    rewrite(root, "registry/judges/exact.toml", JudgeSheet, **fields)


def _unfit(root: Path) -> None:
    data = json.loads((root / CERTIFICATE).read_text("utf-8"))
    for rate in data["rates"]:
        rate["accepted"] |= {"mean": 1.0}
    (root / CERTIFICATE).write_text(json.dumps(data), "utf-8")


def _other_panel(root: Path) -> None:
    data = json.loads((root / CERTIFICATE).read_text("utf-8"))
    data["details"]["parameters"][0]["temperature"] = 1
    (root / CERTIFICATE).write_text(json.dumps(data), "utf-8")


def _fewer_prompts(root: Path) -> None:
    data = json.loads((root / CERTIFICATE).read_text("utf-8"))
    del data["details"]["prompts"]["judge-abstain"]
    (root / CERTIFICATE).write_text(json.dumps(data), "utf-8")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda root: _judge(root, certificate=""), "has no certificate"),
        (lambda root: _judge(root, certificate="../outside.json"), "is not in the registry"),
        (lambda root: (root / CERTIFICATE).unlink(), "is not in the registry"),
        (lambda root: (root / CERTIFICATE).write_text("{}", "utf-8"), "is no certificate"),
        (_unfit, "exact is unfit"),
        (_other_panel, "other parameters, or another quorum"),
        (_fewer_prompts, "says nothing of judge-abstain"),
    ],
    ids=["none", "outside", "missing", "nonsense", "unfit", "another panel", "untested prompt"],
)
def test_without_a_certificate_that_fits_nobody_is_ranked(
    mine: Path, viewed: ViewOf, spoil: Callable[[Path], object], why: str
) -> None:
    """Rows keep their values, and each says why it has no place."""
    spoil(mine)
    board = shown(viewed, mine)
    assert {row.group for row in board.rows} == {None}
    row = row_of(board, "bm25")
    assert row.value is not None
    assert any(why in reason for reason in row.barred), row.barred


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("answerer", "first", "this board is of answers by first"),
        ("context", "full", "not answered from what the memory returned"),
        ("prompt", "0" * 64, "with its registered prompt"),
    ],
)
def test_another_answerer_context_or_prompt_is_not_compared(
    mine: Path, viewed: ViewOf, field: str, value: str, why: str
) -> None:
    """Whoever answered, and from what, is the same for everybody on a board."""
    if field == "answerer":
        sheet = read_sheet(BoardSheet, mine / "boards" / f"{BOARD}.toml").model_copy(update={field: value})
        (mine / "boards" / f"{BOARD}.toml").write_text(sheet_text(sheet), "utf-8")
    elif field == "prompt":
        _judge(mine, prompt_sha256=value)
    else:
        edited(mine, "bm25", lambda graded: graded["answers"]["maker"].update(context=value))
    row = row_of(shown(viewed, mine), "bm25")
    assert row.value is None
    assert any(why in reason for reason in row.barred), row.barred


def test_a_judge_that_is_not_registered_is_named(mine: Path, viewed: ViewOf) -> None:
    """With the file that names it."""
    (mine / "registry/judges/exact.toml").unlink()
    with pytest.raises(MalformedDataError, match=rf"boards/{BOARD}\.toml names 'exact'"):
        viewed(mine)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"judge": ""}, "needs judge"),
        ({"dataset": "", "contract": ""}, "needs contract and dataset"),
        ({"division": "closed", "answerer": ""}, "closed board of answers needs an answerer"),
        ({"kind": "tokens"}, "are of boards of answers"),
    ],
    ids=["no judge", "no data", "no answerer", "another kind"],
)
def test_a_sheet_says_what_its_kind_needs(graded_registry: Path, changed: dict[str, str], why: str) -> None:
    """A board of answers has a judge, and no other board has one."""
    sheet = read_sheet(BoardSheet, graded_registry / "boards" / f"{BOARD}.toml")
    with pytest.raises(ValidationError, match=why):
        BoardSheet.model_validate(sheet.model_dump(by_alias=True) | changed)


def test_its_page_says_who_judged_and_that_nobody_can_judge_again(graded_registry: Path, viewed: ViewOf) -> None:
    """Leaders in a sentence, what was unscored in a column, and why somebody has no place."""
    board = shown(viewed, graded_registry)
    text = markdown(board_document(board))
    first, second = (row.head.title for row in board.rows if row.group == 1)
    for words in (
        f"Ahead, and not to be told apart: {first} and {second}.",
        "of answers are right, as the judge says",
        "Judged by exact, answered by extractive:sentences=1.",
        "nobody here can judge again",
        "| unscored | answered by |",
        "it was judged by strict",
    ):
        assert words in text
