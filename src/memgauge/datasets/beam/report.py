"""What a reader should check before believing a score on BEAM."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from memgauge.datasets.beam.convert import turns_by_id, without_marker
from memgauge.datasets.tally import tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.beam.convert import Chat
    from memgauge.records import Case, Gold


def report(chats: Iterable[Chat], identity: DatasetIdentity) -> Mapping[str, object]:
    """Count *chats* in one pass, and name what is odd about them, as JSON-ready data."""
    total: Counter[str] = Counter()
    named: defaultdict[str, list[str]] = defaultdict(list)

    def counted(chat: Chat) -> tuple[Case, tuple[Gold, ...]]:
        _count_chat(chat, total, named)
        _count_gold(chat, total, named)
        return chat.case, chat.golds

    counts = tally(map(counted, chats), identity)
    return {**counts, **{name: total[name] for name in _COUNTED}, **{name: named[name] for name in _NAMED}}


def _count_chat(chat: Chat, total: Counter[str], named: defaultdict[str, list[str]]) -> None:
    key = chat.case.conversation.id
    if chat.written.truncated:
        named["truncated_chats"].append(key)
    for session in chat.case.conversation.sessions:
        if session.at is None:
            named["undated_sessions"].append(f"{key}/{session.id}")
        named["empty_turns"] += [f"{key}/{turn.id}" for turn in session.turns if not turn.text]
    for raw, turns in turns_by_id(chat.written.batches).items():
        if len(turns) > 1:
            named["repeated_message_ids"].append(f"{key}/{raw}: {', '.join(turns)}")
    for batch in chat.written.batches:
        total["markers_cut"] += sum(without_marker(m.content) != m.content for m in batch.messages)


def _count_gold(chat: Chat, total: Counter[str], named: defaultdict[str, list[str]]) -> None:
    total["facts"] += len(chat.facts)
    known = turns_by_id(chat.written.batches)
    roles = {turn.id: turn.role for turn in chat.case.conversation.turns()}
    for gold, (_, probe) in zip(chat.golds, chat.written.probes, strict=True):
        total["rubric_items"] += len(probe.rubric)
        total["rubric_answers"] += gold.rubric
        total["evidence"] += len(gold.evidence)
        total["evidence_resolved"] += sum(evidence.exact for evidence in gold.evidence)
        total["evidence_of_assistant"] += sum(roles[t] == "assistant" for e in gold.evidence for t in e.turns)
        for evidence in gold.evidence:
            if not evidence.exact:
                fault = "ambiguous_evidence" if evidence.raw in known else "dangling_evidence"
                named[fault].append(f"{gold.question}: {evidence.raw}")
        if not (gold.evidence or gold.abstain):
            named["without_evidence"].append(gold.question)
        total["updates_with_versions"] += bool(gold.stale)
        if not gold.answers:
            named["without_answer"].append(gold.question)


_COUNTED = (
    "markers_cut",
    "rubric_items",
    "rubric_answers",
    "evidence",
    "evidence_resolved",
    "evidence_of_assistant",
    "updates_with_versions",
    "facts",
)
_NAMED = (
    "truncated_chats",
    "undated_sessions",
    "empty_turns",
    "repeated_message_ids",
    "ambiguous_evidence",
    "dangling_evidence",
    "without_evidence",
    "without_answer",
)
