"""The application: one way in for every address, pages, files, and progress as it happens."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

from memgauge.errors import DataNotFoundError, MemgaugeError, RunNotFoundError, UnknownNameError, UserError
from memgauge.web.address import Address
from memgauge.web.live import Tails
from memgauge.web.security import DRAWING_POLICY, Guard
from memgauge.web.site import ASSETS, Site, static

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio import CapacityLimiter
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from memgauge.web.library import Library
    from memgauge.web.security import Door

EVERY_S = 1.0
"""Seconds between two looks at unfinished runs."""
AGAIN_S = 1.0
"""Seconds for which a page that was made is sent again to whoever asks for the same."""
AGAIN = 256, 1 << 18
"""How many pages are kept for that, and of how many bytes each at most."""
READERS = 16
"""Readers of progress at a time; who comes later is shown a page that he can load again."""


def application(library: Library, door: Door) -> ASGIApp:
    """Make the guarded application over a library."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    shown = _Shown(library)
    routes = [
        Route("/static/{name}", shown.static),
        Route("/live", shown.live),
        Route("/{path:path}", shown.page),
    ]
    return Guard(Starlette(routes=routes), door)


class _Shown:
    """Answers requests."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._site = Site(library)
        self._tails = Tails(library)
        self._readers = 0
        self._again: OrderedDict[Address, tuple[float, Response]] = OrderedDict()

    async def page(self, request: Request) -> Response:
        from anyio.to_thread import run_sync

        address = Address.read(request.url.path, request.query_params.multi_items())
        return await run_sync(self._answer, address, limiter=self._turns)

    @cached_property
    def _turns(self) -> CapacityLimiter:
        """Let requests wait in the order in which they came: threads that wait for a lock would not."""
        from anyio import CapacityLimiter

        return CapacityLimiter(1)

    def _answer(self, address: Address) -> Response:
        """Make a page, one at a time; whoever waited for the same page gets the one that was made meanwhile."""
        with self._library.everything:
            made_at, made = self._again.get(address, (-AGAIN_S, None))
            if made is None or self._library.clock() - made_at >= AGAIN_S:
                made = self._made(address)
                self._keep(address, made)
            return made

    def _keep(self, address: Address, made: Response) -> None:
        most, largest = AGAIN
        self._again.pop(address, None)
        if len(made.body) <= largest:
            self._again[address] = self._library.clock(), made
        while len(self._again) > most:
            self._again.popitem(last=False)

    def _made(self, address: Address) -> Response:
        from starlette.responses import HTMLResponse
        from starlette.responses import Response as Plain

        try:
            if address.get("as"):
                file = self._site.file(address)
                headers = {"content-disposition": f'inline; filename="{file.name}"'}
                if file.media.startswith("image/"):
                    headers["content-security-policy"] = DRAWING_POLICY
                return Plain(file.content, media_type=file.media, headers=headers)
            return HTMLResponse(_encoded(self._site.html(address)))
        except MemgaugeError as error:
            return HTMLResponse(_encoded(self._site.problem(error, address)), status_code=_status(error))

    async def static(self, request: Request) -> Response:
        from starlette.responses import Response as Plain

        name = request.path_params["name"]
        if name not in ASSETS:
            return Plain("There is no such file.", status_code=404, media_type="text/plain")
        return Plain(static(name), media_type=ASSETS[name], headers={"cache-control": "max-age=3600"})

    async def live(self, _: Request) -> Response:
        from starlette.responses import Response as Plain
        from starlette.responses import StreamingResponse

        if self._readers >= READERS:
            return Plain("Too many readers; load the page again.", status_code=503, media_type="text/plain")
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        import asyncio

        from starlette.concurrency import run_in_threadpool

        self._readers += 1
        try:
            last = ""
            while True:
                event = await run_in_threadpool(self._tails.event)
                yield event if event != last else ": still here\n\n"
                last = event
                await asyncio.sleep(EVERY_S)
        finally:
            self._readers -= 1


def _status(error: MemgaugeError) -> int:
    if isinstance(error, RunNotFoundError | UnknownNameError | DataNotFoundError):
        return 404
    return 400 if isinstance(error, UserError) else 500


def _encoded(html: str) -> bytes:
    return html.encode("utf-8", "replace")
