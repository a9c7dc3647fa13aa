"""`memgauge synth`: the synthetic world written, measured, audited and reworded."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App

from memgauge.errors import ConfigError
from memgauge.frame.console import emit, program, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, say_estimate
from memgauge.frame.options import AsData, Flag, Repeatable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.quality.difficulty import Figures
    from memgauge.studies.quality.shortcuts import ShortcutAudit, SolverAccuracy

app = App("synth", help="The synthetic world: write it, measure it, audit it for shortcuts, reword it.")

_MODELS = ModelOptions()
_FACTS = ("questions", "evidence", "overlap", "jaccard", "first", "top", "misled", "near_misses", "sessions",
          "turns", "days", "hops")  # fmt: skip
_HEADS = ("questions", "evidence", "overlap", "jaccard", "BM25@1", "BM25@5", "misled", "near", "sessions", "turns",
          "days", "hops")  # fmt: skip


@app.default
def synth(
    out: Path,
    *,
    size: Literal["tiny", "small", "medium", "large"] = "small",
    seed: int = 0,
    level: Literal["mixed", "lex", "para", "latent"] = "mixed",
    values: Literal["nonce", "plausible"] = "nonce",
    users: str = "",
    workers: int = 1,
    measure: Annotated[bool, Flag] = False,
    require: Annotated[tuple[str, ...], Repeatable] = (),
    json: AsData = False,
) -> int:
    """Write a world as a folder of data, that `own:FOLDER` reads; the same bytes for any number of workers.

    Parameters
    ----------
    out
        Folder to write to.
    size
        How many users, and how much each says.
    seed
        Which world; any whole number.
    level
        How far statements are from the words of questions.
    values
        Made-up values, or such that a model would guess.
    users
        Only these, as first:after-last; the files of 0:1000 and 1000:2000, joined, are those of 0:2000.
    workers
        Processes that share the work.
    measure
        Measure the difficulty of every question and put the figures into the manifest.
    require
        Drop questions that do not measure so, as `overlap<=0.3` or `current:rank>5`; repeat for several.
    json
        Print the manifest instead of a line.
    """
    from memgauge.datasets.synthetic.writing import WorldOrder, write_world
    from memgauge.studies.quality.requirements import Measuring, Requirement

    order = WorldOrder(size, seed, level, values, _users(users))
    asked = tuple(map(Requirement.parse, require))
    watch = Measuring(asked, measured=measure) if measure or asked else None
    with working(f"writing {out}") as update:
        manifest = write_world(
            out,
            order,
            workers=workers,
            watch=watch,
            on_progress=lambda done, n: update(f"writing {out}: {done:,} of {n:,} users"),
        )
    if json:
        emit(manifest)
        return OK
    _say_written(out, manifest)
    return OK


def _say_written(out: Path, manifest: Mapping[str, Any]) -> None:
    say(f"{out}: " + ", ".join(f"{n:,} {name}" for name, n in manifest["counts"].items()) + ".")
    if "required" in manifest:
        dropped = manifest["required"]["dropped"]
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in dropped.items())
        say(f"Dropped: {sum(dropped.values()):,} questions{f' ({kinds})' if kinds else ''}.")
    say(f"Next: {program()} data validate own:{out if len(out.parts) > 1 else f'./{out}'}")


@app.command
def difficulty(*datasets: str, kinds: Annotated[bool, Flag] = False, json: AsData = False) -> int:
    """Measure how hard questions are: words in common, rank under BM25, near misses, distances.

    Parameters
    ----------
    datasets
        Datasets, as `synthetic:medium,level=para` or `own:FOLDER`.
    kinds
        A line for every kind of question, too.
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.quality.difficulty import ALL, aggregate
    from memgauge.studies.quality.difficulty import measure as measured

    found: dict[str, dict[str, Figures]] = {}
    for ref in datasets or ("synthetic",):
        with working(f"measuring {ref}"):
            found[ref] = aggregate(measured(open_dataset(ref, allow_unpinned=True)))
    if json:
        emit({ref: {kind: asdict(one) for kind, one in rows.items()} for ref, rows in found.items()})
        return OK
    for ref, rows in found.items():
        table = Table("kind", *_HEADS, box=None, title=ref)
        for kind in sorted(rows, key=lambda kind: (kind != ALL, kind)):
            if kind == ALL or kinds:
                table.add_row(kind, *(_number(getattr(rows[kind], name)) for name in _FACTS))
        say(table)
    return OK


@app.command
def audit(
    dataset: str,
    *,
    level: Literal["mixed", "lex", "para", "latent"] | None = None,
    why: Annotated[bool, Flag] = False,
    json: AsData = False,
) -> int:
    """Let solvers try that should not be able to answer; exit with 1 when one beats its bound.

    Parameters
    ----------
    dataset
        A synthetic world, as `synthetic:medium,seed=1` or `own:FOLDER`.
    level
        The distance whose bounds apply; by default what the world says of itself.
    why
        Say for every bound why it is what it is.
    json
        Print every rate with its interval and bound as data.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.quality.shortcuts import audit as audit_world

    with working(f"auditing {dataset}"):
        found = audit_world(open_dataset(dataset, allow_unpinned=True), level)
    if json:
        emit(asdict(found) | {"beaten": [asdict(cell) for cell in found.beaten]})
    else:
        _say_audit(found, why=why)
    return FAILED if found.beaten else OK


@app.command
def paraphrase(
    folder: Path, *, model: str, out: Path, models: ModelOptions = _MODELS, json: AsData = False
) -> int:
    """Let a model reword the turns that state facts; what a checker cannot read the same in stays as it was.

    Parameters
    ----------
    folder
        Folder that `memgauge synth` wrote.
    model
        `provider:name`; keys come from the environment.
    out
        Folder to write to.
    json
        Print the manifest instead of lines.
    """
    from memgauge.studies.quality.paraphrase import ACCEPTED, Paraphraser, requests
    from memgauge.studies.quality.paraphrase import paraphrase as reword

    access = models.open(model)
    paraphraser = Paraphraser(access)
    if models.plan:
        estimate = models.estimate({access.name: access}, requests(folder, paraphraser))
        emit(estimate) if json else say_estimate(estimate)
        return OK
    with working("rewording") as update:
        manifest = reword(
            folder,
            paraphraser,
            out,
            workers=models.workers,
            on_progress=lambda done: update(f"rewording: {done:,} turns"),
        )
    if json:
        emit(manifest)
        return OK
    told = manifest["paraphrase"]
    say(f"{out}: {told[ACCEPTED]:,} of {told['asked']:,} turns in other words.")
    for reason, n in told["kept"].items():
        say(f"Kept as it was: {n:,} ({reason}).")
    return OK


def _users(text: str) -> range:
    if not text:
        return range(0)
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
        raise ConfigError(f"--users {text} is no range.", "Write it as first:after-last, such as 0:1000.")
    return range(int(first), int(last))


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _say_audit(found: ShortcutAudit, *, why: bool) -> None:
    from rich.table import Table

    solvers = list(dict.fromkeys(cell.solver for cell in found.cells))
    cells = {(cell.kind, cell.solver): cell for cell in found.cells}
    title = f"{found.dataset}, level {found.level}: share that is right"
    table = Table("kind", "n", box=None, padding=(0, 1, 0, 0), title=title)
    for solver in solvers:
        table.add_column(solver.replace("-", "\n").replace("without\nevidence", "without\nevid."), justify="right")
    for kind in dict.fromkeys(cell.kind for cell in found.cells):
        row = [cells.get((kind, solver)) for solver in solvers]
        n = max(cell.n for cell in row if cell is not None)
        table.add_row(kind, str(n), *("" if cell is None else _rate(cell) for cell in row))
    say(table)
    for cell in found.cells if why else found.beaten:
        if cell.bound is not None:
            rate = f"{cell.right} of {cell.n}, {cell.rate:.2f} [{cell.low:.2f}, {cell.high:.2f}]"
            beaten = "! " if cell.beaten else ""
            say(f"{beaten}{cell.solver} on {cell.kind}: {rate}, bound {cell.bound:g}: {cell.why}.")
    say(f"{len(found.beaten)} of {sum(cell.bound is not None for cell in found.cells)} bounds are beaten.")


def _rate(cell: SolverAccuracy) -> str:
    return f"{cell.rate:.2f}{'!' if cell.beaten else ''}"
