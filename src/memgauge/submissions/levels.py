"""How far a submission was verified: which rung it stands on, who put it there, and what the next one needs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from memgauge.scoring.compliance import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.submissions.sheets.registry import ProductSheet
    from memgauge.submissions.sheets.submission import SubmissionSheet
    from memgauge.submissions.sheets.verdicts import ObjectionSheet, VerificationSheet

RUNS: Final = 3
"""Runs of a dataset from which on they were repeated."""
COMPLIANCE: Final = tuple(TESTS)
"""The tests of an audit, each a run with one thing changed."""


class Level(IntEnum):
    """The rungs; 3 and 4 are not ordered, and a row shows both."""

    CLAIMED = 0
    RECOMPUTED = 1
    REPEATED = 2
    REPRODUCED = 3
    RUN_IN_CI = 4
    AUDITED = 5


NAMES: Final = {
    Level.CLAIMED: "claim, not verified",
    Level.RECOMPUTED: "recomputed",
    Level.REPEATED: "repeated",
    Level.REPRODUCED: "reproduced",
    Level.RUN_IN_CI: "run in CI",
    Level.AUDITED: "audited",
}
_NEXT: Final = {
    Level.CLAIMED: "every bundle must verify as recomputed, against a dataset in force",
    Level.RECOMPUTED: f"{RUNS} runs of each dataset with seeds of their own, all of one plan",
    Level.REPEATED: "somebody unrelated plays it again from its lock, equivalent within the margin",
    Level.REPRODUCED: "an audit: a fresh world, every compliance test, and the statement checked",
    Level.RUN_IN_CI: "an audit: a fresh world, every compliance test, and the statement checked",
    Level.AUDITED: "",
}


@dataclass(frozen=True)
class ReachedLevel:
    """Where a submission stands."""

    level: Level
    marks: tuple[str, ...] = ()
    """What must be read beside the level: who gave it, since when, what was lost."""
    in_ci: bool = False
    """Whether it was run in CI besides; 3 and 4 are not ordered."""

    @property
    def name(self) -> str:
        """Return how it is shown."""
        both = self.in_ci and self.level in {Level.REPRODUCED, Level.AUDITED}
        return NAMES[self.level] + (f" and {NAMES[Level.RUN_IN_CI]}" if both else "")

    @property
    def missing(self) -> str:
        """Say what the next rung needs; empty at the top."""
        return _NEXT[self.level]

    @property
    def caution(self) -> str:
        """Say what must be said where the number is quoted."""
        return "" if self.level >= Level.REPRODUCED else "not independently verified"


def reached_level(
    sheet: SubmissionSheet,
    product: ProductSheet,
    *,
    recomputed: bool,
    verifications: Iterable[VerificationSheet] = (),
    uncounted: Iterable[str] = (),
    objections: Iterable[ObjectionSheet] = (),
) -> ReachedLevel:
    """Say which rung a submission stands on.

    Levels 3 and 5 of a *product* of our own can be given by others alone. *recomputed*: every bundle was verified
    as recomputed against datasets that are in force. *verifications* are those whose rows show what they say;
    *uncounted* says why others count for nothing.
    """
    by_day = sorted(verifications, key=lambda each: each.on)
    level, marks = _computed(sheet, recomputed=recomputed), list[str]()
    in_ci = False
    if recomputed:
        in_ci, notes = _run_in_ci(by_day)
        marks += notes
        reproduced, notes = _reproduced(sheet, product, by_day)
        marks += notes
        if reproduced or in_ci:
            level = Level.REPRODUCED if reproduced else Level.RUN_IN_CI
            audited, notes = _audited(sheet, product, by_day)
            marks += notes
            level = Level.AUDITED if audited else level
    return _lowered(ReachedLevel(level, (*marks, *uncounted), in_ci), objections)


def _computed(sheet: SubmissionSheet, *, recomputed: bool) -> Level:
    """Return the rung that needs nobody else."""
    if not recomputed:
        return Level.CLAIMED
    seeds: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for run in sheet.runs:
        seeds[run.dataset][run.sha256] = run.seed  # one bundle under several seeds is one run
    repeated = bool(sheet.plan) and all(len(set(each.values())) >= RUNS for each in seeds.values())
    return Level.REPEATED if repeated and not sheet.failed else Level.RECOMPUTED


def _reproduced(
    sheet: SubmissionSheet, product: ProductSheet, by_day: Sequence[VerificationSheet]
) -> tuple[bool, list[str]]:
    """Look at the last repetition that counts; a later one that differs takes the rung away."""
    reproduced, marks = False, list[str]()
    for each in by_day:
        if each.level != Level.REPRODUCED:
            continue
        who = f"{each.by.github} on {each.on}"
        if each.outcome == "could-not-run":
            marks.append(f"could not be run by {who}")
            continue
        same = each.by.relation == "submitter" or same_person(each.by.github, sheet.submitter.github)
        if product.own and (same or each.by.relation == "memgauge-author"):
            marks.append(f"repeated by its authors, {who}: others must")
            continue
        if (same and sheet.submitter.relation == "vendor") or each.by.relation in {"vendor", "competitor"}:
            marks.append(f"repeated by a party with an interest, {who}: it does not count")
            continue
        reproduced = each.outcome == "agrees" and each.same_lock
        hands = ", same hands" if same else ""
        differs = "" if each.outcome == "agrees" else ", and it differs"
        other = "" if each.same_lock else ", from another lock"
        marks.append(f"played again by {who}{hands}{differs}{other}")
    return reproduced, marks


def _run_in_ci(by_day: Sequence[VerificationSheet]) -> tuple[bool, list[str]]:
    runs = [each for each in by_day if each.level == Level.RUN_IN_CI]
    if not runs:
        return False, []
    last, good = runs[-1], [each for each in runs if each.outcome == "agrees"]
    if last.outcome == "agrees":
        return True, []
    why = "its lock no longer installs" if last.outcome == "could-not-run" else "a later run differs"
    return False, [f"was run in CI on {good[-1].on}; {why}" if good else f"not run in CI: {why}"]


def same_person(handle: str, other: str) -> bool:
    """Whether two handles are one: where submissions are made, the case of letters makes no difference."""
    return handle.casefold() == other.casefold()


def _audited(
    sheet: SubmissionSheet, product: ProductSheet, by_day: Sequence[VerificationSheet]
) -> tuple[bool, list[str]]:
    audits = [each for each in by_day if each.level == Level.AUDITED]
    if not audits:
        return False, []
    last = audits[-1]
    same = same_person(last.by.github, sheet.submitter.github)
    if same or last.by.relation != "none":
        whose, relation = "our own" if product.own else "this product", "submitter" if same else last.by.relation
        return False, [f"audited by {last.by.github} ({relation}): an audit of {whose} is given by others"]
    open_tests = [name for name in COMPLIANCE if last.compliance.get(name) != "as-it-must-be"]
    if open_tests:
        return False, [f"an audit on {last.on} did not pass: {', '.join(open_tests)}"]
    return last.outcome == "agrees", [f"audited by {last.by.github} on {last.on}"]


def _lowered(reached: ReachedLevel, objections: Iterable[ObjectionSheet]) -> ReachedLevel:
    """Take away what an objection took."""
    level, marks = reached.level, list(reached.marks)
    for each in sorted(objections, key=lambda objection: objection.number):
        if not each.decision:
            marks.append(f"objection {each.number} is open: {each.rule}")
        elif each.decision == "level-lowered" and each.level is not None:
            level = min(level, Level(each.level))
            marks.append(f"lowered by objection {each.number}: {each.rule}")
        elif each.decision == "footnote":
            marks.append(f"objection {each.number}: {each.footnote or each.rule}")
    return ReachedLevel(level, tuple(marks), reached.in_ci and level >= Level.REPRODUCED)
