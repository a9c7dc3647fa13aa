"""Every task by name; a new one is a function from a draw to a sample and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memgauge.registry import Registry
from memgauge.studies.context.sample import Sample
from memgauge.studies.context.tasks.draw import Draw

Task = Callable[[Draw], Sample]

TASKS: Registry[Task] = Registry(
    "context task",
    "memgauge.context_tasks",
    {
        "kv": "memgauge.studies.context.tasks.recall:kv",
        "needle-noise": "memgauge.studies.context.tasks.recall:needle_in_noise",
        "needle-needles": "memgauge.studies.context.tasks.recall:needle_in_needles",
        "needle-dialogue": "memgauge.studies.context.tasks.recall:needle_in_talk",
        "latent": "memgauge.studies.context.tasks.recall:latent",
        "variables": "memgauge.studies.context.tasks.hops:variables",
        "chain": "memgauge.studies.context.tasks.hops:entities",
        "world": "memgauge.studies.context.tasks.world:world",
        "count": "memgauge.studies.context.tasks.aggregation:counted",
        "sum": "memgauge.studies.context.tasks.aggregation:summed",
        "set": "memgauge.studies.context.tasks.aggregation:listed",
        "frequent": "memgauge.studies.context.tasks.aggregation:frequent",
        "constraint": "memgauge.studies.context.tasks.constraints:constrained",
        "update": "memgauge.studies.context.tasks.updates:current",
        "update-as-of": "memgauge.studies.context.tasks.updates:as_of",
    },
)
"""What :func:`samples` can make, built in or installed."""
NAMES = tuple(TASKS.builtin)
"""The built-in ones, grouped by type."""
EVERY_TYPE = ("needle-dialogue", "latent", "world", "set", "constraint", "update")
"""A few that take all types together."""


def sample(task: str, number: int, seed: int = 0) -> Sample:
    """Make one sample.

    Raises:
        UnknownNameError: There is no such task.
    """
    return TASKS.get(task)(Draw(seed, task, number))


def samples(task: str, n: int, seed: int = 0) -> Iterator[Sample]:
    """Make the first *n* samples; each is made without the others."""
    return (sample(task, number, seed) for number in range(n))
