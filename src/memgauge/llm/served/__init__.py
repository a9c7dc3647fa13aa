"""A model behind an OpenAI-compatible address on this machine: scripted, recorded or replayed, every call counted.

Memory systems that others wrote call a language model by themselves. They are given this address instead:

>>> from memgauge.llm.served import ModelServer
>>> with ModelServer() as server:
...     server.url.startswith("http://127.0.0.1:")
True
"""

from memgauge.llm.served.asked import ChatRequest, Use, asked_from
from memgauge.llm.served.filler import fill
from memgauge.llm.served.ledger import Called, totals
from memgauge.llm.served.recording import Upstream, recorded
from memgauge.llm.served.scripts import FAMILIES, PromptFamily, scripted_by
from memgauge.llm.served.server import ModelServer

__all__ = [
    "FAMILIES",
    "Called",
    "ChatRequest",
    "ModelServer",
    "PromptFamily",
    "Upstream",
    "Use",
    "asked_from",
    "fill",
    "recorded",
    "scripted_by",
    "totals",
]
