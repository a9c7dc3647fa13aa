"""Result files of other harnesses: Agent Memory Benchmark, supermemory's memorybench, and mem0-style JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import RANK, REMEDY, expect, read_json, score
from memgauge.exchange.trace import FileLocation, Joining, TracedMemory, TracedQuestion
from memgauge.records import Form, Lineage, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.trace import Imported, JoinedDataset
    from memgauge.records import Question

_BLOCK = re.compile(r"(?m)^## Memory \d+[^\S\n]*\n")
_DIALOGUE = re.compile(r'"dia_id"\s*:\s*"([^"]+)"')


def read_amb(path: Path, target: JoinedDataset) -> Imported:
    """Read a result file of the Agent Memory Benchmark (``.json`` or ``.json.gz``).

    Its context is one text of blocks in rank order; the dialogue ids inside a block are its lineage, inferred.

    Raises:
        MalformedDataError: It is no such file.
    """
    whole = expect(read_json(path), dict, FileLocation(path))
    results = expect(whole.get("results"), list, FileLocation(path, field="results"))
    joining = Joining(target)
    judge = str(whole.get("judge_llm") or "")
    for number, each in enumerate(results):
        place = FileLocation(path, field=f"results[{number}]")
        row = expect(each, dict, place)
        joining.saw(list(row))
        meta = row.get("meta") or {}
        home = str(meta.get("sample_id", "")) if isinstance(meta, dict) else ""
        question = joining.find(place, str(row.get("query_id", "")), str(row.get("query", "")), home)
        if question is None:
            continue
        items = tuple(_blocks(str(row.get("context") or ""), target.turns[question.conversation]))
        joining.answers[question.id] = TracedQuestion(
            question.id,
            items,
            Outcome.OK if items else Outcome.EMPTY,
            answer=None if row.get("answer") is None else str(row["answer"]),
            verdict=row.get("correct") if isinstance(row.get("correct"), bool) else None,
            judge=judge,
        )
    return joining.done()


def _blocks(context: str, turns: set[str]) -> Iterator[TracedMemory]:
    for number, text in enumerate(filter(str.strip, _BLOCK.split(context)), 1):
        sources = tuple(dict.fromkeys(turn for turn in _DIALOGUE.findall(text) if turn in turns))
        lineage = Lineage.INFERRED if sources else Lineage.ABSENT
        yield TracedMemory(f"block {number}", text.strip(), sources, Form.UNKNOWN, lineage)


def read_memorybench(path: Path, target: JoinedDataset) -> Imported:
    """Read a checkpoint of memorybench; a question whose phase failed is an error, not missing.

    Its own retrieval metrics are not read: its recall is a hit rate.

    Raises:
        MalformedDataError: It is no checkpoint.
    """
    whole = expect(read_json(path), dict, FileLocation(path))
    questions = expect(whole.get("questions"), dict, FileLocation(path, field="questions"))
    joining = Joining(target)
    for name, each in questions.items():
        place = FileLocation(path, field=f"questions.{name}")
        row = expect(each, dict, place)
        joining.saw(list(row))
        question = joining.find(place, str(row.get("questionId", name)), str(row.get("question", "")))
        if question is not None:
            joining.answers[question.id] = _checkpoint(row, question, place)
    return joining.done()


def _checkpoint(row: Mapping[str, Any], question: Question, place: FileLocation) -> TracedQuestion:
    phases = expect(row.get("phases", {}), dict, replace(place, field=f"{place.field}.phases"))
    search, answer, judged = (
        expect(phases.get(name) or {}, dict, replace(place, field=f"{place.field}.phases.{name}"))
        for name in ("search", "answer", "evaluate")
    )
    failed = search.get("status") == "failed" or search.get("error")
    if failed or "results" not in search:
        return TracedQuestion(
            question.id, (), Outcome.ERROR, str(search.get("error") or "the search did not finish")
        )
    listed = expect(search["results"], list, place)
    items = tuple(_provider(each, n, place) for n, each in enumerate(listed, 1))
    label = judged.get("label")
    return TracedQuestion(
        question.id,
        _distinct(items),
        Outcome.OK if items else Outcome.EMPTY,
        answer=None if answer.get("hypothesis") is None else str(answer["hypothesis"]),
        verdict={"correct": True, "incorrect": False}.get(str(label)),
        judge="memorybench" if label else "",
    )


def _provider(row: Any, number: int, place: FileLocation) -> TracedMemory:
    """Read an untyped object of a provider; which turns it descends from nobody says."""
    if isinstance(row, str):
        return TracedMemory(f"result {number}", row)
    fields = expect(row, dict, place)
    text = next((fields[name] for name in ("content", "memory", "text", "chunk") if fields.get(name)), None)
    value = next((fields[name] for name in ("score", "similarity") if fields.get(name) is not None), None)
    name = str(fields.get("id") or f"result {number}")
    return TracedMemory(name, None if text is None else str(text), score=score(value, place))


def read_mem0(path: Path, target: JoinedDataset) -> Imported:
    """Read mem0-style results: a list of questions, or lists of them by conversation; field names vary.

    Raises:
        MalformedDataError: It is neither.
    """
    whole = read_json(path)
    groups = whole.items() if isinstance(whole, dict) else [("", whole)]
    joining = Joining(target)
    homes = [case.conversation.id for case in target.cases]
    for name, rows in groups:
        place = FileLocation(path, field=str(name))
        home = homes[int(name)] if RANK.fullmatch(str(name)) and int(name) < len(homes) else str(name)
        for number, each in enumerate(expect(rows, list, place)):
            where = FileLocation(path, field=f"{name}[{number}]")
            row = expect(each, dict, where)
            joining.saw(list(row))
            asked = str(row.get("question", ""))
            if not asked:
                raise MalformedDataError(f"{where}: question: it is missing.", REMEDY)
            known = home if home in target.conversations else ""
            question = joining.find(where, str(row.get("question_id", "")), asked, known)
            if question is not None:
                joining.answers[question.id] = _mem0(row, question, where)
    return joining.done()


def _mem0(row: Mapping[str, Any], question: Question, place: FileLocation) -> TracedQuestion:
    listed = _first(row, "memories", "retrieval", "speaker_1_memories")
    if isinstance(listed, dict):
        listed = _first(listed, "memories", "results")
    found = [] if listed is None else expect(listed, list, place)
    items = tuple(_provider(each, n, place) for n, each in enumerate(found, 1))
    said = _first(row, "response", "predicted_answer")
    label = _first(row, "judgment", "llm_score")
    verdict = {"CORRECT": True, "WRONG": False, "INCORRECT": False, "1": True, "0": False}.get(str(label).upper())
    return TracedQuestion(
        question.id,
        _distinct(items),
        Outcome.OK if items else Outcome.EMPTY,
        answer=None if said is None else str(said),
        verdict=verdict,
        judge="mem0" if verdict is not None else "",
    )


def _first(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _distinct(items: tuple[TracedMemory, ...]) -> tuple[TracedMemory, ...]:
    """Keep the first of every id."""
    return tuple({item.id: item for item in reversed(items)}.values())[::-1]
