"""Result files of other harnesses: Agent Memory Benchmark, supermemory's memorybench, and mem0-style JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import RANK, REMEDY, expect, first, read_json, score
from memgauge.exchange.trace import FileLocation, Joining, TracedMemory, TracedQuestion
from memgauge.records import Form, Lineage, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset
    from memgauge.records import Question

_BLOCK = re.compile(r"(?m)^## Memory \d+[^\S\n]*\n")
_DIALOGUE = re.compile(r'"dia_id"\s*:\s*"([^"]+)"')


def read_amb(path: Path, target: JoinedDataset) -> Joining:
    """Read a result file of the Agent Memory Benchmark (``.json`` or ``.json.gz``).

    Its context is one text of blocks in rank order; the dialogue ids inside a block are its lineage, inferred.

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
        blocks = _blocks(str(row.get("context") or ""), target.turns[question.conversation])
        verdict = row.get("correct") if isinstance(row.get("correct"), bool) else None
        joining.answer(question, blocks, reply=row.get("answer"), verdict=verdict, judge=judge)
    return joining


def _blocks(context: str, turns: set[str]) -> Iterator[TracedMemory]:
    for number, text in enumerate(filter(str.strip, _BLOCK.split(context)), 1):
        sources = tuple(dict.fromkeys(turn for turn in _DIALOGUE.findall(text) if turn in turns))
        lineage = Lineage.INFERRED if sources else Lineage.ABSENT
        yield TracedMemory(f"block {number}", text.strip(), sources, Form.UNKNOWN, lineage)


def read_memorybench(path: Path, target: JoinedDataset) -> Joining:
    """Read a checkpoint of memorybench; a question whose phase failed is an error, not missing.

    Its own retrieval metrics are not read: its recall is a hit rate.

    Raises:
        MalformedDataError: It is no checkpoint.
    """
    document = expect(read_json(path), dict, FileLocation(path))
    questions = expect(document.get("questions"), dict, FileLocation(path, field="questions"))
    joining = Joining(target)
    for name, entry in questions.items():
        place = FileLocation(path, field=f"questions.{name}")
        row = expect(entry, dict, place)
        joining.saw(row)
        question = joining.find(place, str(row.get("questionId", name)), str(row.get("question", "")))
        if question is not None:
            _checkpoint(joining, question, row, place)
    return joining


def _checkpoint(joining: Joining, question: Question, row: Mapping[str, Any], place: FileLocation) -> None:
    phases = expect(row.get("phases", {}), dict, replace(place, field=f"{place.field}.phases"))
    search, answer, evaluation = (
        expect(phases.get(name) or {}, dict, replace(place, field=f"{place.field}.phases.{name}"))
        for name in ("search", "answer", "evaluate")
    )
    has_failed = search.get("status") == "failed" or search.get("error")
    if has_failed or "results" not in search:
        why = str(search.get("error") or "the search did not finish")
        joining.answers[question.id] = TracedQuestion(question.id, (), Outcome.ERROR, why)
        return
    label = evaluation.get("label")
    joining.answer(
        question,
        _provided(expect(search["results"], list, place), place),
        reply=answer.get("hypothesis"),
        verdict={"correct": True, "incorrect": False}.get(str(label)),
        judge="memorybench" if label else "",
    )


def _provided(results: Iterable[Any], place: FileLocation) -> Iterator[TracedMemory]:
    return (_provider(result, number, place) for number, result in enumerate(results, 1))


def _provider(row: Any, number: int, place: FileLocation) -> TracedMemory:
    """Read an untyped object of a provider; which turns it descends from nobody says."""
    if isinstance(row, str):
        return TracedMemory(f"result {number}", row)
    fields = expect(row, dict, place)
    text = next((fields[name] for name in ("content", "memory", "text", "chunk") if fields.get(name)), None)
    name = str(fields.get("id") or f"result {number}")
    value = first(fields, "score", "similarity")
    return TracedMemory(name, None if text is None else str(text), score=score(value, place))


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
    return joining


def _mem0(joining: Joining, question: Question, row: Mapping[str, Any], place: FileLocation) -> None:
    memories = first(row, "memories", "retrieval", "speaker_1_memories")
    if isinstance(memories, dict):
        memories = first(memories, "memories", "results")
    items = _provided([] if memories is None else expect(memories, list, place), place)
    reply = first(row, "response", "predicted_answer")
    label = first(row, "judgment", "llm_score")
    verdict = {"CORRECT": True, "WRONG": False, "INCORRECT": False, "1": True, "0": False}.get(str(label).upper())
    judge = "mem0" if verdict is not None else ""
    joining.answer(question, items, reply=reply, verdict=verdict, judge=judge)
