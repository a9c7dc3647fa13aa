"""What a server of the wire does with a memory between hello and close."""

from __future__ import annotations

from typing import Any

from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.wire.answering import WireServer

HELLO = {"protocol": "wire/1"}


class Counting(Bm25Policy):
    """Counts how often it was closed."""

    closed = 0

    def close(self) -> None:
        """Count."""
        self.closed += 1


def asked(server: WireServer, method: str, params: Any = None) -> dict[str, Any]:
    """Return the result of a request, or its error."""
    return server.answer(method, params)[1]


def test_a_memory_that_is_said_goodbye_to_is_closed() -> None:
    """Once; what is asked of it afterwards is refused, until somebody says hello again."""
    memory = Counting()
    server = WireServer(lambda _: memory)
    asked(server, "hello", HELLO)
    assert server.answer("close", None)[0]
    assert memory.closed == 1
    assert asked(server, "reset")["message"] == "reset before hello"
    server.close()
    assert memory.closed == 1


def test_a_memory_is_closed_before_another_one_opens() -> None:
    """A second hello leaves no store open behind it."""
    opened: list[Counting] = []

    def opening(_: int) -> Counting:
        assert all(memory.closed for memory in opened)
        opened.append(Counting())
        return opened[-1]

    server = WireServer(opening)
    for _ in range(2):
        assert server.answer("hello", HELLO)[0]
    assert [memory.closed for memory in opened] == [1, 0]
