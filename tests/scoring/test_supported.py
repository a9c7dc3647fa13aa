"""Answers beside the memories that they were made from, by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.llm.answerers import open_answerer
from memgauge.measures import parse
from memgauge.runs.layers.answering import Context, answer_run
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.supported import supported_columns

if TYPE_CHECKING:
    from pathlib import Path

TINY = open_dataset("synthetic:tiny")
GOLD = GoldTable.read(TINY)
ALL = [parse(f"{ending}(words)") for ending in ("Supported", "Contradicted", "Unsupported")]


def test_what_was_copied_from_a_memory_is_supported_by_it(tmp_path: Path) -> None:
    """The first memory as an answer claims nothing of its own; shares add up to 1."""
    (folder,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path, executor=Inline(), check=False)
    run = load(folder)
    columns = supported_columns(run, answer_run(run, TINY, open_answerer("first")), GOLD, ALL)
    supported = columns[0]
    assert supported.rows.defined.any()
    assert set(supported.rows.values[supported.rows.defined].tolist()) == {1.0}
    total = sum(column.rows.values for column in columns)
    assert set(np.asarray(total)[supported.rows.defined].tolist()) == {1.0}


def test_an_answer_without_memories_or_claims_is_undefined(tmp_path: Path) -> None:
    """Nothing was shown, or nothing was said: neither faithful nor not."""
    (folder,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path, executor=Inline(), check=False)
    run = load(folder)
    silent = answer_run(run, TINY, open_answerer("none"))
    blind = answer_run(run, TINY, open_answerer("first"), context=Context.ORACLE)
    for layer in (silent, blind):
        (column,) = supported_columns(run, layer, GOLD, ALL[:1])
        assert not column.rows.defined.any()
        assert column.denominator.excluded == {"nothing was claimed from memories": column.denominator.total}
