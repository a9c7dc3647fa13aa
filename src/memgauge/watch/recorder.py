"""Around one call: before it a span, after it its rows; nothing of it ever reaches the host."""

from __future__ import annotations

from functools import partial, wraps
from time import perf_counter_ns, time_ns
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from memgauge.foreign import Raised, call_foreign
from memgauge.watch.calls import CallReader, MemoryCall
from memgauge.watch.rows import CallTimes, RowSpeller, SpelledRow
from memgauge.watch.spans import CallSpan, open_span

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from memgauge.watch.rowlog import RotatingLog

T = TypeVar("T")
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
        outcome = call_foreign(partial(wraps(method), wrapper))
        return wrapper if isinstance(outcome, Raised) else outcome

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
        span = self._tried("untraced", "a span cannot be begun", partial(open_span, reader.operation))
        return _Begun(reader, args, kwargs, time_ns(), perf_counter_ns(), span)

    def _leave(self, begun: _Begun) -> None:
        if begun.span is not None:
            self._tried("untraced", "a span cannot be left", begun.span.leave)

    def _end(self, begun: _Begun, result: Any, error: BaseException | None) -> None:
        """Write the rows of a call that has ended, and end its span."""
        times = CallTimes(begun.began_ns, begun.began_ns + perf_counter_ns() - begun.tick_ns, error)
        self._leave(begun)
        rows = self._tried("lost", "a row cannot be made", partial(self._rows, begun, result, times)) or []
        self._tried("lost", "a row cannot be written", partial(self._append, begun, rows))
        if begun.span is not None:
            self._tried("untraced", "a span cannot be ended", partial(begun.span.end, rows, times))

    def _rows(self, begun: _Begun, result: Any, times: CallTimes) -> list[SpelledRow]:
        """Make the rows of a call; of one that is unlike those of its product, it is known that it was made."""
        rows = self._tried(
            "unread", "a call is not as those of its product are", partial(self._read, begun, result, times)
        )
        if rows is not None:
            return rows
        operation = begun.reader.operation
        return [self._speller.spell(MemoryCall(operation), times)] if operation else []

    def _append(self, begun: _Begun, rows: list[SpelledRow]) -> None:
        for place, row in enumerate(rows):
            self.log.append(row.ended("" if begun.span is None else begun.span.ids(first=place == 0)))

    def _read(self, begun: _Begun, result: Any, times: CallTimes) -> list[SpelledRow]:
        reader = begun.reader
        arguments = dict(zip(reader.parameters, begun.args, strict=False)) | begun.kwargs
        return [self._speller.spell(call, times) for call in reader.read(arguments, result)]

    def _tried(self, kind: str, action: str, call: Callable[[], T]) -> T | None:
        """Count what goes wrong, of whatever kind, in place of raising it: the host's call ends as it would."""
        outcome = call_foreign(call)
        if not isinstance(outcome, Raised):
            return outcome
        error = type(outcome.error).__name__  # its words may be a user's
        del outcome  # its traceback holds this frame, and with it what the host handed over
        self.log.troubles.count(kind, f"{action} ({error})")
        return None
