"""Runs that may stand on one board: alike in everything but their system."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import RunNotFoundError
from memgauge.scoring.factors import FACTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.manifest import Manifest
    from memgauge.web.library import Item, Library


@dataclass(frozen=True)
class Group:
    """Runs of one kind."""

    key: str
    items: tuple[Item, ...]

    @property
    def manifest(self) -> Manifest:
        """Return what is the same in all of them, by the first one."""
        manifest = self.items[0].manifest
        assert manifest is not None  # noqa: S101 - only runs that can be scored are grouped
        return manifest

    @property
    def title(self) -> str:
        """Name the group by its data, and by what else is not usual."""
        manifest = self.manifest
        parts = [manifest.dataset.ref]
        parts += [manifest.stream.protocol] if manifest.stream.protocol != "clean" else []
        parts += [f"seed {manifest.seed}"] if manifest.seed else []
        parts += [f"first {manifest.conversations} conversations"] if manifest.conversations else []
        return f"{', '.join(parts)}, k={manifest.limits.k}"


def groups(library: Library) -> tuple[Group, ...]:
    """Group all finished runs, a copy of a run left out."""
    items = library.finished()
    return library.made("groups", items, lambda: _grouped(items))


def _grouped(items: Sequence[Item]) -> tuple[Group, ...]:
    by_kind: dict[str, dict[str, Item]] = {}
    for item in items:
        if item.manifest is not None:
            by_kind.setdefault(_kind(item.manifest), {}).setdefault(item.manifest.identity, item)
    return tuple(Group(key, tuple(items.values())) for key, items in by_kind.items())


def group(library: Library, key: str) -> Group:
    """Return one group.

    Raises:
        RunNotFoundError: There is none of this name.
    """
    for group in groups(library):
        if group.key == key:
            return group
    raise RunNotFoundError(f"There is no board {key!r} here.", "Choose one of the list of boards.")


def group_of(library: Library, item: Item) -> Group | None:
    """Return the group that a run stands in."""
    return next(
        (group for group in groups(library) if any(item.folder == member.folder for member in group.items)), None
    )


def _kind(manifest: Manifest) -> str:
    data = manifest.model_dump(mode="json")
    alike = {part: data[part] for part in ("dataset", "conversations", *FACTORS) if part != "system"}
    slug = manifest.id.split("-")[0]
    return f"{slug}-{hashlib.sha256(json.dumps(alike, sort_keys=True).encode()).hexdigest()[:8]}"
