"""`memgauge models witness | writes`: verdicts of models on what runs returned and stored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.frame.choosing import finished
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated, spent, tell_if_kept
from memgauge.frame.output import SHOWN, Output, present
from memgauge.frame.panels import PANEL, PanelOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.llm.access import Access
    from memgauge.llm.judges.items import JudgeItem
    from memgauge.llm.judges.panel import Panel
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.store import Run

_MODELS = ModelOptions()


class PanelLayerMaker(Protocol):
    """Lets a panel judge something of a run, and keeps every vote."""

    def __call__(
        self,
        run: Run,
        dataset: Dataset,
        panel: Panel,
        *,
        workers: int,
        environment: Callable[[], Mapping[str, Any]],
        on_progress: Callable[[int, int], None],
    ) -> Layer:
        """Make the layer."""


@dataclass(frozen=True)
class RunsToJudge:
    """Runs with their datasets, and the panel that judges them."""

    pairs: tuple[tuple[Run, Dataset], ...]
    panel: Panel
    accesses: dict[str, Access]
    models: ModelOptions

    @classmethod
    def open(cls, runs: Sequence[Path], judges: PanelOptions, models: ModelOptions) -> RunsToJudge:
        """Open the panel, then the runs, each with its dataset."""
        from memgauge.datasets.catalogue import open_dataset
        from memgauge.runs.record.store import load

        panel, accesses = judges.open(models)
        loaded = [load(folder) for folder in finished(runs)]
        pairs = ((run, open_dataset(run.manifest.dataset.ref, allow_unpinned=True)) for run in loaded)
        return cls(tuple(pairs), panel, accesses, models)

    def plan(self, items: Iterable[JudgeItem], output: Output) -> int:
        """Say what judging *items* would take."""
        requests = (judge.request(item) for item in items for judge in self.panel.judges)
        estimate = self.models.estimate(self.accesses, requests)
        present(estimated(estimate), output)
        return OK

    def layers(self, make: PanelLayerMaker, doing: str) -> Iterator[tuple[Run, Layer]]:
        """Let the panel judge run after run."""
        for run, dataset in self.pairs:
            with working(f"{doing} {run.label}") as update:
                layer = make(
                    run,
                    dataset,
                    self.panel,
                    workers=self.models.workers,
                    environment=lambda: spent(self.accesses.values()),
                    on_progress=lambda done, total, label=run.label: update(f"{doing} {label}: {done} of {total}"),  # type: ignore[misc]  # bound now
                )
            yield run, layer
        tell_if_kept(self.accesses.values(), "these verdicts", layer.folder)


def witness(
    *runs: Path,
    panel: PanelOptions = PANEL,
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Let models say of every returned memory whether it bears the evidence that it is said to descend from.

    Verdicts are kept beside the run as a sealed layer; `memgauge score --contract witness=model` reads them.

    Example: memgauge models witness runs -p openai:gpt-4.1-mini --plan

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    """
    from memgauge.report.memories import witness_document
    from memgauge.runs.layers.judging import any_unvoted
    from memgauge.runs.layers.witnessing import witness_layer, witness_pairs

    opened = RunsToJudge.open(runs, panel, models)
    if models.plan:
        pairs = (pair for run, dataset in opened.pairs for pair in witness_pairs(run, dataset))
        return opened.plan((pair.item for pair in pairs if pair.item), output)
    witnessed = list(opened.layers(witness_layer, "witnessing"))
    code = FAILED if any_unvoted(layer for _, layer in witnessed) else OK
    return present(witness_document(opened.panel.name, witnessed), output, name="witness", code=code)


def writes(
    *runs: Path,
    panel: PanelOptions = PANEL,
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Judge what runs stored beside what each session gave them to keep (HaluMem's extraction and updates).

    Example: memgauge models writes runs -p openai:gpt-4.1-mini --plan

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    """
    from memgauge.report.memories import writes_document
    from memgauge.runs.layers.judging import any_unvoted
    from memgauge.runs.layers.writing import judge_writes, written
    from memgauge.scoring.written import written_entry

    opened = RunsToJudge.open(runs, panel, models)
    if models.plan:
        tasks = (task for run, dataset in opened.pairs for task in written(run, dataset))
        return opened.plan((task.item for task in tasks if task.returned), output)
    judged = list(opened.layers(judge_writes, "judging"))
    code = FAILED if any_unvoted(layer for _, layer in judged) else OK
    return present(writes_document([written_entry(*pair) for pair in judged]), output, name="writes", code=code)
