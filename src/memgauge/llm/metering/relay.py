"""Stand in front of an address of models: every byte passes as it comes, and what came of each call is told."""

from __future__ import annotations

import hashlib
import json
import select
import time
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Thread
from typing import TYPE_CHECKING, ClassVar, Final, Self
from urllib.parse import urlsplit

from memgauge.llm.metering.calls import MARKED, AskedCall, CallEnd, CallMarks, CallOutcome, CallRoute
from memgauge.llm.metering.reading import NOTHING, ReplyReader, sent_tokens
from memgauge.llm.metering.upstream import RelayLimits, UpstreamFault, UpstreamReply
from memgauge.llm.problems import problem_of, spell_problem
from memgauge.serving import WRITE_S, BoundedHandler, BoundedServer, TooSlow, Unfit
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Settle = Callable[[CallOutcome], None]
    """Takes what came of a call that was let through."""

_HOP: Final = frozenset(
    {"connection", "transfer-encoding", "content-length", "host", "keep-alive", "date", "server", "upgrade", "te"}
)
_READ_HANG_UP: Final = getattr(select, "POLLRDHUP", 0)
_HANGS_UP_MS: Final = 100
"""How long a closed connection takes to say so of what is written to it."""
_BODILESS: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


class TurnedAway(Exception):  # noqa: N818 - it is told to whoever asked
    """A call that is not let through."""

    def __init__(self, status: HTTPStatus, why: str, kind: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.kind = kind


class ModelRelay(BoundedServer):
    """Listens on loopback, and passes everything on to one address."""

    def __init__(self, upstream: str, *, limits: RelayLimits = RelayLimits(), port: int = 0) -> None:  # noqa: B008 - it is frozen
        """Listen.

        Raises:
            OSError: The port is in use.
        """
        self.upstream = upstream.rstrip("/")
        self.base = urlsplit(self.upstream).path
        self.limits = limits
        super().__init__(("127.0.0.1", port), _RelayHandler)
        Thread(target=self.serve_forever, args=(0.05,), name="memgauge-relay", daemon=True).start()

    @property
    def url(self) -> str:
        """Return the address to hand over in the place of the other."""
        return f"http://127.0.0.1:{self.server_address[1]}{self.base}"

    @abstractmethod
    def let_through(self, asked: AskedCall) -> Settle:
        """Let a call through, and return who is told what came of it.

        Raises:
            TurnedAway: It may not pass.
        """

    def unfit(self, asked: AskedCall, status: int) -> None:
        """Take note of a request that was none."""

    @property
    def marks(self) -> CallMarks:
        """Say on whose behalf calls are passed on, to an address that wants to know."""
        return CallMarks()

    def close(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class _Passage:
    """One call on its way; what came of it is told once, before whoever asked can go on."""

    asked: AskedCall
    settle: Settle
    reader: ReplyReader = field(default_factory=ReplyReader)
    began: float = field(default_factory=time.monotonic)
    first: float | None = None
    ended: bool = False

    def feed(self, part: bytes) -> None:
        """Read a part of the reply."""
        self.first = self.first or time.monotonic()
        self.reader.feed(part)

    def end(self, end: CallEnd, status: int = 0) -> None:
        """Tell what came: what was sent counts whatever became of it, unless nobody saw it."""
        if self.ended:
            return
        self.ended = True
        self.reader.end(whole=end is CallEnd.OK)
        taken = (self.reader.taken() or sent_tokens(self.asked.body)) if end.sent else NOTHING
        written = self.reader.written() if end.sent and status == HTTPStatus.OK else NOTHING
        now, first = time.monotonic(), None if self.first is None else self.first - self.began
        self.settle(
            CallOutcome(end, status, taken, written, self.reader.legible, round(now - self.began, 6), first)
        )


class _RelayHandler(BoundedHandler):
    """Passes one request on, and its answer back."""

    json_only: ClassVar[bool] = False
    server: ModelRelay

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        self.check()
        self._pass_on(self._asked(), b"")

    def do_POST(self) -> None:  # noqa: N802 - as above
        try:
            self.check()
            sent = self.body()
        except Unfit as unfit:
            self.server.unfit(self._asked(), unfit.status)
            raise
        except TooSlow:
            self.server.unfit(self._asked(), HTTPStatus.REQUEST_TIMEOUT)
            raise
        self._pass_on(self._asked(object_of(sent), sent), sent)

    def _asked(self, body: dict[str, Any] | None = None, sent: bytes = b"") -> AskedCall:
        heads = {name.lower(): value for name, value in self.headers.items()}
        marks, path = CallMarks.read(heads, self.path.partition("?")[0])
        digest = hashlib.sha256(sent).digest()
        return AskedCall(CallRoute.of(path), path, body, len(sent), marks, heads, self.command, digest)

    def _pass_on(self, asked: AskedCall, sent: bytes) -> None:
        try:
            settle = self.server.let_through(asked)
        except TurnedAway as away:
            self._say(away.status, spell_problem(away.why, away.kind))
            return
        passage = _Passage(asked, settle)
        try:
            self._relay(passage, sent)
        finally:
            passage.end(CallEnd.BROKEN)

    def _relay(self, passage: _Passage, sent: bytes) -> None:
        """Ask, and pass on what comes as it comes."""
        _, mark, query = self.path.partition("?")
        server, heads = self.server, self._heads(passage.asked)
        where = f"{passage.asked.path}{mark}{query}"
        try:
            reply = UpstreamReply(server.upstream, self.command, where, sent, heads, server.limits)
        except UpstreamFault as fault:
            passage.end(fault.end, fault.status)
            self._say(fault.status, problem_of(fault.status, fault.why))
            return
        try:
            self._stream(reply, passage)
        except UpstreamFault as fault:
            self.close_connection = True  # with nothing behind it, whoever reads sees that it broke off
            passage.end(fault.end, reply.status)
        except OSError:
            self.close_connection = True
            passage.end(CallEnd.GONE, reply.status)
        finally:
            reply.close()

    def _heads(self, asked: AskedCall) -> dict[str, str]:
        """Return what is passed on of the heads: keys are, marks between us are not."""
        stays_here = _HOP | {name.strip().lower() for name in asked.heads.get("connection", "").split(",")}
        heads = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in stays_here and not name.lower().startswith(MARKED)
        }
        return heads | self.server.marks.heads | {"Accept-Encoding": "identity"}  # so that it can be read here

    def _stream(self, reply: UpstreamReply, passage: _Passage) -> None:
        end = CallEnd.OK if reply.status < HTTPStatus.BAD_REQUEST else CallEnd.REFUSED
        if reply.length == 0 and not self._says_no_more():
            passage.end(end, reply.status)
        chunked, came = self._begin(reply), 0
        for part in reply.parts():
            passage.feed(part)
            came += len(part)
            if (came == reply.length or passage.reader.done) and not self._says_no_more():
                passage.end(end, reply.status)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
            self.wfile.flush()
        if reply.length is None and passage.reader.open_ended:
            end = CallEnd.BROKEN
        if not self._says_no_more():
            passage.end(end, reply.status)
        self.wfile.write(b"0\r\n\r\n" if chunked else b"")
        self.wfile.flush()
        if not passage.ended:
            passage.end(CallEnd.GONE if self._polled(0, _HANGS_UP_MS) else end, reply.status)

    def _says_no_more(self) -> bool:
        """Whether whoever asked sends nothing more: gone, or still there to hear the reply."""
        return self._polled(_READ_HANG_UP, 0)

    def _polled(self, signs: int, within_ms: int) -> bool:
        """Whether a connection shows one of *signs*, or that it is closed, within a time."""
        poll = select.poll()
        poll.register(self.connection, signs)
        return bool(poll.poll(within_ms))

    def _begin(self, reply: UpstreamReply) -> bool:
        """Write the head of an answer; say whether its body goes out in chunks."""
        self.connection.settimeout(WRITE_S)
        self.send_response(reply.status)
        for name, value in reply.heads:
            if name.lower() not in _HOP:
                self.send_header(name, value)
        chunked = reply.length is None and self.request_version != "HTTP/1.0" and reply.status not in _BODILESS
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif reply.length is not None:
            self.send_header("Content-Length", str(reply.length))
        else:
            self.close_connection = True
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        return chunked

    def _say(self, status: int, problem: dict[str, Any]) -> None:
        with suppress(OSError):
            self.reply(status, json.dumps(problem).encode(), {"Content-Type": "application/json"})

    def problem(self, status: int, why: str) -> dict[str, Any]:
        """Spell what is wrong as providers do."""
        return problem_of(status, why)
