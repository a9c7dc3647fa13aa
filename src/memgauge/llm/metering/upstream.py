"""One request to the address that everything is passed on to, within bounds; whatever goes wrong has a name."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from memgauge.llm.metering.calls import CallEnd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PART: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class RelayLimits:
    """How long a model may take, and how much it may say."""

    connect_s: float = 10.0
    silence_s: float = 600.0
    """Seconds until its next byte; whoever asks has a shorter limit of its own."""
    whole_s: float = 3600.0
    reply_bytes: int = 1 << 28


class UpstreamFault(Exception):  # noqa: N818 - it is told to whoever asked
    """The address did not do its part."""

    def __init__(self, end: CallEnd, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.end = end
        self.status = status
        self.why = why


class UpstreamReply:
    """A reply that is under way."""

    def __init__(
        self, base: str, method: str, path: str, sent: bytes, heads: Mapping[str, str], limits: RelayLimits
    ) -> None:
        """Ask, and wait for the beginning of the reply.

        Raises:
            UpstreamFault: Nobody listens there, or nothing came.
        """
        to = urlsplit(base)
        kind = http.client.HTTPSConnection if to.scheme == "https" else http.client.HTTPConnection
        self._line = kind(to.netloc, timeout=limits.connect_s)
        self._limits = limits
        self._until = time.monotonic() + limits.whole_s
        try:
            self._line.connect()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise _unreachable(error) from None
        try:
            self._line.sock.settimeout(limits.silence_s)
            self._line.request(method, path, sent or None, dict(heads))
            self._answer = self._line.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise _fault(error) from None
        self.status = self._answer.status
        self.heads = self._answer.getheaders()
        self.length = self._answer.length
        """Bytes of the body; ``None`` where its end will show."""

    def parts(self) -> Iterator[bytes]:
        """Yield the body as it comes.

        Raises:
            UpstreamFault: It broke off, became too large, or stood still.
        """
        came = 0
        try:
            while part := self._answer.read1(PART):
                came += len(part)
                self._check(came)
                yield part
        except (OSError, ValueError, http.client.HTTPException) as error:  # ValueError: a chunk without a size
            raise _fault(error) from None
        if self.length is not None and came < self.length:
            raise _fault(http.client.IncompleteRead(b"", self.length - came))

    def _check(self, came: int) -> None:
        if came > self._limits.reply_bytes or time.monotonic() > self._until:
            raise http.client.HTTPException("a reply without an end")

    def close(self) -> None:
        """Hang up."""
        self._line.close()


def _unreachable(error: Exception) -> UpstreamFault:
    late = isinstance(error, TimeoutError)
    why = "did not answer in time" if late else getattr(error, "strerror", None) or type(error).__name__
    return UpstreamFault(CallEnd.UNREACHABLE, HTTPStatus.BAD_GATEWAY, f"the model cannot be reached: {why}")


def _fault(error: Exception) -> UpstreamFault:
    """Name what went wrong, in words of ours: those of a library may quote what was sent."""
    if isinstance(error, TimeoutError):
        return UpstreamFault(CallEnd.LATE, HTTPStatus.GATEWAY_TIMEOUT, "the model did not answer in time")
    return UpstreamFault(CallEnd.BROKEN, HTTPStatus.BAD_GATEWAY, "the model's reply broke off")
