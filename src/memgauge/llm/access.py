"""How often and how fast a model is asked, each a small model around another one; and all of them together.

:class:`Access` puts them together in the order that spends least: the record outside, so that what it holds is
free; then retries; then the budget, so that every attempt counts; then the pace, so that no wait blocks a place.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock, Semaphore
from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import ConfigError, ModelError, TemporaryError, UnreachableError
from memgauge.llm.budget import Budgeted
from memgauge.llm.cassette import Cassette, Mode, server_of
from memgauge.llm.once import Once
from memgauge.llm.prices import price_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from memgauge.llm.budget import SpendingLedger
    from memgauge.llm.messages import ChatModel, Reply, Request
    from memgauge.llm.prices import Price

T = TypeVar("T")

PATIENCE_S = 300.0
"""A provider that asks for a longer wait is given up."""

UNREACHED = 3
"""Calls in a row that nobody heard, after which none is tried again: a server that died mostly stays away."""


@dataclass(frozen=True)
class Backoff:
    """When to ask again: after the time that the provider names, else after ever longer, and never in step."""

    attempts: int = 5
    base_s: float = 1
    """The first wait is between half of it and all of it; every further one is twice as long."""
    longest_s: float = 60
    seed: int = 0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        _at_least_one(attempts=self.attempts)

    def call(
        self, work: Callable[[], T], label: str, waits: Callable[[TemporaryError], None] = lambda _: None
    ) -> T:
        """Do *work* until it works.

        *work* may raise :class:`TemporaryError`. Calls with one *label* wait equally long, whatever the thread.
        *waits* hears why, before each wait.

        Raises:
            TemporaryError: No try worked, or the provider asks for too long a wait.
            ModelError: No try will.
        """
        attempt = 1
        while True:
            try:
                return work()
            except TemporaryError as error:
                wait = self.wait_s(label, attempt, error.retry_after)
                if attempt == self.attempts or wait > PATIENCE_S:
                    given_up = f"{error} (given up after {attempt} of {self.attempts} tries)"
                    raise type(error)(given_up, retry_after=error.retry_after, paid=error.paid) from None
                waits(error)
            self.sleep(wait)
            attempt += 1

    def wait_s(self, label: str, attempt: int, asked: float | None = None) -> float:
        """Return the seconds to wait after *attempt*, which is never less than what the provider *asked*."""
        digest = hashlib.sha256(f"{self.seed}:{label}:{attempt}".encode()).digest()
        jitter = int.from_bytes(digest[:4], "big") / 2**32
        if asked is not None:
            return asked + self.base_s * jitter / 2
        return min(self.base_s * 2.0 ** (attempt - 1), self.longest_s) * (1 + jitter) / 2


class Retrying:
    """Asks again what may work later."""

    def __init__(
        self, model: ChatModel, backoff: Backoff | None = None, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """Ask *model* again as *backoff* says; *tell* hears of the first call that fails, not of each."""
        self.name = model.name
        self._model = model
        self._backoff = backoff or Backoff()
        self._tell = Once(tell)
        self._unreached = 0

    def complete(self, request: Request) -> Reply:
        """Reply, at the latest try; where nobody listened for several calls, there is one try, until one works."""
        backoff = self._backoff if self._unreached < UNREACHED else replace(self._backoff, attempts=1)
        try:
            reply = backoff.call(lambda: self._heard(request), request.key, self._waits)
        except UnreachableError:
            self._unreached += 1
            raise
        self._unreached = 0
        return reply

    def _heard(self, request: Request) -> Reply:
        """Ask once; whatever somebody says, refusals too, shows that somebody is there."""
        try:
            return self._model.complete(request)
        except ModelError as error:
            if not isinstance(error, UnreachableError):
                self._unreached = 0
            raise

    def _waits(self, error: TemporaryError) -> None:
        self._tell(f"{error} Each call is made up to {self._backoff.attempts} times, with waits between.")


class Paced:
    """Lets few calls run at a time, and so many start a minute, evenly."""

    def __init__(
        self,
        model: ChatModel,
        *,
        concurrency: int = 8,
        per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        _at_least_one(concurrency=concurrency)
        if per_minute is not None and per_minute <= 0:
            raise ConfigError(f"per_minute={per_minute} is not above 0.")
        self.name = model.name
        self._model = model
        self._places = Semaphore(concurrency)
        self._gap_s = 60 / per_minute if per_minute else 0.0
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._next = -math.inf

    def complete(self, request: Request) -> Reply:
        """Wait for a place and a time, then ask."""
        with self._places:
            self._sleep_until_due()
            return self._model.complete(request)

    def _sleep_until_due(self) -> None:
        if not self._gap_s:
            return
        with self._lock:
            now = self._clock()
            due = max(now, self._next)
            self._next = due + self._gap_s
        if due > now:
            self._sleep(due - now)


def complete_many(model: ChatModel, requests: Iterable[Request], workers: int = 8) -> Iterator[Reply | ModelError]:
    """Ask *model* everything, *workers* at a time; yield what came of each request, in the order asked.

    Requests are taken as they are needed. Whoever stops listening stops the asking.

    Raises:
        BudgetError: At the place of the first request that was refused; what was asked beside it is finished.
        UserError: At the place of the first request that met what only the user can mend.
    """
    _at_least_one(workers=workers)
    waiting: deque[Future[Reply | ModelError]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="memgauge-ask")
    try:
        for request in requests:
            waiting.append(pool.submit(outcome_of, model, request))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def outcome_of(model: ChatModel, request: Request) -> Reply | ModelError:
    """Return the reply, or why there is none."""
    try:
        return model.complete(request)
    except ModelError as error:
        return error


def _at_least_one(**given: int) -> None:
    for name, value in given.items():
        if value < 1:
            raise ConfigError(f"{name}={value} is not at least 1.")


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What a user allows."""

    max_usd: float | None = None
    max_calls: int | None = None
    workers: int = 8
    per_minute: float | None = None
    backoff: Backoff = Backoff()


class Access:
    """A model behind a record, retries, a budget and a pace, in the order that spends least."""

    def __init__(
        self,
        model: ChatModel,
        limits: SpendingLimits | None = None,
        *,
        cassette: Path | None = None,
        mode: Mode | str = Mode.RECORD,
        price: Price | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Put *model* behind *limits*; without a *cassette*, nothing is kept.

        *tell* hears, once each, that a call failed and is made again, and that replies of another server are used.

        Raises:
            ConfigError: A limit or the mode does not fit, or no price is known where money is limited.
        """
        limits = SpendingLimits() if limits is None else limits
        self.name = model.name
        paced = Paced(model, concurrency=limits.workers, per_minute=limits.per_minute)
        self._budget = Budgeted(
            paced, max_usd=limits.max_usd, max_calls=limits.max_calls, price=price or price_for(model)
        )
        retried = Retrying(self._budget, limits.backoff, tell)
        self.cassette = (
            None if cassette is None else Cassette(retried, cassette, mode, server=server_of(model), tell=tell)
        )
        """The record, where there is one: its digest belongs to the identity of a run."""
        self._outermost: ChatModel = retried if self.cassette is None else self.cassette
        self.workers = limits.workers
        """Calls at a time."""

    def complete(self, request: Request) -> Reply:
        """Reply to one request; see the parts for what is raised."""
        return self._outermost.complete(request)

    @property
    def ledger(self) -> SpendingLedger:
        """Say what was taken so far."""
        replayed = 0 if self.cassette is None else self.cassette.replayed
        return replace(self._budget.ledger, replayed=replayed)
