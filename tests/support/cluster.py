"""A memory system for clusters: it says on which node it lives, and takes its time."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from support.systems import MARKS, Notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Receipt, Scope, Turn

WAIT_S = 0.05
"""Seconds that every write takes."""


class Lingering(Notebook):
    """Leaves a mark of its node at the first write of a conversation, and lingers over every write."""

    name = "lingering"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store each turn, slowly."""
        if not self.stored:
            mark = f"{scope.user}.{here()}.{uuid.uuid4().hex[:6]}"
            (Path(os.environ[MARKS]) / mark).touch()
        time.sleep(WAIT_S)
        return super().ingest(turns, scope)


def here() -> str:
    """Name the node that this process runs on; outside a cluster there is one."""
    try:
        import ray
    except ImportError:
        return "home"
    return str(ray.get_runtime_context().get_node_id()) if ray.is_initialized() else "home"


def met(folder: Path) -> dict[str, list[str]]:
    """Read which conversations were begun where: nodes by conversation."""
    found: dict[str, list[str]] = {}
    for mark in folder.iterdir():
        conversation, node, _ = mark.name.split(".")
        found.setdefault(conversation, []).append(node)
    return found
