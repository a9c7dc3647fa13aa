"""Boards of checks: what must never go wrong, counted by family and named; isolation and erasure pass or fail."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.scoring.standing import STAND_IN
from memgauge.submissions.boards.board import CheckedRow
from memgauge.submissions.boards.heads import empty_board, head_of
from memgauge.systems.conformance.aspects import ClaimState, aspects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.submissions.boards.board import ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.sheets.registry import BoardSheet, LaneSheet
    from memgauge.systems.conformance.card import Golden, SystemCard

ISOLATION: Final = ("isolation", "erase a scope", "nothing left after erasing")
"""Aspects of a card that pass or fail, a failure of which is a banner on all other boards."""
LAG: Final = ("write to readable",)
_STATES: Final = {
    ClaimState.KEPT: "kept",
    ClaimState.BROKEN: "broken",
    ClaimState.NOTED: "noted",
    ClaimState.ABSENT: "not offered",
    ClaimState.UNKNOWN: "not looked at",
}


def checked_board(sheet: BoardSheet, lane: LaneSheet, entrants: Iterable[Entrant]) -> ResultsBoard:
    """Make a board of what cards say."""
    wanted = {"golden": (), "isolation": ISOLATION, "lag": LAG}[sheet.kind]
    rows = [_row(each, card, wanted) for each, card in _standing(sheet, lane, entrants)]
    return replace(
        empty_board(sheet, lane),
        plumbing=False,
        checked=tuple(
            sorted(rows, key=lambda row: (row.head.own, row.head.title.casefold(), row.head.submission))
        ),
    )


def _standing(
    sheet: BoardSheet, lane: LaneSheet, entrants: Iterable[Entrant]
) -> Iterator[tuple[Entrant, SystemCard]]:
    """Yield every product and version once, with its card: that is of these, and not of a setting."""
    seen = set[tuple[str, str]]()
    for each in sorted(entrants, key=lambda each: (each.sheet.lane != sheet.lane, each.sheet.day, each.id)):
        key = each.sheet.product, each.sheet.version
        if each.card is None or each.gone or each.division != sheet.division or key in seen:
            continue
        if _kind_of(each.card, each) in {lane.kind, "lexical"}:
            seen.add(key)
            yield each, each.card


def _kind_of(card: SystemCard, entrant: Entrant) -> str:
    """Say on which kind of lane a card was played: it names its stand-ins, whatever lane its runs are in."""
    named = (*(card.capabilities.get("stand_ins") or ()), *card.interventions)
    return "scripted" if any(STAND_IN in str(text) for text in named) else entrant.lane.kind


def _row(entrant: Entrant, card: SystemCard, wanted: Sequence[str]) -> CheckedRow:
    looked = {aspect.name: aspect for aspect in aspects(card) if aspect.name in wanted}
    golden = card.golden
    scenarios, anomalies = _by_family(golden) if golden else ({}, {})
    return CheckedRow(
        head=head_of(entrant),
        states={name: _STATES[aspect.state] for name, aspect in looked.items()},
        said={name: aspect.observed for name, aspect in looked.items()},
        failed={family: len(scenarios[family]) for family in sorted(scenarios)},
        named={family: tuple(sorted(anomalies[family])) for family in sorted(anomalies)},
        verdicts=golden.verdicts if golden else {},
        played=golden.played if golden else 0,
        of=golden.of if golden else 0,
    )


def _by_family(golden: Golden) -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
    """Return the scenarios that show an anomaly, and the anomalies, by what the ids of scenarios begin with."""
    scenarios, anomalies = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for anomaly, shown_by in golden.found.items():
        for scenario in shown_by:
            family = scenario.partition(".")[0]
            scenarios[family].add(scenario)
            anomalies[family].add(anomaly)
    return scenarios, anomalies


def broken(entrants: Iterable[Entrant]) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Name of every product and version what of isolation and erasure is broken, as its card has it."""
    failing = {}
    for each in sorted(entrants, key=lambda each: each.id):
        if each.card is None or each.gone:
            continue
        wrong = [
            aspect
            for aspect in aspects(each.card)
            if aspect.name in ISOLATION and aspect.state is ClaimState.BROKEN
        ]
        if wrong:
            failing[each.sheet.product, each.sheet.version] = tuple(aspect.name for aspect in wrong)
    return failing
