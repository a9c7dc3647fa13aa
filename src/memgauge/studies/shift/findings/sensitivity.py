"""What survives another reading: the same question under every definition that the paper leaves open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.recovery import pooled
from memgauge.results import result
from memgauge.show.numbers import listed
from memgauge.stats import inversion, spearman
from memgauge.studies.shift.play.simulate import run_shift
from memgauge.studies.shift.protocol.spec import (
    PRESETS,
    BurstSampling,
    DistractorLifetime,
    DistractorSource,
    Filing,
    QuestionPlacement,
    ShiftSpec,
    Summaries,
)
from memgauge.studies.shift.published import LEXICAL, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset

BURST = 100


def definitions(start: ShiftSpec, burst: int = BURST) -> Mapping[str, ShiftSpec]:
    """Return the readings of the protocol by name, each one change away from *start* or from a fresh draw."""
    paper = replace(start, bursts=(0, burst))
    fresh = replace(paper, sampling=BurstSampling.FRESH)
    from_others = replace(fresh, source=DistractorSource.OTHER_CONVERSATIONS)
    return {
        "as published": paper,
        "fresh draw for every burst": fresh,
        "from past sessions only, fresh": replace(fresh, source=DistractorSource.PAST_SESSIONS),
        "from other conversations, fresh": from_others,
        "other, before the first question only": replace(from_others, interrupted=1),
        "other, only the running session's bursts stay": replace(from_others, memory=DistractorLifetime.ISOLATED),
        "questions at the end of the session": replace(paper, place=QuestionPlacement.SESSION_END),
        "distractors filed like turns": replace(paper, filing=Filing.CURRENT),
        "other, filed like turns": replace(from_others, filing=Filing.CURRENT),
        "bursts are sessions": replace(paper, filing=Filing.PSEUDO_SESSION, summaries=Summaries.EXTRACTIVE),
        "other, bursts are sessions": replace(
            from_others, filing=Filing.PSEUDO_SESSION, summaries=Summaries.EXTRACTIVE
        ),
        "copies folded": replace(paper, dedupe=True),
        "no future known (preset clean)": replace(
            PRESETS["clean"], bursts=(0, burst), k=start.k, horizon=start.horizon, seed=start.seed
        ),
    }


@result
@dataclass(frozen=True)
class DefinitionResult:
    """What one definition finds."""

    name: str
    overall: dict[str, float]
    """On the clean stream, by policy."""
    recovery: dict[str, float]
    """Recovery@T after the burst, by policy."""
    inversion: float | None
    rho: float | None

    @property
    def leaders(self) -> tuple[str, ...]:
        """Name the policies that recover best: several where they tie."""
        best = max(self.recovery.values())
        return tuple(policy for policy in in_order(self.recovery) if self.recovery[policy] == best)


def grid(
    dataset: Dataset, readings: Mapping[str, ShiftSpec], policies: Sequence[str] = LEXICAL
) -> Iterator[DefinitionResult]:
    """Play every definition and yield what it finds, one after the other."""
    for name, spec in readings.items():
        outcomes = run_shift(dataset, spec, policies)
        overall = dict(zip(policies, outcomes.hits[:, 0].mean(axis=1).tolist(), strict=True))
        pool = pooled(outcomes.post_shift, outcomes.order, spec.horizon)  # never empty: such data cannot be played
        post_shift = dict(zip(policies, outcomes.hits[:, 1][:, pool].mean(axis=1).tolist(), strict=True))
        pair = np.array(list(overall.values())), np.array(list(post_shift.values()))
        yield DefinitionResult(name, overall, post_shift, inversion(*pair).value, spearman(*pair).value)


def words(readings: Sequence[DefinitionResult]) -> str:
    """Say in words what every definition agrees on and what depends on it."""
    inversions = [reading.inversion for reading in readings if reading.inversion is not None]
    rhos = [reading.rho for reading in readings if reading.rho is not None]
    sentences = list(_leading(readings))
    if inversions and rhos:
        low, high = min(inversions), max(inversions)
        sentences.append(
            f"Some pair of policies changes places under every definition (inversion {low:.2f} to {high:.2f})."
            if low > 0
            else f"Whether any pair changes places depends on the definition (inversion {low:.2f} to {high:.2f})."
        )
        sign = "has the same sign everywhere" if min(rhos) > 0 or max(rhos) < 0 else "changes its sign"
        sentences.append(f"The rank correlation {sign} ({min(rhos):+.2f} to {max(rhos):+.2f}).")
    return " ".join(sentences)


def _leading(readings: Sequence[DefinitionResult]) -> Iterator[str]:
    """Say who recovers best alone under most definitions, who does under others, and where several tie."""
    alone = Counter(reading.leaders[0] for reading in readings if len(reading.leaders) == 1)
    tied = [reading for reading in readings if len(reading.leaders) > 1]
    if alone:
        leader, times = alone.most_common(1)[0]
        yield f"{leader} recovers best under {times} of {len(readings)} definitions."
        others = [reading for reading in readings if reading not in tied and reading.leaders != (leader,)]
        if others:
            exceptions = "; ".join(f"{reading.leaders[0]} under '{reading.name}'" for reading in others)
            yield f"Elsewhere others do: {exceptions}."
    for reading in tied:
        yield f"Under '{reading.name}' {listed(reading.leaders)} tie."
