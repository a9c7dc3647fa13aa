"""Choices from frozen runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.llm.answerers import GivenAnswer
from memgauge.llm.choosers import Overlap
from memgauge.runs.layers.answering import Context
from memgauge.runs.layers.choosing import Showings, choices_of, choose_run
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.files import opened as open_file
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.store import load
from support.personas import RIGHT, WRONG, options_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Run


def made(tmp_path: Path, system: str = "bm25", options: str = "") -> tuple[Run, Any]:
    """Run one system on the invented personas."""
    ref = f"personamem:{options_file(tmp_path)}{options}"
    (folder,) = execute(plan([ref], [system]), tmp_path / "runs", executor=Inline(), check=False)
    return load(folder), open_dataset(ref)


class Fixed:
    """Replies with one letter, or what it is told, and remembers what it was shown."""

    name = "fixed"
    version = "1"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.shown: list[tuple[str, ...]] = []
        self.contexts: list[tuple[str, ...]] = []

    def choose(self, question: str, shown: Sequence[str], context: Sequence[str]) -> GivenAnswer:
        """Reply."""
        assert question == "What do I do every week?"
        self.shown.append(tuple(shown))
        self.contexts.append(tuple(context))
        return GivenAnswer(self.reply, len(context), raw=self.reply)


def test_options_never_reach_a_memory(tmp_path: Path) -> None:
    """Neither what was written nor what was searched for holds a wrong option; where the run says so, it does."""
    for options, there in (("", False), (",search=options", True)):
        folder = tmp_path / str(there)
        folder.mkdir()
        run, dataset = made(folder, options=options)
        with open_file(run.folder / JOURNAL) as journal:
            text = journal.read().decode()
        questions = [q.text for case in dataset.cases() for q in case.questions]
        assert any(WRONG[0] in question for question in questions) is there
        assert WRONG[0] not in text


def test_every_question_is_shown_in_as_many_orders_as_wanted(tmp_path: Path) -> None:
    """A row a showing, with the order and the chosen option in the dataset's own order."""
    run, dataset = made(tmp_path)
    chooser = Fixed("a")
    rows = choose_run(run, dataset, chooser, showings=Showings(times=4)).rows()
    assert len(rows) == 4 * 6
    for number, row in enumerate(rows):
        options = choices_of(dataset)[row["question"]].options
        assert chooser.shown[number] == tuple(options[place] for place in row["order"])
        assert row["choice"] == row["order"][0]
        assert row["key"] == f"{row['question']}#{number % 4}"
    assert {row["order"][0] for row in rows if row["question"] == "p0_q0"} == {0, 1, 2, 3}


def test_a_reply_that_names_no_option_is_no_choice(tmp_path: Path) -> None:
    """It is kept as it was said, and nothing is chosen for it."""
    run, dataset = made(tmp_path)
    rows = choose_run(run, dataset, Fixed("a or b")).rows()
    assert {(row["outcome"], row["choice"], row["text"]) for row in rows} == {("ok", None, "a or b")}
    silent = Fixed("")
    silent.version = "2"
    rows = choose_run(run, dataset, silent).rows()
    assert {(row["outcome"], row["choice"]) for row in rows} == {("empty", None)}


def test_a_failed_search_is_failed_and_asks_nobody(tmp_path: Path) -> None:
    """There is nothing to choose from, and no reader is blamed."""
    run, dataset = made(tmp_path, "faulty:raises")
    chooser = Fixed("a")
    rows = choose_run(run, dataset, chooser).rows()
    assert {(row["outcome"], row["choice"]) for row in rows} == {("error", None)}
    assert not chooser.shown


def test_contexts_and_seeds_make_layers_of_their_own(tmp_path: Path) -> None:
    """A reader without a memory is shown nothing; the same again asks nobody."""
    run, dataset = made(tmp_path)
    chooser = Fixed("a")
    alone = choose_run(run, dataset, chooser, context=Context.NONE)
    assert set(chooser.contexts) == {()}
    asked = len(chooser.shown)
    assert choose_run(run, dataset, chooser, context=Context.NONE).hash == alone.hash
    assert len(chooser.shown) == asked
    assert choose_run(run, dataset, chooser, context=Context.NONE, showings=Showings(seed=1)).hash != alone.hash


def test_what_was_said_is_chosen_and_what_was_not_is_not(tmp_path: Path) -> None:
    """The reader by words finds each hobby in what was retrieved, in every order."""
    run, dataset = made(tmp_path)
    rows = choose_run(run, dataset, Overlap()).rows()
    said = [row for row in rows if row["question"].endswith("q0")]
    assert [choices_of(dataset)[row["question"]].options[row["choice"]] for row in said] == [
        hobby for hobby in RIGHT for _ in range(2)
    ]


def test_a_dataset_without_options_is_refused(tmp_path: Path) -> None:
    """Answers are for those; and one order says nothing of orders."""
    (folder,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path, executor=Inline(), check=False)
    with pytest.raises(ConfigError, match="no options to choose from"):
        choose_run(load(folder), open_dataset("synthetic:tiny"), Overlap())
    with pytest.raises(ConfigError, match="says nothing of orders"):
        Showings(times=1)
