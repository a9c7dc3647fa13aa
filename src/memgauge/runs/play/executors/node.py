"""What happens on a node of a cluster: one task, or a refusal that says why it must be done elsewhere."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.runs.play.executors.base import attempt
from memgauge.runs.play.executors.code import code, differences
from memgauge.runs.play.opening import Opening
from memgauge.runs.play.player.assignment import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.runs.play.executors.base import Task, TaskResult
    from memgauge.streams import Stream


@dataclass(frozen=True)
class OwnerNode:
    """What a worker must know of the machine that owns the run."""

    code: Mapping[str, str]
    folder: str
    """Where it stands there; empty where a folder was sent along."""


@dataclass(frozen=True)
class Refusal:
    """A node that cannot do what it was asked, and why."""

    reason: str
    node: str = ""
    """Its id in the cluster."""


def work(task: Task, stream: Stream, home: OwnerNode) -> TaskResult | Refusal:
    """Do one task whose stream came apart from it, unless this node would do it differently."""
    if different := differences(home.code, code()):
        return Refusal(different)
    if home.folder and Path(home.folder).is_dir():
        os.chdir(home.folder)  # a file system that all nodes share: paths mean what they mean to the owner
    opening = Opening(chosen(task.manifest), task.manifest.seed)
    result = attempt(replace(task, stream=stream), opening)
    return Refusal(str(opening.problem)) if opening.problem else result
