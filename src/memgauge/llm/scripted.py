"""A model that replies what it is told: to try things out and to test without any model.

>>> from memgauge.llm.messages import Message, Request
>>> model = Scripted(lambda request: request.messages[-1].text.upper(), name="shouter")
>>> model.complete(Request("shouter", (Message("user", "hello"),))).text
'HELLO'
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, ClassVar

from memgauge.errors import ModelError
from memgauge.llm.messages import Counted, Finish, Reply, Usage
from memgauge.llm.prices import Price, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memgauge.llm.messages import Request, ToolCall

    Said = str | Reply | Exception
    """A text, a whole reply, or what to raise: :class:`ModelError` for a fault."""


class Scripted:
    """Replies by a function of the request, or one after the other from a list; it costs nothing.

    A list is in the order of the calls, so that several threads share it in no particular order; a function has no
    such surprise. ``asked`` holds every request so far.
    """

    price: ClassVar = Price.flat(0, 0, source="scripted")

    def __init__(self, script: Callable[[Request], Said] | Iterable[Said], *, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Request] = []
        self._lock = Lock()
        self._say = script if callable(script) else _one_by_one(script, name)

    def complete(self, request: Request) -> Reply:
        """Reply as the script says.

        Raises:
            ModelError: The script says so, or has nothing left to say.
        """
        with self._lock:
            self.asked.append(request)
        outcome = self._say(request)
        if isinstance(outcome, Exception):
            raise outcome
        return scripted_reply(request, outcome) if isinstance(outcome, str) else outcome


def scripted_reply(
    request: Request, text: str = "", *, calls: Sequence[ToolCall] = (), finish: Finish | None = None
) -> Reply:
    """Make the reply of a scripted model: tokens are counted here, and its price is 0."""
    ended = finish or (Finish.CALLS if calls else Finish.STOP)
    return Reply(text, ended, Usage(*counted(request, text, calls), Counted.ESTIMATE, 0.0), calls=tuple(calls))


def _one_by_one(script: Iterable[Said], name: str) -> Callable[[Request], Said]:
    left = list(script)[::-1]
    return lambda _: left.pop() if left else ModelError(f"{name} has no reply left.")
