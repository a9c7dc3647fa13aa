"""Around one call: before it a span, after it its rows; nothing of it ever reaches the host."""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from time import perf_counter_ns, time_ns
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.watch.calls import CallReader, MemoryCall
from memgauge.watch.rows import CallTimes, RowSpeller, SpelledRow
from memgauge.watch.spans import CallSpan, open_span

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from memgauge.watch.rowlog import RotatingLog

_COROUTINE: Final = 0x80
"""``inspect.CO_COROUTINE``, for whose module a host need not pay."""


class _Begun(NamedTuple):
    """A call that has begun."""

    reader: CallReader
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    began_ns: int
    tick_ns: int
    span: CallSpan | None


def _named_as(method: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a wrapper the name and the signature of a method, if it has them to give."""

    def named(wrapper: Callable[..., Any]) -> Callable[..., Any]:
        with suppress(Exception):
            return wraps(method)(wrapper)
        return wrapper

    return named


class CallRecorder:
    """Records calls of one memory."""

    def __init__(self, speller: RowSpeller, log: RotatingLog) -> None:
        self._speller = speller
        self.log = log

    def around(self, method: Callable[..., Any], reader: CallReader) -> Callable[..., Any]:
        """Wrap a method, so that its calls return and raise what they did, and are recorded."""

        @_named_as(method)
        def called(*args: Any, **kwargs: Any) -> Any:
            begun = self._begin(reader, args, kwargs)
            try:
                result = method(*args, **kwargs)
            except BaseException as error:
                self._end(begun, None, error)
                raise
            if isinstance(result, CoroutineType):
                self._leave(begun)
                return self._awaited(begun, result)
            self._end(begun, result, None)
            return result

        @_named_as(method)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            return await self._awaited(self._begin(reader, args, kwargs), method(*args, **kwargs))

        code = getattr(getattr(method, "__func__", method), "__code__", None)
        return awaited if code is not None and code.co_flags & _COROUTINE else called

    async def _awaited(self, begun: _Begun, coroutine: Coroutine[Any, Any, Any]) -> Any:
        try:
            result = await coroutine
        except BaseException as error:
            self._end(begun, None, error)
            raise
        self._end(begun, result, None)
        return result

    def _begin(self, reader: CallReader, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Begun:
        span = None
        try:
            span = open_span(reader.operation)
        except Exception as error:  # noqa: BLE001 - whatever a tracer raises, the host's call goes on
            self._count("untraced", "a span cannot be begun", error)
        return _Begun(reader, args, kwargs, time_ns(), perf_counter_ns(), span)

    def _leave(self, begun: _Begun) -> None:
        try:
            if begun.span is not None:
                begun.span.leave()
        except Exception as error:  # noqa: BLE001 - the same
            self._count("untraced", "a span cannot be left", error)

    def _end(self, begun: _Begun, result: Any, error: BaseException | None) -> None:
        """Write the rows of a call that has ended, and end its span."""
        times = CallTimes(begun.began_ns, begun.began_ns + perf_counter_ns() - begun.tick_ns, error)
        self._leave(begun)
        rows: list[SpelledRow] = []
        try:
            rows = self._rows(begun, result, times)
            for place, row in enumerate(rows):
                self.log.append(row.ended("" if begun.span is None else begun.span.ids(first=place == 0)))
        except Exception as trouble:  # noqa: BLE001 - whatever a product returns, the host's call ends as it did
            self._count("lost", "a row cannot be made", trouble)
        try:
            if begun.span is not None:
                begun.span.end(rows, times)
        except Exception as trouble:  # noqa: BLE001 - as above
            self._count("untraced", "a span cannot be ended", trouble)

    def _rows(self, begun: _Begun, result: Any, times: CallTimes) -> list[SpelledRow]:
        """Read a call; of one that is unlike those of its product, it is known that it was made."""
        reader = begun.reader
        try:
            given = dict(zip(reader.parameters, begun.args, strict=False)) | begun.kwargs
            return [self._speller.spell(call, times) for call in reader.read(given, result)]
        except Exception as trouble:  # noqa: BLE001 - as above
            self._count("unread", "a call is not as those of its product are", trouble)
        return [self._speller.spell(MemoryCall(reader.operation), times)] if reader.operation else []

    def _count(self, kind: str, what: str, error: Exception) -> None:
        # Its words may be a user's.
        self.log.troubles.count(kind, f"{what} ({type(error).__name__})")
