"""Who labels cases: people, judges (models) and heuristics, which decide apart and never outvote each other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from memgauge.llm.judges.rubrics import OPEN, SUPPORT, decide
from memgauge.studies.targets.semantic.labels import PERSON
from memgauge.studies.targets.semantic.proxies import PROXIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.targets.semantic.labels import CaseLabel

PEOPLE, JUDGES, HEURISTICS = "people", "judges", "heuristics"
GROUPS = (PEOPLE, JUDGES, HEURISTICS)
"""From those who are believed first to those who only count words."""


def group_of(rater: str) -> str:
    """Say of which group a rater is."""
    return PEOPLE if rater.startswith(PERSON) else HEURISTICS if rater in PROXIES else JUDGES


def grouped(raters: Iterable[str]) -> dict[str, list[str]]:
    """Return the raters of every group that has any, in the order of groups."""
    members = sorted(set(raters))
    by_group = {group: [rater for rater in members if group_of(rater) == group] for group in GROUPS}
    return {group: names for group, names in by_group.items() if names}


def votes_by_case(labels: Iterable[CaseLabel], group: str) -> dict[str, list[str]]:
    """Return what the raters of a group said of every case that any of them labelled."""
    votes: defaultdict[str, list[str]] = defaultdict(list)
    for label in labels:
        if group_of(label.judge) == group:
            votes[label.case].append(label.label)
    return dict(votes)


def decided_by(group: str, labels: Iterable[CaseLabel], quorum: int = 1) -> dict[str, str]:
    """Return what the majority of a group says of every case that any of it labelled; one person is enough."""
    least = 1 if group == PEOPLE else quorum
    return {case: str(decide(votes, least)) for case, votes in votes_by_case(labels, group).items()}


def decided(labels: Sequence[CaseLabel], quorum: int = 1) -> dict[str, str]:
    """Return the label of every case: by people where they said anything, else by judges, else by heuristics."""
    decisions: dict[str, str] = {}
    for group in reversed(GROUPS):
        votes = votes_by_case(labels, group)
        for case, decision in decided_by(group, labels, quorum).items():
            if case not in decisions or not OPEN.issuperset(votes[case]):
                decisions[case] = decision
    return decisions


def ties_down(group: str, labels: Sequence[CaseLabel], quorum: int = 1) -> dict[str, str]:
    """Return what a group decides where every tie is decided for the lower support."""
    votes = votes_by_case(labels, group)
    return {case: _lower(votes[case], decision) for case, decision in decided_by(group, labels, quorum).items()}


def _lower(votes: Sequence[str], decision: str) -> str:
    valid_votes = [vote for vote in votes if vote not in OPEN]
    if decision not in OPEN or not valid_votes:
        return decision
    most_votes = max(map(valid_votes.count, valid_votes))
    return [grade for grade in SUPPORT.grades if valid_votes.count(grade) == most_votes][-1]


def voices(labels: Sequence[CaseLabel], quorum: int = 1) -> Mapping[str, Mapping[str, str]]:
    """Return what each group says by its majority or its only rater, whom to believe first at the top."""
    decisions = {}
    for group, raters in grouped(label.judge for label in labels).items():
        name = group if len(raters) > 1 else raters[0]
        decisions[name] = decided_by(group, labels, quorum)
    return decisions
