"""`memgauge new`: a memory system, a dataset or a suite to start from, that works and is tested at once."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from memgauge.frame.console import emit, program, say
from memgauge.frame.exits import OK
from memgauge.frame.options import AsData

app = App("new", help="Write a memory system, a dataset or a suite to start from, with its tests.")


@app.command
def system(name: str, *, into: Path = Path(), json: AsData = False) -> int:
    """Write a memory system of thirty lines, its test, and its check.

    Parameters
    ----------
    name
        Of the module and of the folder: small letters, digits and underscores.
    into
        Folder that the new folder is made in.
    json
        Print data instead of text.
    """
    return _write("system", name, into, json=json)


@app.command
def dataset(name: str, *, into: Path = Path(), json: AsData = False) -> int:
    """Write a dataset: a reader of your own file, a small file to try it on, its test, and how it is installed.

    Parameters
    ----------
    name
        What it is called with --dataset; small letters, digits and underscores.
    into
        Folder that the new folder is made in.
    json
        Print data instead of text.
    """
    return _write("dataset", name, into, json=json)


@app.command
def suite(name: str, *, into: Path = Path(), json: AsData = False) -> int:
    """Write a golden suite of two scenarios, and a test that a right memory passes it and a wrong one does not.

    Parameters
    ----------
    name
        Of the suite and of the folder: small letters, digits and underscores.
    into
        Folder that the new folder is made in.
    json
        Print data instead of text.
    """
    return _write("suite", name, into, json=json)


def _write(kind: str, name: str, into: Path, *, json: bool) -> int:
    from memgauge.cli.skeletons import skeleton, write

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
