"""Every further benchmark through score, failures, shift, context and a board, with real vectors.

A benchmark whose files do not lie here is our own world written in its shape, and counted as invented.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.reproduce import ExplainedFigures
from memgauge.reproduce.invented.folders import write
from memgauge.reproduce.passages import BURST, STUDIES, PlayedDataset
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.studies.shift.protocol.spec import PRESETS, DistractorSource, QuestionPlacement
from memgauge.systems.models.catalogue import local_model, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VECTORS: Final = "minilm-8bit"
WORDS_ALONE: Final = "bm25"
DENSE: Final = ("dense", "hybrid")


@dataclass(frozen=True)
class FurtherDataset:
    """One benchmark, and what opens the piece of it that is played."""

    name: str
    sample: str = ""
    """A piece of the real data; empty where there is none, and our own world is played in its shape."""
    shape: str = ""
    options: str = ""
    place: QuestionPlacement = QuestionPlacement.AFTER_EVIDENCE
    """Where the shift study asks: at the end, where all evidence lies before the first boundary."""
    source: DistractorSource = DistractorSource.OTHER_CONVERSATIONS
    """What interrupts there: earlier sessions, where there is no other conversation."""

    def reference(self, folder: Path) -> str:
        """Return what opens it; what is invented is written below *folder* first."""
        return (self.sample or write(self.shape, folder)) + self.options


DATASETS: Final = (
    FurtherDataset("rhelm", "rhelm:rhelm/rhelm.Elena_Morales.tar.gz", source=DistractorSource.PAST_SESSIONS),
    FurtherDataset("factconsolidation", "memoryagentbench:memoryagentbench/factconsolidation_6k.json"),
    FurtherDataset("personamem v1", "personamem:personamem/personamem_v1_32k.1-context.json"),
    FurtherDataset(
        "prefeval",
        "prefeval:prefeval/prefeval.travel_restaurant.2-records.json",
        options=",distance=25",
        place=QuestionPlacement.AS_ASKED,
    ),
    FurtherDataset("precisionmembench", "precisionmembench:precisionmembench/", place=QuestionPlacement.AS_ASKED),
    FurtherDataset("personamem v2", shape="personamem"),
    FurtherDataset("realtalk", shape="realtalk"),
    FurtherDataset("memdaily", shape="memdaily", options=",sessions=daily"),
    FurtherDataset("membench", shape="membench"),
    FurtherDataset("convomem", shape="convomem"),
    FurtherDataset("locomo-plus", shape="locomo_plus"),
    FurtherDataset("perltqa", shape="perltqa", options=",turns=memories"),
    FurtherDataset("lmeb", shape="beir"),
)


@dataclass(frozen=True)
class StudyPassage:
    """One benchmark in one study."""

    dataset: str
    study: str
    reason: str
    """Why it has nothing to say there; empty where it does."""


@dataclass(frozen=True)
class Passages:
    """What became of every benchmark in every study."""

    passages: tuple[StudyPassage, ...]
    runs: int
    embedded: int
    """Runs that looked for vectors of the model that was asked for."""
    ranked: int
    """Runs with a place on the board of their benchmark."""

    def through(self, study: str) -> list[StudyPassage]:
        """Return the benchmarks that a study has something to say of."""
        return [each for each in self.passages if each.study == study and not each.reason]

    def reasons(self, study: str) -> str:
        """Say of which others it has nothing to say, and why."""
        left_out = [each for each in self.passages if each.study == study and each.reason]
        return "; ".join(f"not {each.dataset}: {each.reason}" for each in left_out)


def everywhere() -> Mapping[str, float]:
    """Play every benchmark with words, with vectors and with both, and count those that each study takes.

    Raises:
        DataNotFoundError: A sample is not here.
        MissingExtraError: The model is not installed.
    """
    settings_of(local_model(VECTORS))
    taken = taken_through(DATASETS, VECTORS)
    figures = {f"through_{study}": float(len(taken.through(study))) for study in STUDIES}
    figures |= {
        "datasets": float(len(DATASETS)),
        "datasets_invented": float(sum(not each.sample for each in DATASETS)),
        "runs": float(taken.runs),
        "runs_with_real_vectors": float(taken.embedded),
        "runs_ranked": float(taken.ranked),
    }
    return ExplainedFigures(figures, {f"through_{study}": taken.reasons(study) for study in STUDIES})


def taken_through(datasets: Sequence[FurtherDataset], vectors: str) -> Passages:
    """Play *datasets* with the vectors of a model, and take each through every study."""
    passages: list[StudyPassage] = []
    runs = embedded = ranked = 0
    with tempfile.TemporaryDirectory() as scratch:
        for dataset in datasets:
            played = _played(dataset, vectors, Path(scratch) / dataset.name)
            runs += len(played.folders)
            embedded += sum(_embedded_by(folder, vectors) for folder in played.folders)
            ranked += sum(entry.rank is not None for entry in played.board(played.folders).board.entries)
            passages += [StudyPassage(dataset.name, study, why_not(played)) for study, why_not in STUDIES.items()]
    return Passages(tuple(passages), runs, embedded, ranked)


def _played(dataset: FurtherDataset, vectors: str, folder: Path) -> PlayedDataset:
    ref = dataset.reference(folder / "data")
    systems = [WORDS_ALONE, *(f"{system}:embedder={vectors}" for system in DENSE)]
    planned = plan([ref], systems, allow_unpinned=True)
    folders = execute(planned, folder / "runs")
    opened = open_dataset(ref, allow_unpinned=True)
    asking = replace(PRESETS["clean"], bursts=(0, BURST), place=dataset.place, source=dataset.source)
    return PlayedDataset(opened, tuple(folders), vectors, asking, folder / "shift")


def _embedded_by(folder: Path, vectors: str) -> bool:
    models = load(folder).manifest.system.capabilities.get("models") or ()
    return any(str(model).startswith(vectors) for model in models)
