"""What routers chose, and what they lost against the best arm for all questions and for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.stats import Interval, cluster_interval
from memgauge.studies.shift.findings.result import Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from memgauge.studies.shift.play.outcomes import Outcomes, Routed

UNKNOWN = Interval(None, None, None, 0, "what its arms would have found is not known: play them too")


def routes(outcomes: Outcomes) -> Iterator[Route]:
    """Judge every router under every burst length."""
    for policy, routed in outcomes.routed.items():
        arms = _arms(outcomes, routed)
        router_hits = outcomes.hits[outcomes.policies.index(policy)]
        for burst, m in enumerate(outcomes.spec.bursts):
            choices = routed.choice[burst]
            shares = {arm: float((choices == number).mean()) for number, arm in enumerate(routed.arms)}
            if arms is None:
                yield Route(policy, m, shares, None, UNKNOWN, UNKNOWN)
                continue
            best_arm = int(arms[:, burst].mean(axis=1).argmax())
            fixed, oracle = arms[best_arm, burst].astype(float), arms[:, burst].max(axis=0).astype(float)
            yield Route(
                policy,
                m,
                shares,
                routed.arms[best_arm],
                cluster_interval(fixed - router_hits[burst], outcomes.conversation),
                cluster_interval(oracle - router_hits[burst], outcomes.conversation),
            )


def _arms(outcomes: Outcomes, routed: Routed) -> npt.NDArray[np.bool_] | None:
    """Return the hits of every arm by itself, (arms, bursts, Q), where they are known."""
    if routed.hits is not None:
        return routed.hits
    if not all(arm in outcomes.policies for arm in routed.arms):
        return None
    return outcomes.hits[[outcomes.policies.index(arm) for arm in routed.arms]]
