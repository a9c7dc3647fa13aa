"""Every reply kept beside its request in one SQLite file: the second pass costs nothing and needs no network."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import weakref
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memgauge.errors import ConfigError, ReplayMiss
from memgauge.llm.messages import Counted, Finish, Reply, ToolCall, Usage
from memgauge.llm.once import Once
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memgauge.llm.messages import ChatModel, Request

_TABLE = """CREATE TABLE IF NOT EXISTS replies
    (key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL, raw TEXT NOT NULL,
    server TEXT) WITHOUT ROWID"""


class Mode(StrEnum):
    """What a record is used for."""

    LIVE = "live"
    """Ask every time; neither read the record nor write it."""
    RECORD = "record"
    """Ask what the record does not hold, and keep it."""
    REPLAY = "replay"
    """Read the record, and ask nothing."""
    REFUSE = "refuse"
    """Neither ask nor read: every request is a miss."""


@runtime_checkable
class HasServer(Protocol):
    """A model that knows where it is asked."""

    @property
    def server(self) -> str:
        """Return host and port; nothing of its provider's own address."""
        ...


def server_of(model: ChatModel) -> str:
    """Return where *model* is asked: host and port, or nothing where it is its provider's or does not say."""
    return model.server if isinstance(model, HasServer) else ""


class Cassette:
    """A record around a model; threads may share it, and processes the file.

    A reply is on disk before it is returned. Replies that were cut off, refused or empty are returned but not
    kept, so that they are asked for again. Equal requests that come at the same time are asked once.

    A reply answers a request whichever server is asked now, so that a record replays anywhere. The server that
    gave it is kept beside it, since one name may stand for different weights at two addresses.
    """

    def __init__(
        self,
        model: ChatModel,
        path: Path,
        mode: Mode | str = Mode.RECORD,
        *,
        server: str = "",
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Put a record around *model*, which is never called in the modes ``replay`` and ``refuse``.

        *server* is where *model* is asked, host and port; nothing where that is its provider's own address or is
        not known. *tell* hears it once where replies are used that another server gave.

        Raises:
            ConfigError: No such mode; or *path* is no cassette.
        """
        if mode not in set(Mode):
            raise ConfigError(f"No mode {str(mode)!r} of a cassette.", f"Take one of {', '.join(Mode)}.")
        self.name = model.name
        self.mode = Mode(mode)
        self.replayed = 0
        """How many requests the record has answered."""
        self._model = model
        self._server = server
        self._tell = Once(tell)
        self._path = path
        self._lock = Lock()
        self._turns: dict[str, Lock] = {}
        self._file = self._open() if self.mode in {Mode.RECORD, Mode.REPLAY} else None
        if self._file:
            weakref.finalize(self, self._file.close)

    def complete(self, request: Request) -> Reply:
        """Return the recorded reply, or ask as the mode allows.

        Raises:
            ReplayMiss: The record holds no reply, and nothing may be asked.
            ModelError: The model gave none.
        """
        if self.mode is Mode.LIVE:
            return self._model.complete(request)
        with self._turn(request.key):
            held, origin = self._read(request.key)
            if held:
                with self._lock:
                    self.replayed += 1
                self._compare(origin)
                return held
            if self.mode is not Mode.RECORD:
                raise ReplayMiss(self._miss(request))
            return self._keep(request, self._model.complete(request))

    def holds(self, request: Request) -> bool:
        """Say whether *request* would be answered from the record."""
        return self._read(request.key)[0] is not None

    def digest(self) -> str:
        """Hash all that the record holds, whatever the order in which it came."""
        content = hashlib.sha256()
        for row in self._rows("SELECT key, request, reply, raw FROM replies ORDER BY key"):
            content.update(json.dumps(row, ensure_ascii=True, default=repr).encode() + b"\n")
        return content.hexdigest()

    def count(self) -> int:
        """Count the replies that the record holds and may use."""
        return int(self._rows("SELECT count(*) FROM replies")[0][0]) if self._file else 0

    def _compare(self, origin: str | None) -> None:
        """Tell, once, that a reply which is used came from another server than is asked now."""
        if origin is None or origin == self._server or self.mode is not Mode.RECORD:
            return
        there, here = (where or "its provider's own address" for where in (origin, self._server))
        self._tell(
            f"{self._path} holds replies of {self.name} from {there}, and they are used although {here} is named "
            "now. If another model answers there, name another --cassette."
        )

    def _miss(self, request: Request) -> str:
        if self.mode is Mode.REFUSE:
            return f"{self.name} was asked, but no model may be asked in the mode refuse."
        return f"{self._path} holds no reply of {self.name} to request {request.key[:12]}; record it first."

    def _keep(self, request: Request, reply: Reply) -> Reply:
        """Keep *reply* if it is an answer; where another process was faster, return what it kept."""
        whole = reply.finish in {Finish.STOP, Finish.CALLS}
        if not whole or not (reply.text.strip() or reply.calls):
            return reply
        rest = asdict(replace(reply, raw="", replayed=False))
        for absent in [name for name in ("calls", "carried") if not rest[name]]:
            del rest[absent]  # what has no tools is kept in the same bytes as ever
        row = (request.key, request.spelled, json.dumps(rest, sort_keys=True), reply.raw, self._server)
        self._rows("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)", *row)
        recorded, _ = self._read(request.key)
        return reply if recorded is None or recorded == replace(reply, replayed=True) else recorded

    def _read(self, key: str) -> tuple[Reply | None, str | None]:
        """Return what the record holds, and which server gave it, where that was kept."""
        rows = self._rows("SELECT * FROM replies WHERE key = ?", key)
        if not rows:
            return None, None
        _, _, reply, raw, *server = rows[0]
        try:
            return _reply(reply, raw), server[0] if server else None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{self._path}: the reply to request {key[:12]} is none: {error!r}.", "Restore it from a copy."
            ) from error

    @contextmanager
    def _turn(self, key: str) -> Iterator[None]:
        """Let one thread at a time deal with *key*; the next finds what it kept."""
        with self._lock:
            turn = self._turns.setdefault(key, Lock())
        try:
            with turn:
                yield
        finally:
            with self._lock:
                self._turns.pop(key, None)

    def _rows(self, query: str, *values: str) -> list[tuple[str, ...]]:
        """Run one statement, which is one transaction."""
        if self._file is None:
            return []
        try:
            with self._lock:
                return self._file.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _unusable(self._path, error) from error

    def _open(self) -> sqlite3.Connection:
        """Open the file; one that is to be replayed is only read."""
        if self.mode is Mode.REPLAY and not self._path.is_file():
            raise ConfigError(f"There is no cassette at {self._path}.", "Record one first: mode record.")
        if self.mode is Mode.RECORD:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        where = f"{self._path.absolute().as_uri()}?mode={'rwc' if self.mode is Mode.RECORD else 'ro'}"
        try:
            file = sqlite3.connect(where, uri=True, timeout=60, isolation_level=None, check_same_thread=False)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _unusable(self._path, error) from error
        try:
            _prepare(file, write=self.mode is Mode.RECORD)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            file.close()
            raise _unusable(self._path, error) from error
        return file


def _prepare(file: sqlite3.Connection, *, write: bool) -> None:
    """Make the table, or look whether it is there."""
    if write:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = FULL")  # what was paid for survives a power cut too
        file.execute(_TABLE)
        _widen(file)
    file.execute("SELECT key, request, reply, raw FROM replies LIMIT 1")


def _widen(file: sqlite3.Connection) -> None:
    """Give a record of before, which kept no servers, room for them; two processes may come at once."""
    file.execute("BEGIN IMMEDIATE")
    if "server" not in {row[1] for row in file.execute("PRAGMA table_info(replies)")}:
        file.execute("ALTER TABLE replies ADD COLUMN server TEXT")
    file.execute("COMMIT")


def _reply(text: str, raw: str) -> Reply:
    content = json_of(text)
    usage = content["usage"]
    return Reply(
        content["text"],
        Finish(content["finish"]),
        Usage(**usage | {"counted": Counted(usage["counted"])}),
        raw,
        replayed=True,
        calls=tuple(ToolCall(**call) for call in content.get("calls", ())),
        carried=content.get("carried", ""),
    )


def _unusable(path: Path, error: Exception) -> ConfigError:
    return ConfigError(f"{path} cannot be used as a cassette: {error}.", "Choose another path.")
