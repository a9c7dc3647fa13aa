"""A system's own memories in random order: what its grain is worth without its search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.measures import parse
from memgauge.records import BOARD
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.floors import own_floor, rises, shuffled
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import DatasetSampling
from support.players import AsPlayers

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun

WORLD = open_dataset("synthetic:small")
GOLD = GoldTable.read(WORLD)
HEADLINE = parse("Recall@250tok")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Run a search, a floor and a memory that holds everything in one piece."""
    systems = ["bm25", "random", "recency", "crafted:everything"]
    folders = execute(
        plan(["synthetic:small"], systems), tmp_path_factory.mktemp("floors"), executor=AsPlayers(), check=False
    )
    return {load(folder).label: load(folder) for folder in folders}


def judged(run: Run) -> JudgedRun:
    """Lay a run beside its gold as a board does."""
    return align(run, GOLD, BOARD, 60)


def test_the_floor_of_turns_is_that_of_the_random_policy(played: dict[str, Run]) -> None:
    """A memory of turns is worth, without its search, what turns in random order are worth."""
    floor = own_floor(judged(played["bm25"]), GOLD)
    assert floor is not None
    own, random = (each.rows(HEADLINE) for each in (floor, judged(played["random"])))
    assert own.values[own.defined].mean() == pytest.approx(random.values[random.defined].mean(), abs=0.04)


def test_a_search_rises_and_a_single_memory_does_not(played: dict[str, Run]) -> None:
    """BM25 is better than its own memories in random order; who has one memory has nothing to search."""
    sampling = DatasetSampling.of(GOLD)
    for label, better in (("bm25", True), ("crafted:everything", False), ("recency", False)):
        run = judged(played[label])
        floor = own_floor(run, GOLD)
        assert floor is not None
        assert rises(run, floor, HEADLINE, sampling) is better, label


def test_an_order_is_drawn_without_replacement_and_repeats(played: dict[str, Run]) -> None:
    """No memory stands twice in a list, none is of another conversation, and the same run gives the same order."""
    run = played["bm25"]
    trace = shuffled(run, GOLD)
    again = shuffled(run, GOLD)
    assert np.array_equal(trace.memory, again.memory)
    homes = run.memories["conversation"]
    for place, question in enumerate(GOLD.questions):
        rows = trace.memory[trace.starts[place] : trace.starts[place + 1]]
        assert len(set(rows.tolist())) == len(rows)
        assert {str(homes[row]) for row in rows.tolist()} <= {question.conversation}


def test_without_texts_there_is_no_floor(played: dict[str, Run]) -> None:
    """Lengths that nobody knows fill no budget."""
    run = load(played["bm25"].folder)
    vars(run)["characters"] = np.full(run.stored, np.nan)
    assert own_floor(replace(judged(played["bm25"]), run=run), GOLD) is None


def test_one_conversation_cannot_say_whether_a_run_rises(played: dict[str, Run]) -> None:
    """Where everything was asked of one conversation nobody knows."""
    whole = judged(played["bm25"])
    home = GOLD.questions[0].conversation
    inside = tuple(
        "" if q.conversation == home and not r else "elsewhere"
        for q, r in zip(GOLD.questions, whole.reasons, strict=True)
    )
    floor = own_floor(whole, GOLD)
    assert floor is not None
    alone, bare = replace(whole, reasons=inside), replace(floor, reasons=inside)
    assert rises(alone, bare, HEADLINE, DatasetSampling.of(GOLD)) is None
