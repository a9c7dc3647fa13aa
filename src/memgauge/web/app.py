"""The application: one way in for every address, pages, files, and progress as it happens."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memgauge.errors import DataNotFoundError, MemgaugeError, RunNotFoundError, UnknownNameError, UserError
from memgauge.web.address import Address
from memgauge.web.derived import PutOff
from memgauge.web.keeping import key_of
from memgauge.web.live import Tails
from memgauge.web.security import DRAWING_POLICY, Guard
from memgauge.web.sending import RecentlySent, SentPage
from memgauge.web.site import ASSETS, Site, static

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio import CapacityLimiter
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from memgauge.web.derived import DerivedWork
    from memgauge.web.library import Library
    from memgauge.web.security import Door

EVERY_S = 1.0
"""Seconds between two looks at unfinished runs."""
READERS = 16
"""Readers of progress at a time; who comes later is shown a page that he can load again."""
HTML = "text/html; charset=utf-8"
_TIMES = 4
"""How often a page that put something off is made before that is made with it."""


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
        self._again = RecentlySent(library.clock)
        self._assets: dict[str, bytes] = {}
        self._working: dict[object, asyncio.Future[Any]] = {}

    async def page(self, request: Request) -> Response:
        address = Address.read(request.url.path, request.query_params.multi_items())
        key = key_of("page", await self._state(), address.url)
        content = self._library.store.get(key)
        answer = await self._made(address, key) if content is None else SentPage.read(content)
        return answer.response

    async def _state(self) -> str:
        """Look at what is viewed when it is time, in a thread: a disk may be slow."""
        if self._library.stale:
            from anyio.to_thread import run_sync

            await run_sync(self._library.items, limiter=self._looks)
        return self._library.seen

    @cached_property
    def _looks(self) -> CapacityLimiter:
        from anyio import CapacityLimiter

        return CapacityLimiter(1)

    @cached_property
    def _turns(self) -> CapacityLimiter:
        """Let requests wait in the order in which they came: threads that wait for a lock would not."""
        from anyio import CapacityLimiter

        return CapacityLimiter(1)

    async def _made(self, address: Address, key: str) -> SentPage:
        """Make a page in turn; what it put off is made meanwhile, while others have theirs."""
        from anyio.to_thread import run_sync

        for time in range(_TIMES):
            try:
                return await run_sync(self._answer, address, key, time + 1 < _TIMES, limiter=self._turns)
            except PutOff as put_off:
                work = put_off.work
            try:
                await self._worked(work)
            except MemgaugeError as error:
                return self._problem(error, address)
        raise AssertionError  # the last time nothing is put off

    async def _worked(self, work: DerivedWork[Any]) -> None:
        """Have something large made, once for all who wait for it."""
        from anyio.to_thread import run_sync

        if work.memory_key not in self._working:
            future = asyncio.ensure_future(run_sync(work.apart))
            self._working[work.memory_key] = future
            future.add_done_callback(lambda _: self._working.pop(work.memory_key, None))
        self._library.hold(work, await asyncio.shield(self._working[work.memory_key]))

    def _answer(self, address: Address, key: str, puts_off: bool) -> SentPage:
        """Make a page, one at a time; whoever waited for the same page gets the one that was made meanwhile."""
        with self._library.everything:
            page = self._again.get(address)
            if page is None:
                self._library.puts_off = puts_off
                page = self._answered(address)
                if page.status == 200 and not self._library.momentary:
                    self._library.store.put(key, page.written)
                self._again.put(address, page)
            return page

    def _answered(self, address: Address) -> SentPage:
        try:
            if address.get("as"):
                file = self._site.file(address)
                headers = {"content-disposition": f'inline; filename="{file.name}"'}
                if file.media.startswith("image/"):
                    headers["content-security-policy"] = DRAWING_POLICY
                return SentPage(file.content, file.media, headers)
            return SentPage(_encoded(self._site.html(address)), HTML)
        except MemgaugeError as error:
            return self._problem(error, address)

    def _problem(self, error: MemgaugeError, address: Address) -> SentPage:
        return SentPage(_encoded(self._site.problem(error, address)), HTML, status=_status(error))

    async def static(self, request: Request) -> Response:
        from starlette.responses import Response as Plain

        name = request.path_params["name"]
        if name not in ASSETS:
            return Plain("There is no such file.", status_code=404, media_type="text/plain")
        if name not in self._assets:
            self._assets[name] = static(name)
        return Plain(self._assets[name], media_type=ASSETS[name], headers={"cache-control": "max-age=3600"})

    async def live(self, _: Request) -> Response:
        from starlette.responses import Response as Plain
        from starlette.responses import StreamingResponse

        if self._readers >= READERS:
            return Plain("Too many readers; load the page again.", status_code=503, media_type="text/plain")
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        from starlette.concurrency import run_in_threadpool

        self._readers += 1
        try:
            last_event = ""
            while True:
                event = await run_in_threadpool(self._tails.event)
                yield event if event != last_event else ": still here\n\n"
                last_event = event
                await asyncio.sleep(EVERY_S)
        finally:
            self._readers -= 1


def _status(error: MemgaugeError) -> int:
    if isinstance(error, RunNotFoundError | UnknownNameError | DataNotFoundError):
        return 404
    return 400 if isinstance(error, UserError) else 500


def _encoded(html: str) -> bytes:
    return html.encode("utf-8", "replace")
