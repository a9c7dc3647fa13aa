"""The same conversations under ids that say nothing: not what, not where, not in which order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from memgauge.datasets.changed.entry import CaseWithGold
from memgauge.records import Case, Conversation, Evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.records import Gold


@dataclass(frozen=True)
class RenamedIds:
    """Names turns, sessions, conversations and questions by hashes."""

    seed: int = 0

    def entry(self, entry: CaseWithGold) -> CaseWithGold:
        """Give everything in a conversation another id."""
        old = entry.conversation
        name = partial(self._name, old.id)
        session_name, turn_name, question_name = (partial(name, kind) for kind in ("session", "turn", "question"))
        sessions = tuple(
            replace(
                session,
                id=session_name(session.id),
                turns=tuple(
                    replace(turn, id=turn_name(turn.id), session=session_name(turn.session))
                    for turn in session.turns
                ),
            )
            for session in old.sessions
        )
        conversation = Conversation(name("conversation", ""), sessions)
        questions = tuple(
            replace(
                question,
                id=question_name(question.id),
                conversation=conversation.id,
                after_session=question.after_session and session_name(question.after_session),
            )
            for question in entry.case.questions
        )
        golds = tuple(
            _renamed(replace(gold, question=question_name(gold.question)), turn_name, session_name)
            for gold in entry.golds
        )
        return CaseWithGold(Case(conversation, questions), golds)

    def _name(self, conversation: str, kind: str, old: str) -> str:
        text = "\0".join((str(self.seed), conversation, kind, old))
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _renamed(gold: Gold, turn: Callable[[str], str], session: Callable[[str], str]) -> Gold:
    return replace(
        gold,
        evidence=tuple(_evidence(each, turn) for each in gold.evidence),
        sessions=tuple(map(session, gold.sessions)),
        stale=None if gold.stale is None else tuple(map(turn, gold.stale)),
        decoys=tuple(map(turn, gold.decoys)),
    )


def _evidence(old: Evidence, turn: Callable[[str], str]) -> Evidence:
    """Rename the turns of an entry; the entry itself is written anew where it was an id, and where it was none."""
    turns = tuple(map(turn, old.turns))
    raw = " ".join(turns) or turn(old.raw)
    return Evidence(raw if old.raw in old.turns or not old.exact else old.raw, old.exact, turns)
