"""LongMemEval's own files: retrieval logs, hypotheses, and hypotheses that its judge has labelled, one a line.

Items are named ``<session>`` or ``<session>_<turn>``; the log writes ``noans`` for sessions whose id would give
the evidence away in full. Both are mapped to our ids; what cannot be mapped has no lineage, and is counted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.longmemeval.dataset import LongMemEval
from memgauge.errors import ConfigError
from memgauge.exchange.reading import expect, read_lines
from memgauge.exchange.trace import NO_VERDICT, TWICE, Joining, TracedMemory
from memgauge.exchange.verdicts import verdict_of
from memgauge.records import Form, Lineage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.exchange.trace import FileLocation, JoinedDataset

_TURN = re.compile(r"(?P<session>.+?)_(?P<turn>\d{1,9})")
_WORDS: Final = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
NO_ID = "an item names no session of the dataset"


def read_longmemeval(path: Path, target: JoinedDataset) -> Joining:
    """Read a log of retrieval, a file of hypotheses, or one file with both.

    Raises:
        ConfigError: The dataset is not LongMemEval.
        MalformedDataError: A line is no JSON object, or a field has another type.
    """
    dataset = target.dataset
    if not isinstance(dataset, LongMemEval):
        raise ConfigError(
            f"{dataset.identity.ref} is not LongMemEval.", "Name its file: --dataset longmemeval:PATH."
        )
    sessions = dict(dataset.official_sessions())
    turns = _turns(target)
    joining = Joining(target, searched=False)
    for place, row in read_lines(path):
        joining.saw(row)
        question = joining.find(place, str(row.get("question_id", "")), str(row.get("question", "")))
        if question is None:
            continue
        items: list[TracedMemory] | None = None
        if "retrieval_results" in row:
            joining.searched = True
            where = replace(place, field="retrieval_results")
            ranked_items = expect(row["retrieval_results"], dict, where).get("ranked_items")
            home = question.conversation
            where = replace(place, field="retrieval_results.ranked_items")
            items = [
                _item(item_row, sessions[home], turns[home], replace(where, field=f"{where.field}[{number}]"))
                for number, item_row in enumerate(expect(ranked_items, list, where))
            ]
            if anonymous_ids := {item.id for item in items if item.lineage is Lineage.ABSENT}:
                joining.dropped[NO_ID] += len(anonymous_ids)
            joining.note(TWICE, len({item.id for item in items}) < len(items))
            items = list({item.id: item for item in reversed(items)}.values())[::-1]
        verdict, judge = _label(row.get("autoeval_label"), replace(place, field="autoeval_label"))
        joining.note(NO_VERDICT, "autoeval_label" in row and verdict is None)
        joining.answer(question, items, place=place, reply=row.get("hypothesis"), verdict=verdict, judge=judge)
    return joining


def _label(label: Any, place: FileLocation) -> tuple[bool | None, str]:
    """Read what a judge said, which its prompt asks for a yes or a no, and its name."""
    if label is None:
        return None, ""
    judgement = expect(label, dict, place)
    verdict = verdict_of(judgement.get("label"), _WORDS, replace(place, field="autoeval_label.label"))
    return verdict, str(judgement.get("model", ""))


def _turns(target: JoinedDataset) -> dict[str, dict[str, list[str]]]:
    """Return the turns of every session in order, by conversation and session."""
    return {
        key: {session.id: [turn.id for turn in session.turns] for session in conversation.sessions}
        for key, conversation in target.conversations.items()
    }


def _item(
    row: Any, sessions: Mapping[str, str], turns: Mapping[str, list[str]], place: FileLocation
) -> TracedMemory:
    name = str(expect(row, dict, place).get("corpus_id", ""))
    text = row.get("text")
    session = name.replace("noans", "answer")
    sources: tuple[str, ...] = ()
    if session in sessions:
        sources = tuple(turns[sessions[session]])
    elif (match := _TURN.fullmatch(session)) and match["session"] in sessions:
        order = turns[sessions[match["session"]]]
        number = int(match["turn"])
        sources = (order[number - 1],) if 1 <= number <= len(order) else ()
    lineage = Lineage.DECLARED if sources else Lineage.ABSENT
    return TracedMemory(
        _anonymous(name, sources), None if text is None else str(text), sources, Form.UNKNOWN, lineage
    )


def _anonymous(name: str, sources: tuple[str, ...]) -> str:
    """Name an item by our ids, which do not give evidence away."""
    if not sources:
        return f"unknown:{name}"
    return sources[0] if len(sources) == 1 else sources[0].partition(":")[0]
