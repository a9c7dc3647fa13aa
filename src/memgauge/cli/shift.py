"""`memgauge shift`: the shift study."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.cli.shift_output import DATA, PAGE, ShiftCaveats, parts, write
from memgauge.frame.console import emit, progress, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import RUNS, AsData, Flag, Repeatable
from memgauge.frame.placing import HERE, Placing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.runs.execute import PlanProgress
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.study import Cast

app = App("shift", help="ShiftBench: recovery after a session boundary or a burst of off-topic turns.")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Knobs:
    """What differs from the preset."""

    place: Literal["after_evidence", "session_end", "as_asked"] | None = None
    """Where questions are asked."""
    bursts: Annotated[tuple[int, ...], Parameter(name=["--bursts", "-m"], negative=(), show_default=False)] = ()
    """Turns of an interruption (m); repeat for several. The clean stream is always played."""
    interrupted: int | None = None
    """Questions after a boundary that are interrupted (N)."""
    source: Literal["same_conversation", "past_sessions", "other_conversations"] | None = None
    """Where distractors come from."""
    sampling: Literal["fixed_burst", "fresh"] | None = None
    """Whether every burst is drawn with the same seed."""
    memory: Literal["persist", "isolated"] | None = None
    """How long distractors stay."""
    filing: Annotated[
        Literal["exempt", "current", "pseudo_session"] | None, Parameter(name="--distractor-filing")
    ] = None
    """Under which session a policy files distractors."""
    fit: Literal["all", "prefix"] | None = None
    """Whether term statistics know the future."""
    summaries: Literal["dataset", "extractive"] | None = None
    """What a session is summarised by."""
    supplied: Path | None = None
    """A JSON file of summaries instead, as `memgauge shift summaries` prints them."""
    dedupe: Annotated[bool | None, Flag] = None
    """Let copies of a turn stand for it once."""
    budget: int | None = None
    """The newest so many items that a policy may search (C)."""
    categories: Annotated[tuple[str, ...], Repeatable] = ()
    """Only these categories of questions; repeat for several."""
    k: int | None = None
    """Hits that count."""
    horizon: Annotated[int | None, Parameter(name=["--horizon", "-T"])] = None
    """Questions after a boundary that Recovery@T pools (T)."""
    seed: int | None = None
    """Seed of the distractors and of the tree."""

    def over(self, preset: ShiftSpec) -> ShiftSpec:
        """Change what was named."""
        from memgauge.studies.shift.protocol.spec import Summaries

        kinds = {f.name: type(getattr(preset, f.name)) for f in fields(preset)}
        named = {name: getattr(self, name) for name in kinds if getattr(self, name) not in {None, ()}}
        if self.supplied is not None:
            named["summaries"] = Summaries.SUPPLIED
        if self.bursts:
            named["bursts"] = tuple(sorted({0, *self.bursts}))  # everything is compared with the clean stream
        return replace(preset, **{k: kinds[k](v) if isinstance(v, str) else v for k, v in named.items()})


_DEFAULT = Knobs()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CastOptions:
    """Who plays and who answers."""

    policy: Annotated[tuple[str, ...], Repeatable] = ()
    """Simulated: flat, gated, hsr, raptor, fusion, dense, recency, ucb, thompson or none; default: the paper's."""
    system: Annotated[tuple[str, ...], Parameter(name=["--system", "-s"], negative=(), show_default=False)] = ()
    """Memory systems that live through the stream, as `memgauge run` takes them; repeat."""
    embedder: str | None = None
    """Sentence vectors for the simulated dense policy: minilm or hashed."""
    answerer: str = "extractive"
    """Who answers from what was found, for the answer-level check."""
    timeout: float = 60.0
    """Seconds that one call of a system may take."""


_CAST = CastOptions()


@app.command
def run(
    *,
    dataset: Annotated[str | None, Parameter(name=["--dataset", "-d"])] = None,
    preset: str = "paper",
    players: CastOptions = _CAST,
    knobs: Knobs = _DEFAULT,
    definitions: Annotated[bool, Flag] = False,
    placing: Placing = HERE,
    draws: int = 5000,
    out: Path = RUNS,
    json: AsData = False,
) -> int:
    """Play the protocol: print Tables 1 and 5, draw Figures 1 and 2, and freeze what was found.

    Simulated policies and any memory system take part side by side. Published numbers stand in parentheses.

    Parameters
    ----------
    dataset
        Any dataset with sessions; the preset names its own.
    preset
        The reading to start from: paper, clean or halumem.
    definitions
        Also play every other definition, for the page (minutes).
    draws
        Bootstrap resamples.
    out
        Folder for run folders, `shift.html` and `shift.json`.
    json
        Print everything as data.
    """
    from memgauge.llm.answerers import open_answerer
    from memgauge.runs.manifest import limits
    from memgauge.studies.shift.study import conduct

    spec, opened = _reading(preset, knobs, dataset)
    cast, left_out = _cast(players.policy, players.system, knobs.supplied, players.embedder)
    with _watched(players.system, quiet=json) as on_progress:
        study = conduct(
            opened,
            spec,
            cast,
            out,
            answerer=open_answerer(players.answerer),
            limits=limits(timeout_s=players.timeout),
            executor=placing.open(),
            draws=draws,
            on_progress=on_progress,
        )
    told = ShiftCaveats(preset, opened.identity, left_out, _definitions(opened, spec) if definitions else ())
    data = write(study, told, out)
    ended = FAILED if study.outcomes.failed else OK
    if json:
        emit(data)
        return ended
    for part in parts(study, told):
        say(part)
    say(f"Page: {out / PAGE}. Data: {out / DATA}. Runs: {len(study.folders)} folders in {out}.")
    return ended


@contextmanager
def _watched(systems: Sequence[str], *, quiet: bool) -> Iterator[Callable[[PlanProgress], None]]:
    """Show how far systems are; the simulation alone is over before a bar would say anything."""
    if systems:
        with progress(quiet) as on_progress:
            yield on_progress
    else:
        with working("playing the protocol"):
            yield lambda _: None


def _reading(preset: str, knobs: Knobs, dataset: str | None) -> tuple[ShiftSpec, Dataset]:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.registry import unknown_name
    from memgauge.studies.shift.protocol.spec import DATASETS, PRESETS

    if preset not in PRESETS:
        raise unknown_name("preset", preset, PRESETS)
    spec = knobs.over(PRESETS[preset])
    return spec, open_dataset(dataset or DATASETS[preset], allow_unpinned=True)


def _cast(
    policies: Sequence[str], systems: Sequence[str], summaries: Path | None, embedder: str | None
) -> tuple[Cast, str]:
    """Choose who plays; the second value says who had to be left out."""
    from memgauge.errors import MissingExtraError
    from memgauge.studies.shift.published import LEXICAL
    from memgauge.studies.shift.study import Cast
    from memgauge.systems.policies.dense import open_embedder
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
def summaries(*, dataset: Annotated[str, Parameter(name=["--dataset", "-d"])] = "locomo:captions=false") -> int:
    """Print a dataset's own session summaries as JSON, as `--supplied` and `hsr:summaries=FILE` take them.

    Parameters
    ----------
    dataset
        A dataset with session summaries.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.errors import ConfigError
    from memgauge.studies.shift.play.simulate import session_summaries

    found = session_summaries(open_dataset(dataset, allow_unpinned=True))
    if not found:
        raise ConfigError(f"{dataset} has no session summaries.", "LoCoMo has some.")
    emit(found)
    return OK


@app.command
def sensitivity(
    *,
    dataset: Annotated[str, Parameter(name=["--dataset", "-d"])] = "locomo:captions=false",
    burst: int = 100,
    seed: int = 42,
    summaries: Literal["dataset", "extractive"] = "dataset",
    json: AsData = False,
) -> int:
    """Play every definition that the paper leaves open, and say what survives all of them.

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
    json
        Print everything as data.
    """
    from rich.table import Table

    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.shift.findings.sensitivity import definitions, grid, words
    from memgauge.studies.shift.protocol.spec import PRESETS, Summaries

    start = replace(PRESETS["paper"], seed=seed, summaries=Summaries(summaries))
    readings = []
    wanted = definitions(start, burst)
    with working("playing every definition") as update:
        for reading in grid(open_dataset(dataset, allow_unpinned=True), wanted):
            readings.append(reading)
            update(f"{len(readings)} of {len(wanted)} definitions played")
    if json:
        emit({"readings": [asdict(reading) for reading in readings], "words": words(readings)})
        return OK
    policies = list(readings[0].recovery)
    table = Table("definition", *policies, "inversion", "rho", box=None, title=f"Recovery after m={burst}")
    for reading in readings:
        ranks = ("undefined" if value is None else f"{value:.2f}" for value in (reading.inversion, reading.rho))
        table.add_row(reading.name, *(f"{reading.recovery[p]:.3f}" for p in policies), *ranks)
    say(table)
    say(words(readings))
    return OK


@app.command
def presets(*, json: AsData = False) -> int:
    """Print every knob of every preset.

    Parameters
    ----------
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.studies.shift.protocol.spec import PRESETS

    if json:
        emit({name: asdict(spec) for name, spec in PRESETS.items()})
        return OK
    table = Table("knob", *PRESETS, box=None)
    for field in fields(PRESETS["paper"]):
        table.add_row(field.name, *(str(getattr(spec, field.name)) for spec in PRESETS.values()))
    say(table)
    return OK
