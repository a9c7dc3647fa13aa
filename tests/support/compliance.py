"""Compliance tests as a command would play them, in this process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.writing import WorldOrder, write_world
from memgauge.frame.options import ScoreOptions
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import Plan, PlannedRun
from memgauge.runs.record.manifest import Limits, Manifest, StreamPart, dataset_part, system_part
from memgauge.runs.record.store import load
from memgauge.scoring.compliance import Compliance, Complied, Tolerance, named_tests
from memgauge.scoring.complied import compliance
from memgauge.streams import open_stream
from memgauge.systems.catalogue import open_system
from support.cheats import learned

if TYPE_CHECKING:
    from memgauge.datasets.base import Dataset


@dataclass(frozen=True)
class Laboratory:
    """A folder with a small world, what can be learned of it by heart, and the runs on it."""

    folder: Path
    users: int = 5
    seed: int = 5
    """Of the world."""

    @property
    def world(self) -> str:
        """Write what opens the world, which is made when it is first wanted."""
        path = self.folder / f"world{self.users}"
        if not path.exists():
            write_world(path, WorldOrder(size="tiny", seed=self.seed, users=range(self.users)))
            self.heart.write_text(learned(open_dataset(f"own:{path}")), "utf-8")
        return f"own:{path}"

    @property
    def heart(self) -> Path:
        """Name the file of what can be learned by heart."""
        return self.folder / f"heart{self.users}.json"

    def cheat(self, name: str, **parameters: object) -> str:
        """Write the file that opens a cheat of :mod:`support.cheats`, and return its path."""
        label = "-".join((name, *(f"{key}={value}" for key, value in parameters.items() if key != "path")))
        lines = [f"{key} = {value!r}" for key, value in parameters.items()]
        path = self.folder / f"{label.replace(':', '')}.toml"
        text = "\n".join((f'system = "support.cheats:{name}"', f'label = "{label}"', "[parameters]", *lines, ""))
        path.write_text(text, "utf-8")
        return str(path)

    def comply(self, system: str, *tests: str, seed: int = 0, dataset: str = "") -> Compliance:
        """Play tests of a system; all where none is named."""
        source, chosen = dataset or self.world, named_tests(tests)
        changes = dict.fromkeys(test.dataset_ref(_ref(source), seed) for test in chosen if test.change)
        streams = dict.fromkeys(test.stream_ref(seed) for test in chosen if test.stream)
        wanted = [(source, "clean"), *((ref, "clean") for ref in changes), *((source, name) for name in streams)]
        planned = Plan(
            tuple(_cell(_opened(ref), system, stream) for ref, stream in wanted),
            {_opened(ref).identity.ref: _opened(ref) for ref, _ in wanted},
        )
        folders = execute(planned, self.folder / "runs", executor=Inline(), check=False)
        return compliance(list(map(load, folders)), chosen, ScoreOptions().settings(), Tolerance(), seed)


def _cell(dataset: Dataset, ref: str, stream: str) -> PlannedRun:
    system, protocol = open_system(ref), open_stream(stream)
    manifest = Manifest(
        dataset=dataset_part(dataset.identity),
        system=system_part(ref, Path(ref).stem, system),
        stream=StreamPart(protocol=protocol.name, parameters=dict(protocol.parameters)),
        limits=Limits(k=30),
    )
    cases = list(dataset.cases())
    return PlannedRun(manifest, len(cases), 1, 1, protocol)


@cache
def _opened(ref: str) -> Dataset:
    return open_dataset(ref)


def _ref(source: str) -> str:
    return _opened(source).identity.ref


def failed(made: Compliance) -> set[str]:
    """Name the tests that differ."""
    return {each.test for each in made.ended(Complied.NO)}


def undecided(made: Compliance) -> dict[str, str]:
    """Name the tests that could not be told, and why."""
    return {each.test: each.reason for each in made.ended(Complied.OPEN)}
