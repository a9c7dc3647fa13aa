"""What an instance has to be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.curation.record import MisleadingEvent
from memgauge.studies.track.curation.review import review, switches
from memgauge.studies.track.timeline.lint import LintLevel
from memgauge.studies.track.timeline.models import Timeline
from support.track.curation import shipped

if TYPE_CHECKING:
    from collections.abc import Callable

ROLES = {
    "e05": MisleadingEvent(kind="distractor"),
    "e11": MisleadingEvent(kind="counterfactual", superseded_by="e26"),
}


def changed(change: Callable[[dict[str, Any]], Any]) -> Timeline:
    """Return a finished instance with one thing about it different."""
    data = json.loads(shipped())
    change(data)
    return Timeline.model_validate(data)


def test_a_finished_instance_has_no_findings() -> None:
    """Nothing to say, and its hardest question changes the platform more than thrice."""
    timeline = changed(lambda data: None)
    assert review(timeline, ROLES) == ()
    assert switches(timeline.questions[0], timeline) == 6


def _keep(*kinds: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        data["events"] = [event for event in data["events"] if event["payload"]["kind"] in kinds]
        known = {event["id"] for event in data["events"]}
        for question in data["questions"]:
            question["evidence"] = [name for name in question["evidence"] if name in known]

    return change


def _question(number: int, **fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["questions"][number].update(fields)


@pytest.mark.parametrize(
    ("change", "code", "level"),
    [
        (_keep("message"), "platforms", LintLevel.ERROR),
        (_keep("message"), "entropy", LintLevel.WARNING),
        (_keep("message"), "heterophily", LintLevel.WARNING),
        (_keep("message"), "few-events", LintLevel.WARNING),
        (_question(0, hops=4), "hops", LintLevel.ERROR),
        (_question(0, evidence=["e09", "e16", "e22"]), "hops", LintLevel.ERROR),
        (_question(1, evidence=[]), "no-evidence", LintLevel.ERROR),
        (_question(1, guide=" "), "no-guide", LintLevel.ERROR),
        (_question(1, hops=7), "guide-steps", LintLevel.WARNING),
        (_question(1, evidence=["e02"]), "guide-evidence", LintLevel.WARNING),
        (_question(2, text="Is it 212?"), "told", LintLevel.ERROR),
        (_question(2, answer="It was a great many of them by what we saw"), "free-text", LintLevel.WARNING),
        (_question(2, answer="4711"), "unseen", LintLevel.WARNING),
        (_question(2, source="unknown"), "source", LintLevel.WARNING),
        (_question(2, answer="unknown"), "unanswerable", LintLevel.ERROR),
        (lambda data: data.update(questions=data["questions"][:1]), "no-follow-up", LintLevel.WARNING),
    ],
)
def test_what_is_missing_is_said(change: Callable[[dict[str, Any]], Any], code: str, level: LintLevel) -> None:
    """Every demand has its finding."""
    found = {one.code: one.level for one in review(changed(change), ROLES)}
    assert found[code] is level


@pytest.mark.parametrize(
    ("roles", "code"),
    [
        ({}, "no-distractor"),
        ({}, "no-counterfactual"),
        ({"e99": MisleadingEvent(kind="distractor")}, "role"),
        ({"e11": MisleadingEvent(kind="counterfactual", superseded_by="e99")}, "role"),
        ({"e11": MisleadingEvent(kind="counterfactual", superseded_by="e10")}, "not-superseded"),
        ({"e11": MisleadingEvent(kind="counterfactual")}, "not-superseded"),
        ({"e26": MisleadingEvent(kind="distractor")}, "role"),
        ({"e26": MisleadingEvent(kind="distractor")}, "distractor-tells"),
    ],
)
def test_what_misleads_has_to_be_marked_right(roles: dict[str, MisleadingEvent], code: str) -> None:
    """A correction comes later, and a distractor decides nothing."""
    assert code in {one.code for one in review(changed(lambda data: None), roles)}


def test_nothing_at_all_is_reviewed_too() -> None:
    """An empty instance has findings and raises nothing."""
    empty = Timeline.model_validate(
        {"name": "none", "events": [], "questions": [{"id": "q", "text": "What?", "answer": "this"}]}
    )
    assert {"no-events", "platforms", "hops"} <= {one.code for one in review(empty, {})}
