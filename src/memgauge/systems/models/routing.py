"""Which addresses of models a command has put proxies in front of, for the processes that it starts."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Mapping

LENT: Final = "MEMGAUGE_SERVED"
"""Variable with the addresses of models that a process above has started, by name."""
ROUTED: Final = "MEMGAUGE_ROUTED"
"""Variable with the address to ask in the place of each."""


def routes() -> dict[str, str]:
    """Return where to ask, by the address that was written."""
    return {url: str(proxy) for url, proxy in (object_of(os.environ.get(ROUTED, "{}")) or {}).items()}


def routed(url: str) -> str:
    """Return where to ask in the place of *url*: a proxy in front of it, or itself."""
    return routes().get(url.rstrip("/"), url)


def spelled(proxies: Mapping[str, str]) -> str:
    """Spell the proxies in front of addresses as the variable holds them."""
    return json.dumps({url.rstrip("/"): proxy for url, proxy in proxies.items()})
