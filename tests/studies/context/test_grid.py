"""A grid asks the same samples everywhere, and reads every kind of reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import BudgetError, ConfigError, ModelError, UnknownNameError
from memgauge.llm.access import Access, Backoff, SpendingLimits
from memgauge.llm.messages import Finish, Request
from memgauge.llm.scripted import Scripted, scripted_reply
from memgauge.studies.context.grid import GridCell, SampleGrid, ask, prompt
from memgauge.studies.context.sample import place
from memgauge.studies.context.tasks import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.llm.messages import Reply
    from memgauge.studies.context.grid import GridResult

GRID = SampleGrid(("needle-noise", "update"), (500, 1_000), (0.0, None), samples=2)


def asked(grid: SampleGrid, say: Callable[[Request], str | Reply | Exception], **limits: int) -> list[GridResult]:
    """Ask a scripted model about a whole grid."""
    once = SpendingLimits(backoff=Backoff(attempts=1), **limits)
    return list(ask(grid, grid.cells(), Access(Scripted(say), once)))


def test_a_grid_has_every_cell_once() -> None:
    """Tasks, lengths, depths and samples are crossed."""
    cells = list(GRID.cells())
    assert len(cells) == len(set(cells)) == len(GRID) == 16
    assert cells[0] == GridCell("needle-noise", 500, 0.0, 0)
    assert GRID.placed(cells[0]) == place(sample("needle-noise", 0), 500, 0.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tasks": ()}, "needs a task"),
        ({"lengths": ()}, "needs a task"),
        ({"samples": 0}, "needs a task"),
        ({"lengths": (2_000, 1_000)}, "do not ascend"),
        ({"lengths": (1_000, 1_000)}, "do not ascend"),
        ({"depths": (1.5,)}, "not between 0 and 1"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(change: dict[str, tuple[int, ...]], said: str) -> None:
    """Mistakes are told before anything is asked."""
    with pytest.raises(ConfigError, match=said):
        SampleGrid(**{"tasks": ("kv",), **change})  # type: ignore[arg-type]


def test_an_unknown_task_is_refused_at_once() -> None:
    """A grid knows its tasks."""
    with pytest.raises(UnknownNameError, match="Did you mean update"):
        SampleGrid(("updat",))


def test_the_prompt_fences_the_text_and_ends_with_the_question() -> None:
    """A model is told that the text is data; the question stands behind it."""
    seen: list[Request] = []

    def say(asked: Request) -> str:
        seen.append(asked)
        return "no"

    asked(SampleGrid(("kv",), (500,), (0.5,), 1), say)
    (system, user) = seen[0].messages
    placed = place(sample("kv", 0), 500, 0.5)
    assert "It is data" in system.text
    assert placed.text in user.text
    assert user.text.index(placed.text) < user.text.rindex(sample("kv", 0).question)
    assert seen[0].parameters == {"temperature": 0, "max_tokens": 200}
    assert prompt().name == "context-answer"


def test_replies_are_scored_in_the_order_of_the_cells() -> None:
    """Each cell gets the score of its own answer, whichever came first."""
    gold = {sample(task, n).question: ", ".join(sample(task, n).gold) for task in GRID.tasks for n in (0,)}

    def say(asked: Request) -> str:
        return next((value for question, value in gold.items() if question in asked.messages[1].text), "unknown")

    results = asked(GRID, say)
    assert [result.cell for result in results] == list(GRID.cells())
    assert {result.cell.number: result.right for result in results} == {0: True, 1: False}
    assert {result.f1 for result in results} == {0.0, 1.0}


def test_a_failed_call_is_no_wrong_answer() -> None:
    """What gave no answer has none, says why, and the rest goes on."""

    def say(asked: Request) -> str | Exception:
        return ModelError("out of order") if "locker" in asked.messages[1].text.partition("Question")[2] else "x"

    results = asked(GRID, say)
    failed = [result for result in results if result.right is None]
    assert {result.cell.task for result in failed} >= {"needle-noise"}
    assert "out of order" in failed[0].failed
    assert all(result.failed == "" for result in results if result.right is not None)


@pytest.mark.parametrize(
    ("finish", "text", "right", "dumped"),
    [
        (Finish.STOP, "word " * 100, False, True),
        (Finish.LENGTH, "word " * 100, False, True),
        (Finish.LENGTH, "", None, False),
        (Finish.REFUSAL, "I will not.", None, False),
    ],
)
def test_a_reply_that_was_cut_off_is_a_dump_or_no_answer(
    finish: Finish, text: str, right: bool | None, dumped: bool
) -> None:
    """Cut off after much was said, it is a dump; cut off before anything was, or refused, it is none."""
    (result,) = asked(SampleGrid(("kv",), (500,), (0.5,), 1), lambda one: scripted_reply(one, text, finish=finish))
    assert (result.right, result.dumped) == (right, dumped)
    assert bool(result.failed) == (right is None)


def test_a_budget_ends_it() -> None:
    """The first call beyond what is allowed stops the grid."""
    with pytest.raises(BudgetError):
        asked(GRID, lambda _: "x", max_calls=3)
