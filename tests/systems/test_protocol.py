"""What a system implements, judged alike on every Python."""

from __future__ import annotations

import inspect
from itertools import product
from typing import Any

import pytest

from memgauge.systems import protocol
from memgauge.systems.catalogue import open_system
from memgauge.systems.protocol import (
    OPTIONAL,
    Answering,
    Closing,
    Durable,
    Learning,
    Mutable,
    Offering,
    Privileged,
    implements,
    supported,
)


class Forwarding:
    """Has every attribute that one asks for, as a proxy does."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


class Declaring(Forwarding):
    """A proxy that says what is behind it."""

    def offers(self) -> tuple[str, ...]:
        """Name two, in no order, and one that is unknown."""
        return ("durable", "mutable", "telepathic")


def test_a_proxy_seems_to_support_nothing() -> None:
    """What is only forwarded does not count, whatever the Python."""
    proxy: Any = Forwarding(open_system("bm25"))
    assert callable(proxy.update)
    assert supported(proxy) == ()
    assert not implements(proxy, Mutable)
    assert not implements(proxy, Offering)
    assert not implements(proxy, Closing)


def test_a_system_that_says_what_it_offers_is_believed() -> None:
    """Its own word goes before its methods; what is no optional protocol is looked at."""
    proxy: Any = Declaring(open_system("bm25"))
    assert supported(proxy) == ("mutable", "durable")
    assert implements(proxy, Durable)
    assert not implements(proxy, Learning)
    assert not implements(proxy, Privileged)


def test_methods_of_classes_and_of_instances_count() -> None:
    """A system supports what its class or itself has, all methods of it, and nothing that is no method."""

    class Half:
        ask = None

        def update(self) -> None:
            """Be one of two."""

    half: Any = Half()
    assert supported(half) == ()
    half.delete = lambda: None
    assert supported(half) == ("mutable",)
    assert not implements(half, Answering)


@pytest.mark.parametrize("ref", ["bm25", "ideal", "ucb:arms=recency+random", "pipeline:embedder=none", "none"])
def test_both_ways_to_ask_agree(ref: str) -> None:
    """The names that are listed are the protocols that hold."""
    system = open_system(ref)
    held: tuple[Any, ...] = tuple(OPTIONAL.values())
    assert supported(system) == tuple(
        name for name, one in zip(OPTIONAL, held, strict=True) if implements(system, one)
    )


class _Meta(type):
    """Has methods of its own, which are none of its classes' objects."""

    def update(cls) -> None:
        """Be a method of classes."""


class _Descriptor:
    def __get__(self, system: object, kind: type) -> object:
        return lambda: None


class _Data(_Descriptor):
    def __set__(self, system: object, value: object) -> None:
        """Take part in nothing."""


def _method(self: object) -> None:
    """Be a method."""


WAYS: dict[str, Any] = {
    "a method": _method,
    "nothing": None,
    "a number": 3,
    "a static method": staticmethod(_method),
    "a class method": classmethod(_method),
    "a property": property(_method),
    "a descriptor": _Descriptor(),
    "a data descriptor": _Data(),
    "a class": dict,
}
KINDS: dict[str, tuple[type, dict[str, Any]]] = {
    "ordinary": (type, {}),
    "with a metaclass": (_Meta, {}),
    "with slots": (type, {"__slots__": ("update",)}),
    "whose dictionary is a property": (type, {"__dict__": property(lambda _: {"update": _method})}),
    "that forwards": (type, {"__getattribute__": lambda _self, _name: _method}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_counts_is_what_stands_there_however_a_class_is_made(kind: str) -> None:
    """In a class, its base and on the instance, each way to have something counts as `getattr_static` sees it."""
    meta, names = KINDS[kind]
    hidden = kind == "whose dictionary is a property"
    slotted = "__slots__" in names
    for base, own, instance in product([None, *WAYS], [None, *WAYS] if not slotted else [None], [None, *WAYS]):
        parent = type("Parent", (), {"update": WAYS[base]} if base else {})
        system: Any = meta("System", (parent,), {**names, **({"update": WAYS[own]} if own else {})})()
        if instance and not hidden:
            object.__getattribute__(system, "__dict__")["update"] = WAYS[instance]
        expected = inspect.getattr_static(system, "update", None)
        assert protocol._standing(system, "update") is expected, (base, own, instance)


def test_methods_that_come_or_go_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a class or an object has is looked up at each call; a class is judged by what it has itself."""

    class Late:
        """Has nothing at first."""

    late: Any = Late()
    assert not implements(late, Closing)
    monkeypatch.setattr(Late, "close", _method, raising=False)
    assert implements(late, Closing)
    vars(late)["close"] = None
    assert not implements(late, Closing)
    kind: Any = type("Heir", (Late,), {})
    assert implements(kind, Closing)
    assert not implements(3, Closing)
