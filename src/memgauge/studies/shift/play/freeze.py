"""Simulated rankings as sealed runs, so that everything that reads runs reads them too."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Form, Lineage, Memory, Outcome
from memgauge.retrieval.embedders import identities_of
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.lineage import TracedVersion, digest
from memgauge.runs.record.manifest import Limits, Manifest, StreamPart, SystemPart, dataset_part, environment
from memgauge.runs.record.retold import RetoldRows
from memgauge.runs.record.seal import seal, sealed
from memgauge.runs.record.spelling import encode
from memgauge.studies.shift.protocol.spec import TermFit, as_text
from memgauge.systems.policies.embedding import stand_ins_of
from memgauge.systems.protocol import Capabilities
from memgauge.systems.routing.router import NOTE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Question
    from memgauge.runs.record.rows import Row
    from memgauge.studies.shift.play.simulate import PlayedConversation, Simulation
    from memgauge.studies.shift.protocol.scene import ShiftScene
    from memgauge.studies.shift.protocol.spec import ShiftSpec

VERSION = "1"
"""Of the simulation: another one may rank otherwise."""


def freeze(simulation: Simulation, dataset: Dataset, out: Path) -> list[Path]:
    """Write one sealed run for every policy and burst length under *out*, policies outermost.

    A run that is there already is left as it is. Memories are those that were found: nothing is said of the rest.

    Raises:
        RunError: A folder is in use, or the disk is full.
    """
    questions = {question.id: question for case in dataset.cases() for question in case.questions}
    outcomes, folders = simulation.outcomes, []
    for number, policy in enumerate(outcomes.policies):
        for burst, m in enumerate(outcomes.spec.bursts):
            manifest = _manifest(dataset, simulation, policy, m)
            folder = out / manifest.id
            if not sealed(folder):
                sheets = (
                    _PolicyRecord(played, place, number, policy, burst, outcomes.spec).rows(questions)
                    for place, played in enumerate(simulation.played)
                )
                _write(folder, manifest, sheets)
            folders.append(folder)
    return folders


def _manifest(dataset: Dataset, simulation: Simulation, policy: str, m: int) -> Manifest:
    spec = simulation.outcomes.spec
    stated_elsewhere = {"bursts", "horizon", "k", "seed"}  # said elsewhere, or of the analysis
    knobs = {f.name: as_text(getattr(spec, f.name)) for f in fields(spec) if f.name not in stated_elsewhere}
    interventions = ["simulated: a selection over the stream, not a memory that lived through it"]
    if spec.fit is TermFit.ALL:
        interventions.append("its term statistics know the whole stream, the future included")
    if policy in simulation.outcomes.routed:
        arms = ", ".join(simulation.outcomes.routed[policy].arms)
        interventions.append(f"it chooses among {arms}, told of each of its answers whether it held evidence")
    embedder = simulation.embedder if simulation.sees_vectors(policy) else None
    promises = Capabilities(
        declares_sources=True,
        reports_changes=True,
        interventions=tuple(interventions),
        stand_ins=() if embedder is None else stand_ins_of(embedder),
        models=identities_of(embedder),
    )
    label = f"{policy} (simulated)"
    return Manifest(
        dataset=dataset_part(dataset.identity),
        system=SystemPart(
            ref=f"simulated:{policy}",
            label=label,
            name=policy,
            version=VERSION,
            capabilities=asdict(promises),
        ),
        stream=StreamPart(protocol="shift", parameters={**knobs, "m": str(m), **simulation.inputs}),
        limits=Limits(k=spec.k),
        seed=spec.seed,
        environment=environment(),
    )


def _write(folder: Path, manifest: Manifest, pages: Iterable[list[Row]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    manifest.write(folder)
    with Journal(folder) as journal:
        for rows in pages:
            if rows[0]["conversation"] not in journal.finished:
                journal.append(rows[0]["conversation"], encode(rows))
    seal(folder)


@dataclass(frozen=True)
class _PolicyRecord:
    """What one policy found in one conversation under one burst length."""

    played: PlayedConversation
    place: int
    number: int
    policy: str
    burst: int
    spec: ShiftSpec

    def rows(self, asked: Mapping[str, Question]) -> list[Row]:
        """Write everything as an engine would have."""
        line = self.played.scene.line
        retold = RetoldRows(line.conversation, self.place)
        routed = self.played.routed.get(self.policy)
        write_counts = self._written()
        for position, question in enumerate(line.questions):
            items = self.played.items[self.number, self.burst, position].tolist()
            hits = [(self._keep(retold, item), None) for item in items if item >= 0]
            retold.question(
                asked[question.id],
                position,
                Outcome.OK if hits else Outcome.EMPTY,
                hits,
                k=self.spec.k,
                written=int(write_counts[position]),
                notes=() if routed is None else (f"{NOTE}{routed.arms[routed.choice[self.burst, position]]}",),
            )
        return retold.rows()

    def _written(self) -> list[int]:
        """Count the characters that could be found for each question."""
        scene, m = self.played.scene, self.spec.bursts[self.burst]
        lengths = np.array([len(turn.text) for turn in scene.turns])[scene.lane.row]
        return [
            int(lengths[scene.lane.visible(position, question.segment, m, self.spec)].sum())
            for position, question in enumerate(scene.line.questions)
        ]

    def _keep(self, retold: RetoldRows, item: int) -> TracedVersion:
        """Return the memory behind an item; a copy that stands for its original descends from it."""
        scene: ShiftScene = self.played.scene

        def make(row: int) -> TracedVersion:
            turn = scene.turn(item)
            source = scene.turns[int(scene.lane.row[item])] if scene.lane.counts[item] else turn
            memory = Memory(turn.id, turn.text, Form.RAW, (source.id,), event_at=turn.at, channel=turn.session)
            return TracedVersion(row, memory, 1, Form.RAW, memory.sources, Lineage.DECLARED, digest(turn.text))

        return retold.keep(item, make)
