"""Hindsight's engine in this process: how it is set up, and the tables of an empty store, made once a process."""

from __future__ import annotations

import atexit
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import MissingExtraError
from memgauge.products.hindsight.pg0 import unpacked
from memgauge.systems.adapters.folders import scratch
from memgauge.systems.adapters.postgres import Postgres
from memgauge.systems.adapters.product_store import product

if TYPE_CHECKING:
    from memgauge.systems.adapters.endpoints import Endpoint
    from memgauge.systems.adapters.loops import PrivateLoop
    from memgauge.systems.adapters.vectors import TextVectors

CANDIDATES = 1_000
"""What Hindsight's own budget *high* looks through."""
SETTINGS = {
    "RERANKER_PROVIDER": "rrf",
    "RERANKER_MAX_CANDIDATES": str(CANDIDATES),
    "SEMANTIC_MIN_SIMILARITY": "0",
    "BANK_INFO_CACHE_TTL_SECONDS": "0",  # banks of an earlier store of the process have the same names
    "EMBEDDINGS_PROVIDER": "openai",  # it is not asked; of the local one, its absence would be told
    "LLM_TRACE_ENABLED": "false",
    "LOOP_WATCHDOG_ENABLED": "false",
    "DB_POOL_MIN_SIZE": "1",
    "DB_POOL_MAX_SIZE": "8",
}
"""What is set by these names behind ``HINDSIGHT_API_``."""


def engine(address: str, vectors: TextVectors, model: str | None, asked: Endpoint, *, migrates: bool) -> Any:
    """Make an engine over the database at *address*, which is connected to when it is initialised.

    Args:
        address: Of the database.
        vectors: What it embeds with.
        model: What it asks to extract facts; ``None`` for the provider ``none``, which keeps pieces of texts.
        asked: Where *model* is.
        migrates: Whether it makes its tables.
    """
    os.environ |= {f"HINDSIGHT_API_{name}": value for name, value in SETTINGS.items()}
    os.environ["HINDSIGHT_API_LLM_PROVIDER"] = provider = "none" if model is None else "openai"
    product("hindsight_api.config").clear_config_cache()  # it was read where a store of the other lane was opened
    return product("hindsight_api").MemoryEngine(
        db_url=address,
        memory_llm_provider=provider,
        memory_llm_model=model or "none",
        memory_llm_api_key=asked.key,
        memory_llm_base_url=asked.url,
        embeddings=_embeddings(vectors),
        task_backend=product("hindsight_api.engine.task_backend").SyncTaskBackend(),
        run_migrations=migrates,
        skip_llm_verification=True,
    )


def _embeddings(vectors: TextVectors) -> Any:
    """Let what Hindsight asks for vectors be the embedder that is named here."""

    async def initialize(_: Any) -> None:
        return None

    async def encode(_: Any, texts: list[str]) -> list[list[float]]:
        return vectors.embed(texts)

    given = {
        "provider_name": "memgauge",
        "dimension": vectors.dim,
        "initialize": initialize,
        "encode": encode,
    }
    return type("Local", (product("hindsight_api.engine.embeddings").Embeddings,), given)()


@cache
def programs() -> tuple[Path, Path]:
    """Unpack Postgres into a folder that goes with this process; return its programs and an empty cluster.

    Raises:
        MissingExtraError: It is not installed here.
    """
    pg0 = Path(str(product("pg0").__file__)).parent / "bin" / "pg0"
    if not pg0.is_file():
        what = f"pg0 has no program for {sys.platform} here."
        raise MissingExtraError(what, "Run `memgauge systems install hindsight --again`.")
    return unpacked(pg0, Path(scratch("hindsight-postgres")))


_made: dict[int, Path] = {}
"""Clusters with the tables of an empty store, by the length of their vectors."""


def tables(loop: PrivateLoop, vectors: TextVectors, asked: Endpoint) -> Path:
    """Return a cluster with the tables of an empty store, made where this process has none yet."""
    if vectors.dim in _made:
        return _made[vectors.dim]
    binaries, empty = programs()
    postgres = Postgres(binaries, empty)
    atexit.register(postgres.stop)
    try:
        making = engine(postgres.start(), vectors, None, asked, migrates=True)
        loop.run(making.initialize())
        loop.run(making.close())
    finally:
        postgres.stop()
        atexit.unregister(postgres.stop)
    _made[vectors.dim] = empty
    return empty
