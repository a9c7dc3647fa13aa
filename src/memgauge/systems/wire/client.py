"""A memory system at the other end of a wire: what it is asked there, it is here."""

from __future__ import annotations

import contextlib
import time
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from memgauge import errors
from memgauge.errors import CallFailed, ConfigError, ContractBreach, UserError
from memgauge.systems.protocol import OPTIONAL
from memgauge.systems.wire import messages
from memgauge.systems.wire.methods import METHODS, Greeting, Hello
from memgauge.systems.wire.usage import SystemUsage, bytes_of
from memgauge.systems.wire.values import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Memory, Ranking, Receipt, Scope, Turn
    from memgauge.systems.protocol import Capabilities, Durable

CALL_S = 600.0
"""Seconds that a call may take where nobody says less; a run has its own limit."""
START_S = 120.0
"""Seconds that a system may take to open."""


class Transport(Protocol):
    """Carries requests to one opened system."""

    files: tuple[Path, ...]
    """Files that hold what serves it, for the identity of a run."""

    @property
    def lost(self) -> str:
        """Why it cannot be called; empty while it can."""

    def open(self, greeting: object, deadline_s: float) -> dict[str, Any]:
        """Begin anew, with an empty store, and return the answer to ``hello``."""

    def call(self, method: str, params: object, deadline_s: float) -> dict[str, Any]:
        """Send a request and return its answer."""

    def cancel(self) -> None:
        """Ask to give up the running call."""

    def used(self) -> dict[str, Any]:
        """Return what was used since it was last asked, where the answer does not say."""

    def close(self) -> None:
        """Let go of everything, also while a call is running."""


@runtime_checkable
class Several(Protocol):
    """A transport that can have several connections to one store."""

    def beside(self) -> Transport:
        """Return a further connection to the same store."""


class WireSystem:
    """The required methods; what else a system offers is in the class that :func:`connect` makes for it."""

    def __init__(
        self, transport: Transport, hello: Hello, usage: SystemUsage, *, seed: int, call_s: float, start_s: float
    ) -> None:
        self.name, self.version, self.about = hello.name, hello.version, hello.about
        self.files = transport.files
        self.usage = usage
        self._transport = transport
        self._hello = hello
        self._seed, self._call_s, self._start_s = seed, call_s, start_s

    def capabilities(self) -> Capabilities:
        """Return what it declared when it was opened."""
        return self._hello.capabilities

    def offers(self) -> tuple[str, ...]:
        """Return what it said that it implements."""
        return self._hello.offers

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns."""
        return cast("Receipt", self._ask("ingest", turns, scope))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait, and then weigh the store."""
        self._ask("flush", scope, timeout_s)
        if "durable" in self._hello.offers:
            self.usage.stored = bytes_of(cast("Durable", self).storage_paths())

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search."""
        return cast("Ranking", self._ask("search", query, scope, k, as_of))

    def dump(self, scope: Scope) -> tuple[Memory, ...]:
        """List what is stored."""
        return cast("tuple[Memory, ...]", self._ask("dump", scope))

    def reset(self) -> None:
        """Forget everything; a process that was lost is started again, which forgets everything too."""
        if self._transport.lost:
            self._open_again()
        self._ask("reset")

    def spent(self) -> dict[str, dict[str, int]]:
        """Return what the other end says that it asked models; nothing where it does not say."""
        return {model: dict(counts) for model, counts in self.usage.models.items()}

    def close(self) -> None:
        """End what serves it; from any thread."""
        self._transport.close()

    def beside(self) -> WireSystem:
        """Return the same store through a connection of its own; itself, where calls take turns."""
        if self._hello.takes_turns or not isinstance(self._transport, Several):
            return self
        return type(self)(
            self._transport.beside(),
            self._hello,
            SystemUsage(),
            seed=self._seed,
            call_s=self._call_s,
            start_s=self._start_s,
        )

    def hang_up(self) -> None:
        """Let the connection go, and leave what serves it."""
        self._transport.cancel()

    def _open_again(self) -> None:
        hello = greeted(self._transport, self._seed, self._start_s, self.name, self.usage)
        if (hello.name, hello.version, hello.capabilities, hello.offers) != (
            self.name,
            self.version,
            self._hello.capabilities,
            self._hello.offers,
        ):
            self._transport.close()
            raise ContractBreach(f"{self.name} was started again and presents itself as another system")

    def _ask(self, method: str, *given: object, **named: object) -> Any:
        start, called = time.perf_counter(), METHODS[method]
        params = to_json(called.params(*given, **named))
        try:
            reply = self._transport.call(method, params, self._start_s if method == "reopen" else self._call_s)
        except KeyboardInterrupt:
            self._transport.cancel()  # the reader wants it to end; what it has done by now is unknown
            self._transport.close()
            raise
        value = _result(reply, method)
        used = value.pop("usage", None) or self._transport.used()
        result: object = from_json(called.result, value, f"{method} returned something unfit: result")
        self.usage.add(method, (time.perf_counter() - start) * 1000, used)
        return called.value_of(result)


@cache
def _made_of(offers: frozenset[str]) -> type[WireSystem]:
    """Make a class that has the methods of what is offered, and no others."""
    asking = {name: _asking(name) for name, method in METHODS.items() if method.protocol in offers}
    return type("WireSystem", (WireSystem,), {"__doc__": WireSystem.__doc__, **asking})


def _asking(name: str) -> Callable[..., Any]:
    def ask(system: WireSystem, *given: object, **named: object) -> Any:
        return system._ask(name, *given, **named)  # noqa: SLF001 - it becomes a method

    return ask


def connect(
    transport: Transport, called: str, *, seed: int = 0, call_s: float = CALL_S, start_s: float = START_S
) -> WireSystem:
    """Open the system at the other end of *transport*.

    *transport* is closed again where the system cannot be opened. Errors call it as it was *called*; *seed* is for
    a system that draws numbers; a call may take *call_s*, and opening *start_s*.

    Raises:
        UserError: It cannot be opened; where the other end is a memgauge too, the error is its own.
    """
    usage = SystemUsage()
    with contextlib.ExitStack() as undo:
        undo.callback(transport.close)
        hello = greeted(transport, seed, start_s, called, usage)
        undo.pop_all()
    kind = _made_of(frozenset(hello.offers))
    return kind(transport, hello, usage, seed=seed, call_s=call_s, start_s=start_s)


def greeted(transport: Transport, seed: int, start_s: float, called: str, usage: SystemUsage) -> Hello:
    """Say hello, and return what came back."""
    start = time.perf_counter()
    try:
        value = _result(transport.open(to_json(Greeting(messages.PROTOCOL, seed)), start_s), "hello")
        used = value.pop("usage", None) or transport.used()
        usage.starts += 1
        usage.add("hello", (time.perf_counter() - start) * 1000, used)
        hello = from_json(Hello, value, "hello returned something unfit: result")
    except errors.SystemFault as fault:
        raise ConfigError(f"{called} cannot be opened: {str(fault).rstrip('?')}.", _REMEDY) from None
    if hello.protocol != messages.PROTOCOL:
        raise ConfigError(
            f"{called} speaks {hello.protocol!r}, not {messages.PROTOCOL}.", "Use its newer version."
        )
    if unknown := sorted(set(hello.offers) - OPTIONAL.keys()):
        raise ConfigError(f"{called} offers {unknown[0]!r}.", f"There are: {', '.join(OPTIONAL)}.")
    return hello


_REMEDY = "What an adapter answers is in docs/adapters.md; start it by hand to see more."


def _result(reply: dict[str, Any], method: str) -> dict[str, Any]:
    """Take the result of an answer.

    Raises:
        UserError: The other end could not open the system, and knows what the user can do.
        CallFailed: The system raised.
    """
    if "error" not in reply:
        value = reply["result"]
        if not isinstance(value, dict):
            raise ContractBreach(f"{method} returned something unfit: result: {value!r:.60} is no object")
        return value
    error: Any = reply["error"] if isinstance(reply["error"], dict) else {"message": str(reply["error"])}
    text = str(error.get("message") or "no reason given")
    data = error.get("data")
    kind = data.get("kind") if isinstance(data, dict) else None
    known = getattr(errors, str(kind), None)
    if method == "hello" and isinstance(known, type) and issubclass(known, UserError):
        raise known(text)
    if method == "hello" and error.get("code") == messages.NOT_OPENED:
        raise CallFailed(f"it raised {text}")
    raise CallFailed(text)
