"""Playing lanes: the first turns of a small world through a product that asks a weak model, all of it noted."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.play.engine import run_case
from memgauge.runs.record.machine import day_of, this_machine
from memgauge.runs.record.manifest import Limits
from memgauge.streams import SessionEnd, Write, clean
from memgauge.studies.weak.record import (
    PRODUCT,
    RecordedLane,
    RecordedMemory,
    RecordedWrite,
    read_lane,
    write_lane,
)
from memgauge.studies.weak.relay import LiveModel, RecordingRelay
from memgauge.studies.weak.spec import CHECKOUTS, MODEL
from memgauge.systems.catalogue import open_system
from memgauge.systems.models.starting import start_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memgauge.records import Receipt, Scope, Turn
    from memgauge.streams import Stream
    from memgauge.studies.weak.spec import WeakProduct, WeakSpec
    from memgauge.systems.protocol import MemorySystem

_START_S = 300
_PATIENCE_S = 600.0
"""Beyond the limit of a reply: requests that come together wait for each other."""
_SETTLING, _LISTING = "settling", "listing"
_UNOPENED = "not written: "
"""Begins the reason of every write to a system that could not be opened."""


@dataclass(frozen=True)
class ServedModel:
    """A model that is asked through a relay."""

    relay: RecordingRelay
    about: str
    """Which it is: weights, quantisation, what runs it."""


Serve: TypeAlias = "Callable[[], AbstractContextManager[ServedModel]]"
"""Serves a model for one lane."""


@contextmanager
def serving(spec: WeakSpec) -> Iterator[ServedModel]:
    """Serve the model of the study, with its cap and its limit, behind a relay.

    Raises:
        UserError: It is not installed, or cannot be served.
    """
    with start_model(spec.model, cap=spec.cap, limit_s=spec.limit) as model:
        source = LiveModel(model.url, spec.limit + _PATIENCE_S)
        with RecordingRelay(source, cap=spec.cap, today=datetime.now(UTC).date(), own=own_texts(spec)) as relay:
            yield ServedModel(relay, model.identity.label)


def own_texts(spec: WeakSpec) -> list[str]:
    """Return every turn that is written."""
    _, stream = first_turns(spec)
    return [turn.text for event in stream if isinstance(event, Write) for turn in event.turns]


def first_turns(spec: WeakSpec) -> tuple[str, Stream]:
    """Return the conversation, and its stream up to so many turns, without questions."""
    case = next(iter(open_dataset(spec.dataset).cases()))
    events, turns_left = list[Any](), spec.turns
    for event in clean(case):
        if isinstance(event, Write) and turns_left > 0:
            events.append(event)
            turns_left -= len(event.turns)
        elif isinstance(event, SessionEnd) and events and not isinstance(events[-1], SessionEnd):
            events.append(event)
    return case.conversation.id, tuple(events)


@dataclass(frozen=True)
class WeakPlay:
    """Where lanes are played, and with what."""

    folder: Path
    """Of the study: records go there."""
    spec: WeakSpec
    checkouts: str = "checkouts"
    """Folder with clones of products that are no packages."""
    tell: Callable[[str], None] = lambda _: None
    opener: Callable[[str], MemorySystem] = open_system

    def play(self, serve: Serve, keys: tuple[str, ...] = ()) -> Iterator[RecordedLane]:
        """Play every product that has no record yet, or those of *keys*, and record each as it ends.

        Each has the model to itself: what one has asked and no more waits for would keep the next one waiting.
        """
        for product in self.spec.products:
            if (product.key in keys) if keys else read_lane(self.folder, product.key) is None:
                self.tell(f"{product.key}: {product.system}")
                with serve() as model:
                    lane = self.lane(product, model)
                write_lane(lane, self.folder)
                yield lane

    def lane(self, product: WeakProduct, served: ServedModel) -> RecordedLane:
        """Play one product, and write nothing down."""
        conversation, stream = first_turns(self.spec)
        memory = _Followed(partial(self.opener, self._ref(product, served)), served.relay)
        began, load, clock = datetime.now(UTC), os.getloadavg()[0], time.monotonic()
        rows = run_case(conversation, stream, memory.open, Limits(timeout_s=self.spec.timeout))
        seconds = time.monotonic() - clock
        writes = memory.timed(rows)
        return RecordedLane(
            key=product.key,
            kind=PRODUCT,
            ref=product.system.replace(MODEL, self.spec.model).replace(CHECKOUTS, "FOLDER"),
            version=memory.version,
            changed=memory.changed,
            model=served.about,
            server_cap=self.spec.cap,
            limit_s=self.spec.limit,
            timeout_s=self.spec.timeout,
            played=day_of(began),
            seconds=round(seconds, 1),
            load=round(load, 2),
            machine=this_machine(),
            problem="" if memory.opened else writes[0].reason.removeprefix(_UNOPENED),
            writes=writes,
            memories=tuple(_memory(row) for row in rows if row["t"] == "memory"),
            exchanges=served.relay.taken(),
        )

    def _ref(self, product: WeakProduct, model: ServedModel) -> str:
        ref = product.system.replace(CHECKOUTS, self.checkouts)
        ref = ref.replace(MODEL, f"openai:{self.spec.model}@{model.relay.url}")
        return f"{ref}{',' if ':' in ref else ':'}timeout={self.spec.timeout:g},start={_START_S}"


class _Followed:
    """Opens a system so that it is known which write the model is asked for, and how long each took."""

    def __init__(self, open_one: Callable[[], MemorySystem], relay: RecordingRelay) -> None:
        self._open, self._relay = open_one, relay
        self._seconds: dict[str, float] = {}
        self.opened, self.version, self.changed = False, "", tuple[str, ...]()

    def open(self) -> MemorySystem:
        """Open it, its instance changed: what it offers is found by looking at it."""
        self._relay.during = "opening"
        system = self._open()
        self.opened, self.version, self.changed = True, system.version, tuple(system.capabilities().interventions)
        ingest, flush = system.ingest, system.flush

        def followed_ingest(turns: Sequence[Turn], scope: Scope) -> Receipt | None:
            with self._during(" ".join(turn.id for turn in turns)):
                return ingest(turns, scope)

        def followed_flush(scope: Scope, timeout_s: float) -> None:
            with self._during(_SETTLING):
                flush(scope, timeout_s)

        vars(system).update(ingest=followed_ingest, flush=followed_flush)
        return system

    @contextmanager
    def _during(self, name: str) -> Iterator[None]:
        self._relay.during, began = name, time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] = time.monotonic() - began

    def timed(self, rows: Sequence[dict[str, Any]]) -> tuple[RecordedWrite, ...]:
        """Read what the harness counted writes and settlings as."""
        return tuple(
            RecordedWrite(
                name=name,
                turns=tuple(row.get("turns", ())),
                outcome=str(row["outcome"]),
                reason=str(row.get("reason", "")),
                seconds=round(self._seconds.get(name, 0.0), 3),
                changed=len(row.get("changed") or ()),
            )
            for row in rows
            if row["t"] in {"write", "flush"}
            for name in [_name(row)]
        )


def _name(row: dict[str, Any]) -> str:
    """Name a write by its turns; what fails behind the last session is the listing of what is stored."""
    if row["t"] == "write":
        return " ".join(row["turns"])
    return _SETTLING if row["session"] else _LISTING


def _memory(row: dict[str, Any]) -> RecordedMemory:
    return RecordedMemory(tuple(row["sources"]), str(row.get("channel") or ""))
