"""MemoryOS of BAI-LAB, from a checkout: pages of two turns, and what its model knows of either side.

A page keeps the words and the time of a pair and no id of ours, so that it is known again by those three. Lines of
knowledge keep no source at all: the call that makes them is watched, and each is credited to all pages that it was
shown. One data folder holds all users, as its own layout has it; ``shared=false`` gives every scope a folder.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.records import Form, Hit, Memory, Receipt, ScoreKind
from memgauge.systems.adapters.checkouts import checkout as require_checkout
from memgauge.systems.adapters.checkouts import revision, stand_in_encoder
from memgauge.systems.adapters.endpoints import endpoint
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.product_store import EVERYTHING, OnDisk, best_first, hashed, spoken
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.protocol import Capabilities, Consistency, EventTime, Unit
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.records import Scope, Turn

REPOSITORY = "github.com/BAI-LAB/MemoryOS"
SOURCES = "memgauge-sources.json"
_PACKAGE, _NAME = "memoryos-pypi", "memgauge_memoryos"
_TIME = "%Y-%m-%d %H:%M:%S"


class MemoryOS(OnDisk):
    """Keeps pairs of turns in MemoryOS, which moves them from short-term to mid-term and long-term memory."""

    name = "memoryos"
    promises = Capabilities(
        unit=Unit.PAIR,
        consistency=Consistency.FLUSH,
        event_time=EventTime.STORED,
        score_kind=ScoreKind.SIMILARITY,
        declares_sources=True,
        read_only_search=False,
    )
    interventions: tuple[str, ...] = (
        "flush moves every pair out of short-term memory, which is never searched",
        "queue capacity and top_k as asked for, no thresholds",
        "three channels merged by cosine with the query; a page found twice counts once",
        "sources of pages by their words and time; of knowledge by watching the call that makes it",
    )

    def __init__(
        self,
        *,
        checkout: str = "",
        model: str = "gpt-4.1-mini",
        embedder: str = "hashed",
        shared: bool = True,
        alone: str = "",
        path: str = "",
    ) -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Args:
            checkout: Folder of a clone of the repository.
            model: What is asked at ``OPENAI_BASE_URL``.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            shared: Whether all users share one data folder, and with it what is known of the assistant.
            alone: What stands on the other side of a turn that has none; MemoryOS drops pairs with an empty side.
            path: An empty folder, or one that holds a store.

        Raises:
            ConfigError: *checkout* is none, or no address of a model is named.
        """
        folder = require_checkout(self.name, checkout, f"{_PACKAGE}/memoryos.py", REPOSITORY)
        self.version = revision(folder)
        self._asked = endpoint(self.name)
        self._model = model
        self._shared, self._alone = shared, alone
        self.interventions += () if shared else ("a data folder for each scope",)
        self.interventions += (f"a turn alone is paired with {alone!r}",) if alone else ()
        self._vectors = open_vectors(embedder)
        stand_in_encoder(self._vectors)
        self._product = _load(folder / _PACKAGE)
        self._watch()
        self._home = StoreFolders(self.name, path)
        self._open()

    def _open(self) -> None:
        self._users: dict[Scope, Any] = {}
        file = self._home.root / SOURCES
        self._sources: dict[str, list[str]] = json_file(file) if file.is_file() else {}

    def _watch(self) -> None:
        """See which pages a line of knowledge and a profile were made of."""
        made = self._product
        extract, analyse = made.gpt_knowledge_extraction, made.gpt_user_profile_analysis

        def extracted(pages: list[dict[str, Any]], *rest: Any, **options: Any) -> dict[str, str]:
            knowledge: dict[str, str] = extract(pages, *rest, **options)
            for text in knowledge.values():
                for line in text.split("\n"):
                    self._credit(line.strip(), pages)
            return knowledge

        def analysed(pages: list[dict[str, Any]], *rest: Any, **options: Any) -> str:
            profile: str = analyse(pages, *rest, **options)
            self._credit(profile, pages)
            return profile

        made.gpt_knowledge_extraction, made.gpt_user_profile_analysis = extracted, analysed

    def _credit(self, text: str, pages: Sequence[Mapping[str, Any]]) -> None:
        turns = [turn for page in pages for turn in self._sources.get(_key(page), ())]
        self._sources[text] = list(dict.fromkeys([*self._sources.get(text, ()), *turns]))

    def _user(self, scope: Scope) -> Any:
        if scope not in self._users:
            self._users[scope] = self._product.Memoryos(
                user_id=hashed(scope),
                openai_api_key=self._asked.key,
                openai_base_url=self._asked.url,
                data_storage_path=str(self._folder(scope)),
                llm_model=self._model,
                retrieval_queue_capacity=EVERYTHING,
            )
        return self._users[scope]

    def _folder(self, scope: Scope) -> Path:
        return self._home.root / ("data" if self._shared else hashed(scope))

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add one pair; a turn without its other side has an empty one, or what *alone* says."""
        for first, second in zip(turns[::2], [*turns[1::2], None], strict=False):
            at = first.at.strftime(_TIME) if first.at else ""
            sides = (spoken(first), spoken(second) if second is not None else self._alone)
            if second is None and first.role == "assistant":
                sides = sides[::-1]
            page = {"user_input": sides[0], "agent_response": sides[1], "timestamp": at}
            self._sources[_key(page)] = [turn.id for turn in (first, second) if turn is not None]
            self._user(scope).add_memory(*sides, timestamp=at or None)
        self._shut()
        return Receipt()

    def _shut(self) -> None:
        """Write what MemoryOS does not: it has written all else."""
        (self._home.root / SOURCES).write_text(json.dumps(self._sources))

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - it works while we wait
        """Move every pair to mid-term memory, as if newer ones had pushed it there."""
        user = self._user(scope)
        short = user.short_term_memory
        capacity, short.max_capacity = short.max_capacity, 1
        try:
            user.updater.process_short_term_to_mid_term()
        finally:
            short.max_capacity = capacity
        self._shut()

    def _notes(self) -> tuple[str, ...]:
        return ("pages and knowledge merged by cosine",)

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        context = self._user(scope).retriever.retrieve_context(
            query,
            hashed(scope),
            segment_similarity_threshold=-1,
            page_similarity_threshold=-1,
            knowledge_threshold=-1,
            top_k_sessions=EVERYTHING,
            top_k_knowledge=EVERYTHING,
        )
        near = self._vectors.embed([query])[0]
        rows = [(_page(page, self._sources), page["page_embedding"]) for page in context["retrieved_pages"]]
        for channel in ("user", "assistant"):
            lines = context[f"retrieved_{channel}_knowledge"]
            rows += [(_line(line, channel, self._sources), line["knowledge_embedding"]) for line in lines]
        scored = {memory.id: Hit(memory, _dot(near, row)) for memory, row in rows}
        return best_first(list(scored.values()))[:k]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List pairs, pages, knowledge and the profile."""
        user = self._user(scope)
        stored = list(map(self._short, user.short_term_memory.get_all()))
        for session in user.mid_term_memory.sessions.values():
            stored += [_page(page, self._sources) for page in session["details"]]
        for channel, lines in (
            ("user", user.user_long_term_memory.get_user_knowledge()),
            ("assistant", user.assistant_long_term_memory.get_assistant_knowledge()),
        ):
            stored += [_line(line, channel, self._sources) for line in lines]
        profile = user.get_user_profile_summary()
        if profile and profile != "None":
            sources = tuple(self._sources.get(profile, ()))
            stored.append(Memory("profile", profile, Form.PROFILE, sources, channel="profile"))
        return iter({memory.id: memory for memory in stored}.values())

    def _short(self, pair: Mapping[str, Any]) -> Memory:
        return _page({**pair, "page_id": f"short-{_digest(_key(pair))}"}, self._sources, "short-term")

    def erase(self, scope: Scope) -> None:
        """Remove the folder of one user: there is no other way."""
        self._users.pop(scope, None)
        folder = self._folder(scope)
        shutil.rmtree(folder / "users" / hashed(scope) if self._shared else folder, ignore_errors=True)

    def close(self) -> None:
        """Let go of everything; a temporary folder goes."""
        self._users.clear()
        self._home.close()


def _load(folder: Path) -> Any:
    """Import the package under a name that Python allows, and let it print nothing."""
    if f"{_NAME}.memoryos" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            _NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - it is a file with a Python name
        package = importlib.util.module_from_spec(spec)
        sys.modules[_NAME] = package
        spec.loader.exec_module(package)
    for name, module in list(sys.modules.items()):
        if name.startswith(_NAME):
            module.print = lambda *_, **__: None  # type: ignore[attr-defined] # it narrates every step
    return sys.modules[f"{_NAME}.memoryos"]


def _key(page: Mapping[str, Any]) -> str:
    return json.dumps([page["user_input"], page["agent_response"], page["timestamp"]])


def _page(page: Mapping[str, Any], sources: Mapping[str, Sequence[str]], channel: str = "mid-term") -> Memory:
    """Show a page, whose text is what both sides said."""
    text = "\n".join(side for side in (page["user_input"], page["agent_response"]) if side)
    at = datetime.strptime(page["timestamp"], _TIME) if page["timestamp"] else None  # noqa: DTZ007 - naive like turns
    return Memory(
        page["page_id"], text, Form.UNKNOWN, tuple(sources.get(_key(page), ())), event_at=at, channel=channel
    )


def _line(line: Mapping[str, Any], whose: str, sources: Mapping[str, Sequence[str]]) -> Memory:
    text = line["knowledge"]
    return Memory(
        f"{whose}-{_digest(text)}",
        text,
        Form.CANONICAL,
        tuple(sources.get(text, ())),
        channel=f"{whose} knowledge",
    )


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return float(sum(first * second for first, second in zip(left, right, strict=True)))
