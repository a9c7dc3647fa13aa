"""What the document demands of an instance before anybody is scored with it, as far as rules can tell."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from memgauge.studies.track.curation.says import says, unseen_anywhere
from memgauge.studies.track.scoring.spelling import dated, holds, words
from memgauge.studies.track.scoring.verdicts import by_rules
from memgauge.studies.track.timeline.lint import LintFinding, error, lint, warning
from memgauge.studies.track.timeline.models import EVENT_PLATFORMS, EvidenceSource
from memgauge.studies.track.timeline.statistics import entropy_bits, heterophily

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.studies.track.curation.record import MisleadingEvent
    from memgauge.studies.track.timeline.models import HiddenQuestion, Timeline

HOPS, SWITCHES, PLATFORMS = 5, 3, 3
"""At least, of the hardest question. Source: MEMTRACK, A.1.1."""
EVENTS = 25
"""At least; less is read in one go."""
ENTROPY_BITS, HETEROPHILY = 0.668, 0.364
"""Means of Table 1."""
_STEP = re.compile(r"^\d+\. ", re.MULTILINE)


def review(
    timeline: Timeline, roles: Mapping[str, MisleadingEvent], beside: Path | None = None
) -> tuple[LintFinding, ...]:
    """Look at one instance; *beside* is the folder that the path of its repository starts from."""
    findings = [*lint(timeline), *_shape(timeline, roles), *_roles(timeline, roles)]
    for question in timeline.questions:
        findings += _question(question, timeline, beside)
    return tuple(
        finding for finding in findings if finding.code != "not-observable"
    )  # "unseen" looks into files as well


def switches(question: HiddenQuestion, timeline: Timeline) -> int:
    """Count how often the platform changes on the way through the evidence."""
    path = [timeline.event(name).platform for name in question.evidence]
    return sum(platform is not next_platform for platform, next_platform in pairwise(path))


def _shape(timeline: Timeline, roles: Mapping[str, MisleadingEvent]) -> Iterator[LintFinding]:
    platforms = [event.platform for event in timeline.events]
    counts = [platforms.count(platform) for platform in EVENT_PLATFORMS]
    platform_count = sum(map(bool, counts))
    if platform_count < PLATFORMS:
        yield error(
            "platforms", timeline.name, f"events are on {platform_count} platforms, and {PLATFORMS} are needed"
        )
    if not any(_hard(question, timeline) for question in timeline.questions):
        message = (
            f"no question takes {HOPS} hops and {SWITCHES} changes of platform with evidence from all of them"
        )
        yield error("hops", timeline.name, message)
    if len(timeline.events) < EVENTS:
        yield warning("few-events", timeline.name, f"{len(timeline.events)} events, and {EVENTS} are wanted")
    bits, heterophily_value = entropy_bits(counts), heterophily(timeline.events).value
    if bits < ENTROPY_BITS:
        message = f"platform entropy is {bits:.3f} bits, below the mean of Table 1 ({ENTROPY_BITS})"
        yield warning("entropy", timeline.name, message)
    if heterophily_value < HETEROPHILY:
        message = f"heterophily is {heterophily_value:.3f}, below the mean of Table 1 ({HETEROPHILY})"
        yield warning("heterophily", timeline.name, message)
    if len(timeline.questions) == 1:
        yield warning("no-follow-up", timeline.name, "one question; follow-ups are what tests a memory")
    kinds = [role.kind for role in roles.values()]
    for kind in ("distractor", "counterfactual"):
        if kind not in kinds:
            yield warning(f"no-{kind}", timeline.name, f"no event is marked as a {kind}")


def _hard(question: HiddenQuestion, timeline: Timeline) -> bool:
    platforms = {timeline.event(name).platform for name in question.evidence}
    deep = (question.hops or 0) >= HOPS and switches(question, timeline) >= SWITCHES
    return deep and len(platforms) >= PLATFORMS


def _question(question: HiddenQuestion, timeline: Timeline, beside: Path | None) -> Iterator[LintFinding]:
    where = f"{timeline.name} {question.id}"
    if not question.evidence:
        yield error("no-evidence", where, "nobody has said which events answer it")
    steps = len(_STEP.findall(question.guide))
    if not question.guide.strip():
        yield error("no-guide", where, "nobody has written how a person verifies the answer")
    elif steps != question.hops:
        yield warning("guide-steps", where, f"{steps} steps in the guide, and {question.hops} hops are said")
    untold = [name for name in question.evidence if not re.search(rf"\b{re.escape(name)}\b", question.guide)]
    if question.guide.strip() and untold:
        yield warning("guide-evidence", where, f"the guide does not name {', '.join(untold)}")
    if holds(words(dated(question.text)), words(dated(question.answer))):
        yield error("told", where, "the question holds its answer")
    if by_rules(f"It is {question.answer}", question.answer).score is None:
        yield warning("free-text", where, "the answer is free text, which only a judge can score")
    if question.source is EvidenceSource.UNKNOWN:
        yield warning("source", where, "nobody has said whether events or the code base answer it")
    unseen_parts = unseen_anywhere(question, timeline, beside)
    if unseen_parts:
        reason = (
            f"neither events nor files hold {', '.join(map(repr, unseen_parts))}: counted, concluded, or a mistake"
        )
        yield warning("unseen", where, reason)


def _roles(timeline: Timeline, roles: Mapping[str, MisleadingEvent]) -> Iterator[LintFinding]:
    order = {event.id: number for number, event in enumerate(timeline.events)}
    evidence_ids = {name for question in timeline.questions for name in question.evidence}
    for name, role in roles.items():
        where = f"{timeline.name} {name}"
        if name not in order or (role.superseded_by and role.superseded_by not in order):
            yield error("role", where, "its role names an event that is not there")
            continue
        correction = order.get(role.superseded_by, -1)
        if role.kind == "counterfactual" and correction <= order[name]:
            yield error("not-superseded", where, "no later event corrects what it says")
        if role.kind == "distractor" and name in evidence_ids:
            yield error("role", where, "a distractor is evidence of a question")
        for question in timeline.questions:
            if role.kind == "distractor" and says(timeline.event(name), question.answer):
                yield warning("distractor-tells", where, f"a distractor says the answer of {question.id}")
