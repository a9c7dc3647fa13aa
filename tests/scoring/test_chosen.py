"""Scores of choices, and what options give away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, IdentityError
from memgauge.llm.choosers import Overlap
from memgauge.records import Choices, Contract, Failures
from memgauge.runs.layers.choosing import choices_of, choose_run
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.choice_floors import choice_floors
from memgauge.scoring.chosen import ChoiceEnding, choice_column, choice_entry, ending
from memgauge.scoring.gold import GoldTable
from support import known
from support.personas import options_file

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.rows import Row

SHOWN = Choices("q", "Which?", ("a", "bbbb", "cc", "bbbb"), 1)


def row(choice: int | None, outcome: str = "ok", question: str = "q") -> Row:
    """Write one showing."""
    return {"question": question, "outcome": outcome, "choice": choice, "order": [0, 1, 2, 3], "reason": ""}


@pytest.mark.parametrize(
    ("written", "how"),
    [
        (row(1), ChoiceEnding.RIGHT),
        (row(0), ChoiceEnding.WRONG),
        (row(None), ChoiceEnding.NO_CHOICE),
        (row(None, "empty"), ChoiceEnding.NO_CHOICE),
        (row(None, "error"), ChoiceEnding.FAILED),
    ],
)
def test_a_showing_ends_in_one_of_four_ways(written: Row, how: ChoiceEnding) -> None:
    """No choice is not wrong, and a failure is neither."""
    assert ending(written, SHOWN) is how


def test_floors_say_what_options_give_away() -> None:
    """Two that are longest share what they are worth; letters are counted as written and as shown."""
    choices = [SHOWN, Choices("p", "Which?", ("x", "y"), 0)]
    floors = choice_floors(choices, {"q": [(1, 0, 2, 3), (0, 1, 2, 3)], "p": [(0, 1), (0, 1)]})
    assert {floor.name: floor.accuracy for floor in floors} == {
        "chance": 0.375,
        "longest option": 0.5,
        "first option as written": 0.5,
        "most frequent letter as written": 0.5,
        "first option as shown": 0.75,
        "most frequent letter as shown": 0.75,
    }


def test_a_failed_showing_leaves_a_question_out_or_earns_nothing(tmp_path: Path) -> None:
    """As the contract says; the ledger names the reason."""
    gold = GoldTable.read(open_dataset(f"personamem:{options_file(tmp_path)}"))
    choices = choices_of(open_dataset(f"personamem:{tmp_path}/personas.json"))
    right = choices["p0_q0"].right
    rows = [row(right, question="p0_q0"), row(None, "error", "p0_q0"), row(right, question="p1_q0")]
    left_out = choice_column(rows, choices, gold, Contract(), "Choice")
    assert (left_out.denominator.scored, left_out.denominator.excluded) == (1, {"error": 1})
    zero = choice_column(rows, choices, gold, Contract(failures=Failures.ZERO), "Choice")
    assert zero.denominator.scored == 2
    assert zero.rows.values[gold.number["p0_q0"]] == 0.5
    with pytest.raises(ConfigError, match="models answer RUN"):
        choice_column(rows, choices, gold, Contract(), "F1")


def test_an_entry_counts_every_showing_and_every_category(tmp_path: Path) -> None:
    """Endings add up; floors and categories are of the questions that were shown."""
    ref = f"personamem:{options_file(tmp_path)}"
    folders = execute(plan([ref], ["bm25", "recency"]), tmp_path / "runs", executor=Inline(), check=False)
    run, other = map(load, folders)
    dataset = open_dataset(ref)
    gold, choices = GoldTable.read(dataset), choices_of(dataset)
    layer = choose_run(run, dataset, Overlap())
    made = choice_entry(run, layer, choices, gold, Contract())
    assert sum(made.endings.values()) == 12
    assert made.endings[ChoiceEnding.RIGHT] == 6
    by_category = {each.category: each for each in made.categories}
    assert (by_category["said"].accuracy, by_category["said"].questions) == (1.0, 3)
    assert by_category["unsaid"].accuracy == 0.0
    assert {each.chance for each in made.categories} == {0.25}
    assert {score.measure for score in made.scores} == {"Choice", "Choice(corrected)", "NoChoice", "SameChoice"}
    ends = {score.measure: (score.low, score.high) for score in made.scores}
    assert ends["Choice"][0] is not None
    low, high = ends["Choice(corrected)"]
    assert (
        known(low)
        < known(next(each.value for each in made.scores if each.measure == "Choice(corrected)"))
        < known(high)
    )
    with pytest.raises(IdentityError, match="stands on another run"):
        choice_entry(other, layer, choices, gold, Contract())
