"""Let a reader choose among the options of a frozen run's questions, and keep what it chose as a layer.

Every question is shown several times, each time in another drawn order; a row is one showing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.datasets.base import HasChoices
from memgauge.errors import ConfigError
from memgauge.llm.choosing import chosen, showing
from memgauge.records import Outcome
from memgauge.runs.layers.answering import Context, answered, gather, is_lost
from memgauge.runs.layers.layer import LayerManifest, made_side_by_side, write_layer
from memgauge.text.tokens import TOKEN_COUNTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.llm.choosers import Chooser
    from memgauge.records import Choices
    from memgauge.runs.layers.answering import AnswerAttempt
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run


@dataclass(frozen=True)
class Showings:
    """How often each question is shown, and of what the orders are drawn."""

    seed: int = 0
    times: int = 2

    def __post_init__(self) -> None:
        if self.times < 2:
            raise ConfigError(
                f"Options are shown in {self.times} order, which says nothing of orders.",
                "Show them in at least 2.",
            )


@dataclass(frozen=True)
class Showing:
    """One question in one order, with what its reader is shown."""

    attempt: AnswerAttempt
    choices: Choices
    number: int
    """Which showing of the question it is, counted from 0."""
    order: tuple[int, ...]

    @property
    def key(self) -> str:
        """Name the showing."""
        return f"{self.choices.question}#{self.number}"

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the options in their order."""
        return tuple(self.choices.options[place] for place in self.order)


def choices_of(dataset: Dataset) -> Mapping[str, Choices]:
    """Return the options of each question that has some.

    Raises:
        ConfigError: None has.
    """
    choices = {each.question: each for each in dataset.choices()} if isinstance(dataset, HasChoices) else {}
    if not choices:
        raise ConfigError(
            f"{dataset.identity.ref} has no options to choose from.",
            "Answer it with `memgauge models answer`, or take a dataset with choices: personamem, prefeval:mcq.",
        )
    return choices


def showings_of(run: Run, dataset: Dataset, context: Context, showings: Showings) -> Iterator[Showing]:
    """Yield every question of a run that has options, as often as it is shown.

    Raises:
        ConfigError: None has.
    """
    choices = choices_of(dataset)
    for attempt in gather(run, dataset, context):
        own = choices.get(attempt.question.id)
        if own is not None:
            for number in range(showings.times):
                order = showing(own.question, len(own.options), showings.seed, number)
                yield Showing(attempt, own, number, order)


def choose_run(
    run: Run,
    dataset: Dataset,
    chooser: Chooser,
    *,
    context: Context = Context.RETRIEVED,
    showings: Showings | None = None,
    workers: int = 1,
    environment: Callable[[], Mapping[str, Any]] = dict,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Layer:
    """Show every question with options to *chooser* and keep its choices beside the run; none is asked again.

    Raises:
        ConfigError: No question has options.
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    plan = showings or Showings()
    asked = {each.key: each for each in showings_of(run, dataset, context, plan)}
    manifest = LayerManifest(
        kind="choices",
        base=run.seal.content,
        label=f"{chooser.name} {context}",
        maker={
            "chooser": chooser.name,
            "version": chooser.version,
            "context": str(context),
            "seed": plan.seed,
            "orders": plan.times,
            "details": dict(getattr(chooser, "details", {})),
            "counter": TOKEN_COUNTER,
        },
    )
    make = made_side_by_side(asked, lambda each: _row(each, chooser), workers=workers, on_progress=on_progress)
    return write_layer(run, manifest, list(asked), make, environment, is_lost)


def _row(asked: Showing, chooser: Chooser) -> Row:
    reply = answered(asked.attempt, lambda: chooser.choose(asked.choices.text, asked.shown, asked.attempt.context))
    place = chosen(reply["text"], asked.shown) if Outcome(reply["outcome"]).valid else None
    return reply | {
        "key": asked.key,
        "order": list(asked.order),
        "choice": None if place is None else asked.order[place],
    }
