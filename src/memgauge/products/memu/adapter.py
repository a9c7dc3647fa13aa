"""memU in RAM: an item a turn (``raw``), or what its model makes of a conversation of one turn (``extract``).

Every turn is a resource of memU, whose address names the turn, so that lineage is memU's own. Nothing is written
to a disk: of its stores, SQLite does not open in this version.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, unquote

from memgauge.errors import ConfigError
from memgauge.records import Change, Form, Hit, Memory, Operation, Receipt
from memgauge.systems.adapters.endpoints import UNUSED, Endpoint, endpoint
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.loops import PrivateLoop, on_loop
from memgauge.systems.adapters.product_store import OnLoop, hashed, installed, product, spoken
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.locking import locked
from memgauge.systems.protocol import EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Ranking, Scope, Turn
    from memgauge.systems.adapters.vectors import TextVectors

LANES = ("raw", "extract")
KIND = "event"
"""The kind of memory that a turn is said to be; items of all kinds are searched alike."""
TALK = "conversation"


class MemU(OnLoop):
    """Keeps turns as items of memU."""

    name = "memu"
    pin: ClassVar[str] = "memu-py==1.5.1"
    promises = replace(OnLoop.promises, event_time=EventTime.NONE)
    _changed: ClassVar[tuple[str, ...]] = (
        "in RAM: its SQLite does not open in this version",
        "items alone are searched, by vectors: neither asks whether to retrieve nor whether it was enough",
        "a user a scope, a resource a turn",
    )

    def __init__(self, *, lane: str = "raw", embedder: str = "hashed", model: str = "gpt-4.1-mini") -> None:
        """Open an empty memory.

        Args:
            lane: ``raw`` or ``extract``; the latter asks *model* at ``OPENAI_BASE_URL``.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            model: What the extraction asks.

        Raises:
            MissingExtraError: memU is not installed here.
            ConfigError: There is no such lane, or no address of a model.
        """
        if lane not in LANES:
            raise ConfigError(f"{self.name} has no lane {lane!r}.", f"Take {' or '.join(LANES)}.")
        self._lock = RLock()
        self.version = installed(self.name, self.pin)
        self._model = model if lane == "extract" else None
        self._asked = endpoint(self.name) if self._model else Endpoint("", UNUSED)
        own = (
            "a turn is a conversation of one message, its speaker before the words where that is no role"
            if self._model
            else "items are written to its repository, and without categories: create_memory_item fails"
        )
        self.interventions = (*self._changed, own)
        self._vectors = open_vectors(embedder)
        self._home = StoreFolders(self.name)
        self._loop = PrivateLoop(self.name)
        self._open()

    def _open(self) -> None:
        """Make a service over an empty memory."""
        off = {"enabled": False}
        settings: dict[str, Any] = {} if self._model else {"memorize_config": {"memory_categories": []}}
        chat = {"base_url": self._asked.url or "http://127.0.0.1:9/v1", "api_key": self._asked.key or UNUSED}
        self._service = product("memu.app").MemoryService(
            llm_profiles={"default": {**chat, "chat_model": self._model or "none"}},
            blob_config={"resources_dir": str(self._home.root / "resources")},
            retrieve_config={
                "method": "rag",
                "route_intention": False,
                "sufficiency_check": False,
                "category": off,
                "resource": off,
            },
            **settings,
        )
        self._service._llm_clients["embedding"] = OwnVectors(self._vectors)  # noqa: SLF001 - it takes no other way
        self._store = self._service.database

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Write every turn, or let it be read."""
        changes: list[Change] = []
        for turn in turns:
            changes += self._read(turn, scope) if self._model else self._written(turn, scope)
        return Receipt(tuple(changes))

    def _written(self, turn: Turn, scope: Scope) -> list[Change]:
        """Write a turn as an item, in the place of the one that it was."""
        known = [memory for memory in self._memories(scope) if memory.sources == (turn.id,)]
        if known:
            if known[0].text == turn.text:
                return [Change(Operation.NOOP, known[0].id)]
            return list(self.update(known[0].id, turn.text, scope).changes or ())
        owner = self._owner(scope)
        made = self._store.resource_repo.create_resource(
            url=_address(turn.id), modality=TALK, local_path="", caption=None, embedding=None, user_data=owner
        )
        item = self._store.memory_item_repo.create_item(
            resource_id=made.id,
            memory_type=KIND,
            summary=turn.text,
            embedding=self._vectors.embed([turn.text])[0],
            user_data=owner,
        )
        return [Change(Operation.ADD, item.id)]

    def _read(self, turn: Turn, scope: Scope) -> list[Change]:
        """Let memU read a turn, and say which items are new."""
        file = self._home.root / _address(turn.id)
        message = {
            "role": turn.role,
            "content": spoken(turn),
            "created_at": turn.at.isoformat() if turn.at else "",
        }
        file.write_text(json.dumps([message]), encoding="utf-8")
        before = {memory.id for memory in self._memories(scope)}
        self._memorize(str(file), scope)
        return [Change(Operation.ADD, memory.id) for memory in self._memories(scope) if memory.id not in before]

    @on_loop
    async def _memorize(self, file: str, scope: Scope) -> None:
        await self._service.memorize(resource_url=file, modality=TALK, user=self._owner(scope))

    @staticmethod
    def _owner(scope: Scope) -> dict[str, str]:
        return {"user_id": hashed(scope)}

    def _memories(self, scope: Scope) -> list[Memory]:
        listed = self._store.memory_item_repo.list_items(self._owner(scope))
        return [
            self._memory(item.model_dump(include={"id", "summary", "resource_id"})) for item in listed.values()
        ]

    def _memory(self, item: dict[str, Any]) -> Memory:
        resource = self._store.resource_repo.resources.get(item["resource_id"])
        turns = () if resource is None else (_turn_of(resource.url),)
        return Memory(item["id"], item["summary"], Form.UNKNOWN, turns)

    @locked
    def search(self, query: str, scope: Scope, k: int, as_of: Any = None) -> Ranking:
        """Retrieve, one caller at a time: how many are wanted is a setting of the service."""
        return super().search(query, scope, k, as_of)

    @on_loop
    async def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        self._service.retrieve_config.item.top_k = k
        asked = {"role": "user", "content": {"text": query}}
        answer = await self._service.retrieve([asked], where=self._owner(scope))
        return [Hit(self._memory(item), float(item["score"])) for item in answer["items"]]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every item of a user."""
        with self._lock:
            memories = self._memories(scope)
        yield from memories

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change the text of an item; an unknown id changes nothing."""
        if memory not in {known.id for known in self._memories(scope)}:
            return Receipt((Change(Operation.NOOP, memory),))
        self._patch("update_memory_item", memory, scope, memory_content=text)
        return Receipt((Change(Operation.UPDATE, memory),))

    @locked
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove items by id, and count those that were there."""
        there = {known.id for known in self._memories(scope)}
        gone = [name for name in dict.fromkeys(memories) if name in there]
        for name in gone:
            self._patch("delete_memory_item", name, scope)
        return len(gone)

    @on_loop
    async def _patch(self, /, call: str, memory: str, scope: Scope, **given: Any) -> None:
        propagate = self._model is not None
        await getattr(self._service, call)(memory_id=memory, user=self._owner(scope), propagate=propagate, **given)

    @locked
    def erase(self, scope: Scope) -> None:
        """Clear a user's items, categories and resources."""
        self._clear(scope)

    @on_loop
    async def _clear(self, scope: Scope) -> None:
        await self._service.clear_memory(self._owner(scope))


class OwnVectors:
    """What memU asks for vectors, over the embedder that is named here."""

    embed_model = chat_model = "memgauge"

    def __init__(self, vectors: TextVectors) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], None]:
        """Embed texts; beside them stands what a server said, and there is none."""
        return self._vectors.embed(list(texts)), None


def _address(turn: str) -> str:
    """Name a resource by its turn, as a file can be called."""
    return f"{quote(turn, safe='')}.json"


def _turn_of(address: str) -> str:
    return unquote(Path(address).name.removesuffix(".json"))
