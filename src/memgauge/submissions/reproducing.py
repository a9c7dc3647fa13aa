"""A submission played again: installed from its lock into an empty home, run as it was, and compared in pairs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, UserError
from memgauge.registry import parse_ref
from memgauge.runs.record.bundle import compact_bundle, unbundled
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.seal import file_hash, sealed
from memgauge.runs.record.store import find_runs, load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import write_scores
from memgauge.submissions.layout import LOCK, PRODUCT
from memgauge.submissions.repository import VERIFICATIONS, settings_of
from memgauge.submissions.rows.pairing import MARGIN, paired_result
from memgauge.submissions.sheets.verdicts import VerificationSheet, Verifier
from memgauge.submissions.sheets.writing import sheet_text
from memgauge.systems.environments.products import product_of
from memgauge.systems.models.catalogue import names_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date

    from memgauge.runs.record.manifest import Manifest
    from memgauge.scoring.score import Settings
    from memgauge.submissions.repository import Repository, SubmissionFolder
    from memgauge.submissions.sheets.submission import SubmittedRun
    from memgauge.submissions.sheets.verdicts import PairedResult

    Call = Callable[[Sequence[str]], str]
    """Runs a command of ours, and says why it failed; empty where it did not."""

_WORDS: Final = 400


@dataclass(frozen=True)
class Repeating:
    """Who plays a submission again, where, and how much of it."""

    who: Verifier
    on: date
    work: Path
    """Holds the empty home, the empty cache and the runs; what was begun there goes on."""
    margin: float = MARGIN
    every: bool = False
    """Whether every run is played again, not the first of each dataset alone."""
    in_ci: bool = False
    """Whether this is a build server's run from the lock: level 4."""
    call: Call | None = None
    tell: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class RepeatedRun:
    """One run of a submission, played again."""

    run: SubmittedRun
    folder: Path | None
    """Of the repetition; ``None`` where it could not be run."""
    paired: PairedResult | None
    problem: str = ""


@dataclass(frozen=True)
class RepeatedSubmission:
    """What came of it."""

    sheet: VerificationSheet
    runs: tuple[RepeatedRun, ...]


def repeat_submission(
    submission: SubmissionFolder, repository: Repository, asked: Repeating
) -> RepeatedSubmission:
    """Play a submission again, and say in pairs whether it agrees.

    Raises:
        UserError: The submission cannot be read, or its dataset is not at hand.
    """
    sheet = submission.sheet
    chosen = sheet.runs if asked.every else tuple(_firsts(sheet.runs))
    settings = settings_of(repository.contracts[sheet.contract])
    call = asked.call or _caller(asked.work)
    with ExitStack() as stack:
        places = [stack.enter_context(unbundled(submission.bundle_of(run))) for run in chosen]
        first = load(places[0]).manifest
        installed = _installed(submission, first, asked.work)
        problem = next((why for command in installed.commands if (why := _told(command, call, asked))), "")
        runs = tuple(
            RepeatedRun(run, None, None, problem)
            if problem
            else _repeated(run, place, installed.system, settings, asked, call)
            for run, place in zip(chosen, places, strict=True)
        )
    return RepeatedSubmission(_verification(submission, runs, asked, same_lock=installed.same_lock), runs)


def _firsts(runs: Sequence[SubmittedRun]) -> Iterator[SubmittedRun]:
    """Yield the first run of every dataset."""
    seen = set[str]()
    for run in runs:
        if run.dataset not in seen:
            seen.add(run.dataset)
            yield run


@dataclass(frozen=True)
class _Installation:
    """How a product comes into an empty home."""

    system: str
    """Its reference there."""
    commands: tuple[tuple[str, ...], ...]
    same_lock: bool
    """Whether what is installed is what the submission locked."""


def _installed(submission: SubmissionFolder, manifest: Manifest, work: Path) -> _Installation:
    ref = manifest.system.ref
    parsed, product = parse_ref(ref), product_of(ref)
    models = tuple(
        ("models", "install", name)
        for key in ("embedder", "model")
        if names_model(name := parsed.params.get(key, ""))
    )
    if product is None:
        from memgauge.version import __version__

        same = manifest.environment.get("memgauge") == __version__
        return _Installation(ref, models, same)
    locked = submission.has(LOCK)
    if locked and (product.lock_path is None or file_hash(submission.file(LOCK)) != file_hash(product.lock_path)):
        described = _described(submission, parsed.name, product.lock, work)
        own = str(described) + ref.removeprefix(parsed.name)
        return _Installation(own, (*models, ("systems", "install", str(described))), same_lock=True)
    return _Installation(ref, (*models, ("systems", "install", product.name)), same_lock=locked)


def _described(submission: SubmissionFolder, name: str, lock: str, work: Path) -> Path:
    """Lay a submission's own description and lock out as a product of one's own.

    Raises:
        ConfigError: It brought a lock, and no description.
    """
    if not submission.has(PRODUCT):
        raise ConfigError(f"{submission.place} has a lock and no product.toml.", "Ask its submitter for it.")
    folder = work / "product"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(submission.file(LOCK), folder / (lock or LOCK))
    return Path(shutil.copyfile(submission.file(PRODUCT), folder / f"{name}.toml"))


def _told(command: Sequence[str], call: Call, asked: Repeating) -> str:
    asked.tell(f"memgauge {shlex.join(command)}")
    return call(command)


def _repeated(
    run: SubmittedRun, place: Path, system: str, settings: Settings, asked: Repeating, call: Call
) -> RepeatedRun:
    manifest = load(place).manifest
    out = asked.work / "runs" / run.bundle.rpartition("/")[2].partition(".zip")[0].removesuffix(".pointer.toml")
    problem = _told(_command(manifest, system, out), call, asked)
    folders = [folder for folder in find_runs((out,)) if sealed(folder)] if out.is_dir() else []
    if problem or not folders:
        return RepeatedRun(run, None, None, problem or "the run is unfinished")
    try:
        paired = _paired(place, folders[0], settings, asked.margin)
    except UserError as error:
        return RepeatedRun(run, folders[0], None, str(error))
    return RepeatedRun(run, folders[0], paired)


def _command(manifest: Manifest, system: str, out: Path) -> tuple[str, ...]:
    limits = manifest.limits
    few = () if manifest.conversations is None else ("--conversations", str(manifest.conversations))
    return (
        *("run", "-d", manifest.dataset.ref, "-s", system, "--seed", str(manifest.seed)),
        *("--k", str(limits.k), "--timeout", f"{limits.timeout_s:g}", *few, "--out", str(out), "--plain"),
    )


def _paired(first: Path, again: Path, settings: Settings, margin: float) -> PairedResult:
    """Hold a repetition against its first run, question by question."""
    run = load(again)
    gold = GoldTable.read(open_dataset(run.manifest.dataset.ref, allow_unpinned=True))
    write_scores(run, gold, settings)
    return paired_result(load(first), run, gold, settings, margin)


def _verification(
    submission: SubmissionFolder, runs: Sequence[RepeatedRun], asked: Repeating, *, same_lock: bool
) -> VerificationSheet:
    """Write down what was shown: of several runs the one that differs most."""
    pairs = [each.paired for each in runs if each.paired is not None]
    worst = max(pairs, key=lambda pair: max(map(abs, pair.interval)), default=None)
    failed = next((each.problem for each in runs if each.problem), "")
    if failed:
        outcome, worst = "could-not-run", None
    else:
        outcome = "agrees" if pairs and all(pair.equivalent for pair in pairs) else "differs"
    return VerificationSheet.model_validate(
        {
            "schema": VerificationSheet.SCHEMA,
            "submission": submission.id,
            "level": 4 if asked.in_ci else 3,
            "by": asked.who,
            "on": asked.on.isoformat(),
            "command": f"memgauge results reproduce {submission.place} --as {asked.who.github}",
            "same_lock": same_lock,
            "outcome": outcome,
            "paired": worst,
            "deviations": tuple(each for each in (failed[:_WORDS], _fewer(submission, runs)) if each),
        }
    )


def _fewer(submission: SubmissionFolder, runs: Sequence[RepeatedRun]) -> str:
    whole = len(submission.sheet.runs)
    return (
        "" if len(runs) == whole else f"{len(runs)} of {whole} runs were played again: the first of each dataset"
    )


def write_verification(repeated: RepeatedSubmission, submission: SubmissionFolder, root: Path) -> Path:
    """Write the sheet of a verification into a registry, with the bundle of the repetition beside it.

    Raises:
        ConfigError: There is one of that day and person already.
    """
    sheet = repeated.sheet
    folder = root / VERIFICATIONS / submission.sheet.place
    name = f"{sheet.on.replace('-', '')}-{sheet.by.github}"
    path = folder / f"{name}.toml"
    if path.exists():
        raise ConfigError(f"{path} is there already.", "Verifications are add-only; name another day or person.")
    folder.mkdir(parents=True, exist_ok=True)
    shown = next((each for each in repeated.runs if each.paired == sheet.paired and each.folder), None)
    if shown is not None and shown.folder is not None:
        target = compact_bundle(shown.folder, folder / f"{name}.zip")
        sheet = sheet.model_copy(update={"bundle": target.name, "sha256": file_hash(target)})
    write_atomically(path, sheet_text(sheet))
    return path


def _caller(work: Path) -> Call:
    """Return what runs a command of ours in an empty home and with an empty cache."""
    surroundings = os.environ | {
        "MEMGAUGE_HOME": str((work / "home").resolve()),
        "MEMGAUGE_CACHE": str((work / "cache").resolve()),
    }

    def call(arguments: Sequence[str]) -> str:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
            done = subprocess.run(  # noqa: S603 - our own program
                [sys.executable, "-m", "memgauge", *arguments],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                check=False,
                env=surroundings,
            )
            errors.seek(0)
            words = " ".join(errors.read().split())
        return "" if done.returncode in {0, 1} else words[-_WORDS:] or f"it ended with {done.returncode}"

    return call
