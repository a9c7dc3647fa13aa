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
from typing import TYPE_CHECKING, Final

from memgauge.systems.models.routing import LENT, ROUTED, routes
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.llm.metering.calls import CallMarks

_ADDRESS: Final = "OPENAI_BASE_URL"


@contextmanager
def counted_models(marking: Callable[[], CallMarks] | None = None, *, noting: bool = True) -> Iterator[None]:
    """Point what is opened meanwhile at relays, in the place of the models of this machine that it would ask.

    The proxies of a command are told by *marking* on whose behalf they are asked. What asks through this package
    alone needs no *noting*, and no relay where there is no proxy.
    """
    addresses = {name: os.environ.get(name, "") for name in (_ADDRESS, LENT, ROUTED)}
    lent = {name: str(url) for name, url in (object_of(addresses[LENT] or "{}") or {}).items()}
    routed = routes()
    proxies = frozenset(routed.values())
    if not (noting or routed) or not any(addresses.values()):
        yield
        return
    from memgauge.systems.adapters.listing import is_loopback
    from memgauge.systems.models.counting_relay import CountingRelay, nobody

    with ExitStack() as stack:

        def relayed(url: str) -> str:
            if not is_loopback(url):
                return url
            relay = CountingRelay(url, (marking if url in proxies else None) or nobody, noting=noting)
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
