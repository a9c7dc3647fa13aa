"""Serve a memory system in a foreign Python: a script that lets in memgauge and nothing else of our environment.

It is started by its path, with one argument, JSON: ``path`` (further folders to import from), ``network`` and
``folder`` (for the guard), ``ref`` or ``factory``, ``name`` and ``arguments``; or a
``program`` and its ``arguments``.
"""

from __future__ import annotations

import os
import sys
from importlib import machinery
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgauge.systems.protocol import MemorySystem


_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120 - nothing is imported here that is not needed


class OnlyMemgauge:
    """Finds the package, whose modules are found through it; everything else is the foreign Python's affair."""

    def __init__(self, package: str) -> None:
        self._above = os.path.dirname(package)  # noqa: PTH120 - nothing is imported here that is not needed

    def find_spec(self, name: str, path: object = None, target: object = None) -> machinery.ModuleSpec | None:  # noqa: ARG002 - the import system's signature
        """Find memgauge."""
        return machinery.PathFinder.find_spec(name, [self._above]) if name == "memgauge" else None


def main() -> None:
    """Serve what the argument describes."""
    if sys.version_info < (3, 11):  # noqa: UP036 - a foreign Python may be any
        sys.exit("memgauge serves memories in Python 3.11 or newer; this is Python %d.%d" % sys.version_info[:2])  # noqa: UP031 - as above
    sys.meta_path.insert(0, OnlyMemgauge(_PACKAGE))
    from memgauge.systems.catalogue import open_factory, open_here
    from memgauge.systems.wire.guard import AuditGuard
    from memgauge.systems.wire.serve import own_streams, serve
    from memgauge.text.jsons import json_of

    asked = json_of(sys.argv[1])
    sys.path.extend(asked["path"])
    lines, answers = own_streams()
    guard = AuditGuard(asked["network"], asked["folder"])
    guard.install()
    if "program" in asked:  # what serves something else than a memory
        from memgauge.registry import load_target

        load_target(asked["program"])(asked["arguments"], lines, answers)  # type: ignore[operator] # a function of ours
        os._exit(0)

    def opening(seed: int) -> MemorySystem:
        if "ref" in asked:
            return open_here(asked["ref"], seed=seed)
        return open_factory(asked["factory"], asked["name"], asked["arguments"], seed=seed)

    serve(opening, lines, answers, guard)
    sys.stderr.flush()
    os._exit(0)  # threads and exit handlers of a product would hold up the end


if __name__ == "__main__":
    main()
