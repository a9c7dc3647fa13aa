"""The application: one way in for every address, pages, files, and progress as it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import DataNotFoundError, MemgaugeError, RunNotFoundError, UnknownNameError, UserError
from memgauge.web.address import Address
from memgauge.web.live import Tails
from memgauge.web.security import DRAWING_POLICY, Guard
from memgauge.web.site import ASSETS, Site, static

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from memgauge.web.library import Library
    from memgauge.web.security import Door

EVERY_S = 1.0
"""Seconds between two looks at unfinished runs."""
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

    async def page(self, request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool

        address = Address.read(request.url.path, request.query_params.multi_items())
        return await run_in_threadpool(self._answer, address)

    def _answer(self, address: Address) -> Response:
        from starlette.responses import HTMLResponse
        from starlette.responses import Response as Plain

        with self._library.everything:
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
