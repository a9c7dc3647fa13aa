"""Mem0 (mem0ai 2.x), in a raw lane without any model and an extraction lane with one.

Interventions, all declared: vectors come from the embedder that is named here and not from a service, telemetry is
off, the store lies in a folder of its own, and the extraction is told the day on which a turn was said, which Mem0
takes to be the present one.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from memgauge.errors import ConfigError
from memgauge.records import Change, Form, Hit, Memory, Operation, Receipt
from memgauge.systems.adapters.endpoints import UNUSED, endpoint
from memgauge.systems.adapters.folders import StoreFolders, scratch
from memgauge.systems.adapters.product_store import EVERYTHING, OnDisk, installed, product
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.protocol import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Scope, Turn

SOURCE, SAID_AT = "memgauge_turn", "memgauge_at"
LANES = ("raw", "extract")
_OPERATIONS = {
    "ADD": Operation.ADD,
    "UPDATE": Operation.UPDATE,
    "DELETE": Operation.DELETE,
    "NONE": Operation.NOOP,
}
_DAY = re.compile(r"(## Observation Date\n)\d{4}-\d{2}-\d{2}")


class Mem0(OnDisk):
    """Keeps turns in Mem0, as they are (lane ``raw``) or as its model reads them (``extract``)."""

    name = "mem0"
    pin: ClassVar[str] = "mem0ai==2.2.1"
    lane: str = "raw"
    keeps_sources: bool = True
    """Whether a memory's metadata still names its turns after an update."""

    def __init__(
        self, *, lane: str = "", embedder: str = "hashed", model: str = "gpt-4.1-mini", path: str = ""
    ) -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Args:
            lane: ``raw`` or ``extract``; the latter asks *model* at ``OPENAI_BASE_URL``.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            model: What the extraction asks.
            path: An empty folder, or one that holds a store.

        Raises:
            MissingExtraError: Mem0 is not installed here.
            ConfigError: Another major version is, there is no such lane, or no address of a model.
        """
        self.lane = lane or self.lane
        if self.lane not in LANES:
            raise ConfigError(f"{self.name} has no lane {self.lane!r}.", f"Take {' or '.join(LANES)}.")
        self.version = installed(self.name, self.pin)
        _require_major(self.name, self.version, self.pin)
        if self.lane == "extract":
            endpoint(self.name)
        _prepare()
        self._product = product("mem0")
        self._model = None if self.lane == "raw" else model
        self.promises = replace(self.promises, declares_sources=self.keeps_sources)
        self.interventions = ("telemetry off", *(("infer=False",) if self.lane == "raw" else self._changed))
        self._vectors = open_vectors(embedder)
        self._home = StoreFolders(self.name, path)
        self._said_on = ""
        self._open()

    def _open(self) -> None:
        root = self._home.root
        store = {
            "path": str(root / "qdrant"),
            "collection_name": "memories",
            "embedding_model_dims": self._vectors.dim,
            "on_disk": True,
        }
        config: dict[str, Any] = {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(root / "history.db"),
        }
        if self.lane == "extract":
            where = endpoint(self.name)
            asked = {"model": self._model, "openai_base_url": where.url, "api_key": where.key, "temperature": 0}
            config["llm"] = {"provider": "openai", "config": asked}
        self._memory: Any = self._product.Memory.from_config(config)
        embed = self._vectors.embed
        self._memory.embedding_model = SimpleNamespace(
            embed=lambda text, *_, **__: embed([text])[0], embed_batch=lambda texts, *_, **__: embed(texts)
        )
        if self.lane == "extract":
            self._observe()

    def _observe(self) -> None:
        """Tell the extraction the day of the turn where Mem0 writes the present one."""
        ask = self._memory.llm.generate_response

        def at_the_time(messages: list[dict[str, Any]], *rest: Any, **options: Any) -> Any:
            if self._said_on:
                day = rf"\g<1>{self._said_on}"
                messages = [{**message, "content": _DAY.sub(day, message["content"])} for message in messages]
            return ask(messages, *rest, **options)

        self._memory.llm.generate_response = at_the_time

    def _shut(self) -> None:
        self._memory.vector_store.client.close()  # the local store is locked by whoever has it open
        self._memory.close()

    @property
    def _changed(self) -> tuple[str, ...]:
        return ("observation date is the turn's", "speakers who are no role stand before their words")

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add every turn, naming it in the metadata."""
        changes = []
        for turn in turns:
            named = {SOURCE: turn.id, SAID_AT: turn.at.isoformat() if turn.at else ""}
            self._said_on = turn.at.date().isoformat() if turn.at else ""
            added = self._memory.add(
                [_message(turn, self.lane)], infer=self.lane == "extract", metadata=named, **_owner(scope)
            )
            changes += [Change(_OPERATIONS[done["event"]], done["id"]) for done in added["results"]]
        return Receipt(tuple(changes))

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        return [Hit(self._shown(row), float(row["score"])) for row in self._ranked(query, scope, k)]

    def _ranked(self, query: str, scope: Scope, k: int) -> list[dict[str, Any]]:
        return list(self._memory.search(query, filters=_owner(scope), top_k=k, threshold=0.0)["results"])

    def _notes(self) -> tuple[str, ...]:
        missing = [package for package in ("fastembed", "spacy") if find_spec(package) is None]
        return (f"ranked by meaning alone: {' and '.join(missing)} not installed",) if missing else ()

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List everything of an owner."""
        return map(self._shown, self._listed(scope))

    def _listed(self, scope: Scope) -> list[dict[str, Any]]:
        return list(self._memory.get_all(filters=_owner(scope), top_k=EVERYTHING)["results"])

    def _shown(self, row: dict[str, Any]) -> Memory:
        metadata = row.get("metadata") or {}
        sources = (str(metadata[SOURCE]),) if self.keeps_sources and SOURCE in metadata else ()
        return Memory(str(row["id"]), str(row["memory"]), Form.UNKNOWN, sources)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:  # noqa: ARG002 - ids are global in Mem0
        """Replace the text of one memory."""
        self._memory.update(memory, text)
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:  # noqa: ARG002 - ids are global in Mem0
        """Delete memories by id, whoever has them, as Mem0 does it."""
        gone = [memory for memory in dict.fromkeys(memories) if self._memory.get(memory) is not None]
        for memory in gone:
            self._memory.delete(memory)
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Delete everything of an owner, as Mem0 does it."""
        self._memory.delete_all(**_owner(scope))

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:  # noqa: ARG002 - ids are global in Mem0
        """Return Mem0's own history of one memory."""
        rows = self._memory.history(memory)
        return tuple(
            AuditEntry(_OPERATIONS[row["event"]], None, row["new_memory"] or row["old_memory"]) for row in rows
        )


def _prepare() -> None:
    """Set what Mem0 reads when it is imported: no telemetry, no notices, settings in a folder that goes."""
    os.environ["MEM0_TELEMETRY"] = "False"
    if "MEM0_DIR" not in os.environ:
        os.environ["MEM0_DIR"] = scratch("mem0-settings")
    os.environ.setdefault("OPENAI_API_KEY", UNUSED)  # it wants a key though its model is never asked


def _require_major(name: str, version: str, pin: str) -> None:
    wanted = pin.partition("==")[2]
    if version.partition(".")[0] != wanted.partition(".")[0]:
        raise ConfigError(
            f"{name} drives Mem0 {wanted.partition('.')[0]}.x, and {version} is installed here.",
            f'Give it an environment of its own: memgauge systems install {name}, or pip install "{pin}".',
        )


def _message(turn: Turn, lane: str) -> dict[str, str]:
    """Spell a turn for Mem0; its extraction sees roles only, so that other speakers stand before their words."""
    role = turn.role if turn.role in {"user", "assistant"} else "user"
    named = lane == "extract" and turn.speaker.casefold() not in {"user", "assistant", ""}
    return {"role": role, "content": f"{turn.speaker}: {turn.text}" if named else turn.text}


def _owner(scope: Scope) -> dict[str, str]:
    """Spell a scope as Mem0 does; Mem0 knows no tenants, so a tenant is written before the user."""
    user = scope.user.replace("%", "%25").replace("/", "%2F")  # or a user could read like a tenant with its user
    if scope.tenant != "default":
        user = f"{quote(scope.tenant, safe='')}/{user}"
    owner = {"user_id": user}
    if scope.agent:
        owner["agent_id"] = scope.agent
    if scope.session:
        owner["run_id"] = scope.session
    return owner
