"""Sheets of verifications → those whose rows show what they say; of every other, why it counts for nothing.

Anybody can write a sheet. What it says counts where the rows of its repetition lie beside it, hold, are no copy,
are of a run that was submitted, and give the difference that it names. Who played them no row can show.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.errors import DataNotFoundError, MemgaugeError, MissingExtraError
from memgauge.registry import parse_ref
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.compact import SHARED
from memgauge.runs.record.seal import file_hash
from memgauge.runs.record.store import load
from memgauge.scoring.factors import differences
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.submissions.opening import lies, own, own_bundle
from memgauge.submissions.repository import VERIFICATIONS, settings_of
from memgauge.submissions.rows.keeping import contract_key, keep, kept, scorer
from memgauge.submissions.rows.pairing import MARGIN, paired_result
from memgauge.submissions.rows.reading import holds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.runs.record.manifest import Manifest
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.submissions.repository import PlacedVerification, Repository, SubmissionFolder
    from memgauge.submissions.sheets.verdicts import PairedResult, VerificationSheet

    OpenGold = Callable[[str], GoldTable]

DIFFERS: Final = 0.0005
"""From which on two numbers of a difference are not the same: libraries add up in different orders."""
_DISTINCT: Final = 8
"""Times that differ from each other, from which on two plays do not share them all by chance."""
_MOST: Final = 0.5


@dataclass(frozen=True)
class JudgedVerification:
    """A sheet, and whether its rows show what it says."""

    sheet: VerificationSheet
    why: str = ""
    """Why it counts for nothing; empty where it counts."""

    @property
    def counts(self) -> bool:
        """Whether a level may follow from it."""
        return not self.why

    @property
    def mark(self) -> str:
        """Say beside the level that it does not count."""
        return f"the verification of {self.sheet.by.github} on {self.sheet.on} does not count: {self.why}"


def judged_verifications(
    repository: Repository, submission: SubmissionFolder, gold_of: OpenGold, cache: Path | None = None
) -> tuple[JudgedVerification, ...]:
    """Judge every verification of a submission, oldest first.

    What was found is kept in *cache*, by everything that it follows from.
    """
    placed = repository.verifications.get(submission.id, ())
    return tuple(
        judged_verification(repository, submission, each, placed[:at], gold_of, cache)
        for at, each in enumerate(placed)
    )


def judged_verification(
    repository: Repository,
    submission: SubmissionFolder,
    placed: PlacedVerification,
    earlier: Sequence[PlacedVerification],
    gold_of: OpenGold,
    cache: Path | None = None,
) -> JudgedVerification:
    """Judge one verification of a submission; *earlier* ones it may be no copy of."""
    evidence = _Evidence(repository, submission, placed, tuple(each for each in earlier if each.sheet.sha256))
    return JudgedVerification(placed.sheet, _why(evidence, gold_of, cache))


@dataclass(frozen=True)
class _Evidence:
    """One sheet, and what it is held against."""

    repository: Repository
    submission: SubmissionFolder
    placed: PlacedVerification
    earlier: Sequence[PlacedVerification]
    """Verifications of the submission before it that name a bundle."""

    @property
    def sheet(self) -> VerificationSheet:
        return self.placed.sheet

    @property
    def bundle(self) -> Path:
        return self.placed.path.with_name(self.sheet.bundle)

    def digest(self) -> str:
        """Hash everything that the judgement follows from."""
        folder, shared = self.submission.sheet, self.placed.path.with_name(SHARED)
        contract = self.repository.contracts.get(folder.contract)
        data = [self.repository.dataset_of(run) for run in folder.runs]
        parts = [
            self.placed.path.name,
            self.sheet.model_dump(mode="json", by_alias=True),
            [run.model_dump(mode="json") for run in folder.runs],
            [None if sheet is None else sheet.sha256 for sheet in data],
            contract and contract_key(contract),
            [each.sheet.sha256 for each in self.earlier],
            file_hash(own(self.repository.root, shared, None)) if lies(shared) else "",
            scorer(),
        ]
        return sha256(json.dumps(parts).encode()).hexdigest()


def _why(evidence: _Evidence, gold_of: OpenGold, cache: Path | None) -> str:
    """Say why a sheet counts for nothing: what can be seen at once, then what its rows show."""
    if at_once := next(_of_sheet(evidence), ""):
        return at_once
    if evidence.sheet.outcome == "could-not-run":
        return ""
    key = evidence.digest()
    path = None if cache is None else cache / "verifications" / key
    if path is not None and (known := kept(path, key)) is not None:
        return known.decode()
    try:
        why = next(_of_rows(evidence, gold_of), "")
    except (DataNotFoundError, MissingExtraError) as error:  # it may be at hand the next time
        return f"it could not be looked at: {error.what}"
    except (MemgaugeError, OSError, ValueError):  # what is said of it names places on this machine; pages do not
        why = "its bundle cannot be opened as a run, or not be compared with those that were submitted"
    if path is not None:
        keep(path, key, why.encode())
    return why


def _of_sheet(evidence: _Evidence) -> Iterator[str]:
    """Name what is wrong with a sheet as it lies there."""
    sheet, root = evidence.sheet, evidence.repository.root
    if evidence.placed.path.parent != root / VERIFICATIONS / evidence.submission.sheet.place:
        yield f"it lies in the folder of another submission than {evidence.submission.id}"
    if sheet.outcome == "could-not-run":
        return
    if sheet.paired is None or not sheet.bundle or not sheet.sha256:
        yield "it names no bundle of a repetition"
        return
    if sheet.paired.margin > MARGIN:
        yield f"its margin is {sheet.paired.margin:g}, and within {MARGIN:g} is what agrees"
    if "/" in sheet.bundle or sheet.bundle.startswith("."):
        yield "its bundle does not lie beside it"
        return
    try:
        digest = file_hash(own_bundle(root, evidence.bundle))
    except MemgaugeError:
        yield "its bundle is not there"
        return
    if digest != sheet.sha256:
        yield "its bundle has another sha256 than it names"
    if digest in evidence.repository.submitted_bundles:
        yield "its bundle is a copy of one that was submitted"
    if any(each.sheet.sha256 == digest for each in evidence.earlier):
        yield "its bundle is a copy of that of an earlier verification"


def _of_rows(evidence: _Evidence, gold_of: OpenGold) -> Iterator[str]:
    """Name what is wrong with the rows of a repetition, or with what is said of them."""
    submission = evidence.submission
    contract = evidence.repository.contracts.get(submission.sheet.contract)
    if contract is None:
        yield f"the contract {submission.sheet.contract} is not registered"
        return
    with ExitStack() as stack:

        def opened(path: Path) -> Run:
            return load(stack.enter_context(unbundled(path)))

        again = opened(evidence.bundle)
        if not holds(verify(again.folder, VerificationRequest(Assurance.RECOMPUTED))):
            yield "its bundle does not verify"
            return
        data = again.manifest.dataset.ref
        submitted = [opened(submission.bundle_of(run)) for run in submission.sheet.runs if run.dataset_ref == data]
        if any(same_clocks(_times(run), _times(again)) for run in submitted):
            yield "its times are those of a run that was submitted: it is that play, and no other"
        if any(same_clocks(times, _times(again)) for times in _earlier_times(evidence)):
            yield "its times are those of an earlier verification: it is that play, and no other"
        first = next((run for run in submitted if _alike(run.manifest, again.manifest)), None)
        if first is None:
            yield "its run is none of those that were submitted: it has other data, settings, seed or system"
            return
        margin = evidence.sheet.paired.margin if evidence.sheet.paired else MARGIN
        yield from _not_as_said(
            evidence.sheet, paired_result(first, again, gold_of(data), settings_of(contract), margin)
        )


def _earlier_times(evidence: _Evidence) -> Iterator[NDArray[np.float64]]:
    """Yield the times of earlier repetitions; one that cannot be opened is no fault of this one."""
    for each in evidence.earlier:
        with suppress(MemgaugeError), ExitStack() as stack:
            path = own_bundle(evidence.repository.root, each.path.with_name(each.sheet.bundle))
            yield _times(load(stack.enter_context(unbundled(path))))


def _alike(submitted: Manifest, again: Manifest) -> bool:
    """Whether one run repeats another: a lock of a submission's own changes what its system is installed from."""
    a, b = submitted.system, again.system
    same = (a.name, a.version, parse_ref(a.ref).params) == (b.name, b.version, parse_ref(b.ref).params)
    return same and not differences(submitted, again, "system")


def _not_as_said(sheet: VerificationSheet, recomputed: PairedResult) -> Iterator[str]:
    """Hold what a sheet says against what follows from the rows."""
    stated = sheet.paired
    if stated is None:
        return
    if (stated.measure, stated.questions) != (recomputed.measure, recomputed.questions):
        yield (
            f"it says {stated.measure} on {stated.questions:,} questions, and its rows give "
            f"{recomputed.measure} on {recomputed.questions:,}"
        )
    pairs = zip((stated.difference, *stated.interval), (recomputed.difference, *recomputed.interval), strict=True)
    if not all(abs(a - b) <= DIFFERS for a, b in pairs):  # what is no number differs from every one
        low, high = recomputed.interval
        yield (
            f"it says a difference of {stated.difference:+.4f}, and its rows give "
            f"{recomputed.difference:+.4f}, from {low:+.4f} to {high:+.4f}"
        )
    if (sheet.outcome == "agrees") != recomputed.equivalent:
        yield f"it says that it {sheet.outcome}, which its rows do not"


def same_clocks(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Whether two runs have the times of one play: all of them, or most where hardly two times are alike.

    A server may round its times; few that differ from each other tell no plays apart.
    """
    if len(a) != len(b):
        return False
    both = ~(np.isnan(a) | np.isnan(b))
    distinct = len(np.unique(a[both]))
    if distinct < _DISTINCT:
        return False
    share = float((a[both] == b[both]).mean())
    return share == 1.0 or (share > _MOST and distinct > _MOST * both.sum())


def _times(run: Run) -> NDArray[np.float64]:
    times: NDArray[np.float64] = run.questions["ms"]
    return times
