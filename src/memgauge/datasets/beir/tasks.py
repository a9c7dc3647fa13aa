"""The 22 tasks of LMEB (arXiv 2603.12572): where each lies, and what it may be used for."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class RetrievalTask:
    """One task."""

    name: str
    memory: str
    """``dialogue``, ``episodic``, ``semantic`` or ``procedural``."""
    path: str
    """Of its data set on the hub."""
    revision: str
    licence: str
    """As MTEB records it."""
    subsets: tuple[str, ...]

    @property
    def use(self) -> str:
        """Say what its licence allows, as far as it says so."""
        if self.licence == "not specified":
            return "ask its makers"
        if "-nc" in self.licence:
            return "research, not commerce"
        return "any, same licence" if "-sa" in self.licence else "any"


@cache
def tasks() -> Mapping[str, RetrievalTask]:
    """Return every task by name."""
    table = tomllib.loads((files("memgauge.datasets.beir") / "tasks.toml").read_text("utf-8"))
    return {
        name: RetrievalTask(
            name, row["memory"], row["path"], row["revision"], row["licence"], tuple(row["subsets"])
        )
        for name, row in table.items()
    }


def read_task(text: str) -> str:
    """Read the name of a task; its case does not matter.

    Raises:
        UnknownNameError: There is none of that name.
    """
    known = {name.casefold(): name for name in tasks()}
    if text and text.casefold() not in known:
        raise unknown_name("task of LMEB", text, known.values())
    return known[text.casefold()] if text else ""
