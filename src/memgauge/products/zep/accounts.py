"""Users and threads of Zep for scopes and sessions: found by a name of ours, made at the first write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memgauge.products.zep.api import ZepRefused
from memgauge.products.zep.shapes import uuid_of
from memgauge.systems.adapters.product_store import hashed
from memgauge.systems.adapters.services import ABSENT

if TYPE_CHECKING:
    from memgauge.products.zep.api import ZepApi
    from memgauge.records import Scope


@dataclass(frozen=True, slots=True)
class Account:
    """A user of Zep, who is a scope here."""

    uuid: str
    graph: str


class Accounts:
    """The users and threads of one store, as far as they have been asked for."""

    def __init__(self, api: ZepApi, store: str) -> None:
        self._api = api
        self.is_kept = bool(store)
        """Whether the store has a name, under which others may find it."""
        self._prefix = f"memgauge-{store or uuid4().hex[:12]}-"
        self.forget()

    def forget(self) -> None:
        """Know nobody."""
        self._known: dict[Scope, Account] = {}
        self._threads: dict[tuple[Scope, str], str] = {}

    def drop(self, scope: Scope) -> None:
        """Know nothing of one scope."""
        self._known.pop(scope, None)
        self._threads = {key: thread for key, thread in self._threads.items() if key[0] != scope}

    def found(self, scope: Scope) -> Account | None:
        """Return the user of a scope, ``None`` where nothing was written: reading makes nobody."""
        if scope not in self._known:
            try:
                self._note(scope, self._api.request("POST", "users/lookup", {"user_id": self._user_id(scope)}))
            except ZepRefused as refused:
                if refused.status == ABSENT:
                    return None
                raise
        return self._known[scope]

    def made(self, scope: Scope) -> Account:
        """Return the user of a scope, made where there is none."""
        if self.found(scope) is None:
            self._note(scope, self._api.request("POST", "users", {"user_id": self._user_id(scope)}))
        return self._known[scope]

    def thread(self, scope: Scope, session: str) -> str:
        """Return the thread of a session; one of an earlier process is not taken up again."""
        if (scope, session) not in self._threads:
            thread = self._api.request("POST", "threads", {"user_uuid": self.made(scope).uuid})
            self._threads[scope, session] = uuid_of(thread, "a thread")
        return self._threads[scope, session]

    def doomed(self) -> list[str]:
        """Ask for the deletion of every user of this store, and name the tasks."""
        users = [account.uuid for account in self._known.values()]
        if self.is_kept:
            listed = self._api.items("users/list", {"search": self._prefix})
            mine = (user for user in listed if str(user.get("user_id", "")).startswith(self._prefix))
            users = [uuid_of(user, "a user") for user in mine]
        return [task for task in (self._api.doomed(f"users/{user}") for user in users) if task]

    def _note(self, scope: Scope, user: dict[str, Any]) -> None:
        name = uuid_of(user, "a user")
        self._known[scope] = Account(name, str(user.get("graph_uuid") or name))

    def _user_id(self, scope: Scope) -> str:
        return f"{self._prefix}{hashed(scope)}"
