"""What two runs are called beside each other, so that no title says "X beside X"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.scoring.accepted import AcceptedRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run


def names_apart(a: Run | AcceptedRun, b: Run) -> tuple[str, str]:
    """Name two runs by the first that sets them apart: system, version, commit, identity, folder.

    An accepted run is called by what it was accepted as.
    """
    if isinstance(a, AcceptedRun):
        now = b.commit or ("now" if b.label == a.label else "")
        return f"{a.label} {a.name}", f"{b.label} {now}".rstrip()
    if a.label != b.label:
        return a.label, b.label
    for left, right in zip(_marks(a), _marks(b), strict=True):
        if left and right and left != right:
            return f"{a.label} {left}", f"{b.label} {right}"
    here, there = a.folder.resolve().parts, b.folder.resolve().parts
    differing = ((left, right) for left, right in zip(here, there, strict=False) if left != right)
    left, right = next(differing, ("(a)", "(b)"))
    return f"{a.label} {left}", f"{b.label} {right}"


def _marks(run: Run) -> Iterator[str]:
    yield run.manifest.system.version
    yield run.commit
    yield run.manifest.identity[:7]
