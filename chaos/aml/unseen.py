"""Defects that were made by a rule after the preflight was written, and looked at once before anything was mended.

A dozen breaks, of the rule of a row, the part that the frozen defect left whole: the other operation, the other
way to write the same name, the other text. A dozen is drawn from all pairs of a field of an answer and what may
become of it; pairs that the contract allows (an id or a content may be any text) are not among them.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from chaos.aml.servers import Refusal, SmallServer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chaos.aml.servers import Answer

ROWS: Final = {
    "success": "success",
    "request_id": "echo",
    "user_id": "echo",
    "session_id": "echo",
    "data": "shape",
    "id": "shape",
    "content": "shape",
}
"""Fields of answers, and the row of each."""
CHANGES: Final = ("absent", "null", "a number", "in a list", "in upper case", "absent each third time")
_ALLOWED: Final = {("id", "in upper case"), ("content", "in upper case")}
SEED: Final = 26


class OneMore(SmallServer):
    """Counts from nought."""

    def most(self, body: Any) -> int:
        """Send one more."""
        return super().most(body) + 1


class Stripping(SmallServer):
    """Trims user_id."""

    def owner(self, user: str) -> str:
        """Trim."""
        return user.strip()


class StrictSearch(SmallServer):
    """Refuses unknown fields of a Search."""

    def check_search(self, body: Any) -> None:
        """Look at names."""
        super().check_search(body)
        if set(body) - {"query", "user_id", "top_k", "options"}:
            raise Refusal("extra fields are not permitted")


class Utf8(SmallServer):
    """Encodes what it stores."""

    def content(self, message: Any) -> str:
        """Fail on half a surrogate pair."""
        return super().content(message).encode().decode()


class SinceEpoch(SmallServer):
    """Refuses times before 1970."""

    def check_add(self, body: Any) -> None:
        """Look at times."""
        super().check_add(body)
        if any(message.get("timestamp", 0) < 0 for message in body["messages"]):
            raise Refusal("timestamp is negative")


class Refusing(SmallServer):
    """Answers a replay with 409."""

    def accept(self, body: Any) -> Answer:
        """Refuse what is known."""
        if self.request_key(body) in self.requests:
            return 409, {"detail": {"reason": "request_id is known"}}
        return super().accept(body)


class Unsure(SmallServer):
    """Fails on another body under a known id."""

    def conflict(self, body: Any) -> Answer:
        """Crash."""
        raise KeyError(body["request_id"])


class Crowded(SmallServer):
    """Fails where more than eight search at once."""

    inside = 0

    def search(self, body: Any) -> Answer:
        """Count who is there."""
        self.inside += 1
        try:
            if self.inside > 8:
                raise RuntimeError
            time.sleep(0.01)
            return super().search(body)
        finally:
            self.inside -= 1


class LedgerLost(SmallServer):
    """Keeps memories on disk, and neither the ledger nor how ids were made."""

    lives = 0

    def store(self, body: Any) -> None:
        """Make ids of this life."""
        super().store({**body, "request_id": f"{body['request_id']}#{self.lives}"})

    def restart(self) -> None:
        """Lose the ledger."""
        self.requests.clear()
        self.lives += 1


class PlainRefusals(SmallServer):
    """Says 401 as plain text, and the rest as JSON."""

    def error(self, status: int, reason: str) -> bytes:
        """Let the proxy speak."""
        return b"Unauthorized" if status == 401 else super().error(status, reason)


class SearchOpen(SmallServer):
    """Asks for the key on Add alone."""

    asked = threading.local()

    def allows(self, key: str) -> bool:
        """Note who comes without the key."""
        self.asked.bare = not super().allows(key)
        return True

    def check_add(self, body: Any) -> None:
        """Refuse here."""
        super().check_add(body)

    def add(self, body: Any) -> Answer:
        """Refuse who came without the key."""
        return (401, {"detail": {"reason": "show the key"}}) if self.asked.bare else super().add(body)


class SometimesLate(SmallServer):
    """Indexes every fifth Add later."""

    counted = itertools.count(1)

    def store(self, body: Any) -> None:
        """Write now, or soon."""
        if next(self.counted) % 5:
            super().store(body)
        else:
            threading.Timer(0.6, super().store, [body]).start()


MIRRORED: Final[Mapping[str, tuple[str, Callable[[], SmallServer]]]] = {
    "one hit more than top_k": ("top_k", OneMore),
    "users trimmed": ("isolation", Stripping),
    "unknown fields of a Search refused": ("unknown", StrictSearch),
    "crashes on half a surrogate pair": ("texts", Utf8),
    "refuses dates before 1970": ("times", SinceEpoch),
    "a replay is 409": ("replay", Refusing),
    "crashes on a conflict": ("conflict", Unsure),
    "fails when nine search": ("load", Crowded),
    "the ledger is lost at a restart": ("durable", LedgerLost),
    "401 is plain text": ("errors", PlainRefusals),
    "Search needs no key": ("key", SearchOpen),
    "each fifth Add is found late": ("visible", SometimesLate),
}


class Changed(SmallServer):
    """Changes one field of its answers."""

    def __init__(self, name: str, change: str) -> None:
        super().__init__()
        self._name, self._change, self._counted = name, change, itertools.count(1)

    def _altered(self, value: dict[str, Any]) -> dict[str, Any]:
        if self._name not in value:
            return value
        old = value[self._name]
        if self._change == "absent" or (self._change == "absent each third time" and next(self._counted) % 3 == 0):
            return {name: other for name, other in value.items() if name != self._name}
        new = {"null": None, "a number": 7, "in a list": [old], "in upper case": str(old).upper()}
        return value | {self._name: new.get(self._change, old)}

    def acknowledgement(self, body: Any) -> Any:
        """Change the answer to an Add."""
        return self._altered(super().acknowledgement(body))

    def answer(self, rows: list[dict[str, Any]], body: Any) -> Answer:
        """Change the answer to a Search, or its hits."""
        status, value = super().answer(rows, body)
        return status, self._altered({"data": [self._altered(row) for row in value["data"]]})


def drawn() -> dict[str, tuple[str, Callable[[], SmallServer]]]:
    """Draw a dozen pairs of a field and a change."""
    pairs = [pair for pair in itertools.product(ROWS, CHANGES) if pair not in _ALLOWED]
    chosen = random.Random(SEED).sample(pairs, 12)  # noqa: S311 - no secret
    return {f"{name} {change}": (ROWS[name], partial(Changed, name, change)) for name, change in chosen}


def unseen() -> dict[str, tuple[str, Callable[[], SmallServer]]]:
    """Return both dozens, each with the row that has to be red."""
    return {**MIRRORED, **drawn()}
