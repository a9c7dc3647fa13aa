"""A relay that counts what a product asks the models behind it, and the models of an address that cost nothing."""

from __future__ import annotations

from functools import cached_property, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from memgauge.llm.metering.calls import CallMarks, CallRoute
from memgauge.llm.metering.relay import ModelRelay
from memgauge.metering import LOCAL, CostSource, ModelTally, note
from memgauge.systems.adapters.listing import NOTED, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.llm.metering.calls import AskedCall, CallOutcome
    from memgauge.llm.metering.reading import TokenCount
    from memgauge.llm.metering.relay import Settle

_OURS: Final = frozenset({"memgauge-local", "memgauge-scripted"})
"""Owners of models for which nobody charges."""


def free_models(url: str) -> frozenset[str]:
    """Name the models for which nobody charges, as far as the server at *url* says whose they are."""
    return frozenset(str(each.get("id")) for each in listed(url) if each.get("owned_by") in _OURS)


def nobody() -> CallMarks:
    """Name nobody on whose behalf models are asked."""
    return CallMarks()


class CountingRelay(ModelRelay):
    """Passes everything on to one address, and notes the tokens of what was sent and what came."""

    def __init__(self, url: str, marking: Callable[[], CallMarks] = nobody, *, noting: bool = True) -> None:
        """Listen on loopback.

        Everything is passed on to *url*. *marking* says on whose behalf models are asked, where that wants to
        know; without *noting*, tokens are noted where texts are handed over.
        """
        self._marking = marking
        self._noting = noting
        super().__init__(url)

    @property
    def marks(self) -> CallMarks:
        """Say on whose behalf models are asked at this moment."""
        return self._marking()

    @cached_property
    def _free(self) -> frozenset[str]:
        return free_models(self.upstream)

    def let_through(self, asked: AskedCall) -> Settle:
        """Let everything through."""
        return partial(self._count, asked)

    def _count(self, asked: AskedCall, outcome: CallOutcome) -> None:
        """Note one call; what was sent counts whatever became of it."""
        call = asked.method == "POST" and asked.route is not CallRoute.OTHER
        noted_elsewhere = not self._noting or NOTED.lower() in asked.heads
        if not call or noted_elsewhere or not outcome.end.sent or outcome.status == HTTPStatus.PAYMENT_REQUIRED:
            return
        model = f"{LOCAL}{asked.model}" if asked.model in self._free or "scripted" in self._free else asked.model
        if asked.route is CallRoute.EMBEDDINGS:
            _note(model, outcome.taken, "embedding_tokens")
        else:
            note(model, ModelTally(calls=1))
            _note(model, outcome.taken, "tokens_in")
            _note(model, outcome.written, "tokens_out")


def _note(model: str, tokens: TokenCount, name: str) -> None:
    """Note tokens under the name of who says so; of what nobody can count nothing is said."""
    if tokens.value and tokens.source is not CostSource.UNAVAILABLE:
        note(model, ModelTally(**{name: tokens.value}), tokens.source)
