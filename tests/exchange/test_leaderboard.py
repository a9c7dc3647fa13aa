"""Files of the leaderboard's public pipelines become a run with answers and verdicts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.leaderboard import BETWEEN, NAMELESS, READ, read_leaderboard
from memgauge.exchange.trace import JoinedDataset
from memgauge.records import Outcome
from memgauge.runs.layers.layer import layers
from memgauge.runs.record.store import load
from support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TINY = open_dataset("synthetic:tiny")
TARGET = JoinedDataset(TINY)
ASKED = list(TARGET.questions.values())


def written(folder: Path, **files: list[dict[str, Any]]) -> Path:
    """Write a folder of JSON lines."""
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def test_inputs_answers_and_verdicts_are_one_question(tmp_path: Path) -> None:
    """Joined by id over files, and to the dataset by id or by the text of the question."""
    folder = written(
        tmp_path,
        answers=[{"id": ASKED[0].id, "generated_answer": "A kiln."}, {"id": "x", "generated_answer": "Blue."}],
        inputs=[
            {"id": ASKED[0].id, "question": ASKED[0].text, "memories": ["one", {"content": "two"}]},
            {"id": "x", "question": ASKED[1].text, "retrieved_context": "all in one"},
        ],
        judged=[
            {"id": ASKED[0].id, "label": "CORRECT", "is_correct": True, "judge_model": "a-judge"},
            {"id": "x", "label": "WRONG"},
        ],
    )
    joining = read_leaderboard(folder, TARGET)
    first, second = (joining.answers[question.id] for question in ASKED[:2])
    assert [memory.text for memory in first.items] == ["one", "two"]
    assert (first.answer, first.verdict, first.judge) == ("A kiln.", True, "a-judge")
    assert [memory.text for memory in second.items] == ["all in one"]
    assert (second.verdict, second.judge) == (False, NAMELESS)
    assert joining.searched
    assert joining.joined == {"id": 1, "text": 1}


def test_other_sets_have_other_names(tmp_path: Path) -> None:
    """A share of a rubric is no verdict, and is counted; without contexts nothing is known of retrieval."""
    rows = [
        {"idx": ASKED[0].id, "model_output": "x", "rubric_clbench_score": 1},
        {"question_id": ASKED[1].id, "model_output": "y", "llm_judge_score": 0.5},
    ]
    joining = read_leaderboard(written(tmp_path, answers=rows) / "answers.jsonl", TARGET)
    assert [joining.answers[question.id].verdict for question in ASKED[:2]] == [True, None]
    assert joining.noted[BETWEEN] == 1
    assert not joining.searched
    retrieval = {"id": ASKED[0].id, "retrieval": {"selected": [{"text": "one", "created_at": "2024"}]}}
    (tmp_path / "answers.jsonl").unlink()
    again = read_leaderboard(written(tmp_path, inputs=[retrieval]), TARGET)
    assert [memory.text for memory in again.answers[ASKED[0].id].items] == ["one"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a": [{"question": "?"}]}, r"a.jsonl:1: it has no id"),
        (
            {"a": [{"id": "q", "label": "WRONG"}], "b": [{"id": "q", "label": "CORRECT"}]},
            r"b.jsonl:1: label: another",
        ),
        ({"a": [{"id": ASKED[0].id, "memories": [7]}]}, r"a.jsonl:1: memories\[0\]: no text"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, files: dict[str, list[dict[str, Any]]], words: str
) -> None:
    """File, line and field."""
    with pytest.raises(MalformedDataError, match=words):
        read_leaderboard(written(tmp_path, **files), TARGET)


def test_an_empty_folder_is_a_sentence(tmp_path: Path) -> None:
    """It says what belongs there."""
    with pytest.raises(DataNotFoundError, match="inputs, answers and verdicts"):
        read_leaderboard(tmp_path, TARGET)


def test_a_folder_becomes_a_run_with_layers(tmp_path: Path) -> None:
    """Sealed, with the judge's name; a file that changed makes another run."""
    rows = [{"id": each.id, "memories": ["a"], "generated_answer": "b", "is_correct": False} for each in ASKED]
    source = tmp_path / "results"
    source.mkdir()
    folder, report = import_trace("aml", written(source, all=rows), TINY, tmp_path / "runs", label="theirs")
    run = load(folder)
    assert (report.by_id, report.missing) == (len(ASKED), 0)
    assert set(run.memories["lineage"].tolist()) == {"absent"}
    (answers,), (verdicts,) = layers(run, "answers"), layers(run, "verdicts")
    assert verdicts.manifest.label == f"imported: {NAMELESS}"
    assert answers.folder != verdicts.folder
    rows[0]["generated_answer"] = "c"
    assert import_trace("aml", written(source, all=rows), TINY, tmp_path / "runs", label="theirs")[0] != folder


def test_verdicts_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """Right in one field and wrong in another is neither."""
    rows = [{"id": ASKED[0].id, "model_output": "x", "is_correct": True, "label": "WRONG"}]
    with pytest.raises(MalformedDataError, match=r"a\.jsonl:1: label: it contradicts is_correct"):
        read_leaderboard(written(tmp_path, a=rows), TARGET)


def test_a_question_without_contexts_found_not_nothing(tmp_path: Path) -> None:
    """Where others have them, nobody says what was found for it."""
    rows: list[dict[str, Any]] = [
        {"id": ASKED[0].id, "memories": []},
        {"id": ASKED[1].id, "model_output": "x"},
    ]
    answers = read_leaderboard(written(tmp_path, a=rows), TARGET).answers
    assert [answers[each.id].outcome for each in ASKED[:2]] == [Outcome.EMPTY, Outcome.UNSUPPORTED]


def test_fields_that_are_not_read_are_named(tmp_path: Path) -> None:
    """Beside some that are; a file with none of those is refused, and told what is read."""
    asked = {"id": ASKED[0].id, "question": ASKED[0].text, "retrieved_contexts": ["a"], "score": 1}
    joining = read_leaderboard(written(tmp_path, a=[asked | {"model_output": "x", "judge": "me"}]), TARGET)
    assert joining.unread == ("retrieved_contexts", "score")
    for row in (asked, asked | {"memories": None}):
        with pytest.raises(MalformedDataError) as refused:
            read_leaderboard(written(tmp_path, a=[row]), TARGET)
        assert "no contexts, answers or verdicts by a name that is read (id" in refused.value.what
        for name in ("retrieved_context", "retrieval.selected", "model_response", "llm_judge_score"):
            assert name in refused.value.remedy


def test_the_page_names_every_field_that_is_read() -> None:
    """Nobody else says what a leaderboard's files call things."""
    page = (ROOT / "docs" / "exchange.md").read_text("utf-8")
    section = page.partition("### Fields of aml")[2].partition("\n#")[0]
    assert [name for name in sorted(READ) if f"`{name}" not in section] == []
