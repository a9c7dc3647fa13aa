"""The metering proxy: passes calls of models on, writes down what each took, and keeps to a cap of money."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from functools import cached_property, partial
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from memgauge.errors import ConfigError
from memgauge.llm.metering.calls import UNNAMED, CallEnd, CallOutcome, CallRoute
from memgauge.llm.metering.log import MeteredCall
from memgauge.llm.metering.reading import NOTHING
from memgauge.llm.metering.relay import ModelRelay, TurnedAway
from memgauge.llm.metering.upstream import RelayLimits
from memgauge.metering import LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memgauge.llm.metering.calls import AskedCall, CallMarks
    from memgauge.llm.metering.cap import MoneyCap
    from memgauge.llm.metering.log import CallLog
    from memgauge.llm.metering.relay import Settle

_REMEMBERED: Final = 4096
"""Requests that failed last, of which it is known when they come again."""
SCRIPTED: Final = "scripted"
"""A server of ours that lists this model answers to any name."""


def _now() -> datetime:
    return datetime.now(UTC)


class MeteringProxy(ModelRelay):
    """Stands in front of one address until it is closed; keys of whoever asks pass through and stay nowhere."""

    def __init__(
        self,
        upstream: str,
        log: CallLog,
        *,
        cap: MoneyCap | None = None,
        free: Callable[[], Collection[str]] = tuple,
        limits: RelayLimits = RelayLimits(),  # noqa: B008 - it is frozen
        port: int = 0,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """Listen on loopback.

        Calls are passed on to *upstream*, ``http://HOST:PORT/v1`` or a provider's address. *free* names the models
        for which nobody charges, and is asked once; *port* 0 takes a free one.

        Raises:
            ConfigError: The address is none, holds a key, or the port is in use.
        """
        _check(upstream)
        self.capped: set[CallMarks] = set()
        """On whose behalf calls were refused since the money is spent."""
        self._log = log
        self._cap = cap
        self._free = free
        self._clock = clock
        self._failed: OrderedDict[tuple[str, CallMarks, bytes], str] = OrderedDict()
        self._lock = Lock()
        try:
            super().__init__(upstream, limits=limits, port=port)
        except OSError as error:
            raise ConfigError(f"Cannot listen on port {port}: {error}.", "Take another one, or 0.") from None

    @cached_property
    def _unpaid(self) -> Collection[str]:
        return self._free()

    def let_through(self, asked: AskedCall) -> Settle:
        """Let a call of a model through, if the money reaches.

        Raises:
            TurnedAway: It does not, or this is no call of a model.
        """
        below = asked.path.startswith(f"{self.base}/") and ".." not in asked.path
        if below and asked.method == "GET" and asked.path.startswith(f"{self.base}/models"):
            return _pass
        if not below or asked.method != "POST" or asked.route is CallRoute.OTHER:
            self.unfit(asked, HTTPStatus.NOT_FOUND)
            raise TurnedAway(
                HTTPStatus.NOT_FOUND,
                f"Only {self.base}/chat/completions, /completions, /embeddings and /models are passed on here.",
                "not_found",
            )
        model, began = self._named(asked), self._clock()
        try:
            ceiling = self._cap.reserve(model, asked) if self._cap else None
        except TurnedAway as away:
            with self._lock:
                self.capped.add(asked.marks)
            self._write(asked, model, began, CallOutcome(CallEnd.CAPPED, away.status, NOTHING))
            raise
        return partial(self._settle, asked, model, began, ceiling)

    def unfit(self, asked: AskedCall, status: int) -> None:
        """Write down a request that was not passed on."""
        self._write(asked, UNNAMED, self._clock(), CallOutcome(CallEnd.UNFIT, status, NOTHING))

    def _settle(
        self, asked: AskedCall, model: str, began: datetime, ceiling: float | None, outcome: CallOutcome
    ) -> None:
        if self._cap and ceiling is not None:
            self._cap.settle(model, ceiling, outcome)
        self._write(asked, model, began, outcome)

    def _named(self, asked: AskedCall) -> str:
        """Name a model as runs do: behind a mark where nobody charges for it."""
        free = asked.model in self._unpaid or SCRIPTED in self._unpaid
        return f"{LOCAL}{asked.model}" if free else asked.model

    def _write(self, asked: AskedCall, model: str, began: datetime, outcome: CallOutcome) -> None:
        marks, embeds = asked.marks.cleaned(asked.keys), asked.route is CallRoute.EMBEDDINGS
        written = NOTHING if embeds else outcome.written
        self._log.append(
            MeteredCall(
                at=began.isoformat(timespec="milliseconds"),
                product=marks.product,
                phase=marks.phase,
                route=asked.route,
                model=model,
                end=outcome.end,
                status=outcome.status,
                streamed=bool((asked.body or {}).get("stream")),
                tokens_in=outcome.taken.value,
                in_source=outcome.taken.source,
                tokens_out=written.value,
                out_source=written.source,
                legible=outcome.legible or outcome.status != HTTPStatus.OK,
                seconds=outcome.seconds,
                first_s=None if outcome.first_s is None else round(outcome.first_s, 6),
                again_after=self._again(asked, outcome),
            )
        )

    def _again(self, asked: AskedCall, outcome: CallOutcome) -> str:
        """Say how the same request failed right before, and remember how this one does."""
        key = asked.path, asked.marks, asked.digest
        failed = "" if outcome.end is CallEnd.OK else str(outcome.status or outcome.end)
        with self._lock:
            before = self._failed.pop(key, "")
            if failed:
                self._failed[key] = failed
            if len(self._failed) > _REMEMBERED:
                self._failed.popitem(last=False)
        return before


def _pass(outcome: CallOutcome) -> None:
    """Count nothing: a list of models costs nothing."""


def _check(upstream: str) -> None:
    """Refuse what is no address, and one that would show a key wherever it is named."""
    try:
        parts = urlsplit(upstream)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ConfigError("That is no address of a server.", "Write http://HOST:PORT/v1 or https://HOST/v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "The address of a server holds a name, a key or a query.",
            "Write it without them; keys are shown by whoever asks, and pass through.",
        )
