"""What the server of a model is told when it is started: plain values, for it runs in another environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CAP: Final = 1024
"""Tokens that one reply may have, whoever asks for more."""
LIMIT_S: Final = 120.0
"""Seconds that one reply may take; what was written until then is returned as cut."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """One model, and how it is served."""

    name: str
    engine: str
    """``module:function`` that opens it."""
    weights: str
    tokenizer: str = ""
    quantisation: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    longest: int = 0
    """Tokens that it reads; 0 is what its file says."""
    pooling: str = "mean"
    threads: int = 0
    """0 is all cores."""
    port: int = 0
    cache: str = ""
    """File of vectors that were made before; empty keeps none."""
    cap: int = CAP
    limit_s: float = LIMIT_S
