"""Who stands on a board with a rank, and who does not and why: one sentence for every reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Outcome
from memgauge.runs.record.isolation import HARNESS
from memgauge.runs.record.probes import LOOKED, REPEATED
from memgauge.runs.record.retried import RetriedSearches
from memgauge.runs.record.seal import how_altered
from memgauge.scoring.coverage import coverage
from memgauge.scoring.lost_writes import lost_writes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from memgauge.runs.record.probes import SearchProbe
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun

NEARLY_ALL, NEARLY_NONE = 0.9, 0.5
"""Of a conversation's turns, the share that leaves nothing to choose; and turns for a question that are none."""
UNCHECKED = 0.05
"""The share of credited sources without a text to check them by, above which a row is not ranked."""
STAND_IN = "stand-in"
SHOWN = 2
"""Broken promises that are named; `memgauge systems check` names all."""


@dataclass(frozen=True)
class Borne:
    """How much of a conversation the returned memories bear, as means over questions."""

    share: float
    """Of the conversation's distinct turns, within what the first measure looks at."""
    claimed: float
    """The same, were every claim believed."""
    size: float
    """Turns of a conversation."""
    budget: int | None = None
    """The tokens that the first measure looks at; ``None`` where it looks at hits."""

    @property
    def turns(self) -> float:
        """Return how many turns are borne."""
        return self.share * self.size

    @property
    def claimed_turns(self) -> float:
        """Return how many turns are claimed."""
        return self.claimed * self.size


def borne_of(judged: JudgedRun, budget: int | None) -> Borne | None:
    """Measure what *judged* returns within *budget* tokens, or at its k; ``None`` where nothing is known of it."""
    held = coverage(judged, budget) if judged.scored.any() else None
    if held is None:
        return None
    sizes, gold = judged.spending.gold.conversations.sizes, judged.spending.gold
    asked = [sizes[q.conversation].turns for q, here in zip(gold.questions, judged.run_mask, strict=True) if here]
    return Borne(held.borne, held.claimed, float(np.mean(asked)), budget)


@dataclass(frozen=True)
class Standing:
    """Why a run has no rank, and what else must be known before its scores are believed."""

    bars: tuple[str, ...]
    """Sentences, each of which keeps it from being ranked."""
    marks: tuple[str, ...]
    """Sentences that warn and leave the rank."""
    incomplete: str = ""
    """What of its writing failed; its scores are then no measurement."""
    extreme: str = ""
    """That it returns (nearly) all or (nearly) none of a conversation; it is then never said to lead."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return all of them, the gravest first."""
        return (*self.bars, *self.marks)


def standing(judged: JudgedRun, asked: NDArray[np.bool_], borne: Borne | None) -> Standing:
    """Say where a run stands.

    Args:
        judged: The run under the board's contract.
        asked: (Q,) the questions that the board asks of everybody.
        borne: What its returned memories bear, where that is known.
    """
    run = judged.run
    incomplete, drawn = _incomplete(run), _dependent(run)[1]
    bars = (*bars_of(run), *_left_out(judged, asked), *_unchecked(judged))
    extreme = "" if borne is None or incomplete else _extreme(borne)
    marks = (
        *([f"It {extreme}."] if extreme else []),
        *(_claimed(borne) if borne is not None else ()),
        *drawn,
        *_failed(run),
        *_retried(run),
        *_exposed(run),
        *_unfit(run),
    )
    return Standing(tuple(bars), tuple(marks), incomplete, extreme)


def bars_of(run: Run) -> tuple[str, ...]:
    """Say why a run has no rank on any board, whatever is measured of it."""
    incomplete = _incomplete(run)
    return (
        *_stood_in(run.manifest.system.capabilities),
        *([incomplete] if incomplete else []),
        *_altered(run),
        *_dependent(run)[0],
        *_within_reach(run),
    )


def _stood_in(promises: Mapping[str, object]) -> Iterator[str]:
    """Name what stands in for the real thing; older runs say so among their interventions."""
    declared = promises.get("stand_ins") or ()
    older = [text for text in promises.get("interventions") or () if STAND_IN in str(text)]  # type: ignore[attr-defined] # a list of texts
    for part in declared or older:  # type: ignore[attr-defined] # the same
        yield f"It runs on {part}: a stand-in shows that the plumbing works, and is never ranked."


def _incomplete(run: Run) -> str:
    """Say that a memory was not told everything."""
    lost = lost_writes(run)
    return f"It is incomplete: {lost}." if lost else ""


def _failed(run: Run) -> Iterator[str]:
    outcomes = Counter(str(outcome) for outcome in run.questions["outcome"].tolist())
    if run.manifest.is_imported:
        del outcomes[Outcome.UNSUPPORTED]  # the file tells of no search
    failed = {outcome: n for outcome, n in sorted(outcomes.items()) if not Outcome(outcome).valid}
    if failed:
        ended = ", ".join(f"{n:,} as {outcome}" for outcome, n in failed.items())
        total = sum(outcomes.values())
        yield f"{sum(failed.values()):,} of its {total:,} searches failed ({ended}); each is a miss."


def _retried(run: Run) -> Iterator[str]:
    if sentence := RetriedSearches.of(run.questions).sentence:
        yield sentence


def _left_out(judged: JudgedRun, asked: NDArray[np.bool_]) -> Iterator[str]:
    missing = int((asked & ~judged.scored).sum())
    if missing:
        yield (
            f"It is scored on {int((asked & judged.scored).sum()):,} of the {int(asked.sum()):,} questions that "
            "others answered: nobody chooses their own questions."
        )


def _altered(run: Run) -> Iterator[str]:
    if run.altered:
        how = how_altered(run.folder, run.altered)
        yield f"It is not as it was sealed: {how}; `memgauge runs verify` says more."


def _extreme(borne: Borne) -> str:
    """Say that nothing was chosen, or nothing returned; empty where something was."""
    if borne.share >= NEARLY_ALL:
        return f"returns (nearly) all of the conversation, {borne.share:.0%} of its turns, in what counts"
    if borne.turns >= NEARLY_NONE:
        return ""
    where = "" if borne.budget is None else f"in the {borne.budget:,} tokens that count "
    boasts = borne.claimed_turns >= NEARLY_NONE
    claims = f"claims {borne.claimed_turns:,.1f} turns a question and " if boasts else ""
    return (
        f"{claims}returns (nearly) nothing of the conversation: {where}its texts bear {borne.turns:.2f} turns "
        "a question"
    )


def _claimed(borne: Borne) -> Iterator[str]:
    if borne.turns >= NEARLY_NONE and borne.claimed_turns > 2 * borne.turns:
        yield (
            f"It claims {borne.claimed_turns:,.1f} turns a question, and its texts bear {borne.turns:,.1f}; only "
            "these count."
        )


def _unchecked(judged: JudgedRun) -> Iterator[str]:
    if judged.unwitnessed > UNCHECKED * max(judged.claims, 1):
        yield (
            f"The texts behind {judged.unwitnessed:,} of {judged.claims:,} claimed sources were left out, so "
            "nobody can see whether they bear them."
        )


def _dependent(run: Run) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Say what its answers depend on besides what was stored and asked: what bars it, and what marks it.

    What changes by itself says nothing of order and names; a system that learns is meant to change; and equals may
    change places.
    """
    looked = (
        *(probe.sentence for probe in run.probes if probe.kind.startswith(LOOKED)),
        *(probe.failure for probe in run.probes if probe.failed),
    )
    changed = [probe for probe in run.probes if probe.changed and not probe.kind.startswith(LOOKED)]
    if any(probe.kind == REPEATED for probe in changed) or run.manifest.isolation.evidence:
        return (), (*looked, *(f"{probe.sentence} Its scores are one draw of several." for probe in changed))
    far = tuple(probe for probe in changed if 2 * probe.far >= probe.compared)
    bars = tuple(f"{p.sentence} An answer may depend on nothing but what was stored and asked." for p in far)
    return bars, (*looked, *(f"{probe.sentence} {_how_near(probe)}" for probe in changed if probe not in far))


def _how_near(probe: SearchProbe) -> str:
    """Say what changed, where most rankings still return the same memories."""
    if not probe.far:
        return "Equals change places."
    return f"Of these, {probe.far:,} returned other memories among the first ten, which equals do not explain."


def _within_reach(run: Run) -> Iterator[str]:
    isolation = run.manifest.isolation
    if isolation.process == HARNESS or isolation.evidence:
        yield isolation.sentence


def _exposed(run: Run) -> Iterator[str]:
    isolation = run.manifest.isolation
    if isolation.process != HARNESS and not isolation.evidence and not isolation.whole:
        yield isolation.sentence


def _unfit(run: Run) -> Iterator[str]:
    conformance = run.manifest.conformance
    if not conformance.checked:
        yield conformance.sentence
    elif conformance.failed:
        broken = conformance.broken
        rest = len(broken) - SHOWN
        more = f"; and {rest} more" if rest > 0 else ""
        shown = "; ".join(text.rstrip(".") for text in broken[:SHOWN])
        many = "a promise" if len(broken) == 1 else f"{len(broken)} promises"
        untried = f" {conformance.untried}." if conformance.untried else ""
        yield f"It breaks {many} of the protocol: {shown}{more}.{untried}"
