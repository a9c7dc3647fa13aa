"""Answer requests of the wire by calling a system; whatever it raises becomes an error of that request."""

from __future__ import annotations

import os
import platform
import secrets
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgauge.errors import ContractBreach, UserError
from memgauge.foreign import Raised, call_foreign, described, kind_of, message_of
from memgauge.metering import noted, plain_tallies, tallies_since
from memgauge.records import Receipt
from memgauge.systems.protocol import Closing, Metered, implements, supported
from memgauge.systems.wire import messages
from memgauge.systems.wire.left import looking_after
from memgauge.systems.wire.methods import METHODS, Greeting, Hello
from memgauge.systems.wire.values import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.metering import ModelTally
    from memgauge.systems.protocol import MemorySystem
    from memgauge.systems.wire.guard import AuditGuard

    Opening = Callable[[int], MemorySystem]
    """Opens the system for a seed."""


class Cancelled(BaseException):
    """The call that is running was cancelled; no handler of a product's own catches it."""


class WireServer:
    """One system, opened by the first ``hello`` and again by every further one."""

    def __init__(self, opening: Opening, guard: AuditGuard | None = None, *, takes_turns: bool = True) -> None:
        self._opening = opening
        self._guard = guard
        self._takes_turns = takes_turns
        self._system: MemorySystem | None = None
        self.instance = ""
        self._cpu = 0.0
        self._noted: dict[str, ModelTally] = noted()

    def answer(self, method: str, params: object) -> tuple[bool, dict[str, Any]]:
        """Return whether the request went well, and its result or its error."""
        try:
            value = call_foreign(lambda: self._answered(method, params))
        except Cancelled:
            return False, messages.fault(messages.CANCELLED, f"{method} was cancelled")
        if isinstance(value, Raised):
            return False, _fault(method, value.error)
        return True, value | {"usage": self._usage()}

    def _answered(self, method: str, params: object) -> dict[str, Any]:
        if method == "hello":
            return self._hello(_taken(Greeting, params, method))
        if method == "close":
            self.close()
            return {}
        known = METHODS.get(method)
        if known is None:
            raise _Refused(messages.NO_METHOD, f"there is no method {method!r}")
        system = self._system
        if system is None:
            raise _Refused(messages.NO_REQUEST, f"{method} before hello")
        if known.protocol and known.protocol not in supported(system):
            raise _Refused(messages.NO_METHOD, f"the memory is not {known.protocol}, so it has no {method}")
        value = known.call(system, _taken(known.params, params, method))
        if value is None and known.result is Receipt:
            value = Receipt()
        if not isinstance(value, known.result):
            raise ContractBreach(f"{method} returned {kind_of(value)}, not a {known.result.__name__}")
        return _as_dict(to_json(value))

    def _hello(self, greeting: Greeting) -> dict[str, Any]:
        if greeting.protocol != messages.PROTOCOL:
            what = f"this end speaks {messages.PROTOCOL}, not {greeting.protocol}"
            raise _Refused(messages.BAD_PARAMETERS, what)
        self.close()
        system = self._system = self._opening(greeting.seed)
        self.instance = secrets.token_hex(8)
        about = f"{platform.python_implementation()} {platform.python_version()}"
        hello = Hello(
            messages.PROTOCOL,
            system.name,
            system.version,
            system.capabilities(),
            supported(system),
            self.instance,
            about,
            self._takes_turns,
        )
        return _as_dict(to_json(hello))

    def close(self) -> None:
        """Close the system, where it is open and can be closed."""
        system, self._system = self._system, None
        if system is not None and implements(system, Closing):
            system.close()

    def _usage(self) -> dict[str, Any]:
        """Say what was used since the last answer, and what the guard saw."""
        cpu, self._cpu = self._cpu, time.process_time()
        used: dict[str, Any] = {"cpu_ms": round((self._cpu - cpu) * 1000, 3), "rss_bytes": resident()}
        if models := self._models():
            used["models"] = models
        return used | (self._guard.seen() if self._guard else {})

    def _models(self) -> dict[str, dict[str, int]]:
        """Say what models were asked since the last answer, by what was noted here and by the system itself."""
        system, before = self._system, self._noted
        reported = call_foreign(system.spent) if system is not None and implements(system, Metered) else {}
        self._noted = noted() | plain_tallies(reported)
        return {model: asdict(tally) for model, tally in tallies_since(self._noted, before).items()}


class _Refused(Exception):  # noqa: N818 - it is the answer to a request that cannot be served
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.fault = messages.fault(code, message)


def _fault(method: str, error: BaseException) -> dict[str, Any]:
    if isinstance(error, _Refused):
        return error.fault
    if isinstance(error, ContractBreach):
        return messages.fault(messages.BROKEN, str(error))
    code = messages.NOT_OPENED if method == "hello" else messages.RAISED
    # Of a user's mistake the sentence is enough.
    what = message_of(error) if isinstance(error, UserError) else described(error)
    return messages.fault(code, what, kind=type(error).__name__)


def _taken(kind: type, params: object, method: str) -> Any:
    try:
        return from_json(kind, {} if params is None else params, f"parameters of {method}")
    except ContractBreach as breach:
        raise _Refused(messages.BAD_PARAMETERS, str(breach)) from None


def _as_dict(value: Any) -> dict[str, Any]:
    return dict(value)


def resident(pid: int | str = "self") -> int:
    """Return the bytes of memory that a process holds now; 0 where the system does not say."""
    try:
        with looking_after(), open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123 - often: a Path costs more
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


_PAGE = os.sysconf("SC_PAGE_SIZE")
