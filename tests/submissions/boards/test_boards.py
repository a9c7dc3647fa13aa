"""Who stands on a board, in which order, and who is kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.registry import LANES, SYSTEMS, MadeSubmission, add_submission, bare_runs
from memgauge.submissions.boards.quality import quality_board
from memgauge.submissions.sheets.registry import LaneSheet, ProductSheet
from support.small_registry import BOARD, change, copied, id_of, object_to, rewrite, withdraw

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.boards.board import QualityRow, ResultsBoard
    from memgauge.submissions.site.registry_view import RegistryView
    from support.small_registry import ViewOf


def board(view: RegistryView, name: str = BOARD) -> ResultsBoard:
    """Find a board."""
    return next(each for each in view.boards if each.name == name)


def row(view: RegistryView, submission: str, name: str = BOARD) -> QualityRow:
    """Find a row of a board."""
    return next(each for each in board(view, name).rows if each.head.submission == submission)


def ids(found: ResultsBoard) -> list[str]:
    """Name the submissions of a board in their order."""
    return [each.head.submission for each in found.rows]


@pytest.fixture
def mine(small_registry: Path, tmp_path: Path) -> Path:
    """Copy the registry."""
    return copied(small_registry, tmp_path / "registry")


def test_a_lane_holds_its_own_and_the_baseline(small_view: RegistryView) -> None:
    """Rows of another lane stand elsewhere; bm25, which asks no model, stands on every board."""
    lanes = {name: {each.head.lane for each in board(small_view, f"tiny-{name}-tokens.1").rows} for name in LANES}
    assert lanes[LANES[0]] == {LANES[0], "lexical"}
    assert lanes[LANES[3]] == {"lexical"}
    assert board(small_view, f"tiny-{LANES[3]}-tokens.1").guests
    assert not board(small_view).guests
    assert board(small_view).notes == ()  # every setting stands


def test_a_board_of_a_dataset_that_nobody_submitted_on_counts_nothing(small_view: RegistryView) -> None:
    """Neither questions nor conversations."""
    repository = small_view.repository
    sheet = repository.boards[BOARD]
    lane, contract = repository.lanes[sheet.lane], repository.contracts[sheet.contract]
    deserted = quality_board(sheet, lane, contract, (), None)
    assert (deserted.rows, deserted.questions, deserted.conversations) == ((), 0, 0)


def test_runs_of_one_submission_are_one_row(small_view: RegistryView) -> None:
    """Two seeds are one row: the mean, with the lower and the higher run beside it."""
    first = next(each for each in board(small_view).rows if not each.head.baseline)
    assert first.seeds == 2
    assert first.spread is not None
    assert first.value is not None
    assert first.spread[0] - 1e-6 <= first.value <= first.spread[1] + 1e-6
    runs = small_view.by_id[first.head.submission].rows["tiny"].runs
    means = [run.scores[board(small_view).measure].value or 0.0 for run in runs]
    assert first.value == pytest.approx(sum(means) / 2)


def test_order_is_by_tie_group_and_then_by_name(small_view: RegistryView) -> None:
    """Who leads inside a group is the alphabet's choice."""
    keys = [(each.group or 0, each.head.title.casefold()) for each in board(small_view).rows]
    assert keys == sorted(keys)
    assert min(each.group or 0 for each in board(small_view).rows) == 1


def test_a_division_is_never_mixed(mine: Path, viewed: ViewOf) -> None:
    """A closed submission stands on no open board."""
    name = change(mine, 0, division="closed")
    assert name not in ids(board(viewed(mine)))


def test_what_was_withdrawn_or_superseded_leaves(mine: Path, viewed: ViewOf) -> None:
    """Its rows are gone from boards, and it says why."""
    old, gone = id_of(mine, 0), withdraw(mine, 1)
    change(mine, 2, supersedes=old)
    view = viewed(mine)
    assert not {old, gone} & set(ids(board(view)))
    assert view.by_id[old].gone == f"superseded by {id_of(mine, 2)}"
    assert view.by_id[gone].gone.startswith("withdrawn on 2027-02-01 by ann")


def test_objections_leave_their_marks(mine: Path, viewed: ViewOf) -> None:
    """A footnote is read beside the row; a removed submission leaves the board."""
    name = object_to(mine, 0, "footnote", footnote="Its version was misread.")
    assert any("Its version was misread." in text for text in row(viewed(mine), name).head.footnotes)
    object_to(mine, 0, "removed")
    assert name not in ids(board(viewed(mine)))


def test_a_stand_in_is_never_ranked(mine: Path, viewed: ViewOf) -> None:
    """On a lane of stand-ins nobody has a place, and the board says that it shows plumbing."""
    rewrite(mine, f"registry/lanes/{LANES[0]}.toml", LaneSheet, kind="scripted")
    shown = board(viewed(mine))
    assert shown.plumbing
    assert {each.group for each in shown.rows} == {None}
    assert shown.rows[0].barred


def test_our_own_product_is_the_last_of_its_group(mine: Path, viewed: ViewOf) -> None:
    """Marked, and behind everybody who is not told apart from it."""
    rewrite(mine, "registry/products/bm25.toml", ProductSheet, own=True, title="AAA")
    rows = [each for each in board(viewed(mine)).rows if each.group == 1]
    assert [each.head.own for each in rows] == sorted(each.head.own for each in rows)
    assert any(each.head.own for each in rows)


def test_old_rows_of_a_provider_are_grey(mine: Path, viewed: ViewOf) -> None:
    """A year later, by the newest day of the registry and by no clock, they stand back."""
    rewrite(mine, f"registry/lanes/{LANES[0]}.toml", LaneSheet, kind="paid")
    assert not any(each.head.grey for each in board(viewed(mine)).rows)
    object_to(mine, 5, "none", decided_on="2028-06-01")
    assert any(each.head.grey for each in board(viewed(mine)).rows)


def test_a_failure_of_isolation_is_a_banner_elsewhere(small_view: RegistryView) -> None:
    """Who fails there is named on all other boards on which it stands."""
    isolation = board(small_view, "isolation.1")
    (looked,) = isolation.checked
    wrong = {name for name, state in looked.states.items() if state == "broken"}
    assert wrong
    assert not isolation.banners
    assert set(board(small_view).banners) == wrong
    assert board(small_view, f"tiny-{LANES[3]}-tokens.1").banners == {}


def test_golden_is_counted_by_family_and_named(small_view: RegistryView) -> None:
    """Every family with a failure has a count and names."""
    (looked,) = board(small_view, "golden.1").checked
    assert looked.played > sum(looked.failed.values()) > 0
    assert set(looked.failed) == set(looked.named)
    assert all(looked.named.values())


def test_a_board_of_answers_without_grades_is_empty(small_view: RegistryView) -> None:
    """Bundles hold no answers: it counts who would stand there, and says that its judge has no certificate."""
    shown = board(small_view, "answers.1")
    assert shown.rows == ()
    assert shown.notes == (
        "Its judge somebody has no certificate.",
        "Submissions without grades of answers, which are not here: 5.",
    )


@pytest.mark.slow
def test_a_ninth_setting_waits(mine: Path, viewed: ViewOf, tmp_path: Path) -> None:
    """At most eight settings of a product stand, the first ones, whatever they found."""
    bases = bare_runs(tmp_path / "runs")
    for number in range(100, 106):
        made = MadeSubmission(number, "product-000", LANES[0], f"202702{number - 90}", SYSTEMS[0])
        add_submission(mine, bases, 1, made)
    shown = board(viewed(mine))
    assert sum(each.head.product == "product-000" for each in shown.rows) == 8
    assert len(shown.beyond) == 2
    assert "the first ones; there are more of Product 000" in " ".join(shown.notes)
