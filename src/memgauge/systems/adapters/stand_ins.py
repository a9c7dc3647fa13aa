"""Which parts of a product are not the real thing here; a row with one of them is never ranked."""

from __future__ import annotations

import os
from functools import cache
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from memgauge.text.jsons import object_of

SCRIPTED = "memgauge-scripted"
"""Who owns the models of this package's scripted server, as it lists them."""
HASHED = "vectors of hashed words (embedder=openai:MODEL@http://HOST/v1 makes them real)"
MODEL = "a scripted model (OPENAI_BASE_URL at a model's address makes it real)"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def stand_ins(vectors: str, *, asks: bool) -> tuple[str, ...]:
    """Name what stands in for the real thing, and what makes it real.

    Args:
        vectors: The name of the embedder.
        asks: Whether the product asks the model behind ``OPENAI_BASE_URL``.
    """
    scripted = is_scripted(os.environ.get("OPENAI_BASE_URL", ""))
    hashed = "stand-in" in vectors or (vectors.startswith("openai:") and scripted)
    return (*([HASHED] if hashed else []), *([MODEL] if asks and scripted else []))


@cache
def is_scripted(url: str) -> bool:
    """Ask a server on this machine whether its models are scripted; no other machine is asked."""
    if urlsplit(url).hostname not in _LOOPBACK:
        return False
    try:
        with urlopen(f"{url.rstrip('/')}/models", timeout=2) as reply:  # noqa: S310 - of this machine alone
            listed = object_of(reply.read()) or {}
    except (URLError, OSError):
        return False
    models = listed.get("data")
    return isinstance(models, list) and any(isinstance(m, dict) and m.get("owned_by") == SCRIPTED for m in models)
