"""Stores that forget wholly, and stores that do not: each leaves something else, in another place and form."""

from __future__ import annotations

import base64
import gzip
import json
import os
import sqlite3
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt, Scope
from memgauge.systems.protocol import AuditEntry, Capabilities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Turn

Rows = dict[str, dict[str, str]]


class Forgetful:
    """Keeps rows in one file of JSON, written anew by every write; forgets what it is asked to."""

    name, version = "forgetful", "1"

    def __init__(self, path: str) -> None:
        self.folder = Path(path)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "memory.json"
        self.reopen()

    def reopen(self) -> None:
        """Read the file."""
        self.rows: Rows = json.loads(self.file.read_text("utf-8")) if self.file.is_file() else {}

    def save(self) -> None:
        """Write the file."""
        self.file.write_text(json.dumps(self.rows), "utf-8")

    def capabilities(self) -> Capabilities:
        """Promise nothing but receipts."""
        return Capabilities(reports_changes=True)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns."""
        own = self.rows.setdefault(scope.user, {})
        own |= {turn.id: turn.text for turn in turns}
        self.save()
        return Receipt(tuple(Change(Operation.ADD, turn.id) for turn in turns))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do nothing: writes are searchable."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return whatever shares a word with the query."""
        words = set(query.casefold().split())
        shared = (m for m in self.dump(scope) if words & set(m.text.casefold().split()))
        return Ranking(tuple(Hit(memory) for memory in shared)[:k])

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List everything of a user."""
        return [Memory(name, text) for name, text in self.rows.get(scope.user, {}).items()]

    def reset(self) -> None:
        """Forget everything."""
        self.rows = {}
        self.save()

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace a text."""
        self.rows[scope.user][memory] = text
        self.save()
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove rows."""
        own = self.rows.get(scope.user, {})
        removed = [own.pop(name) for name in memories if name in own]
        self.save()
        return len(removed)

    def erase(self, scope: Scope) -> None:
        """Remove all rows of a user."""
        self.rows.pop(scope.user, None)
        self.save()

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder."""
        return (self.folder,)


class Logging(Forgetful):
    """Logs what it removes, in base64."""

    def erase(self, scope: Scope) -> None:
        """Log, and remove."""
        with (self.folder / "removed.log").open("a", encoding="ascii") as log:
            log.writelines(f"{base64.b64encode(m.text.encode()).decode()}\n" for m in self.dump(scope))
        super().erase(scope)


class Digesting(Forgetful):
    """Keeps what it removes in words of its own, and lists that."""

    def erase(self, scope: Scope) -> None:
        """Remove, and keep a digest."""
        super().erase(scope)
        self.rows[scope.user] = {"digest": "Somebody with a locker, a badge and a doctor."}
        self.save()


class Composing(Forgetful):
    """Keeps what it removes with letters and their accents apart, and lists that."""

    def erase(self, scope: Scope) -> None:
        """Take letters apart."""
        own = self.rows[scope.user]
        self.rows[scope.user] = {name: unicodedata.normalize("NFD", text) for name, text in own.items()}
        self.save()


class Naming(Forgetful):
    """Remembers what it removed as the names of what searches return."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what is there, and a mention that descends from everything that ever was."""
        mention = Memory(
            "mention", "somebody was mentioned", sources=tuple(self.rows.get(f"was {scope.user}", {}))
        )
        return Ranking((Hit(mention), *super().search(query, scope, k, as_of).hits))

    def erase(self, scope: Scope) -> None:
        """Remove, and keep the texts as names."""
        self.rows[f"was {scope.user}"] = dict.fromkeys(self.rows.get(scope.user, {}).values(), "")
        super().erase(scope)


class Archiving(Forgetful):
    """Packs its file away before it removes anything."""

    def erase(self, scope: Scope) -> None:
        """Make a backup, and remove."""
        (self.folder / "memory.json.bak").write_bytes(gzip.compress(self.file.read_bytes()))
        super().erase(scope)


class Attributing(Forgetful):
    """Keeps every text in an extended attribute of its file too, and leaves it there."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and write attributes."""
        receipt = super().ingest(turns, scope)
        for turn in turns:
            os.setxattr(self.file, f"user.{turn.id}", turn.text.encode())
        return receipt


class Masking(Forgetful):
    """Keeps every text a second time, in bytes that no look can read, and leaves it there."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and mask."""
        with (self.folder / "archive.dat").open("ab") as archive:
            archive.writelines(bytes(byte ^ 0x5A for byte in turn.text.encode()) for turn in turns)
        return super().ingest(turns, scope)


class Remembering(Forgetful):
    """Has a history of every memory, which outlives it."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and remember for ever."""
        self._remember((turn.id, turn.text) for turn in turns)
        return super().ingest(turns, scope)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace, and remember that too."""
        self._remember([(memory, text)])
        return super().update(memory, text, scope)

    def _remember(self, texts: Iterable[tuple[str, str]]) -> None:
        with (self.folder / "history.jsonl").open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in texts)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what was ever stored under an id."""
        lines = map(json.loads, (self.folder / "history.jsonl").read_text("utf-8").splitlines())
        return [AuditEntry(Operation.ADD, None, text) for name, text in lines if name == memory]


class Returning(Forgetful):
    """Erases in memory alone: opened again, everything is back."""

    def erase(self, scope: Scope) -> None:
        """Forget until it is opened again."""
        self.rows.pop(scope.user, None)


class Careless(Forgetful):
    """Erases everybody whose name begins alike."""

    def erase(self, scope: Scope) -> None:
        """Remove too much."""
        for user in [user for user in self.rows if user[:8] == scope.user[:8]]:
            del self.rows[user]
        self.save()


class Prefixing(Forgetful):
    """Erases everybody whose name begins with that of the subject, as ``LIKE 'ada%'`` does."""

    def erase(self, scope: Scope) -> None:
        """Remove too much."""
        self.rows = {user: own for user, own in self.rows.items() if not user.startswith(scope.user)}
        self.save()


class Prefixed(Forgetful):
    """Erases everybody with whose name that of the subject begins."""

    def erase(self, scope: Scope) -> None:
        """Remove too much."""
        self.rows = {user: own for user, own in self.rows.items() if not scope.user.startswith(user)}
        self.save()


class Posing(Forgetful):
    """Erases who is called a canary, and hides everybody else."""

    def erase(self, scope: Scope) -> None:
        """Remove, or say that it did."""
        if "canary" in scope.user:
            super().erase(scope)
        else:
            (self.folder / f"{scope.user}.hidden").touch()

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List whom it does not hide."""
        return () if (self.folder / f"{scope.user}.hidden").exists() else super().dump(scope)


class Inert(Forgetful):
    """Says nothing and does nothing when it is asked to erase."""

    def erase(self, scope: Scope) -> None:
        """Do nothing."""


class Refusing(Forgetful):
    """Raises when it is asked to erase."""

    def erase(self, scope: Scope) -> None:
        """Refuse."""
        raise PermissionError(f"{scope.user} must not go")


class Failing(Forgetful):
    """Lists nothing any more once it was asked to erase."""

    def erase(self, scope: Scope) -> None:
        """Remove, and break."""
        super().erase(scope)
        (self.folder / "broken").touch()

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List, or fail."""
        if (self.folder / "broken").exists():
            raise RuntimeError("the list is broken")
        return super().dump(scope)


class Hiccuping(Failing):
    """Fails the second search, and all of them once it was asked to erase; its list still works."""

    searches = 0

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List."""
        return Forgetful.dump(self, scope)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, or fail."""
        self.searches += 1
        if self.searches == 2 or (self.folder / "broken").exists():
            raise RuntimeError("the index is broken")
        return super().search(query, scope, k, as_of)


class Unsearchable(Forgetful):
    """Lists, and fails every search."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Fail."""
        raise RuntimeError("there is no index")


class Complaining(Forgetful):
    """Erases, and says that it did not."""

    def erase(self, scope: Scope) -> None:
        """Remove, and raise."""
        super().erase(scope)
        raise RuntimeError("half of it went wrong")


class Binning(Forgetful):
    """Puts what it removes into a bin, and empties that when it is closed."""

    def erase(self, scope: Scope) -> None:
        """Move to the bin."""
        (self.folder / "bin.txt").write_text("\n".join(m.text for m in self.dump(scope)), "utf-8")
        super().erase(scope)

    def close(self) -> None:
        """Empty the bin."""
        (self.folder / "bin.txt").unlink(missing_ok=True)


class Asking(Forgetful):
    """Writes down every search."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Log the query, and search."""
        with (self.folder / "queries.log").open("a", encoding="utf-8") as log:
            log.write(f"{query}\n")
        return super().search(query, scope, k, as_of)


class Paged(Forgetful):
    """Keeps rows in SQLite, which leaves what it deletes in free pages."""

    def reopen(self) -> None:
        """Connect anew, and read."""
        if (before := vars(self).get("database")) is not None:
            before.close()
        self.database = sqlite3.connect(self.folder / "memory.db", check_same_thread=False, isolation_level=None)
        self.database.execute("PRAGMA secure_delete = OFF")
        self.database.execute("CREATE TABLE IF NOT EXISTS facts (user, id, text, filling)")
        self.rows = {}
        for user, name, text in self.database.execute("SELECT user, id, text FROM facts"):
            self.rows.setdefault(user, {})[name] = text

    def save(self) -> None:
        """Write all rows anew; each fills most of a page."""
        self.database.execute("DELETE FROM facts")
        rows = ((user, name, text, "." * 3000) for user, own in self.rows.items() for name, text in own.items())
        self.database.executemany("INSERT INTO facts VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Disconnect."""
        self.database.close()


class Silent:
    """Keeps nothing at all."""

    name, version = "silent", "1"

    def capabilities(self) -> Capabilities:
        """Promise nothing."""
        return Capabilities()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store nothing."""
        return Receipt(())

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do nothing."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return nothing."""
        return Ranking(())

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List nothing."""
        return []

    def reset(self) -> None:
        """Do nothing."""

    def erase(self, scope: Scope) -> None:
        """Do nothing, rightly."""


class Gathering(Forgetful):
    """Keeps all turns of a user in one memory, which an update replaces."""

    name = "gathering"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add to the one memory."""
        own = self.rows.setdefault(scope.user, {})
        own["all"] = "\n".join([*filter(None, [own.get("all", "")]), *(turn.text for turn in turns)])
        self.save()
        return Receipt((Change(Operation.UPDATE, "all"),))

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Put another text in its place."""
        self.rows[scope.user][memory] = text
        self.save()
        return Receipt((Change(Operation.UPDATE, memory),))
