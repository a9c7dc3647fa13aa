"""What one call of a memory says, in the words of its host, and the helpers that read it."""

from __future__ import annotations

import json.encoder
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.foreign import call_foreign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    CalledRecord = tuple[str, str | None, float | None]
    """The id, text and score of a record; a tuple with names takes eight times as long to make, in every hit."""


class CallOwner(NamedTuple):
    """Whose memory a call is about; empty where it does not say."""

    user: str = ""
    tenant: str = ""
    session: str = ""
    agent: str = ""


_SEQUENCES: Final = (list, tuple)
NOBODY: Final = CallOwner()


class MemoryCall(NamedTuple):
    """One operation as the product spells it."""

    operation: str
    owner: CallOwner = NOBODY
    query: str | None = None
    asked: int | None = None
    records: tuple[CalledRecord, ...] | None = None
    """``None`` where the call does not say."""
    space: tuple[str, ...] = ()
    """The namespace that it asks, which names the user as its host says."""
    spaces: frozenset[tuple[str, ...]] = frozenset()
    """Those that its records lie in, where they may lie below it."""


class CallReader(NamedTuple):
    """How calls of one method are read."""

    operation: str
    """What is recorded of a call that cannot be read; nothing is where it is empty."""
    parameters: tuple[str, ...]
    """What arguments without a name are."""
    read: Callable[[Mapping[str, Any], Any], tuple[MemoryCall, ...]]
    """Returns the operations of (arguments, result); the result of a call that raised is ``None``."""


class ProductShape(NamedTuple):
    """A product that is known by its methods."""

    name: str
    marks: tuple[tuple[str, ...], ...]
    """Sets of methods that tell it, any of which is enough."""
    readers: Mapping[str, CallReader]

    def fits(self, memory: object) -> bool:
        """Whether *memory* has the methods."""
        fitting = call_foreign(lambda: any(map(partial(_has, memory), self.marks)))
        return fitting is True  # a property may raise anything, and the host's start goes on


def _has(memory: object, methods: Iterable[str]) -> bool:
    return all(callable(getattr(memory, name, None)) for name in methods)


def called_records(items: Iterable[Any], parts: Callable[[Any], tuple[Any, Any, Any]]) -> tuple[CalledRecord, ...]:
    """Read records, whose id, text and score *parts* returns as their product has them."""
    return tuple(
        [
            (
                memory if type(memory) is str else identifier(memory),  # as nearly all are, and a call is saved
                text if type(text) is str else content(text),
                number(score),
            )
            for memory, text, score in map(parts, items)
        ]
    )


def sequence(value: Any) -> list[Any] | tuple[Any, ...] | None:
    """Return a list or a tuple; whatever else could be walked through only once, or does something on the way."""
    return value if isinstance(value, _SEQUENCES) else None


def identifier(value: Any) -> str:
    """Spell what names something."""
    return value if isinstance(value, str) else "" if value is None else str(value)


def number(value: Any) -> float | None:
    """Return a score as a number, of whatever library it is; what is none or not finite is unknown."""
    if type(value) is float:  # what most scores are
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | str):
        return None
    score = float(value)
    return score if isfinite(score) else None


def count(value: Any) -> int | None:
    """Return a count; anything else is unknown."""
    return value if type(value) is int and 0 <= value < 1 << 31 else None


def content(value: Any) -> str | None:
    """Return what a record says: a text as it is, an object as JSON that does not depend on its order."""
    if value is None or isinstance(value, str):
        return value
    try:
        return _canonical(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _canonical_encoder() -> Callable[[Any], str]:
    """Return an encoder that is made once: the library makes one a text, which takes longer than its work."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
    pieces = make(None, _refused, json.encoder.encode_basestring, None, ":", ",", True, False, True)  # noqa: FBT003 - in C
    return lambda value: "".join(pieces(value, 0))


def _refused(value: Any) -> Any:
    raise TypeError(type(value).__name__)


_canonical: Final = _canonical_encoder()
