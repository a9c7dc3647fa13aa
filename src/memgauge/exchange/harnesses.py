"""Result files of other harnesses: Agent Memory Benchmark, and mem0-style JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.provided import provided
from memgauge.exchange.reading import RANK, REMEDY, expect, first, read_json
from memgauge.exchange.trace import NO_VERDICT, UNLISTED, FileLocation, Joining, TracedMemory, TracedQuestion
from memgauge.exchange.verdicts import agreed, verdict_of
from memgauge.records import Form, Lineage, Outcome
from memgauge.runs.layers.answering import SEARCH_FAILED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset
    from memgauge.records import Question

_LISTS: Final = ("memories", "retrieval")
_SPEAKERS: Final = ("speaker_1_memories", "speaker_2_memories")
SPEAKERS: Final = "two lists, one of each speaker: the second one's ranks go on behind the first one's"
_JUDGED: Final = ("judgment", "llm_score")
_RIGHT, _WRONG = ("correct", "true", "1"), ("wrong", "incorrect", "false", "0")
_MEM0: Final = dict.fromkeys(_RIGHT, True) | dict.fromkeys(_WRONG, False)
_AMB: Final = {"true": True, "false": False}
_BLOCK = re.compile(r"(?m)^## Memory (\d{1,9})[^\S\n]*(?:\n|\Z)")
BEFORE: Final = "a context begins with words before its first memory, which are left out"
_DIALOGUE = re.compile(r'"dia_id"\s*:\s*"([^"]+)"')


def read_amb(path: Path, target: JoinedDataset) -> Joining:
    """Read a result file of the Agent Memory Benchmark (``.json`` or ``.json.gz``).

    Its context is one text of blocks in rank order, numbered one by one, or one memory without a heading; the
    dialogue ids inside a block are its lineage, inferred.

    Raises:
        MalformedDataError: It is no such file.
    """
    document = expect(read_json(path), dict, FileLocation(path))
    results = expect(document.get("results"), list, FileLocation(path, field="results"))
    joining = Joining(target)
    judge = str(document.get("judge_llm") or "")
    for number, entry in enumerate(results):
        place = FileLocation(path, field=f"results[{number}]")
        row = expect(entry, dict, place)
        joining.saw(row)
        meta = row.get("meta") or {}
        home = str(meta.get("sample_id", "")) if isinstance(meta, dict) else ""
        question = joining.find(place, str(row.get("query_id", "")), str(row.get("query", "")), home)
        if question is None:
            continue
        context = row.get("context")
        blocks = None
        if context is not None:
            text = expect(context, str, replace(place, field=f"{place.field}.context"))
            before, *parts = _BLOCK.split(text)
            joining.note(BEFORE, bool(parts) and bool(before.strip()))
            _require_counted(parts[::2], replace(place, field=f"{place.field}.context"))
            blocks = _blocks(parts[1::2] or filter(str.strip, [before]), target.turns[question.conversation])
        verdict = verdict_of(row.get("correct"), _AMB, replace(place, field=f"{place.field}.correct"))
        joining.note(NO_VERDICT, "correct" in row and verdict is None)
        joining.answer(question, blocks, place=place, reply=row.get("answer"), verdict=verdict, judge=judge)
    joining.searched = joining.noted[UNLISTED] < len(joining.answers)
    return joining


def _require_counted(numbers: list[str], place: FileLocation) -> None:
    """Refuse headings that leave a number out, or begin at neither 0 nor 1."""
    start = 0 if numbers[:1] == ["0"] else 1
    for expected, number in enumerate(numbers, start):
        if int(number) != expected:
            raise MalformedDataError(
                f"{place}: Memory {number} stands where Memory {expected} is expected.",
                "Number the memories of a context one by one; ranks are not closed up.",
            )


def _blocks(texts: Iterable[str], turns: set[str]) -> Iterator[TracedMemory]:
    for number, text in enumerate(texts, 1):
        sources = tuple(dict.fromkeys(turn for turn in _DIALOGUE.findall(text) if turn in turns))
        lineage = Lineage.INFERRED if sources else Lineage.ABSENT
        yield TracedMemory(f"block {number}", text.strip(), sources, Form.UNKNOWN, lineage)


def read_mem0(path: Path, target: JoinedDataset) -> Joining:
    """Read mem0-style results: a list of questions, or lists of them by conversation; field names vary.

    Raises:
        MalformedDataError: It is neither.
    """
    document = read_json(path)
    groups = document.items() if isinstance(document, dict) else [("", document)]
    joining = Joining(target)
    homes = [case.conversation.id for case in target.cases]
    for name, rows in groups:
        place = FileLocation(path, field=str(name))
        home = homes[int(name)] if RANK.fullmatch(str(name)) and int(name) < len(homes) else str(name)
        for number, entry in enumerate(expect(rows, list, place)):
            where = FileLocation(path, field=f"{name}[{number}]")
            row = expect(entry, dict, where)
            joining.saw(row)
            question_text = str(row.get("question", ""))
            if not question_text:
                raise MalformedDataError(f"{where}: question: it is missing.", REMEDY)
            conversation = home if home in target.conversations else ""
            question = joining.find(where, str(row.get("question_id", "")), question_text, conversation)
            if question is not None:
                _mem0(joining, question, row, where)
    joining.searched = joining.noted[UNLISTED] < len(joining.answers)
    return joining


def _mem0(joining: Joining, question: Question, row: Mapping[str, Any], place: FileLocation) -> None:
    items, reply = _listed(joining, row, place), first(row, "response", "predicted_answer")
    if row.get("error"):
        if items or reply is not None:
            raise MalformedDataError(f"{place}.error: it failed, and has memories or an answer.", REMEDY)
        reason = str(row["error"])
        joining.answers[question.id] = TracedQuestion(
            question.id, (), Outcome.ERROR, reason, failure=SEARCH_FAILED
        )
        return
    verdicts = {
        name: verdict_of(row.get(name), _MEM0, replace(place, field=f"{place.field}.{name}")) for name in _JUDGED
    }
    verdict = agreed(verdicts, place)
    joining.note(NO_VERDICT, verdict is None and any(name in row for name in _JUDGED))
    joining.answer(question, items, place=place, reply=reply, verdict=verdict, judge="mem0")


def _listed(joining: Joining, row: Mapping[str, Any], place: FileLocation) -> list[TracedMemory] | None:
    """Return what was found; of two speakers, one list behind the other, which is told."""
    lists = [name for name in _LISTS if row.get(name) is not None][:1]
    if not lists:
        lists = [name for name in _SPEAKERS if row.get(name) is not None]
    joining.note(SPEAKERS, len(lists) > 1)
    items: list[TracedMemory] = []
    for name in lists:
        where, memories = replace(place, field=f"{place.field}.{name}"), row[name]
        if isinstance(memories, dict):
            memories = first(memories, "memories", "results")
        items += provided(expect(memories, list, where), where, len(items) + 1)
    return items if lists else None
