"""The ladder: each rung is given for what was done, and taken away as the rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memgauge.submissions.levels import COMPLIANCE, Level, reached_level
from memgauge.submissions.sheets.registry import ProductSheet
from memgauge.submissions.sheets.submission import SubmissionSheet
from memgauge.submissions.sheets.verdicts import ObjectionSheet, VerificationSheet

if TYPE_CHECKING:
    from memgauge.submissions.levels import ReachedLevel

RUN = {"dataset": "synthetic:small@93db5d1b1a89", "sha256": "0" * 64, "questions": 331, "errors": 0}


def sheet(seeds: int = 3, plan: str = "a" * 64, relation: str = "none", **more: Any) -> SubmissionSheet:
    """A submission with so many runs of one dataset."""
    return SubmissionSheet.model_validate(
        {
            "schema": SubmissionSheet.SCHEMA,
            "id": "larder-2.3.0/20270114-ann-default",
            "product": "larder",
            "version": "2.3.0",
            "label": "larder",
            "rules": "2027.1",
            "division": "closed",
            "category": "open-source",
            "lane": "lexical",
            "contract": "synthetic-small-tokens",
            "submitter": {"github": "ann", "relation": relation},
            "adapter": {"repo": "ann/larder", "commit": "a" * 40, "licence": "MIT"},
            "reproduce": "memgauge results reproduce .",
            "plan": plan,
            "tuned_on": [],
            "calls_per_question": {"search": 1, "model": 0},
            "licence": "CC0-1.0",
            "sign_off": "ann",
            "runs": [
                {**RUN, "seed": n, "bundle": f"bundles/{n}.zip", "sha256": f"{n:064x}"} for n in range(seeds)
            ],
            **more,
        }
    )


def product(*, own: bool = False) -> ProductSheet:
    """A product."""
    return ProductSheet.model_validate(
        {
            "schema": ProductSheet.SCHEMA,
            "name": "larder",
            "title": "Larder",
            "vendor": "Larder",
            "licence": "MIT",
            "home": "larder/larder",
            "role": "product",
            "category": "open-source",
            "own": own,
            "consent": "informed",
        }
    )


def verification(
    level: int = 3, outcome: str = "agrees", on: str = "2027-01-20", **more: Any
) -> VerificationSheet:
    """What Bob did."""
    paired = {
        "measure": "Recall@10",
        "difference": 0.0,
        "interval": [-0.01, 0.01],
        "margin": 0.02,
        "questions": 240,
    }
    return VerificationSheet.model_validate(
        {
            "schema": VerificationSheet.SCHEMA,
            "submission": "larder-2.3.0/20270114-ann-default",
            "level": level,
            "by": {"github": "bob", "relation": "none"},
            "on": on,
            "command": "memgauge results reproduce .",
            "same_lock": True,
            "outcome": outcome,
            "paired": None if outcome == "could-not-run" else paired,
            **more,
        }
    )


def reached(
    *verifications: VerificationSheet, recomputed: bool = True, own: bool = False, **more: Any
) -> ReachedLevel:
    """Where a submission of three runs stands."""
    objections = more.pop("objections", ())
    return reached_level(
        sheet(**more), product(own=own), recomputed=recomputed, verifications=verifications, objections=objections
    )


def test_without_recomputing_nothing_is_verified() -> None:
    """Neither repetitions nor audits lift what does not hold by itself."""
    assert reached(verification(), verification(4), recomputed=False).level is Level.CLAIMED


@pytest.mark.parametrize(("more", "level"), [({"seeds": 2}, 1), ({"plan": ""}, 1), ({}, 2)])
def test_three_planned_runs_are_repeated(more: dict[str, Any], level: int) -> None:
    """Two are not, nor are three that no plan announced."""
    assert reached(**more).level == level


def test_a_cell_of_the_plan_without_a_run_is_no_repetition() -> None:
    """Runs that were chosen are not repeated."""
    failed = [{"dataset": "synthetic:small", "seed": 9, "why": "it crashed"}]
    assert reached(failed=failed).level is Level.RECOMPUTED


def test_somebody_unrelated_reproduces() -> None:
    """That is the third rung, and the row says who."""
    stands = reached(verification())
    assert stands.level is Level.REPRODUCED
    assert not stands.caution
    assert "bob" in stands.marks[0]


def test_the_same_hands_are_said() -> None:
    """A repetition by the submitter counts where they have no interest, and is marked."""
    own_hands = verification(by={"github": "ann", "relation": "submitter"})
    stands = reached(own_hands)
    assert stands.level is Level.REPRODUCED
    assert "same hands" in stands.marks[0]
    assert reached(own_hands, relation="vendor").level is Level.REPEATED


def test_the_same_hands_are_the_same_in_capitals() -> None:
    """A handle is one person's however it is spelt, whatever relation the sheet says."""
    stands = reached(verification(by={"github": "ANN", "relation": "none"}))
    assert "same hands" in stands.marks[0]


def test_nobody_audits_what_they_submitted() -> None:
    """Whatever relation the sheet says."""
    whole = dict.fromkeys(COMPLIANCE, "as-it-must-be")
    stands = reached(verification(), verification(5, compliance=whole, by={"github": "Ann", "relation": "none"}))
    assert stands.level is Level.REPRODUCED
    assert "audited by Ann (submitter)" in stands.marks[-1]


@pytest.mark.parametrize("relation", ["vendor", "competitor"])
def test_those_with_an_interest_do_not_reproduce(relation: str) -> None:
    """Neither the vendor nor a competitor gives the third rung."""
    assert reached(verification(by={"github": "bob", "relation": relation})).level is Level.REPEATED


def test_another_lock_reproduces_something_else() -> None:
    """The pinned thing has to be played."""
    assert reached(verification(same_lock=False)).level is Level.REPEATED


def test_a_later_run_that_differs_takes_the_rung_away() -> None:
    """In whatever order the sheets are read."""
    differs = verification(outcome="differs", on="2027-02-01")
    assert reached(differs, verification()).level is Level.REPEATED
    assert reached(verification(on="2027-03-01"), differs).level is Level.REPRODUCED


def test_our_own_pipeline_is_verified_by_others_alone() -> None:
    """Its authors' repetition and their audit count for nothing."""
    ours = {"github": "memgauge", "relation": "memgauge-author"}
    assert reached(verification(by=ours), own=True).level is Level.REPEATED
    everything = dict.fromkeys(COMPLIANCE, "as-it-must-be")
    audited = verification(5, by=ours, compliance=everything)
    assert reached(verification(), audited, own=True).level is Level.REPRODUCED
    assert reached(verification(), audited).level is Level.REPRODUCED  # an audit is given by the unrelated


def test_ci_and_reproduction_are_shown_both() -> None:
    """They are not ordered."""
    assert reached(verification(4)).level is Level.RUN_IN_CI
    both = reached(verification(4), verification())
    assert both.level is Level.REPRODUCED
    assert both.name == "reproduced and run in CI"
    audit = verification(5, compliance=dict.fromkeys(COMPLIANCE, "as-it-must-be"))
    assert reached(verification(4), verification(), audit).name == "audited and run in CI"


def test_a_lock_that_no_longer_installs_says_since_when() -> None:
    """The rung is lost, and its day stays."""
    stands = reached(verification(4), verification(4, "could-not-run", "2027-06-01"))
    assert stands.level is Level.REPEATED
    assert stands.marks == ("was run in CI on 2027-01-20; its lock no longer installs",)


def test_an_audit_needs_every_compliance_test() -> None:
    """One that is open keeps the rung away, and is named."""
    most = dict.fromkeys(COMPLIANCE[1:], "as-it-must-be")
    assert COMPLIANCE[0] in " ".join(reached(verification(), verification(5, compliance=most)).marks)
    every = most | {COMPLIANCE[0]: "as-it-must-be"}
    assert reached(verification(), verification(5, compliance=every)).level is Level.AUDITED
    assert reached(verification(5, compliance=every)).level is Level.REPEATED  # 3 or 4 come first


def objection(**more: Any) -> ObjectionSheet:
    """Eve's objection."""
    decided = {"decided_on": "2027-02-20", "decided_by": ["carl", "dora"]} if more.get("decision") else {}
    return ObjectionSheet.model_validate(
        {
            "schema": ObjectionSheet.SCHEMA,
            "number": 1,
            "submission": "larder-2.3.0/20270114-ann-default",
            "rule": "One plan",
            "by": "eve",
            "claim": "A seed is missing.",
            "raised_on": "2027-02-01",
            **decided,
            **more,
        }
    )


def test_an_objection_that_was_upheld_lowers_the_level() -> None:
    """One that is open is shown and lowers nothing."""
    open_ = reached(verification(), objections=[objection()])
    assert open_.level is Level.REPRODUCED
    assert "objection 1 is open: One plan" in open_.marks
    lowered = reached(verification(), objections=[objection(decision="level-lowered", level=1)])
    assert lowered.level is Level.RECOMPUTED
    assert lowered.caution


def test_objections_are_read_in_the_order_of_their_numbers() -> None:
    """The deepest fall stands, whichever was decided last."""
    deep = objection(number=2, decision="level-lowered", level=0)
    shallow = objection(number=10, decision="level-lowered", level=2)
    lowered = reached(verification(), objections=[shallow, deep])
    assert lowered.level is Level.CLAIMED
    assert lowered.marks[-2:] == ("lowered by objection 2: One plan", "lowered by objection 10: One plan")


def test_agreement_is_equivalence_and_not_silence() -> None:
    """A sheet that says 'agrees' with an interval that leaves the margin is refused."""
    paired = {"measure": "R", "difference": 0.0, "interval": [-0.03, 0.03], "margin": 0.02, "questions": 9}
    with pytest.raises(ValueError, match="no paired interval lies within"):
        verification(paired=paired)


def test_every_rung_says_what_the_next_one_needs() -> None:
    """But for the last."""
    assert reached().missing
    assert reached(seeds=1).missing
    assert reached(recomputed=False).missing


def test_one_bundle_under_three_seeds_is_one_run() -> None:
    """Nothing was repeated."""
    copies = [{**RUN, "seed": n, "bundle": f"bundles/{n}.zip"} for n in range(3)]
    assert reached_level(sheet(), product(), recomputed=True).level is Level.REPEATED
    assert reached_level(sheet(runs=copies), product(), recomputed=True).level is Level.RECOMPUTED
