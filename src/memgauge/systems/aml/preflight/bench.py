"""What all probes of a preflight do: add, search, look for a word; another row's fault is told as that row's."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.records import Verdict
from memgauge.systems.aml.contract import RetryRule
from memgauge.systems.aml.persisting import persist
from memgauge.systems.aml.replies import echo_problem, listed, success_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.systems.aml.client import AmlClient, AmlReply
    from memgauge.systems.aml.contract import Cycle

_FULL = RetryRule(frozenset({429}), attempts=4)
SETTLE_S = 1.5
LATEST = 3
"""Calls without an answer in time after which no further one is made."""
LOCKER = "What is my locker number?"


class Blocked(Exception):  # noqa: N818 - it says whose row is at fault
    """A probe that cannot go on because a rule of some row is broken."""

    def __init__(self, row: str, why: str) -> None:
        super().__init__(why)
        self.row = row


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """How a probe ended."""

    verdict: Verdict
    detail: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


def passed(detail: str = "", **figures: float) -> PreflightFinding:
    """Say that all is well."""
    return PreflightFinding(Verdict.PASS, detail, figures)


def failed(detail: str, **figures: float) -> PreflightFinding:
    """Say what is wrong."""
    return PreflightFinding(Verdict.FAIL, detail, figures)


def judged(problems: Sequence[str], good: str = "", **figures: float) -> PreflightFinding:
    """Fail where there is a problem; the first three are named."""
    if not problems:
        return passed(good, **figures)
    more = f"; and {len(problems) - 3} more" if len(problems) > 3 else ""
    return failed("; ".join(problems[:3]) + more, **figures)


def saying(*texts: str, at: int | None = None) -> list[dict[str, Any]]:
    """Spell messages of a user, a second apart from *at* in milliseconds."""
    times = [{} if at is None else {"timestamp": at + 1000 * place} for place in range(len(texts))]
    return [{"role": "user", "content": text, **when} for text, when in zip(texts, times, strict=True)]


@dataclass
class PreflightBench:
    """One server, and names that nobody has used there."""

    client: AmlClient
    cycle: Cycle
    prefix: str
    """How every name begins."""
    adds: int = 64
    searches: int = 256
    restart: Callable[[], None] | None = None
    sleep: Callable[[float], None] = time.sleep
    seconds: list[float] = field(default_factory=list)
    """Of every call."""
    late: int = 0
    """Calls without an answer in time."""

    def user(self, name: str) -> str:
        """Name a user."""
        return f"{self.prefix}:{name}"

    def word(self, name: str) -> str:
        """Make a word that stands in no other text."""
        letters = "".join(character for character in self.prefix if character.isalnum())[-6:]
        return f"zq{letters}{name}"

    def body(
        self, user: str, messages: list[dict[str, Any]], *, request: str = "r0", session: str = "s0"
    ) -> dict[str, Any]:
        """Spell an Add."""
        return {
            "request_id": f"{user}:{request}",
            "messages": messages,
            "user_id": user,
            "session_id": f"{user}:{session}",
        }

    def ask(self, call: Callable[[], AmlReply]) -> AmlReply:
        """Ask, again where the server is full, and note how long it took.

        Raises:
            Blocked: Too many calls had no answer in time for another to be made.
        """
        if self.late >= LATEST:
            raise Blocked("time", f"{self.late} calls had no answer within {self.client.timeout_s:g} s")
        reply, _ = persist(call, _FULL, self.cycle, self.sleep)
        return self.noted(reply)

    def noted(self, reply: AmlReply) -> AmlReply:
        """Note how long a call took, and whether it had an answer."""
        self.seconds.append(reply.seconds)
        self.late += reply.late
        return reply

    def add(self, body: object, heads: Mapping[str, str] | None = None) -> AmlReply:
        """Add, and return what comes."""
        return self.ask(lambda: self.client.add(body, heads))

    def search(self, body: object, heads: Mapping[str, str] | None = None) -> AmlReply:
        """Search, and return what comes."""
        return self.ask(lambda: self.client.search(body, heads))

    def added(self, body: dict[str, Any]) -> None:
        """Add what any server has to take.

        Raises:
            Blocked: The answer is not what the contract says.
        """
        reply = self.add(body)
        self._answered("success", "Add", reply)
        if problem := success_problem(reply.value):
            raise Blocked("success", f"Add was answered with {problem}")
        if problem := echo_problem(reply.value, body):
            raise Blocked("echo", f"Add was answered with {problem}")

    def hits(self, user: str, query: str, top_k: int = 100) -> list[dict[str, Any]]:
        """Search, and return the hits.

        Raises:
            Blocked: The answer is not what the contract says.
        """
        reply = self.search({"query": query, "user_id": user, "top_k": top_k})
        self._answered("shape", "Search", reply)
        rows, problem = listed(reply.value)
        if problem:
            raise Blocked("shape", f"Search was answered with {problem}")
        return rows

    def taken(self, reply: AmlReply) -> bool:
        """Whether an Add is answered with 200.

        Raises:
            Blocked: It is answered late, or in a way that is the fault of another row.
        """
        if reply.late:
            raise Blocked("time", f"Add: {reply.failure}")
        if 200 < reply.status < 300:
            raise Blocked("success", f"Add: {reply.shown}")
        if reply.status == 200 and (problem := success_problem(reply.value)):
            raise Blocked("success", f"Add was answered with {problem}")
        return reply.status == 200

    def _answered(self, row: str, operation: str, reply: AmlReply) -> None:
        if reply.status == 200:
            return
        row = "time" if reply.late else "key" if reply.status in {401, 403} else row
        raise Blocked(row, f"{operation}: {reply.shown}")

    def count(self, user: str, query: str, word: str) -> int:
        """Count the hits that hold a word."""
        return sum(word in row["content"] for row in self.hits(user, query))

    def finds(self, user: str, query: str, word: str) -> bool:
        """Whether a word is found at once.

        Raises:
            Blocked: It is, but only after a moment, which is the fault of another row.
        """
        if self.count(user, query, word):
            return True
        self.sleep(SETTLE_S)
        if self.count(user, query, word):
            raise Blocked("visible", "what was added was found only after a moment")
        return False
