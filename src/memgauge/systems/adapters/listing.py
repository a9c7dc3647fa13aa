"""What servers on this machine say of their models; no other machine is asked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from memgauge.records.identities import identity_of_listing
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from memgauge.records.identities import ModelIdentity

LISTING_S: Final = 5.0
"""Seconds that a server has to list its models."""
NOTED: Final = "X-Memgauge-Noted"
"""Head of a request whose tokens were noted where its texts were handed over."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    return urlsplit(url).hostname in _LOOPBACK


def listed(url: str) -> tuple[dict[str, Any], ...]:
    """Return the models that the server at *url* lists; none where it lists none, or is another machine's."""
    if not is_loopback(url):
        return ()
    try:
        with urlopen(Request(f"{url.rstrip('/')}/models", headers=headers()), timeout=LISTING_S) as reply:  # noqa: S310 - of this machine alone
            models = (object_of(reply.read()) or {}).get("data")
    except (URLError, OSError):
        return ()
    return tuple(model for model in models if isinstance(model, dict)) if isinstance(models, list) else ()


def identity_at(url: str, model: str) -> ModelIdentity | None:
    """Return who *model* is as its server says, ``None`` where it does not."""
    return next((identity_of_listing(entry) for entry in listed(url) if entry.get("id") == model), None)


def headers() -> dict[str, str]:
    """Return what every request to a model carries; clients and servers want some key, whichever."""
    key = os.environ.get("OPENAI_API_KEY") or "unused"
    return {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
