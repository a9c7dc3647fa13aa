"""`memgauge shift`: the shift study."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.cli.console import emit, say, working
from memgauge.cli.exits import OK
from memgauge.cli.options import AsData, Flag, Repeatable

if TYPE_CHECKING:
    from memgauge.studies.shift.spec import ShiftSpec

app = App("shift", help="ShiftBench: recovery after a session boundary or a burst of off-topic turns.")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Knobs:
    """What differs from the preset."""

    place: Literal["after_evidence", "session_end"] | None = None
    """Where questions are asked."""
    bursts: Annotated[tuple[int, ...], Parameter(name=["--bursts", "-m"], negative=(), show_default=False)] = ()
    """Turns of an interruption (m); repeat for several."""
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
        kinds = {f.name: type(getattr(preset, f.name)) for f in fields(preset)}
        named = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) not in {None, ()}}
        return replace(preset, **{k: kinds[k](v) if isinstance(v, str) else v for k, v in named.items()})


_DEFAULT = Knobs()


@app.command
def run(
    *,
    dataset: Annotated[str, Parameter(name=["--dataset", "-d"])] = "locomo:captions=false",
    preset: str = "paper",
    policy: Annotated[tuple[str, ...], Repeatable] = (),
    knobs: Knobs = _DEFAULT,
    draws: int = 5000,
    out: Path | None = None,
    json: AsData = False,
) -> int:
    """Play the protocol, and print Table 1 and Table 5 with the published numbers in brackets.

    Parameters
    ----------
    dataset
        Any dataset with sessions.
    preset
        The reading to start from: paper or clean.
    policy
        Only these policies: flat, gated, hsr, raptor, fusion, recency; repeat for several.
    draws
        Bootstrap resamples.
    out
        File to write everything to, as JSON.
    json
        Print everything as data.
    """
    import json as codec

    from memgauge.datasets.catalogue import open_dataset
    from memgauge.registry import unknown_name
    from memgauge.report.shift import shift_tables
    from memgauge.studies.shift.analysis import analyse
    from memgauge.studies.shift.simulate import PAPER, run_shift
    from memgauge.studies.shift.spec import PRESETS

    if preset not in PRESETS:
        raise unknown_name("preset", preset, PRESETS)
    spec = knobs.over(PRESETS[preset])
    with working("playing the protocol"):
        opened = open_dataset(dataset, allow_unpinned=True)
        result = analyse(run_shift(opened, spec, policy or PAPER), draws=draws)
    named = {"dataset": opened.identity.ref, "sha256": opened.identity.sha256, "preset": preset}
    data = named | {"spec": asdict(spec), "result": asdict(result)}
    if out is not None:
        out.write_text(codec.dumps(data, indent=1) + "\n", encoding="utf-8")
    if json:
        emit(data)
        return OK
    say(f"{opened.identity.ref} (sha256 {opened.identity.sha256[:12]}), preset {preset}, seed {spec.seed}")
    for part in shift_tables(result, spec, beside=opened.identity.name == "locomo"):
        say(part)
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
    from memgauge.studies.shift.sensitivity import definitions, grid, words
    from memgauge.studies.shift.spec import PRESETS, Summaries

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

    from memgauge.studies.shift.spec import PRESETS

    if json:
        emit({name: asdict(spec) for name, spec in PRESETS.items()})
        return OK
    table = Table("knob", *PRESETS, box=None)
    for field in fields(PRESETS["paper"]):
        table.add_row(field.name, *(str(getattr(spec, field.name)) for spec in PRESETS.values()))
    say(table)
    return OK
