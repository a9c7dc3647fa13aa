"""What `memgauge try` measures: how fast everything is, and how much of the data at hand fits into the time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError, RunError, UserError
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.records import Case
    from memgauge.runs.play.plan import Plan, PlannedRun
    from memgauge.runs.play.sizing import DatasetShare
    from memgauge.runs.play.speed import Extent, Speed, SpeedTrial
    from memgauge.runs.record.manifest import SystemPart

BESIDE: Final = ("bm25", "files", "recency", "random", "oracle")
"""A search that is hard to beat, a folder of notes, the memory of most chat loops, the floor and the ceiling."""
SMALLEST: Final = "synthetic:tiny"
"""What is measured where nothing else fits."""
REPORT_S: Final = 20.0
"""Seconds for scores and the report, and a fifth of the time at most."""
LOOKING: Final = 0.15
"""The share of the time in which a beginning has to be played; a whole conversation only where it takes less."""
FILE: Final = "try.json"


@dataclass(frozen=True)
class Wanted:
    """What was asked for, which the same command asks for again."""

    memory: str
    source: str
    """Of its code; another has another speed."""
    minutes: float
    datasets: tuple[str, ...]
    beside: tuple[str, ...]


@dataclass(frozen=True)
class Fitting:
    """What is measured, and why that much."""

    shares: tuple[DatasetShare, ...]
    systems: tuple[str, ...]
    left_out: Mapping[str, str]
    seconds: float
    """That it is expected to take."""
    slowest: str
    """The system that takes most of it."""
    paces: Mapping[str, Speed] = field(default_factory=dict)
    resumed: bool = False

    def sentences(self) -> Iterator[str]:
        """Say what is measured, and why no more."""
        if self.resumed:
            yield f"Going on with what was chosen before ({FILE}):"
        for share in self.shares:
            much = f"all {share.of}" if share.is_whole else f"the first {share.conversations} of {share.of}"
            why = "" if share.is_whole else f", because {self.slowest} takes {speed(self.paces[self.slowest])}"
            yield f"{share.dataset}: {much} conversations{why}."
        yield f"Beside {', '.join(self.systems[1:])}."
        for name, why in self.left_out.items():
            yield f"Left out: {name} ({why})."
        yield f"It takes about {_duration(self.seconds)}."


def fitting(
    wanted: Wanted,
    planned: Plan,
    products: Sequence[str],
    *,
    seconds: float,
    workers: int,
    guess: Speed | None = None,
) -> Fitting:
    """Measure the pace of every system of a plan, and choose what fits into so many seconds.

    *guess* is the pace of the memory after its first call, for one that is too slow to be looked at longer.

    Raises:
        ConfigError: Not one conversation fits.
        RunError: The memory does not get through the beginning of a conversation.
    """
    from memgauge.runs.play.plan import outstanding
    from memgauge.runs.play.sizing import sized
    from memgauge.runs.play.speed import Extent

    dataset = next(iter(planned.datasets))
    first = next(planned.datasets[dataset].cases())
    extents = {ref: tuple(map(Extent.of, each.cases())) for ref, each in planned.datasets.items()}
    cells = {c.manifest.system.ref: c for c in planned.cells if c.manifest.dataset.ref == dataset}
    left_out: dict[str, str] = {}
    for name in products:
        needs = outstanding(cells[name].manifest.system.capabilities)
        if needs or cells[name].manifest.system.capabilities.get("stand_ins"):
            left_out[name] = f"needs {', '.join(needs)}" if needs else "on a stand-in, which is never ranked"
            del cells[name]
    mine = _own(cells[wanted.memory], first, extents[dataset][0], seconds * LOOKING, guess)
    others = _others([cell for name, cell in cells.items() if name != wanted.memory], first, seconds, workers)
    paces: dict[str, Speed] = {wanted.memory: mine}
    for name, paced in others.items():
        if paced.speed is None or paced.problem:
            left_out[name] = paced.problem
        else:
            paces[name] = paced.speed
    always = {name: pace for name, pace in paces.items() if name not in products}
    further = {name: pace for name, pace in paces.items() if name in products}
    after = min(REPORT_S, seconds / 5)
    chosen = sized(extents, always, further, seconds=seconds - after, workers=workers)
    if not chosen.shares:
        raise _nothing_fits(wanted, extents[dataset][0], always, workers)
    every = {**left_out, **chosen.left_out}
    return Fitting(chosen.shares, chosen.systems, every, chosen.seconds + after, chosen.slowest, paces)


def _own(cell: PlannedRun, first: Case, extent: Extent, within_s: float, guess: Speed | None) -> Speed:
    """Measure the memory that is tried: a beginning, and a whole conversation where that is quick.

    Raises:
        RunError: It does not get through.
    """
    from memgauge.runs.play.speed import QUESTIONS, TURNS, Extent, speed_of

    label = cell.manifest.system.label
    if guess is not None and guess.seconds(Extent(TURNS, QUESTIONS)) > within_s:
        return guess
    paced = speed_of(cell, first, within_s=within_s)
    if paced.speed is None:
        what = f"{label} {paced.problem} in its first {TURNS} turns and {QUESTIONS} questions"
        raise RunError(f"{what}.", "Allow more time: --minutes 60. A process that ends says why above, if it can.")
    if paced.problem:
        raise RunError(
            f"{label} {paced.problem}: {_commonest(paced)}.", f"Try `memgauge systems check {typed(label)}`."
        )
    if paced.speed.seconds(extent) > within_s:
        return paced.speed
    whole = speed_of(cell, first, within_s=3 * within_s, turns=extent.turns, questions=extent.questions)
    if whole.speed and whole.problem:
        raise RunError(
            f"{label} {whole.problem}: {_commonest(whole)}.", f"Try `memgauge systems check {typed(label)}`."
        )
    return whole.speed or paced.speed


def _commonest(paced: SpeedTrial) -> str:
    return next(iter(paced.reasons), "no reason was given")


def _others(cells: Sequence[PlannedRun], first: Case, seconds: float, workers: int) -> dict[str, SpeedTrial]:
    """Measure everything else, as many at a time as there are workers."""
    from memgauge.runs.play.speed import speed_of

    with ThreadPoolExecutor(max(workers, 1)) as pool:
        paced = pool.map(lambda cell: speed_of(cell, first, within_s=seconds * LOOKING), cells)
        return dict(zip([cell.manifest.system.ref for cell in cells], paced, strict=True))


def _nothing_fits(wanted: Wanted, extent: Extent, paces: Mapping[str, Speed], workers: int) -> ConfigError:
    from memgauge.runs.play.sizing import EFFICIENCY

    each = [pace.seconds(extent) for pace in paces.values()]
    needed = max(*each, sum(each) / workers / EFFICIENCY) + REPORT_S
    takes = speed(paces[wanted.memory])
    what = f"One conversation does not fit into {wanted.minutes:g} minutes: {wanted.memory} takes {takes}."
    return ConfigError(what, f"Allow more: --minutes {needed / 60 / (1 - LOOKING) + 1:.0f}.")


def only(planned: Plan, fit: Fitting) -> Plan:
    """Return the part of a plan that fits."""
    import itertools

    from memgauge.runs.play.speed import Extent

    counts = {share.dataset: share for share in fit.shares}
    cells = []
    for cell in planned.cells:
        share = counts.get(cell.manifest.dataset.ref)
        if share is None or cell.manifest.system.ref not in fit.systems:
            continue
        if not share.is_whole:
            cases = itertools.islice(planned.datasets[share.dataset].cases(), share.conversations)
            extents = [Extent.of(case) for case in cases]
            cell = replace(  # noqa: PLW2901 - the same cell, with less to do
                cell,
                manifest=cell.manifest.model_copy(update={"conversations": share.conversations}),
                conversations=share.conversations,
                turns=sum(extent.turns for extent in extents),
                questions=sum(extent.questions for extent in extents),
            )
        cells.append(cell)
    return replace(planned, cells=tuple(cells))


def products_here() -> tuple[str, ...]:
    """Name installed products, with real vectors where a model for them is here."""
    from memgauge.cli.installing import real_ref
    from memgauge.systems.environments.places import environment_of
    from memgauge.systems.environments.products import product, product_names
    from memgauge.systems.models.catalogue import local_model

    has_vectors = environment_of(local_model("minilm")) is not None
    names = []
    for name in product_names():
        each = product(name)
        try:
            is_here = environment_of(each) is not None
        except UserError:
            continue  # one that is broken says so where it is asked for
        if is_here:
            names.append(real_ref(each, "minilm") if has_vectors else name)
    return tuple(names)


def before(wanted: Wanted, out: Path) -> Fitting | None:
    """Return what the same command chose before, for the same code; ``None`` where it did not."""
    from memgauge.runs.play.sizing import DatasetShare
    from memgauge.runs.play.speed import Speed
    from memgauge.text.jsons import json_of

    try:
        written = json_of((out / FILE).read_bytes())
        if written["wanted"] != json_of(json.dumps(asdict(wanted))):
            return None
        fit = written["chosen"]
        return Fitting(
            tuple(DatasetShare(**share) for share in fit["shares"]),
            tuple(map(str, fit["systems"])),
            {str(name): str(why) for name, why in fit["left_out"].items()},
            float(fit["seconds"]),
            str(fit["slowest"]),
            {str(name): Speed(**pace) for name, pace in fit["paces"].items()},
            resumed=True,
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(wanted: Wanted, fit: Fitting, out: Path) -> None:
    """Write down what was chosen, so that the same command goes on with it."""
    from memgauge.runs.record.files import write_atomically

    out.mkdir(parents=True, exist_ok=True)
    choice = {"wanted": asdict(wanted), "chosen": chosen_data(fit)}
    write_atomically(out / FILE, json.dumps(choice, indent=2) + "\n")


def chosen_data(fit: Fitting) -> dict[str, Any]:
    """Return what was chosen, and why, as data."""
    return {**asdict(fit), "sentences": list(fit.sentences())}


def source_of(system: SystemPart) -> str:
    """Name the code of a system."""
    return f"{system.version} {system.source}"


def speed(pace: Speed) -> str:
    """Say how fast a memory is."""
    opening = f"{_ms(pace.open_s)} to open, " if pace.open_s >= 1 else ""
    return f"{opening}{_ms(pace.question_s)} a search and {_ms(pace.turn_s)} a turn"


def _ms(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
