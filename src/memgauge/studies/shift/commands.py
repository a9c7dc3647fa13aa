"""`memgauge study shift`: the shift study."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App

from memgauge.frame.console import emit, progress, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, SEED
from memgauge.frame.options import RUNS, DatasetRef, Flag
from memgauge.frame.output import SHOWN, Output, present
from memgauge.frame.placing import HERE, Placing
from memgauge.show import Document
from memgauge.studies.shift.options import CastOptions, ProtocolOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.runs.play.execute import PlanProgress
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.study import Cast

app = App("shift", help="ShiftBench: recovery after a session boundary or a burst of off-topic turns.")


_DEFAULT = ProtocolOptions()
_CAST = CastOptions()


@app.command
def run(
    *,
    dataset: DatasetRef | None = None,
    preset: str = "paper",
    players: CastOptions = _CAST,
    knobs: ProtocolOptions = _DEFAULT,
    definitions: Annotated[bool, Flag] = False,
    placing: Placing = HERE,
    draws: Annotated[int, COUNT] = 5000,
    output: Output = SHOWN,
) -> int:
    """Play the protocol: Tables 1 and 5, Figures 1 and 2, and what was found as run folders beside them.

    Simulated policies and any memory system take part side by side. Published numbers stand in parentheses.
    Run folders, `shift.html` and `shift.json` go to the folder of `--out`, or to `runs`.

    Example: memgauge study shift run -d synthetic:small --preset clean --bursts 50

    Parameters
    ----------
    dataset
        Any dataset with sessions; the preset names its own.
    preset
        The reading to start from: paper, clean or halumem.
    definitions
        Also play every other definition (minutes).
    draws
        Bootstrap resamples.
    """
    from memgauge.llm.answerers import open_answerer
    from memgauge.runs.record.manifest import limits
    from memgauge.studies.shift.show import document
    from memgauge.studies.shift.study import conduct

    folder = output.folder(RUNS)
    spec, data = _reading(preset, knobs, dataset)
    cast, left_out = _cast(players.policy, players.system, knobs.supplied, players.embedder)
    with _watched(players.system, quiet=output.as_data) as on_progress:
        report = conduct(
            data,
            spec,
            cast,
            folder,
            preset=preset,
            left_out=left_out,
            answerer=open_answerer(players.answerer),
            limits=limits(timeout_s=players.timeout),
            executor=placing.open(),
            draws=draws,
            on_progress=on_progress,
        )
    if definitions:
        report = replace(report, readings=_definitions(data, spec))
    run_output = replace(output, out=output.out or folder)
    any_failed = any(row.failed for row in report.result.rows)
    return present(document(report), run_output, name="shift", code=FAILED if any_failed else OK)


@contextmanager
def _watched(systems: Sequence[str], *, quiet: bool) -> Iterator[Callable[[PlanProgress], None]]:
    """Show how far systems are; the simulation alone is over before a bar would say anything."""
    if systems:
        with progress(quiet) as on_progress:
            yield on_progress
    else:
        with working("playing the protocol"):
            yield lambda _: None


def _reading(preset: str, knobs: ProtocolOptions, dataset: str | None) -> tuple[ShiftSpec, Dataset]:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.registry import named
    from memgauge.studies.shift.protocol.spec import DATASETS, PRESETS

    spec = knobs.over(named("preset", preset, PRESETS))
    return spec, open_dataset(dataset or DATASETS[preset], allow_unpinned=True)


def _cast(
    policies: Sequence[str], systems: Sequence[str], summaries: Path | None, embedder: str | None
) -> tuple[Cast, str]:
    """Choose who plays; the second value says who had to be left out."""
    from memgauge.errors import MissingExtraError
    from memgauge.studies.shift.published import LEXICAL
    from memgauge.studies.shift.study import Cast
    from memgauge.systems.policies.embedding import open_embedder
    from memgauge.systems.policies.selected import read_summaries

    texts = None if summaries is None else read_summaries(summaries)
    if list(policies) == ["none"]:
        return Cast((), systems, None, texts), ""
    if policies and "dense" not in policies and embedder is None:
        return Cast(policies, systems, None, texts), ""
    try:
        vectors = open_embedder(embedder or "minilm")
    except MissingExtraError as error:
        if policies or embedder:
            raise
        left_out = f"Dense retrieval is left out, also among the bandit's arms. {error}"
        return Cast((*LEXICAL, "ucb"), systems, None, texts), left_out
    return Cast(policies or (*LEXICAL, "dense", "ucb"), systems, vectors, texts), ""


def _definitions(dataset: Dataset, spec: ShiftSpec) -> tuple[DefinitionResult, ...]:
    from memgauge.studies.shift.findings.sensitivity import definitions, grid

    with working("playing every definition"):
        return tuple(grid(dataset, definitions(spec)))


@app.command
def summaries(*, dataset: DatasetRef = "locomo:captions=false") -> int:
    """Print a dataset's own session summaries as JSON, as `--supplied` and `hsr:summaries=FILE` take them.

    Example: memgauge study shift summaries -d locomo

    Parameters
    ----------
    dataset
        A dataset with session summaries.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.errors import ConfigError
    from memgauge.studies.shift.play.simulate import session_summaries

    texts = session_summaries(open_dataset(dataset, allow_unpinned=True))
    if not texts:
        raise ConfigError(f"{dataset} has no session summaries.", "LoCoMo has some.")
    emit(texts)
    return OK


@app.command
def sensitivity(
    *,
    dataset: DatasetRef = "locomo:captions=false",
    burst: Annotated[int, COUNT] = 100,
    seed: Annotated[int, SEED] = 42,
    summaries: Literal["dataset", "extractive"] = "dataset",
    output: Output = SHOWN,
) -> int:
    """Play every definition that the paper leaves open, and say what survives all of them.

    Example: memgauge study shift sensitivity -d synthetic:small --burst 50 --summaries extractive

    Parameters
    ----------
    dataset
        Any dataset with sessions.
    burst
        Turns of the interruption.
    seed
        Seed of the distractors and of the tree.
    summaries
        What a session is summarised by, where the definition does not say.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.shift.findings.sensitivity import definitions, grid
    from memgauge.studies.shift.protocol.spec import PRESETS, Summaries
    from memgauge.studies.shift.report import SensitivityReport
    from memgauge.studies.shift.show import sensitivity as document
    from memgauge.version import __version__

    start = replace(PRESETS["paper"], seed=seed, summaries=Summaries(summaries))
    data, readings, specs = open_dataset(dataset, allow_unpinned=True), [], definitions(start, burst)
    with working("playing every definition") as update:
        for reading in grid(data, specs):
            readings.append(reading)
            update(f"{len(readings)} of {len(specs)} definitions played")
    survey = SensitivityReport(data.identity, burst, start.horizon, seed, __version__, tuple(readings))
    return present(document(survey), output, name="shift-sensitivity")


@app.command
def presets(*, output: Output = SHOWN) -> int:
    """Print every knob of every preset.

    Example: memgauge study shift presets
    """
    from memgauge.studies.shift.protocol.spec import PRESETS
    from memgauge.studies.shift.tables import presets as table

    data = {name: asdict(spec) for name, spec in PRESETS.items()}
    return present(Document("Presets of the protocol", blocks=(table(),), data=data), output, name="shift-presets")
