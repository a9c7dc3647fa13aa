"""The same conversations without the turns that questions are answered from, or without some that none needs."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.datasets.changed.entry import CaseWithGold, with_sessions
from memgauge.records import EvidencePolicy

if TYPE_CHECKING:
    from collections.abc import Collection

    from memgauge.records import Gold


@dataclass(frozen=True)
class RemovedEvidence:
    """Takes the evidence of every question away; the right reply is then that nobody says so."""

    def entry(self, entry: CaseWithGold) -> CaseWithGold | None:
        """Remove evidence; nothing is left of a conversation that is nothing else."""
        gone = {turn for gold in entry.golds for turn in gold.anchors(EvidencePolicy.REPAIR)}
        return without(entry, gone)


@dataclass(frozen=True)
class RemovedBystanders:
    """Takes some turns away that nobody asks for, so that everything else stands in other places."""

    seed: int = 0
    share: int = 2
    """Of a hundred turns that are neither evidence, nor stale, nor decoys; at least one."""

    def entry(self, entry: CaseWithGold) -> CaseWithGold | None:
        """Remove bystanders, the first among them: all places change."""
        named = {turn for gold in entry.golds for turn in _named(gold)}
        rest = [turn.id for turn in entry.conversation.turns() if turn.id not in named]
        chance = random.Random(f"{self.seed}/{entry.conversation.id}")  # noqa: S311 - no secret
        gone = chance.sample(rest, min(len(rest), len(rest) * self.share // 100))
        return without(entry, {*rest[:1], *gone})


def _named(gold: Gold) -> tuple[str, ...]:
    return (*gold.anchors(EvidencePolicy.REPAIR), *(gold.stale or ()), *gold.decoys)


def without(entry: CaseWithGold, gone: Collection[str]) -> CaseWithGold | None:
    """Remove turns, sessions that held nothing else, and what gold says of either; ``None`` where nothing is left.

    A question that was asked after a removed session is asked after the last one before it that is left.
    """
    left = tuple(
        replace(session, turns=tuple(turn for turn in session.turns if turn.id not in gone))
        for session in entry.conversation.sessions
    )
    sessions = tuple(session for session in left if session.turns)
    if not sessions:
        return None
    homes: dict[str | None, str | None] = {None: None}
    last = sessions[0].id
    for session in left:
        last = session.id if session.turns else last
        homes[session.id] = last
    asked = tuple(replace(each, after_session=homes[each.after_session]) for each in entry.case.questions)
    present = {session.id for session in sessions}
    golds = tuple(_without(gold, gone, present) for gold in entry.golds)
    remade = with_sessions(entry, sessions)
    return CaseWithGold(replace(remade.case, questions=asked), golds)


def _without(gold: Gold, gone: Collection[str], sessions: Collection[str]) -> Gold:
    stale = None if gold.stale is None else tuple(turn for turn in gold.stale if turn not in gone)
    decoys = tuple(turn for turn in gold.decoys if turn not in gone)
    homes = tuple(each for each in gold.sessions if each in sessions)
    if not set(gone).isdisjoint(gold.anchors(EvidencePolicy.REPAIR)):
        return replace(
            gold, evidence=(), answers=(), raw_answer=None, points=(), abstain=True, sessions=(), stale=stale,
            decoys=decoys,
        )  # fmt: skip
    return replace(gold, sessions=homes, stale=stale, decoys=decoys)
