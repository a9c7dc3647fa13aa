"""Stores to compare: what a dataset ships, or a parser makes, as store files that any indexed system reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.datasets.base import HasDescendants
from memgauge.errors import ConfigError
from memgauge.registry import Registry
from memgauge.systems.policies.writing import TURNS, Parsed
from memgauge.systems.storefile import spell_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Conversation, Memory

    Build = Callable[[Dataset], Mapping[str, tuple[Memory, ...]]]


def shipped(*kinds: str) -> Build:
    """Return a builder of the derived memories that a dataset ships."""

    def build(dataset: Dataset) -> Mapping[str, tuple[Memory, ...]]:
        if not isinstance(dataset, HasDescendants):
            raise ConfigError(
                f"{dataset.identity.name} ships no derived memories.",
                "Take facts-1, facts-5 or facts-8, which any dataset can be parsed into.",
            )
        return {
            case.conversation.id: tuple(
                memory for kind in kinds for memory in dataset.descendants(case.conversation.id).get(kind, ())
            )
            for case in dataset.cases()
        }

    return build


def parsed(limit: int) -> Build:
    """Return a builder of at most *limit* facts a turn; it is handed conversations and nothing else."""
    return lambda dataset: {case.conversation.id: parse(case.conversation, limit) for case in dataset.cases()}


def parse(conversation: Conversation, limit: int) -> tuple[Memory, ...]:
    """Parse one conversation, turn by turn, as the memory system ``store=facts-N`` does while it listens."""
    from memgauge.records import Scope

    return tuple(Parsed(limit).after(tuple(conversation.turns()), Scope(conversation.id)))


STORES: Registry[Build] = Registry(
    "store",
    "memgauge.stores",
    {
        "obs": shipped("observation"),
        "summary": shipped("summary"),
        "obs+summary": shipped("observation", "summary"),
        "facts-1": parsed(1),
        "facts-5": parsed(5),
        "facts-8": parsed(8),
    },
)
"""Everything that can be laid beside turns."""


def store_text(dataset: Dataset, name: str, build: Build | None = None, **made: Any) -> str:
    """Write a store of *dataset* as the text of its file, with what made it in the header.

    Raises:
        UnknownNameError: There is no such store.
        ConfigError: The dataset does not ship it.
    """
    memories = (build or STORES.get(name))(dataset)
    identity = dataset.identity
    header = {"store": name, "dataset": identity.ref, "sha256": identity.sha256, **made}
    return spell_store(header, memories)


def write_store(dataset: Dataset, name: str, folder: Path) -> str:
    """Write a store file below *folder* and return what ``store=`` takes: its path, or a parser's own name."""
    from memgauge.runs.record.files import write_atomically

    if name == TURNS:
        return TURNS
    path = folder / f"{name.replace('+', '-')}-{dataset.identity.sha256[:8]}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, store_text(dataset, name))
    return str(path)
