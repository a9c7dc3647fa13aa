"""The runs that a command was asked to read: in folders, by patterns, and only those that are finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import RunError
from memgauge.frame.console import aside
from memgauge.frame.options import RUNS
from memgauge.show.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_NAMED = 3
"""Folders that a sentence names."""


def finished(paths: Sequence[Path], *, quiet: bool = False) -> list[Path]:
    """Find the finished runs that *paths* name, and say which others were left out, unless *quiet*.

    A path is a run, a folder of runs, or a pattern such as ``runs/*bm25*``; where none is named it is ``runs``.

    Raises:
        RunNotFoundError: A path names no run.
        RunError: None of the runs is finished.
    """
    from memgauge.runs.record.store import finished_runs

    folders, left = finished_runs(paths or (RUNS,))
    if not folders:
        raise RunError(
            f"None of these runs is finished: {_few(left)}.", "The command that began one goes on with it."
        )
    if left and not quiet:
        aside(left_out(left))
    return folders


def left_out(folders: Sequence[Path]) -> str:
    """Say that runs are not read because they are unfinished."""
    if len(folders) == 1:
        return f"{folders[0]} is unfinished and left out; the command that began it goes on with it."
    them = f"{plural(len(folders), 'run')} are unfinished and left out: {_few(folders)}"
    return f"{them}; the commands that began them go on with them."


def _few(folders: Sequence[Path]) -> str:
    more = f" and {len(folders) - _NAMED} more" if len(folders) > _NAMED else ""
    return f"{', '.join(map(str, folders[:_NAMED]))}{more}"
