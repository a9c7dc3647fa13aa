"""Which parts of a product are not the real thing here; a row with one of them is never ranked."""

from __future__ import annotations

import os
from functools import cache

from memgauge.systems.adapters.listing import listed

SCRIPTED = "memgauge-scripted"
"""Who owns the models of this package's scripted server, as it lists them."""
HASHED = "vectors of hashed words (embedder=minilm or embedder=openai:MODEL@http://HOST/v1 makes them real)"
MODEL = "a scripted model (model=smollm2, or OPENAI_BASE_URL at a model's address, makes it real)"


def stand_ins(vectors: str, *, asks: bool, at: str = "") -> tuple[str, ...]:
    """Name what stands in for the real thing, and what makes it real.

    *vectors* names the embedder, which is served *at* an address, or where the model is. *asks*: the product asks
    the model behind ``OPENAI_BASE_URL``.
    """
    model = os.environ.get("OPENAI_BASE_URL", "")
    hashed = "stand-in" in vectors or (vectors.startswith("openai:") and is_scripted(at or model))
    return (*([HASHED] if hashed else []), *([MODEL] if asks and is_scripted(model) else []))


@cache
def is_scripted(url: str) -> bool:
    """Ask a server on this machine whether its models are scripted; no other machine is asked."""
    return any(model.get("owned_by") == SCRIPTED for model in listed(url))
