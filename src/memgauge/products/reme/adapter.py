"""ReMe on files: a workspace a scope, a note of Markdown a turn, found by the search that ReMe comes with.

Notes are written, deleted and searched by ReMe's own jobs, without its server. What it makes of conversations with
a model (automatic memory, dreams, tags) is not driven, and neither are its watchers: a write names what to index.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed
from memgauge.products.reme.notes import read_note
from memgauge.records import ScoreKind
from memgauge.systems.adapters.loops import PrivateLoop, on_loop
from memgauge.systems.adapters.product_store import OnDisk, OnLoop, hashed, product
from memgauge.systems.adapters.rows import RowStore, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.records import Scope
    from memgauge.systems.protocol import Capabilities

JOBS = ("write", "delete", "search")
NO_DAY = "1970-01-01"
"""The folder of turns of which nobody knows when they were said."""
PIECES = 4
"""How many pieces of notes are asked for each note, since a long note is found in pieces."""
MOST = 200
"""ReMe considers no more pieces than this."""
INDEXING: dict[str, Any] = {
    "put_index": {"backend": "base", "steps": [{"backend": "update_index_step", "persist": False}]},
    "scan": {
        "backend": "base",
        "watch_dirs": ["daily_dir", "digest_dir"],
        "watch_suffixes": ["md"],
        "steps": [
            {
                "backend": "init_changes_step",
                "monitor_type": "file_store",
                "monitor_name": "default",
                "dispatch_steps": ["update_index_step"],
            }
        ],
    },
}
"""ReMe's own steps of its loop over changed files, to be run when a file was written."""


class ReMe(OnLoop, OnDisk, RowStore):
    """Keeps turns as notes of ReMe."""

    name = "reme"
    pin = "reme-ai==0.4.2.0"
    promises = replace(RowStore.promises, score_kind=ScoreKind.SIMILARITY)
    interventions = (
        "a workspace a scope; erasing a scope removes its folder",
        "a turn is a note of its own in the folder of its day, its source and time in the front matter",
        "found by words, as it comes (no vectors); a note found in several pieces counts once",
        "indexed at each write by ReMe's own step, in the place of its watcher; a day's page is not written",
        "without its server and its schedules; automatic memory, which asks a model, is not driven",
    )

    def __init__(self, *, path: str = "") -> None:
        """Open the workspaces at *path*, or none in a temporary folder.

        Raises:
            MissingExtraError: ReMe is not installed here.
            ContractBreach: It does not return as many notes as it is asked for.
        """
        self._loop = PrivateLoop(self.name)
        self._spaces: dict[str, Any] = {}
        super().__init__(path=path)

    def capabilities(self) -> Capabilities:
        """Declare what it does: neither vectors nor a model stand behind it."""
        return replace(self.promises, interventions=self.interventions)

    def _another(self, embedder: str) -> ReMe:  # noqa: ARG002 - it has none
        return ReMe()

    @on_loop
    async def _shut(self) -> None:
        for space in self._spaces.values():
            await space.close()
        self._spaces.clear()

    def _folder(self, scope: Scope) -> Path:
        return self._home.root / hashed(scope)

    async def _space(self, scope: Scope) -> Any:
        """Return ReMe on the workspace of a scope, which is made when something is first written."""
        key = hashed(scope)
        if key not in self._spaces:
            space = product("reme.reme").ReMe(**_configured(self._folder(scope)))
            await space.start()
            self._spaces[key] = space
            await self._run(space, "scan")
        return self._spaces[key]

    async def _run(self, space: Any, job: str, **given: object) -> dict[str, Any]:
        """Run a job of ReMe, which says that it failed and raises nothing."""
        response = await space.run_job(job, **given)
        if not response.success:
            raise CallFailed(f"{job}: {str(response.answer)[:200]}")
        return dict(response.metadata)

    async def _index(self, space: Any, change: str, paths: Iterable[Path]) -> None:
        await self._run(space, "put_index", changes=[{"change": change, "path": str(path)} for path in paths])

    @on_loop
    async def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        space, folder = await self._space(scope), self._folder(scope)
        for row in rows:
            path = f"daily/{row.at[:10] or NO_DAY}/{row.id}.md"
            known = (folder / path).exists()
            metadata = {key: value for key, value in row.metadata.items() if value}
            await self._run(space, "write", path=path, content=row.text, metadata=metadata)
            await self._index(space, "modified" if known else "added", [folder / path])

    @on_loop
    async def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Search by words: an empty query, which ReMe refuses, finds nothing."""
        folder = self._folder(scope)
        if not folder.exists() or not query.strip():
            return []
        answer = await self._run(await self._space(scope), "search", query=query, limit=min(PIECES * k, MOST))
        scores: dict[str, float] = {}
        for piece in answer.get("results", ()):
            scores.setdefault(piece["path"], float(piece["scores"]["score"]))
        return [(read_note(folder / path), score) for path, score in list(scores.items())[:k]]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        return [read_note(path) for path in self._notes_of(scope, ids)]

    def _notes_of(self, scope: Scope, ids: Sequence[str] | None) -> list[Path]:
        """Return the files of notes, all or those with ids of ours; what is none could be a pattern."""
        names = ["*"] if ids is None else [name for name in ids if name.isalnum()]
        daily = self._folder(scope) / "daily"
        return [path for name in names for path in sorted(daily.glob(f"*/{name}.md"))]

    @on_loop
    async def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        space, paths = await self._space(scope), self._notes_of(scope, ids)
        for path in paths:
            await self._run(space, "delete", path=str(path.relative_to(self._folder(scope))))
        await self._index(space, "deleted", paths)

    @on_loop
    async def _erase(self, scope: Scope) -> None:
        """Close the workspace of a scope and remove its folder."""
        space = self._spaces.pop(hashed(scope), None)
        if space is not None:
            await space.close()
        shutil.rmtree(self._folder(scope), ignore_errors=True)

    def row_id(self, turn: str, scope: Scope) -> str:  # noqa: ARG002 - a scope has a workspace of its own
        """Name a note by a hash: an id may hold what no name of a file can."""
        return sha256(turn.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _configured(folder: Path) -> dict[str, Any]:
    """Take the settings that ReMe comes with, without what asks a model or runs by itself."""
    settings: dict[str, Any] = product("reme.config").resolve_app_config(log_config=False)
    jobs = {name: settings["jobs"][name] for name in JOBS}
    components = {
        name: about for name, about in settings["components"].items() if name not in {"as_llm", "agent_wrapper"}
    }
    return settings | {
        "jobs": jobs | INDEXING,
        "components": components,
        "workspace_dir": str(folder),
        "log_to_console": False,
        "log_to_file": False,
        "enable_logo": False,
    }
