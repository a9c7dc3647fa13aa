"""Something to start from: a memory system, a dataset or a suite that works and is tested at once."""

from __future__ import annotations

from pathlib import Path

from memgauge.frame.console import emit, program, say
from memgauge.frame.exits import OK


def write_new(kind: str, name: str, into: Path, *, json: bool) -> int:
    """Write the skeleton of a *kind* into a new folder, and say what is done with it next."""
    from memgauge.frame.skeletons import skeleton, write

    made = skeleton(kind, name)
    folder = write(made, into)
    steps = [step.replace("memgauge ", f"{_here(folder)} ", 1) for step in made.steps]
    if json:
        emit({"folder": str(folder), "files": sorted(made.files), "steps": [f"cd {folder}", *steps]})
        return OK
    for file in sorted(made.files):
        say(folder / file)
    say("Next:")
    for step in [f"cd {folder}", *steps]:
        say(f"  {step}")
    return OK


def _here(folder: Path) -> str:
    """Return how this program is called from within *folder*."""
    me = program()
    return me if "/" not in me or me.startswith("/") else str(Path(*[".."] * len(folder.parts), me))
