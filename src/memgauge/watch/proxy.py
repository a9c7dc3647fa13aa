"""The wrapper: everything of a memory passes through it, and the calls that its readers know are recorded."""

from __future__ import annotations

from types import MethodType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from weakref import WeakKeyDictionary

from memgauge.errors import ConfigError
from memgauge.text.pseudonyms import Pseudonyms
from memgauge.watch.recorder import CallRecorder
from memgauge.watch.rowlog import shared_log
from memgauge.watch.rows import RowSpeller
from memgauge.watch.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from memgauge.watch.calls import CallReader

Memory = TypeVar("Memory")
_ROTATE: Final = 64 << 20


def watch(
    memory: Memory,
    folder: str | PathLike[str],
    *,
    salt: str | bytes,
    texts: bool = False,
    store: str = "",
    whose: Callable[[tuple[str, ...]], str] = ".".join,
    rotate_bytes: int = _ROTATE,
) -> Memory:
    """Return *memory* as it is, but that its searches and writes are recorded in *folder*.

    A memory is known by its methods: memgauge's protocol, mem0's, LangGraph's stores, LangMem's manager. Of any
    other one nothing is recorded, which is said once. After this line the recording never raises anything.

    Args:
        memory: What the host uses; it is not changed.
        folder: Where the rows are appended, in a file for each process.
        salt: What names and texts are hashed under. It is not stored: keep it, for only under the same salt is a
            user of today the user of tomorrow.
        texts: Keep queries and memories in words as well.
        store: What the memory is called, where a host has several.
        whose: Names the user of a namespace of LangGraph; a ``LookupError`` says that it has none. The whole
            namespace is the user without it.
        rotate_bytes: How large a file becomes before the next one is begun.

    Raises:
        ConfigError: The salt is empty, or neither text nor bytes.
    """
    key = salt.encode("utf-8", "surrogatepass") if isinstance(salt, str) else salt
    if not isinstance(key, bytes):  # a variable that is not set; of a number Python would make as many zeros
        raise ConfigError(
            f"The salt of memgauge.watch is of type {type(salt).__name__}.", 'Hand it a text: os.environ["NAME"].'
        )
    if not key.strip():
        raise ConfigError(
            "The salt of memgauge.watch is empty, so that anybody could guess names from their hashes.",
            "Make one with `python -c 'import secrets; print(secrets.token_hex(32))'`, and keep it as a secret.",
        )
    names = Pseudonyms(key)
    log = shared_log(folder, names.name("salt", "mark")[:8], rotate_bytes)
    if isinstance(memory, Watched) and _passing(memory).recorder.log is log:
        return memory  # it is recorded there already, and a call is one row
    shape = shape_of(memory)
    if shape is None:
        log.troubles.count("unknown", f"{type(memory).__name__} has the methods of no product that is known")
    readers = {} if shape is None else shape.readers
    speller = RowSpeller(shape.name if shape else "", names, texts=texts, store=store, whose=whose)
    passing = PassedThrough(memory, readers, CallRecorder(speller, log))
    return cast("Memory", _class_like(type(memory))(passing))


def counted(memory: object) -> Mapping[str, int]:
    """Count what this process recorded through the log of a watched memory: rows written, and what was not."""
    log = _passing(memory).recorder.log
    return {"written": log.written, **log.troubles.counts}


class PassedThrough:
    """What a wrapper holds: the memory, and the readers of its methods."""

    def __init__(self, memory: object, readers: Mapping[str, CallReader], recorder: CallRecorder) -> None:
        self.memory = memory
        self.recorder = recorder
        self._readers = readers
        self._wrapped: dict[str, tuple[object, object]] = {}

    def attribute(self, name: str) -> Any:
        """Return an attribute of the memory, wrapped where its calls are recorded."""
        value = getattr(self.memory, name)
        reader = self._readers.get(name)
        if reader is None or not callable(value):
            return value
        cached = self._wrapped.get(name)
        if cached is None or not _same(cached[0], value):  # a host may put another method in its place
            cached = self._wrapped[name] = value, self.recorder.around(value, reader)
        return cached[1]


def _same(previous: object, current: object) -> bool:
    """Whether a method is the one that it was; methods are made anew each time that they are looked up."""
    return current is previous or (type(current) is type(previous) is MethodType and current == previous)


class Watched:
    """A wrapper that looks like what it wraps; for each class of memories there is one of its own."""

    __slots__ = ("__weakref__", "_passing")

    def __init__(self, passing: PassedThrough) -> None:
        object.__setattr__(self, "_passing", passing)

    def __getattribute__(self, name: str) -> Any:
        return _passing(self).attribute(name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_passing(self).memory, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_passing(self).memory, name)


def _passing(watched: object) -> PassedThrough:
    passing: PassedThrough = object.__getattribute__(watched, "_passing")
    return passing


_OURS: Final = frozenset(
    (
        *("__new__", "__init__", "__init_subclass__", "__subclasshook__", "__class_getitem__", "__del__"),
        *("__class__", "__dict__", "__slots__", "__weakref__", "__module__", "__qualname__"),
        *("__getattr__", "__getattribute__", "__setattr__", "__delattr__"),
    )
)
"""What a wrapper has of its own, or must not have: a memory is finalised once."""
_classes: Final = WeakKeyDictionary[type, type[Watched]]()


def _class_like(kind: type) -> type[Watched]:
    """Make a class whose methods are those of *kind*, where Python and others look for them."""
    if kind not in _classes:
        body: dict[str, Any] = {"__slots__": (), "__doc__": kind.__doc__, "__module__": kind.__module__}
        methods = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
        for name in methods.keys() - _OURS - body.keys():
            if callable(methods[name]) or isinstance(methods[name], classmethod):
                body[name] = _passed_on(name)
            elif name == "__hash__":
                body[name] = None
        _classes[kind] = type(kind.__name__, (Watched,), body)
    return _classes[kind]


def _passed_on(name: str) -> Callable[..., Any]:
    def method(self: Watched, *args: Any, **kwargs: Any) -> Any:
        passing = _passing(self)
        result = passing.attribute(name)(*args, **kwargs)
        return self if result is passing.memory else result

    method.__name__ = name
    return method
