"""Connections of readers: who says nothing, half or too slowly makes room for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from memgauge.web.security import ADMITTED

if TYPE_CHECKING:
    import asyncio


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections there may be, and how long one may owe us bytes."""

    connections: int = 512
    """At a time, waiting ones included. Half of the usual limit of open files."""
    seconds: float = 10.0
    """For the whole head of a request, for its whole body, and for any of a response to be taken."""

    @property
    def each(self) -> int:
        """Return how many of them one address may have: nobody takes all."""
        return max(1, self.connections // 2)


class PatientProtocol(H11Protocol):
    """HTTP of one connection, which is closed when its reader owes us bytes for too long, or others wait."""

    limits = ConnectionLimits()
    _timer: asyncio.TimerHandle | None = None
    _since = 0.0
    _unsent = 0

    @property
    def working(self) -> bool:
        """Whether the next move is ours: there is a whole request, and its response waits for nobody."""
        is_answering = self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr] # none yet
        return is_answering and self.conn.their_state is not h11.SEND_BODY and not self.flow.write_paused

    @property
    def admitted(self) -> bool:
        """Whether its last request was one of somebody who may look."""
        return self.scope is not None and bool(self.scope["state"].get(ADMITTED))  # type: ignore[redundant-expr] # as above

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for it."""
        super().connection_made(transport)
        self._wait()
        protocols = [protocol for protocol in self.connections if isinstance(protocol, PatientProtocol)]
        of_client = [
            protocol
            for protocol in protocols
            if self.client and protocol.client and protocol.client[0] == self.client[0]
        ]
        if len(of_client) > self.limits.each:
            _drop_one(of_client)
        elif len(protocols) > self.limits.connections:
            _drop_one(protocols)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; where a request began, its body has time of its own."""
        cycle_before = self.cycle
        super().data_received(data)
        if self.cycle is not cycle_before:
            self._wait()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._wait()
        super().on_response_complete()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._since, self._unsent = self.loop.time(), self.transport.get_write_buffer_size()
        self._timer = self.loop.call_later(self.limits.seconds, self._look)

    def _look(self) -> None:
        is_taken = self.transport.get_write_buffer_size() < self._unsent
        if self.working or is_taken:
            self._wait()
        else:
            self.transport.abort()


def _drop_one(among: list[PatientProtocol]) -> None:
    """Close the connection that owes us bytes for longest, strangers first; the newest where all are at work."""
    owing = [peer for peer in among if not peer.working] or [max(among, key=lambda peer: peer._since)]  # noqa: SLF001 - its own kind
    min(owing, key=lambda peer: (peer.admitted, peer._since)).transport.abort()  # noqa: SLF001 - the same


def patient(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """Return the protocol under *limits*."""
    return type("LimitedProtocol", (PatientProtocol,), {"limits": limits})
