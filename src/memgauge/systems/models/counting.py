"""Stand in front of the models of this machine that a product is pointed at, and count what it asks them.

Only addresses on loopback are stood in front of: whatever a product may not reach must not come within its reach
behind one of ours. A paid model is counted where it is asked through a server of this machine: one that records
it, or a proxy that a command puts in front of it (:mod:`memgauge.systems.models.routing`). Such a proxy is told on
whose behalf it is asked, and in which phase.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from memgauge.llm.metering.calls import CallMarks, CallRoute
from memgauge.llm.metering.relay import ModelRelay
from memgauge.metering import LOCAL, CostSource, ModelTally, note
from memgauge.systems.adapters.listing import NOTED, is_loopback, listed
from memgauge.systems.models.lending import LENT
from memgauge.systems.models.routing import ROUTED, routes
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.llm.metering.calls import AskedCall, CallOutcome
    from memgauge.llm.metering.reading import TokenCount
    from memgauge.llm.metering.relay import Settle

_ADDRESS: Final = "OPENAI_BASE_URL"
_OURS: Final = frozenset({"memgauge-local", "memgauge-scripted"})
"""Owners of models for which nobody charges."""


def free_models(url: str) -> frozenset[str]:
    """Name the models for which nobody charges, as far as the server at *url* says whose they are."""
    return frozenset(str(each.get("id")) for each in listed(url) if each.get("owned_by") in _OURS)


def _nobody() -> CallMarks:
    return CallMarks()


class CountingRelay(ModelRelay):
    """Passes everything on to one address, and notes the tokens of what was sent and what came."""

    def __init__(self, url: str, marking: Callable[[], CallMarks] = _nobody, *, noting: bool = True) -> None:
        """Listen on loopback.

        Args:
            url: Where everything is passed on to.
            marking: Says on whose behalf models are asked, where the address wants to know.
            noting: Whether tokens are noted here; else they are where texts are handed over.
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


@contextmanager
def counted_models(marking: Callable[[], CallMarks] = _nobody, *, noting: bool = True) -> Iterator[None]:
    """Point what is opened meanwhile at relays, in the place of the models of this machine that it would ask.

    The proxies of a command are told by *marking* on whose behalf they are asked. What asks through this package
    alone needs no *noting*, and no relay where there is no proxy.
    """
    addresses = {name: os.environ.get(name, "") for name in (_ADDRESS, LENT, ROUTED)}
    lent = {name: str(url) for name, url in (object_of(addresses[LENT] or "{}") or {}).items()}
    routed = routes()
    proxies = frozenset(routed.values())
    if not (noting or routed):
        yield
        return
    with ExitStack() as stack:

        def relayed(url: str) -> str:
            if not is_loopback(url):
                return url
            relay = CountingRelay(url, marking if url in proxies else _nobody, noting=noting)
            stack.callback(relay.close)
            return relay.url

        if addresses[_ADDRESS]:
            os.environ[_ADDRESS] = relayed(addresses[_ADDRESS])
        if lent:
            os.environ[LENT] = json.dumps({name: relayed(url) for name, url in lent.items()})
        if routed:
            os.environ[ROUTED] = json.dumps({url: relayed(proxy) for url, proxy in routed.items()})
        for name, value in addresses.items():
            if value:
                stack.callback(os.environ.__setitem__, name, value)
        yield
