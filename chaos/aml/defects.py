"""The frozen defects, each a small server with one part replaced."""

from __future__ import annotations

import itertools
import threading
import time
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from chaos.aml.servers import KEY, Refusal, SmallServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chaos.aml.servers import Answer

PATIENCE_S: Final = 1.0
"""What a client of these servers waits for a call."""
_2100: Final = 4_102_444_800_000


class HealthKeyed(SmallServer):
    """Wants the key for health."""

    def health(self, key: str) -> Answer:
        """Refuse who shows none."""
        return super().health(key) if key == KEY else (401, {"detail": {"reason": "show the key"}})


class Open(SmallServer):
    """Asks for no key."""

    def allows(self, key: str) -> bool:
        """Let everybody in."""
        del key
        return True


class Trimming(SmallServer):
    """Tidies the ids that it echoes."""

    def acknowledgement(self, body: Any) -> Any:
        """Trim and normalise."""
        value = super().acknowledgement(body)
        return {
            name: unicodedata.normalize("NFC", given.strip()) if isinstance(given, str) else given
            for name, given in value.items()
        }


class SuccessText(SmallServer):
    """Says success as a text."""

    def acknowledgement(self, body: Any) -> Any:
        """Say "true"."""
        return super().acknowledgement(body) | {"success": "true"}


class Accepting(SmallServer):
    """Answers 202 and writes later."""

    def accept(self, body: Any) -> Answer:
        """Promise."""
        threading.Timer(0.05, self.store, [body]).start()
        return 202, self.acknowledgement(body)


class Doubling(SmallServer):
    """Stores a replay again."""

    def store(self, body: Any) -> None:
        """Give every message a new id."""
        shelf = self.stored.setdefault(body["user_id"], [])
        shelf += [
            {"id": f"m{len(shelf) + place}", "content": message["content"], "session": body["session_id"]}
            for place, message in enumerate(body["messages"])
        ]


class Overwriting(SmallServer):
    """Takes another body under a known id for a correction."""

    def conflict(self, body: Any) -> Answer:
        """Put it in the place of the first."""
        shelf = self.stored[body["user_id"]]
        shelf[:] = [row for row in shelf if not row["id"].startswith(f"{body['request_id']}/")]
        self.store(body)
        return 200, self.acknowledgement(body)


class Late(SmallServer):
    """Finds only after a moment."""

    def store(self, body: Any) -> None:
        """Index later."""
        threading.Timer(0.6, super().store, [body]).start()


class Folding(SmallServer):
    """Compares users without case."""

    def owner(self, user: str) -> str:
        """Fold."""
        return user.casefold()


class Missing(SmallServer):
    """Knows no user of whom it has nothing."""

    def search(self, body: Any) -> Answer:
        """Answer 404."""
        self.check_search(body)
        if body["user_id"] not in self.stored:
            return 404, {"detail": {"reason": "no such user"}}
        return super().search(body)


class Endless(SmallServer):
    """Sends everything."""

    def most(self, body: Any) -> int:
        """Cut nothing."""
        del body
        return 10_000


class Bare(SmallServer):
    """Sends a bare array."""

    def answer(self, rows: list[dict[str, Any]], body: Any) -> Answer:
        """Leave out the object."""
        status, value = super().answer(rows, body)
        return status, value["data"]


class LastSession(SmallServer):
    """Finds in the last session only."""

    def rows(self, body: Any) -> list[dict[str, Any]]:
        """Filter."""
        rows = super().rows(body)
        return [row for row in rows if row["session"] == rows[-1]["session"]]


class Forbidding(SmallServer):
    """Refuses fields that it does not know."""

    def check_add(self, body: Any) -> None:
        """Look at names."""
        super().check_add(body)
        if set(body) - {"request_id", "user_id", "session_id", "messages"}:
            raise Refusal("extra fields are not permitted")


class Crashing(SmallServer):
    """Looks at no types."""

    def check_add(self, body: Any) -> None:
        """Touch everything as if it were right."""
        next(message["content"].strip() for message in body["messages"]).strip()
        (body["user_id"] + body["request_id"] + body["session_id"]).strip()

    def check_search(self, body: Any) -> None:
        """Compute with everything as if it were right."""
        (body["query"] + body["user_id"]).strip()
        if body["top_k"] is True or body["top_k"] < 1:
            raise ValueError


class NoNul(SmallServer):
    """Crashes on NUL, as Postgres does."""

    def content(self, message: Any) -> str:
        """Refuse the byte."""
        if "\0" in message["content"]:
            raise ValueError
        return super().content(message)


class Century(SmallServer):
    """Refuses dates after 2100."""

    def check_add(self, body: Any) -> None:
        """Look at times."""
        super().check_add(body)
        if any(message.get("timestamp", 0) > _2100 for message in body["messages"]):
            raise Refusal("timestamp is too late")


class Cutting(SmallServer):
    """Keeps 4,096 characters."""

    def content(self, message: Any) -> str:
        """Cut."""
        return super().content(message)[:4096]


class Replacing(SmallServer):
    """Keeps one document a session."""

    def store(self, body: Any) -> None:
        """Forget what the session held."""
        shelf = self.stored.setdefault(body["user_id"], [])
        mine = f"{body['request_id']}/"
        shelf[:] = [row for row in shelf if row["session"] != body["session_id"] or row["id"].startswith(mine)]
        super().store(body)


class Chancy(SmallServer):
    """Orders equals by chance: in each Search otherwise."""

    turns = itertools.count()

    def ranked(self, rows: list[dict[str, Any]], query: str) -> list[dict[str, Any]]:
        """Turn what would be first."""
        ordered = super().ranked(rows, query)
        at = next(self.turns) % max(len(ordered), 1)
        return [*ordered[at:], *ordered[:at]]


class Losing(SmallServer):
    """Loses what is written while something else is."""

    def add(self, body: Any) -> Answer:
        """Read, let others in, and write back what was read."""
        self.check_add(body)
        before = dict(self.stored)
        self.stored = before
        time.sleep(0.02)
        answer = SmallServer.accept(self, body)
        self.stored = {**before, body["user_id"]: self.stored.get(body["user_id"], [])}
        return answer


class Forgetful(SmallServer):
    """Keeps everything in memory."""

    def restart(self) -> None:
        """Begin with nothing."""
        self.stored.clear()
        self.requests.clear()


class Html(SmallServer):
    """Lets its framework draw errors."""

    def error(self, status: int, reason: str) -> bytes:
        """Draw a page."""
        return f"<html><h1>{status}</h1><p>{reason}</p></html>".encode()


class Sleepy(SmallServer):
    """Answers when nobody waits any more."""

    def accept(self, body: Any) -> Answer:
        """Sleep."""
        time.sleep(1.3 * PATIENCE_S)
        return super().accept(body)


DEFECTS: Final[Mapping[str, type[SmallServer]]] = {
    "health asks for the key": HealthKeyed,
    "open to whoever comes": Open,
    "echoes ids trimmed and normalised": Trimming,
    "success is a text": SuccessText,
    "202, and the writing later": Accepting,
    "a replay stores again": Doubling,
    "the same id overwrites": Overwriting,
    "found only after a moment": Late,
    "users compared without case": Folding,
    "an unknown user is 404": Missing,
    "ignores top_k": Endless,
    "a bare array": Bare,
    "only the last session": LastSession,
    "refuses unknown fields": Forbidding,
    "crashes on wrong types": Crashing,
    "crashes on NUL": NoNul,
    "refuses dates after 2100": Century,
    "cuts long messages": Cutting,
    "the next chunk replaces the last": Replacing,
    "orders by chance": Chancy,
    "loses what is written at once": Losing,
    "forgets at a restart": Forgetful,
    "errors are pages of HTML": Html,
    "answers when nobody waits any more": Sleepy,
}
"""By the names of :data:`chaos.aml.frozen.FROZEN`."""
