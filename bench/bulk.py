"""A made-up dataset of plain turns, and sealed runs on it: the load of rows about runs. Needs memgauge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.base import DatasetIdentity
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import Plan, PlannedRun
from memgauge.runs.record.manifest import Manifest, dataset_part, system_part
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.runs.play.executors import Executor


@dataclass(frozen=True)
class Bulk:
    """Conversations of equal length with questions about one to three of their turns."""

    conversations: int = 10
    turns: int = 600
    """In one conversation."""
    questions: int = 2000
    """In all."""

    @property
    def identity(self) -> DatasetIdentity:
        """Name it."""
        return DatasetIdentity(ref="bulk", name="bulk", sha256="0" * 64)

    def _asked(self, number: int) -> range:
        return range(number, self.questions, self.conversations)

    def cases(self) -> Iterator[Case]:
        """Yield the conversations."""
        for number in range(self.conversations):
            name = f"bulk-{number}"
            turns = tuple(Turn(f"t{i}", "A", f"turn {i} of {name}", "s1") for i in range(self.turns))
            asked = (Question(f"q{q}", name, f"question {q}", "any") for q in self._asked(number))
            yield Case(Conversation(name, (Session("s1", None, turns),)), tuple(asked))

    def gold(self) -> Iterator[Gold]:
        """Yield the evidence of every question, drawn from a seed."""
        rng = np.random.default_rng(7)
        for number in range(self.conversations):
            for question in self._asked(number):
                wanted = rng.choice(self.turns, rng.integers(1, 4), replace=False).tolist()
                evidence = tuple(Evidence(f"t{turn}", exact=True, turns=(f"t{turn}",)) for turn in wanted)
                yield Gold(f"q{question}", evidence=evidence)

    def describe(self) -> dict[str, object]:
        """Count nothing."""
        return {}


def make_run(out: Path, ref: str, dataset: Bulk | None = None, executor: Executor | None = None) -> Path:
    """Run one system on the bulk, journal, seal and all; in a process of its own, if no *executor* is named."""
    dataset, system = dataset or Bulk(), open_system(ref)
    manifest = Manifest(dataset=dataset_part(dataset.identity), system=system_part(ref, ref, system))
    cell = PlannedRun(manifest, dataset.conversations, dataset.conversations * dataset.turns, dataset.questions)
    (made,) = execute(Plan((cell,), {dataset.identity.ref: dataset}), out, executor=executor, check=False)
    return made
