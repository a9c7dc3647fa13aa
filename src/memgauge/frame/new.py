"""Something to start from: a memory system, a dataset or a suite that works and is tested at once."""

from __future__ import annotations

from pathlib import Path

from memgauge.frame.console import program
from memgauge.frame.output import Printing, present, told
from memgauge.text.shell import typed


def write_new(kind: str, name: str, into: Path, shown: Printing) -> int:
    """Write the skeleton of a *kind* into a new folder, and say what is done with it next."""
    from memgauge.frame.skeletons import skeleton, write

    made = skeleton(kind, name)
    folder = write(made, into)
    steps = [step.replace("memgauge ", f"{_here(folder)} ", 1) for step in made.steps]
    next_steps, files = [f"cd {typed(folder)}", *steps], sorted(made.files)
    data = {"folder": str(folder), "files": files, "steps": next_steps}
    return present(
        told(data, *(str(folder / file) for file in files), "Next:", *(f"  {s}" for s in next_steps)), shown
    )


def _here(folder: Path) -> str:
    """Return how this program is called from within *folder*."""
    me = program()
    return me if "/" not in me or me.startswith("/") else str(Path(*[".."] * len(folder.parts), me))
