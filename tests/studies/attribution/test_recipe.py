"""The figures of the study, computed again."""

from __future__ import annotations

import pytest

from memgauge.reproduce import Status, reproduce
from memgauge.studies.attribution import recipe
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.readers import WiredReader
from memgauge.studies.attribution.study import attribute


@pytest.mark.parametrize("questions", [4, pytest.param(recipe.QUESTIONS, marks=pytest.mark.slow)])
def test_every_figure_comes_out_as_claimed(questions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The designs, the wirings and the memories, of few questions too; the fifteen cells tell all eight apart."""
    monkeypatch.setattr(recipe, "QUESTIONS", questions)
    rows = {row.name: row for row in reproduce(["attribution"])}
    assert {name: row.measured for name, row in rows.items() if row.status is not Status.OK} == {}
    assert rows["separated_15_cells"].measured == 8


def test_as_many_questions_can_be_guessed_as_cannot() -> None:
    """Half of the recipe's own questions can be, as the claim on the guesser says of them."""
    rates = attribute(WiredReader("guesser"), make_questions(recipe.QUESTIONS)).rates
    assert rates.right_for_wrong_reason.share.mean == 0.5
