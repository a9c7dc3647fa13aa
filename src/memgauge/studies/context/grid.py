"""A grid of cells: the same samples at every length and depth, asked of a model and scored."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.llm.asking import Inquiry, ReplyEnding, ask_many
from memgauge.llm.forms import FreeText
from memgauge.llm.prompts import Prompt
from memgauge.studies.context.sample import place
from memgauge.studies.context.scorer import score
from memgauge.studies.context.tasks import TASKS, sample
from memgauge.text.counting import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memgauge.llm.access import Access
    from memgauge.llm.asking import ReadReply
    from memgauge.studies.context.models import LocalModel
    from memgauge.studies.context.sample import Placed
    from memgauge.text.counting import TokenCounter

DEPTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
LENGTHS = (1_000, 2_000, 4_000, 8_000)
PARAMETERS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 200}


@cache
def prompt() -> Prompt:
    """Return what every model is told."""
    return Prompt(**tomllib.loads(files(__package__).joinpath("prompt.toml").read_text("utf-8")))


@dataclass(frozen=True)
class SampleGrid:
    """What is asked."""

    tasks: tuple[str, ...]
    lengths: tuple[int, ...] = LENGTHS
    """Tokens of context, question and instructions apart, ascending."""
    depths: tuple[float | None, ...] = DEPTHS
    """Shares of the context before the evidence; ``None`` leaves every piece at its own place."""
    samples: int = 100
    seed: int = 0
    counter: TokenCounter = DEFAULT

    def __post_init__(self) -> None:
        for task in self.tasks:
            TASKS.get(task)
        if not self.tasks or not self.lengths or not self.depths or self.samples < 1:
            raise ConfigError("A grid needs a task, a length, a depth and a sample each.")
        if list(self.lengths) != sorted(set(self.lengths)) or self.lengths[0] < 1:
            raise ConfigError(f"Lengths {self.lengths} do not ascend.")
        if any(depth is not None and not 0 <= depth <= 1 for depth in self.depths):
            raise ConfigError(f"Depths {self.depths} are not between 0 and 1.")

    def cells(self) -> Iterator[GridCell]:
        """Yield every cell, the samples of one task, length and depth together."""
        for task in self.tasks:
            for length in self.lengths:
                for depth in self.depths:
                    for number in range(self.samples):
                        yield GridCell(task, length, depth, number)

    def placed(self, cell: GridCell) -> Placed:
        """Make the prompt of one cell."""
        return place(sample(cell.task, cell.number, self.seed), cell.length, cell.depth, self.counter)

    def __len__(self) -> int:
        return len(self.tasks) * len(self.lengths) * len(self.depths) * self.samples


@dataclass(frozen=True, slots=True)
class GridCell:
    """One sample at one place."""

    task: str
    length: int
    depth: float | None
    number: int


@dataclass(frozen=True, slots=True)
class GridResult:
    """What came of one cell."""

    cell: GridCell
    right: bool | None
    """``None`` where there is no answer to score."""
    f1: float = 0.0
    published: float = 0.0
    dumped: bool = False
    failed: str = ""


def inquiry(placed: Placed) -> Inquiry[str]:
    """Put one prompt into words."""
    return Inquiry(prompt().render(context=placed.text, question=placed.sample.question), FreeText(), PARAMETERS)


def ask(
    grid: SampleGrid, cells: Iterable[GridCell], access: Access, local: LocalModel | None = None
) -> Iterator[GridResult]:
    """Ask about every cell and score the answers, in order; prompts are made as they are needed.

    *local* is the model itself, where it is one that has to be told what is right.

    Raises:
        BudgetError: At the first request that was refused.
    """

    def inquiries() -> Iterator[tuple[tuple[GridCell, Placed], Inquiry[str]]]:
        for cell in cells:
            placed = grid.placed(cell)
            question = inquiry(placed)
            if local is not None:
                local.expect(question.request(access.name), placed)
            yield (cell, placed), question

    for (cell, placed), answer in ask_many(access, inquiries(), access.workers):
        yield _scored(cell, placed, answer)


def _scored(cell: GridCell, placed: Placed, answer: ReadReply[str]) -> GridResult:
    """Score a reply; one that was cut off is a dump where it is long already, and else no answer."""
    if answer.reply is None:
        return GridResult(cell, None, failed=answer.reason)
    answer_score = score(answer.text, placed.sample)
    if answer.value is not None or (answer.ending is ReplyEnding.CUT and answer_score.dumped):
        return GridResult(cell, answer_score.right, answer_score.f1, answer_score.published, answer_score.dumped)
    return GridResult(cell, None, failed=f"the reply is no answer: it {answer.reason}")
