"""What a system implements, judged alike on every Python."""

from __future__ import annotations

from typing import Any

import pytest

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
