"""When a published number and a run of ours may be compared, and why not."""

from __future__ import annotations

from memgauge.stats.intervals import Interval
from memgauge.submissions.claims.comparing import beside_run
from memgauge.submissions.claims.ours import OwnRun
from memgauge.submissions.claims.verdicts import ClaimVerdict
from support.claims import claim_sheet, claimed

_RUN = OwnRun(
    product="larder", key="larder-e5", version="2.3.0", dataset="locomo", questions=1986, k=10,
    scores={"Recall@10": Interval(0.62, 0.58, 0.66, 1986)},
)  # fmt: skip
_LIKE = {"questions": 1986, "k": "10"}


def _found(value: str, **changed: object) -> object:
    number = claimed(value, measure="recall@10", counts="evidence-found")
    sheet = claim_sheet(number, **({"version": "2.3.0", "setting": _LIKE} | changed))
    return beside_run(sheet, number, _RUN)


def test_like_numbers_are_compared_by_the_interval() -> None:
    """With product, version, dataset, measure, k and questions alike, the interval of the run decides."""
    assert _found("65.9").verdict is ClaimVerdict.AGREES  # type: ignore[attr-defined] # a finding
    assert _found("66.1").verdict is ClaimVerdict.DIFFERS  # type: ignore[attr-defined] # a finding


def test_judged_answers_are_not_retrieval() -> None:
    """A share of answers that a judge accepted is never set against a share of evidence that was found."""
    finding = beside_run(claim_sheet(), claimed(), _RUN)
    assert finding.verdict is ClaimVerdict.NOT_COMPARABLE
    assert (
        "it counts answers that a judge accepted, the run counts evidence among what was returned"
        in finding.reason
    )


def test_every_hindrance_is_named() -> None:
    """What is not stated and what differs is said, one after the other."""
    number = claimed("60.3", measure="R@10", counts="evidence-found")
    sheet = claim_sheet(number, setting={"questions": 1540, "k": "not stated"})
    reason = beside_run(sheet, number, _RUN).reason
    assert "its version is not stated" in reason
    assert "it counts 1,540 questions, the run 1,986" in reason
    assert "its measure is R@10" in reason
    assert "its k is not stated" in reason


def test_what_is_not_comparable_keeps_the_run_beside() -> None:
    """The run is named, so that a reader finds it."""
    assert beside_run(claim_sheet(), claimed(), _RUN).basis == "our run larder-e5"
