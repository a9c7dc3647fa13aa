"""`memgauge data synth`: the synthetic world written, measured, audited and reworded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from memgauge.errors import ConfigError
from memgauge.frame.console import program, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.numbers import COUNT, SEED
from memgauge.frame.options import DatasetRef, Flag, Repeatable
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.studies.quality.difficulty import Figures

_MODELS = ModelOptions()


def synth(
    out: Path,
    *,
    size: Literal["tiny", "few", "small", "medium", "large"] = "small",
    seed: Annotated[int, SEED] = 0,
    level: Literal["mixed", "lex", "para", "latent"] = "mixed",
    values: Literal["nonce", "plausible"] = "nonce",
    users: str = "",
    workers: Annotated[int, COUNT] = 1,
    measured: Annotated[bool, Flag] = False,
    require: Annotated[tuple[str, ...], Repeatable] = (),
    shown: Printing = PLAIN,
) -> int:
    """Write a world as a folder of data, that `own:FOLDER` reads; the same bytes for any number of workers.

    Example: memgauge data synth world --size small --seed 1

    Parameters
    ----------
    out
        Folder to write to.
    size
        How many users, and how much each says.
    seed
        Which world; any whole number from 0.
    level
        How far statements are from the words of questions.
    values
        Made-up values, or such that a model would guess.
    users
        Only these, as first:after-last; the files of 0:1000 and 1000:2000, joined, are those of 0:2000.
    workers
        Processes that share the work.
    measured
        Measure the difficulty of every question and put the figures into the manifest.
    require
        Drop questions that do not measure so, as `overlap<=0.3` or `current:rank>5`; repeat for several.
    """
    from memgauge.datasets.synthetic.writing import WorldOrder, write_world
    from memgauge.studies.quality.requirements import Measuring, Requirement

    order = WorldOrder(size, seed, level, values, _users(users))
    asked = tuple(map(Requirement.parse, require))
    watch = Measuring(asked, measured=measured) if measured or asked else None
    with working(f"writing {out}") as update:
        manifest = write_world(
            out,
            order,
            workers=workers,
            watch=watch,
            on_progress=lambda done, n: update(f"writing {out}: {done:,} of {n:,} users"),
        )
    return present(told(manifest, *_written(out, manifest)), shown)


def _written(out: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    yield f"{out}: " + ", ".join(f"{n:,} {name}" for name, n in manifest["counts"].items()) + "."
    if "required" in manifest:
        dropped = manifest["required"]["dropped"]
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in dropped.items())
        yield f"Dropped: {sum(dropped.values()):,} questions{f' ({kinds})' if kinds else ''}."
    ref = f"own:{out if len(out.parts) > 1 else f'./{out}'}"
    yield f"Next: {program()} data validate {typed(ref)}"


def difficulty(*datasets: str, kinds: Annotated[bool, Flag] = False, output: Output = SHOWN) -> int:
    """Measure how hard questions are: words in common, rank under BM25, near misses, distances.

    Example: memgauge data difficulty synthetic:medium own:world --kinds

    Parameters
    ----------
    datasets
        Datasets, as `synthetic:medium,level=para` or `own:FOLDER`.
    kinds
        A line for every kind of question, too.
    """
    from memgauge.cli.synth_show import difficulty_document
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.quality.difficulty import aggregate
    from memgauge.studies.quality.difficulty import measure as measured

    figures: dict[str, dict[str, Figures]] = {}
    for ref in datasets or ("synthetic",):
        with working(f"measuring {ref}"):
            figures[ref] = aggregate(measured(open_dataset(ref, allow_unpinned=True)))
    return present(difficulty_document(figures, kinds=kinds), output, name="difficulty")


def audit(
    dataset: DatasetRef,
    *,
    level: Literal["mixed", "lex", "para", "latent"] | None = None,
    why: Annotated[bool, Flag] = False,
    output: Output = SHOWN,
) -> int:
    """Let solvers try that should not be able to answer; exit with 1 when one beats its bound.

    Example: memgauge data audit synthetic:medium --why

    Parameters
    ----------
    dataset
        A synthetic world, as `synthetic:medium,seed=1` or `own:FOLDER`.
    level
        The distance whose bounds apply; by default what the world says of itself.
    why
        Say for every bound why it is what it is.
    """
    from memgauge.cli.synth_show import audit_document
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.quality.shortcuts import audit as audit_world

    with working(f"auditing {dataset}"):
        audited = audit_world(open_dataset(dataset, allow_unpinned=True), level)
    code = FAILED if audited.beaten else OK
    return present(audit_document(audited, why=why), output, name="shortcuts", code=code)


def paraphrase(
    folder: Path, *, model: str, out: Path, models: ModelOptions = _MODELS, shown: Printing = PLAIN
) -> int:
    """Let a model reword the turns that state facts; what a checker cannot read the same in stays as it was.

    Example: memgauge data paraphrase world --model openai:gpt-4.1-mini --out reworded

    Parameters
    ----------
    folder
        Folder that `memgauge data synth` wrote.
    model
        `provider:name`; keys come from the environment.
    out
        Folder to write to.
    """
    from memgauge.studies.quality.paraphrase import ACCEPTED, Paraphraser, requests
    from memgauge.studies.quality.paraphrase import paraphrase as reword

    access = models.open(model)
    paraphraser = Paraphraser(access)
    if models.plan:
        estimate = models.estimate({access.name: access}, requests(folder, paraphraser))
        return present(estimated(estimate), shown)
    with working("rewording") as update:
        manifest = reword(
            folder,
            paraphraser,
            out,
            workers=models.workers,
            on_progress=lambda done: update(f"rewording: {done:,} turns"),
        )
    reworded = manifest["paraphrase"]
    left = (f"Kept as it was: {n:,} ({reason})." for reason, n in reworded["kept"].items())
    done = f"{out}: {reworded[ACCEPTED]:,} of {reworded['asked']:,} turns in other words."
    return present(told(manifest, done, *left), shown)


def _users(text: str) -> range:
    if not text:
        return range(0)
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
        raise ConfigError(f"--users {text} is no range.", "Write it as first:after-last, such as 0:1000.")
    return range(int(first), int(last))
