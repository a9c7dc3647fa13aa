"""Hindsight (1.x) on the Postgres that it brings: pieces of turns, or facts that its model draws from them.

The raw lane is Hindsight without a language model (provider ``none``): a document is cut into pieces of 3,000
letters, which are its memories. A turn is a document, whose id is the turn's, and a scope is a bank, so that
lineage is Hindsight's own. What it does in the background, as making observations of facts, is done in the call.
"""

from __future__ import annotations

import atexit
import shutil
from datetime import UTC
from typing import TYPE_CHECKING, Any, ClassVar

from memgauge.errors import ConfigError
from memgauge.products.hindsight.engine import CANDIDATES, engine, programs, tables
from memgauge.products.hindsight.shapes import OBSERVATION, listed, recalled
from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.endpoints import UNUSED, Endpoint, endpoint
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.loops import PrivateLoop, on_loop
from memgauge.systems.adapters.postgres import Postgres
from memgauge.systems.adapters.product_store import OnDisk, OnLoop, hashed, installed, product, spoken
from memgauge.systems.adapters.vectors import as_queries, open_vectors
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn

LANES = ("raw", "extract")
PAGE = 500
"""How many memories are listed at a time."""
TOKENS = 10_000_000
"""More than any answer holds: what is recalled is cut by k, and not by length."""
ABSENT = 404
"""What Hindsight says of a bank that nobody made."""


class Hindsight(OnLoop, OnDisk):
    """Keeps turns in Hindsight, in pieces as they were said (``raw``) or as its model reads them (``extract``)."""

    name = "hindsight"
    pin: ClassVar[str] = "hindsight-api-slim==1.1.0"
    promises = Capabilities(
        event_time=EventTime.USED,
        score_kind=ScoreKind.FUSED,
        reports_changes=True,
        declares_sources=True,
        k_cap=CANDIDATES,
    )
    _changed: ClassVar[tuple[str, ...]] = (
        "its own Postgres (pg0), a server a store, on a socket",
        "no cross-encoder: ordered by its fusion, and by what is newer than a year before the question",
        f"least similarity 0, the least that it takes; {CANDIDATES} candidates, no budget of tokens: cut to k",
        "a bank a scope, a document a turn",
        "background work is done within the call",
        "Postgres gathers its statistics at each flush, and not when it comes to it",
    )

    def __init__(
        self, *, lane: str = "raw", embedder: str = "hashed", model: str = "gpt-4.1-mini", path: str = ""
    ) -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Args:
            lane: ``raw`` or ``extract``; the latter asks *model* at ``OPENAI_BASE_URL``.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            model: What the extraction asks.
            path: An empty folder, or one that holds a store.

        Raises:
            MissingExtraError: Hindsight is not installed here.
            ConfigError: There is no such lane, or no address of a model.
        """
        if lane not in LANES:
            raise ConfigError(f"{self.name} has no lane {lane!r}.", f"Take {' or '.join(LANES)}.")
        self.version = installed(self.name, self.pin)
        self._model = model if lane == "extract" else None
        self._asked = endpoint(self.name) if self._model else Endpoint("", UNUSED)
        lanes = "speakers who are no role stand before their words" if self._model else "provider none: no model"
        self.interventions = (*self._changed, lanes)
        self._vectors = open_vectors(embedder)
        self._home = StoreFolders(self.name, path)
        self._loop = PrivateLoop(self.name)
        self._open()

    def _open(self) -> None:
        """Start Postgres on the folder, into which the tables are copied where there are none yet."""
        data = self._home.root / "data"
        if not data.exists():
            shutil.copytree(tables(self._loop, self._vectors, self._asked), data)
        self._postgres = Postgres(programs()[0], data)
        atexit.register(self._postgres.stop)
        self._connect(self._postgres.start())

    @on_loop
    async def _connect(self, address: str) -> None:
        self._named = {"request_context": product("hindsight_api.models").RequestContext(internal=True)}
        self._engine = engine(address, self._vectors, self._model, self._asked, migrates=False)
        await self._engine.initialize()

    def _shut(self) -> None:
        self._disconnect()
        self._postgres.stop()
        atexit.unregister(self._postgres.stop)

    @on_loop
    async def _disconnect(self) -> None:
        await self._engine.close()

    @on_loop
    async def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Retain every turn as a document of its own, in the place of one with its id."""
        changes: list[Change] = []
        for turn in turns:
            changes += await self._retained(turn, scope)
        return Receipt(tuple(changes))

    async def _retained(self, turn: Turn, scope: Scope) -> list[Change]:
        content = {
            "content": spoken(turn) if self._model else turn.text,
            "document_id": turn.id,
            "event_date": turn.at.replace(tzinfo=UTC) if turn.at else None,
            "metadata": {"role": turn.role},
        }
        before = await self._touched(turn, scope)
        await self._engine.retain_batch_async(hashed(scope), [content], **self._named)
        return _changed(before, await self._touched(turn, scope))

    async def _touched(self, turn: Turn, scope: Scope) -> dict[str, Mapping[str, Any]]:
        """Return what a turn may change: the memories of its document, and observations."""
        units = await self._units(scope, document_id=turn.id)
        units += await self._units(scope, fact_type=OBSERVATION) if self._model else []
        return {unit["id"]: unit for unit in units}

    async def _units(self, scope: Scope, **chosen: str) -> list[dict[str, Any]]:
        """List the memories of a bank, oldest first; of a bank that nobody made there are none."""
        units: list[dict[str, Any]] = []
        while True:
            try:
                page = await self._engine.list_memory_units(
                    hashed(scope), limit=PAGE, offset=len(units), **chosen, **self._named
                )
            except product("hindsight_api.extensions").OperationValidationError as error:
                if error.status_code == ABSENT:
                    return []
                raise
            units += page["items"]
            if len(units) >= page["total"] or not page["items"]:
                return units[::-1]

    @on_loop
    async def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - of all banks
        """Let Postgres gather its statistics now.

        Its ways to an answer, and so what Hindsight finds, follow from them; by itself Postgres gathers them when
        it comes to it, which a busy machine puts off.
        """
        connection = await product("asyncpg").connect(self._postgres.start())
        try:
            await connection.execute("ANALYZE")
        finally:
            await connection.close()

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Recall by Hindsight's own ranking, which takes the moment of asking into account."""
        if k < 1:
            return Ranking((), self.promises.score_kind)
        with as_queries(self._vectors):
            return Ranking(tuple(self._recall(query, scope, k, as_of)), self.promises.score_kind)

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        return self._recall(query, scope, k, None)

    @on_loop
    async def _recall(self, query: str, scope: Scope, k: int, at: datetime | None) -> list[Hit]:
        try:
            answer = await self._engine.recall_async(
                hashed(scope),
                query,
                budget=product("hindsight_api.engine.memory_engine").Budget.HIGH,
                max_tokens=TOKENS,
                question_date=at.replace(tzinfo=UTC) if at else None,
                include_source_facts=self._model is not None,
                max_source_facts_tokens=TOKENS,
                **self._named,
            )
        except product("hindsight_api.extensions").OperationValidationError as error:
            if error.status_code == ABSENT:
                return []
            raise
        documents = {name: fact.document_id for name, fact in (answer.source_facts or {}).items()}
        return [Hit(recalled(fact, documents), fact.scores.final) for fact in answer.results[:k]]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every memory of a bank, observations with the turns that they rest on."""
        return iter(self._listed(scope))

    @on_loop
    async def _listed(self, scope: Scope) -> list[Memory]:
        units = await self._units(scope)
        documents = {str(unit["id"]): unit["document_id"] for unit in units}
        return [listed(unit, documents) for unit in units]

    @on_loop
    async def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change the text of one memory, as Hindsight's curation does it; its own observations stay."""
        kinds = {unit["id"]: unit["fact_type"] for unit in await self._units(scope)}
        if kinds.get(memory, OBSERVATION) == OBSERVATION:
            return Receipt((Change(Operation.NOOP, memory),))
        await self._engine.update_memory_unit(hashed(scope), memory, text=text, **self._named)
        return Receipt((Change(Operation.UPDATE, memory),))

    @on_loop
    async def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, and count those that were there; their documents stay, as Hindsight does it."""
        there = {unit["id"] for unit in await self._units(scope)}
        gone = [name for name in dict.fromkeys(memories) if name in there]
        await self._engine.delete_memory_units(gone, bank_id=hashed(scope), **self._named)
        return len(gone)

    @on_loop
    async def erase(self, scope: Scope) -> None:
        """Delete a bank with its memories, documents and pieces."""
        await self._engine.delete_bank(hashed(scope), **self._named)


def _changed(before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]) -> list[Change]:
    """Say what happened to memories; an observation that was there and is as it was is not told of."""
    changes = [Change(Operation.DELETE, name) for name in before if name not in after]
    for name, unit in after.items():
        if name not in before:
            changes.append(Change(Operation.ADD, name))
        elif unit["text"] != before[name]["text"]:
            changes.append(Change(Operation.UPDATE, name))
        elif unit["fact_type"] != OBSERVATION:
            changes.append(Change(Operation.NOOP, name))
    return changes
