"""What models are asked by this process: noted where texts are handed over, read by whoever plays a memory.

The standard library is enough, since it is imported in the environments of products too.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Final

from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LOCAL: Final = "local:"
"""Begins the name of a model that runs on this machine, for which nobody charges."""


class CostSource(StrEnum):
    """Who says what something took."""

    COUNTED = "counted"
    """The harness saw it: a clock, a request, a text whose tokens it counted."""
    REPORTED = "reported"
    """The system, or the server of a model, says so of itself."""
    UNAVAILABLE = "unavailable"
    """Nobody says, which is not 0."""


def is_free(model: str) -> bool:
    """Whether a model runs on this machine: it was served here, or embeds in the process that asks."""
    return model.startswith(LOCAL)


@dataclass(frozen=True, slots=True)
class ModelTally:
    """What one model was asked."""

    calls: int = 0
    """Requests for a text; those for vectors show in their tokens alone, since a cache may save them."""
    tokens_in: int = 0
    tokens_out: int = 0
    embedding_tokens: int = 0

    def plus(self, other: ModelTally) -> ModelTally:
        """Add."""
        return ModelTally(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def since(self, before: ModelTally) -> ModelTally:
        """Return what came since; never less than nothing, whatever a system says of itself."""
        pairs = zip(astuple(self), astuple(before), strict=True)
        return ModelTally(*(max(count - count_before, 0) for count, count_before in pairs))

    def __bool__(self) -> bool:
        return any(astuple(self))


COUNTS: Final = tuple(field.name for field in fields(ModelTally))
LONGEST: Final = 200
"""Letters of a model's name."""
_noted: dict[CostSource, dict[str, ModelTally]] = {CostSource.COUNTED: {}, CostSource.REPORTED: {}}
_lock: Final = Lock()


def note(model: str, tally: ModelTally, source: CostSource = CostSource.COUNTED) -> None:
    """Note what *model* was asked, and who says so."""
    with _lock:
        noted_before = _noted[source]
        noted_before[model] = noted_before.get(model, ModelTally()).plus(tally)


def note_embedded(model: str, texts: Iterable[str]) -> None:
    """Note that texts were handed over to be embedded."""
    note(model, ModelTally(embedding_tokens=sum(map(count_tokens, texts))))


def noted(source: CostSource = CostSource.COUNTED) -> dict[str, ModelTally]:
    """Return what was noted since this process began and *source* says, by model."""
    with _lock:
        return dict(_noted[source])


def tallies_since(
    tallies_now: Mapping[str, ModelTally], tallies_before: Mapping[str, ModelTally]
) -> dict[str, ModelTally]:
    """Return what came between two looks, by model."""
    differences = {
        model: tally.since(tallies_before.get(model, ModelTally())) for model, tally in tallies_now.items()
    }
    return {model: tally for model, tally in differences.items() if tally}


def plain_tallies(tallies: object) -> dict[str, ModelTally]:
    """Copy what somebody says that models were asked; what is no count counts nothing."""
    if not isinstance(tallies, dict):
        return {}
    return {str(model)[:LONGEST]: _plain(counts) for model, counts in tallies.items() if isinstance(counts, dict)}


def _plain(counts: Mapping[object, object]) -> ModelTally:
    counts_given = {name: counts.get(name, 0) for name in COUNTS}
    return ModelTally(**{name: n for name, n in counts_given.items() if type(n) is int and n >= 0})
