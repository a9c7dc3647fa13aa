"""Start a tool: a whole process that prints its help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.row import CannotRunError, Job, Row, floor, ours, peer


def process(*command: str) -> Job:
    """Run *command* to its end."""

    def run() -> None:
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            raise CannotRunError(f"{command[-2:]} ended with exit code {done.returncode}")

    return Job(run)


def script(name: str) -> Job:
    """Ask a tool of this environment for help."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        raise CannotRunError(f"{name} is not installed")
    return process(str(path), "--help")


def memgauge(_: Path) -> Job:
    """Ask for help."""
    return process(sys.executable, "-m", "memgauge", "--help")


def typer(_: Path) -> Job:
    """Ask the command of typer itself, a tool made with typer, for help."""
    return script("typer")


def inspect(_: Path) -> Job:
    """Ask inspect for help."""
    return script("inspect")


def litellm(_: Path) -> Job:
    """Import litellm, as every tool does that stands on it."""
    return process(sys.executable, "-c", "import litellm")


def bare(_: Path) -> Job:
    """Start Python, and do nothing."""
    return process(sys.executable, "-c", "pass")


ROW = Row(
    "print the help, whole process",
    unit="s",
    limit=0.3,
    above="Laying out the help takes rich, cyclopts and what the commands name; numpy and scipy are not loaded.",
    sides=(
        ours(memgauge),
        peer(
            "typer",
            typer,
            note="the tool that comes with typer",
            why="Its tool lists one command; ours lays out 29, in groups.",
        ),
        peer("inspect", inspect, repeats=5),
        peer("litellm", litellm, repeats=3, note="import alone: what a tool that stands on it pays"),
        floor("start Python", bare),
    ),
)
