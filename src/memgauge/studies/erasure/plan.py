"""What an audit is to do: which system, about whom, what it asks for, and where it looks."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, cast

from memgauge.records import Scope
from memgauge.registry import load_target, parse_ref
from memgauge.systems.catalogue import SYSTEMS, open_factory, open_or_tell, open_system
from memgauge.systems.environments.products import product_of
from memgauge.systems.loading import load_factory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memgauge.systems.protocol import MemorySystem


class ErasureRequest(StrEnum):
    """How the system is asked to forget."""

    SCOPE = "scope"
    """Erase everything of the subject in one call."""
    MEMORIES = "memories"
    """Delete every memory that is listed, by its id."""
    NONE = "none"
    """Not through this report: it was asked before, or never."""


@dataclass(frozen=True)
class ErasurePlan:
    """One audit."""

    ref: str
    request: ErasureRequest = ErasureRequest.SCOPE
    user: str = ""
    """Somebody who is in the store; empty for a canary."""
    control: str = ""
    """Somebody else who is there; a canary has a canary beside it."""
    tenant: str = "default"
    agent: str | None = None
    session: str | None = None
    texts: tuple[str, ...] = ()
    """To look for, beside what is listed."""
    also: tuple[Path, ...] = ()
    seed: int = 0
    timeout_s: float = 120.0
    wait_s: float = 0.0
    """Seconds to wait for what is deleted later, and then to look once more."""
    sleep: Callable[[float], object] = time.sleep
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    @property
    def planted(self) -> bool:
        """Whether the subject is invented."""
        return not self.user

    def scope(self, user: str) -> Scope:
        """Return the scope of somebody."""
        return Scope(user, self.tenant, self.agent, self.session)


@dataclass(frozen=True)
class OpenedStore:
    """How the system is opened, and opened again on the same store."""

    ref: str
    path: str = ""
    """Where the store lies; where nobody knows, a second process cannot find what the first one stored."""
    is_ours: bool = True
    """Whether it was made for this report; in a store of the user's nothing is planted that stays."""

    def open(self) -> MemorySystem:
        """Open it.

        Raises:
            UserError: It cannot be opened.
        """
        return open_or_tell(self.ref, self._opened)

    def _opened(self) -> MemorySystem:
        if not self.is_ours or not self.path:
            return open_system(self.ref)
        if _is_factory(self.ref):
            return open_factory(self.ref.strip(), self.ref, {"path": self.path})
        return open_system(f"{self.ref}{',' if ':' in self.ref else ':'}path={self.path}")


def store_of(ref: str, folder: Path) -> OpenedStore:
    """Give a system a store at *folder* where it takes one and *ref* names none."""
    if ref.strip().endswith(".toml"):
        return OpenedStore(ref, is_ours=False)
    parsed = parse_ref(ref)
    if "path" in parsed.params:
        return OpenedStore(ref, str(parsed.params["path"]), is_ours=False)
    if parsed.name in _REMOTE:
        return OpenedStore(ref, is_ours=False)
    factory = _factory(ref)
    takes_path = factory is not None and "path" in inspect.signature(factory).parameters
    if takes_path and _is_factory(ref):
        folder.mkdir(parents=True, exist_ok=True)  # a class of one's own gets an empty folder, here as everywhere
    return OpenedStore(ref, str(folder) if takes_path else "")


def _is_factory(ref: str) -> bool:
    parsed = parse_ref(ref)
    return parsed.name not in SYSTEMS and product_of(ref) is None and bool(parsed.variant) and not parsed.params


def _factory(ref: str) -> Callable[..., object] | None:
    """Return what opens a system; nothing where that is not a thing of Python's, or is not there."""
    product, name = product_of(ref), parse_ref(ref).name
    if product is not None:
        return cast("Callable[..., object]", load_target(product.adapter))
    if _is_factory(ref):
        return open_or_tell(ref, partial(load_factory, ref.strip()))
    return SYSTEMS.get(name) if name in SYSTEMS else None


_REMOTE = frozenset({"http", "https", "mcp"})
"""Names behind which is what runs already."""


def declared_places(ref: str) -> Mapping[str, str]:
    """Return what the description of a product says of its files; nothing where *ref* is none."""
    product = None if ref.strip().endswith(".toml") else product_of(ref)
    return product.places if product else {}
