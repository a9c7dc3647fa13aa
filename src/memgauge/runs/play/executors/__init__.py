"""Where units of work run: in players, in this process, or on a cluster, with the same bytes.

An executor is named by a text: ``processes:4``, ``inline``, ``ray:address=10.0.0.7:6379``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import Ref, Registry, arguments_for, parse_ref
from memgauge.runs.play.executors.base import Done, Executor, Task, TaskResult, perform
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.play.executors.processes import Processes

if TYPE_CHECKING:
    from collections.abc import Callable

    Factory = Callable[..., Executor]

EXECUTORS: Registry[Factory] = Registry(
    "executor",
    "memgauge.executors",
    {
        "inline": "memgauge.runs.play.executors.inline:inline",
        "processes": "memgauge.runs.play.executors.processes:processes",
        "ray": "memgauge.runs.play.executors.cluster:cluster",
    },
)
"""What :func:`executor` can open, built in or installed; a new one is its module and one line here."""


def executor(spec: str = "", *, workers: int | None = None) -> Executor:
    """Open an executor by its text.

    Args:
        spec: A registered name with parameters; empty is ``processes``, one where nothing
            else is said.
        workers: How many tasks may be worked on at a time; ``None`` leaves it to the executor.

    Raises:
        UnknownNameError: A name or a parameter that does not exist.
        ConfigError: A value that does not fit.
        MissingExtraError: The executor needs packages that are absent.
    """
    ref = parse_ref(spec) if spec.strip() else Ref("processes")
    factory = EXECUTORS.get(ref.name)
    count = workers if workers is not None or spec.strip() else 1
    given: dict[str, object] = {"workers": count} if count is not None else {}
    given |= ref.params
    if ref.variant:
        given["variant"] = ref.variant
    return factory(**arguments_for(factory, "executor", ref.name, given))


__all__ = ["EXECUTORS", "Done", "Executor", "Inline", "Processes", "Task", "TaskResult", "executor", "perform"]
