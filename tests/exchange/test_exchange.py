"""Traces from elsewhere, and runs for elsewhere."""

from __future__ import annotations

import csv
import gzip
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError, UnknownNameError
from memgauge.exchange.export import EXPORTERS
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.trace import TWICE, UNLISTED, FileLocation, JoinedDataset, Joining, TracedMemory
from memgauge.exchange.trec import DISAGREE, as_column
from memgauge.measures import parse
from memgauge.records import BOARD, Contract, Target
from memgauge.runs.layers.layer import layers
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.database import connect
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.align import NO_LINEAGE, align
from memgauge.scoring.coverage import coverage
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.judged import judged_entry
from memgauge.scoring.verify import passed, verify

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.exchange.trace import ImportReport
    from memgauge.records import Turn
    from memgauge.runs.record.store import Run

TINY = open_dataset("synthetic:tiny")
GOLD = GoldTable.read(TINY)
CASE = next(TINY.cases())
TURNS = [turn.id for turn in CASE.conversation.turns()]
ASKED = [question.id for question in CASE.questions]


def brought(tmp_path: Path, kind: str, content: object, **more: Any) -> tuple[Run, ImportReport]:
    """Write a file and import it."""
    path = tmp_path / f"trace.{kind}"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text)
    folder, report = import_trace(kind, path, TINY, tmp_path / "out", label="theirs", partial=True, **more)
    return load(folder), report


def lines(*rows: dict[str, Any]) -> str:
    """Spell JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def hit(rank: int, memory: str, **more: Any) -> dict[str, Any]:
    """Spell one hit of the first question."""
    return {"question": ASKED[0], "rank": rank, "memory": memory} | more


def test_a_trec_run_of_turns_is_scored_like_ours(tmp_path: Path) -> None:
    """Exported and imported again, a run of turns has the same values under every measure, and verifies."""
    (folder,) = execute(
        plan(["synthetic:tiny"], ["bm25"], limits=Limits(k=10)), tmp_path / "runs", executor=Inline(), check=False
    )
    ours = load(folder)
    files = EXPORTERS["trec"](ours, TINY, tmp_path / "trec", Target.SOURCE)
    theirs = load(import_trace("trec", files[0], TINY, tmp_path / "in", label="bm25", partial=True)[0])
    a, b = (align(run, GOLD, Contract(), 10) for run in (ours, theirs))
    shared = a.scored & b.scored
    assert shared.any()
    assert (a.judged.gains[shared] == b.judged.gains[shared]).all()
    assert passed(verify(theirs.folder))
    assert "without their texts" in theirs.manifest.system.capabilities["interventions"][-1]
    run = list(ir_measures.read_trec_run(str(files[0])))  # type: ignore[no-untyped-call]
    qrels = list(ir_measures.read_trec_qrels(str(files[1])))  # type: ignore[no-untyped-call]
    values = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.nDCG @ 10], qrels, run)}
    rows = parse("nDCG@10").rows(a.judged)
    for question, value in values.items():
        assert rows.values[GOLD.number[question]] == pytest.approx(value)


def test_what_was_lost_is_missed_by_other_tools_too(tmp_path: Path) -> None:
    """A run that was imported knows what came back alone: evidence that did not is relevant all the same."""
    (folder,) = execute(
        plan(["synthetic:tiny"], ["bm25"], limits=Limits(k=3)), tmp_path / "runs", executor=Inline(), check=False
    )
    first = EXPORTERS["trec"](load(folder), TINY, tmp_path / "trec", Target.SOURCE)
    theirs = load(import_trace("trec", first[0], TINY, tmp_path / "in", label="bm25", partial=True)[0])
    again = EXPORTERS["trec"](theirs, TINY, tmp_path / "again", Target.SOURCE)
    run = list(ir_measures.read_trec_run(str(again[0])))  # type: ignore[no-untyped-call]
    qrels = list(ir_measures.read_trec_qrels(str(again[1])))  # type: ignore[no-untyped-call]
    assert any(judgement.doc_id.startswith("never-stored/") for judgement in qrels)
    values = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.nDCG @ 3], qrels, run)}
    judged = align(theirs, GOLD, Contract(), 3)
    rows = parse("nDCG@3").rows(judged.judged)
    scored = [question.id for question in GOLD.questions if judged.scored[GOLD.number[question.id]]]
    assert {question: values[question] for question in scored} == pytest.approx(
        {question: rows.values[GOLD.number[question]] for question in scored}
    )


@given(st.lists(st.text("ab_% \t\u2003\n205", min_size=1), min_size=2, max_size=2, unique=True))
def test_names_in_a_trec_file_stay_apart(names: list[str]) -> None:
    """Whatever memories and questions are called, each is one column, which no other is, and is read again."""
    columns = [as_column(name) for name in names]
    assert len(set(columns)) == len(columns)
    assert [len(column.split()) for column in columns] == [1, 1]
    assert [unquote(column) for column in columns] == names


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_our_own_layout_survives_a_round_trip(tmp_path: Path, kind: str) -> None:
    """Hits, scores, forms, sources and what was never returned; the same file twice is the same run."""
    refs = ["bm25:store=facts-5"]
    (folder,) = execute(
        plan(["synthetic:tiny"], refs, limits=Limits(k=5)), tmp_path / "runs", executor=Inline(), check=False
    )
    ours = load(folder)
    (path,) = EXPORTERS[kind](ours, TINY, tmp_path / "files", Target.SOURCE)
    made, report = import_trace(kind, path, TINY, tmp_path / "in", label="again")
    theirs = load(made)
    assert (report.missing, report.dropped) == (0, {})
    assert "without" not in str(theirs.manifest.system.capabilities["interventions"])
    names = ours.questions["question"].tolist()
    for question in names:
        old, new = (run.hits_of([question], 5)[question] for run in (ours, theirs))
        told = [(h["rank"], h["memory"], h["text"], h["form"], h["sources"]) for h in old]
        assert told == [(h["rank"], h["memory"], h["text"], h["form"], h["sources"]) for h in new]
        assert [h["score"] for h in new] == pytest.approx([h["score"] for h in old])
    stored = [{(row["memory"], row["form"]) for row in run.stored_texts()} for run in (ours, theirs)]
    assert stored[0] == stored[1]
    assert import_trace(kind, path, TINY, tmp_path / "in", label="again")[0] == made


def test_qrels_name_each_descendant_of_the_evidence_once_in_the_order_of_storing(tmp_path: Path) -> None:
    """A memory of several evidence turns is one line; what another conversation stored is never relevant."""
    (folder,) = execute(
        plan(["synthetic:tiny"], ["bm25:store=facts-5"], limits=Limits(k=5)),
        tmp_path / "runs",
        executor=Inline(),
        check=False,
    )
    ours = load(folder)
    qrels = EXPORTERS["trec"](ours, TINY, tmp_path / "trec", Target.SOURCE)[1].read_text().splitlines()
    expected = []
    for question, gold in zip(GOLD.questions, GOLD.golds, strict=True):
        stored = [row for row in ours.stored_texts() if row["conversation"] == question.conversation]
        relevant = [row["memory"] for row in stored if set(row["sources"]) & set(gold.anchors())]
        expected += [f"{question.id} 0 {memory} 1" for memory in dict.fromkeys(relevant)]
    assert qrels == expected
    assert len(set(qrels)) == len(qrels) > len(GOLD.questions) / 2


def test_parquet_has_a_row_for_every_hit_and_every_question_without_one(tmp_path: Path) -> None:
    """A data frame can be made of it: texts, sources as lists, and how the question ended."""
    rows = (
        hit(1, "m", text="It's here.", sources=TURNS[:2]),
        {"question": ASKED[1], "outcome": "error", "reason": "down"},
    )
    run, _ = brought(tmp_path, "jsonl", lines(*rows))
    (path,) = EXPORTERS["parquet"](run, TINY, tmp_path / "it's" / "out", Target.SOURCE)
    with connect() as db:
        made = db.execute("FROM read_parquet(?)", [str(path)]).fetchall()
    assert [(row[0], row[2], row[3], row[4], row[6], row[9], row[10]) for row in made] == [
        (ASKED[0], 1, "m", "It's here.", TURNS[:2], "ok", ""),
        (ASKED[1], None, None, None, None, "error", "down"),
    ]


def test_a_beir_folder_is_a_benchmark(tmp_path: Path) -> None:
    """Our own data exported and opened again has the same questions and evidence, and can be run."""
    (folder,) = execute(plan(["synthetic:tiny"], ["none"]), tmp_path / "runs", executor=Inline(), check=False)
    EXPORTERS["beir"](load(folder), TINY, tmp_path / "beir", Target.RAW)
    again = open_dataset(f"beir:{tmp_path}/beir")
    assert [q.id for case in again.cases() for q in case.questions] == [q.id for q in GOLD.questions]
    ours = [
        [f"{q.conversation}/{t}" for t in g.anchors()] for q, g in zip(GOLD.questions, GOLD.golds, strict=True)
    ]
    assert [list(gold.anchors()) for gold in again.gold()] == ours
    assert again.describe()["conversations"] == 2
    (made,) = execute(plan([again.identity.ref], ["bm25"]), tmp_path / "runs", executor=Inline(), check=False)
    assert load(made).questions["outcome"].tolist()


def test_sources_that_are_memories_are_followed(tmp_path: Path) -> None:
    """A summary of a memory descends from its turns; what is not told has no lineage."""
    rows = (
        hit(1, "sum", text="In short.", form="summary", sources=["fact"]),
        {"conversation": CASE.conversation.id, "memory": "fact", "text": "A fact.", "sources": TURNS[:2]},
        hit(2, "stray", text="Who knows.", score=0.5),
    )
    run, report = brought(tmp_path, "jsonl", lines(*rows))
    first, second = run.hits_of([ASKED[0]], 5)[ASKED[0]]
    assert (first["form"], first["sources"], first["lineage"]) == ("summary", TURNS[:2], "declared")
    assert (second["form"], second["sources"], second["lineage"]) == ("unknown", [], "absent")
    assert (report.rows, report.by_id, report.missing) == (3, 2, len(GOLD.questions) - 1)


def test_failed_and_empty_questions_are_outcomes(tmp_path: Path) -> None:
    """An error is not an empty list, and an empty list is not missing."""
    rows = ({"question": ASKED[0], "outcome": "error", "reason": "down"}, {"question": ASKED[1]})
    run, _ = brought(tmp_path, "jsonl", lines(*rows))
    assert run.questions["outcome"].tolist() == ["error", "empty"]


CIRCLE = [
    {"conversation": CASE.conversation.id, "memory": "a", "text": "x", "sources": ["b"]},
    {"conversation": CASE.conversation.id, "memory": "b", "text": "y", "sources": ["a"]},
]


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("jsonl", "{", r"trace.jsonl:1: not JSON"),
        ("jsonl", "[1]\n", r":1: list where dict is expected"),
        ("jsonl", "", "the file is empty"),
        (
            "jsonl",
            lines({"question": "nobody", "rank": 1, "memory": "m"}),
            ":1: no such question: 'nobody'",
        ),
        ("jsonl", lines(hit(1, "a"), hit(1, "b")), ":2: rank: '1' is no rank, or the second one"),
        ("jsonl", lines(hit(1, "a"), hit(2, "a")), ":2: memory: 'a' is returned twice"),
        ("jsonl", lines(hit(1, "a", score="NaN")), "orders nothing"),
        ("jsonl", lines(hit(1, "a", score="high")), ":1: score: 'high' is no number"),
        ("jsonl", lines(hit(1, "a", sources=["t99"])), "'t99' is neither a turn nor a memory"),
        ("jsonl", lines(hit(1, "a", sources="t1")), "a list is expected"),
        ("jsonl", lines(hit(1, "a", form="fact")), "form: 'fact' is none of raw"),
        ("jsonl", lines(hit(1, "a", colour="red")), "colour: there is no such field"),
        ("jsonl", lines({"conversation": "nowhere", "memory": "a"}), "conversation: there is no 'nowhere'"),
        ("jsonl", lines({"conversation": CASE.conversation.id}), "memory: a memory needs an id"),
        ("jsonl", lines(hit(1, "a"), *CIRCLE), "is told of otherwise in line 1"),
        ("jsonl", lines(hit(1, "c"), *CIRCLE), "a -> b -> a is a circle"),
        ("trec", f"{ASKED[0]} Q0 {TURNS[0]} 1\n", ":1: 4 columns where 6 are expected"),
        ("trec", f"{ASKED[0]} Q0 x9 1 1.0 t\n", "docid: 'x9' is no turn"),
        ("trec", f"{ASKED[0]} Q0 {TURNS[0]} 1 1 t\n{ASKED[0]} Q0 {TURNS[1]} 1 1 t\n", ":2: rank: '1'"),
        ("trec", f"{ASKED[0]} Q0 {TURNS[0]} 1 1 t\n{ASKED[0]} Q0 {TURNS[0]} 2 1 t\n", "is returned twice"),
        ("trec", f"{ASKED[0]} Q0 {TURNS[0]} 1 inf t\n", "orders nothing"),
        ("trec", "nobody Q0 t1 1 1 t\n", "no row could be joined"),
        ("amb", {"results": 1}, "results: int where list is expected"),
        ("memorybench", [], "list where dict is expected"),
        ("mem0", [{"answer": "x"}], "question: it is missing"),
    ],
)
def test_a_broken_trace_is_refused_and_leaves_nothing(
    tmp_path: Path, kind: str, content: object, said: str
) -> None:
    """File, line or field are named, and no part of a run stays behind."""
    with pytest.raises(MalformedDataError) as caught:
        brought(tmp_path, kind, content)
    assert said in str(caught.value)
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_what_is_missing_is_refused_unless_it_was_said(tmp_path: Path) -> None:
    """Questions that the file lacks, and such that the dataset lacks."""
    path = tmp_path / "run.trec"
    path.write_text(f"{ASKED[0]} Q0 {TURNS[0]} 1 1.0 t\nnobody Q0 {TURNS[0]} 1 1.0 t\n")
    with pytest.raises(MalformedDataError, match=r"questions of synthetic:tiny are missing.*:2: no such question"):
        import_trace("trec", path, TINY, tmp_path / "out", label="x")
    folder, report = import_trace("trec", path, TINY, tmp_path / "out", label="x", partial=True)
    assert report.dropped == {"no such question": 1}
    assert any("are not in it" in text for text in load(folder).manifest.system.capabilities["interventions"])
    with pytest.raises(UnknownNameError, match="Did you mean trec"):
        import_trace("trek", path, TINY, tmp_path / "out", label="x")
    with pytest.raises(DataNotFoundError, match="no file"):
        import_trace("trec", tmp_path / "none", TINY, tmp_path / "out", label="x")


def test_memories_of_which_nobody_knows_the_turns_are_no_misses(tmp_path: Path) -> None:
    """Measures of retrieval are undefined, with the reason, where a file of others names no turn at all."""
    rows: list[dict[str, Any]] = [
        {"question": name, "rank": 1, "memory": f"m{n}", "text": "words"} for n, name in enumerate(ASKED)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    untraced = load(import_trace("jsonl", path, TINY, tmp_path / "out", label="x", partial=True)[0])
    assert untraced.manifest.limits.k == 1  # as long as the longest list
    judged = align(untraced, GOLD, BOARD, 10)
    excluded = judged.denominator(judged.rows(parse("Hit@5"))).excluded
    assert not judged.scored.any()
    assert NO_LINEAGE in excluded
    rows[0]["sources"] = [TURNS[0]]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    traced = load(import_trace("jsonl", path, TINY, tmp_path / "out", label="y", partial=True)[0])
    assert align(traced, GOLD, BOARD, 10).scored.any()


def test_ranks_that_scores_contradict_are_told(tmp_path: Path) -> None:
    """Ranks decide, and whoever compares with trec_eval hears of it; where both agree, and of ties, nothing."""
    path = tmp_path / "run.trec"
    for scores, noted in (((5.0, 4.0), {}), ((4.0, 4.0), {}), ((4.0, 5.0), {DISAGREE: 1})):
        path.write_text("".join(f"{ASKED[0]} Q0 {TURNS[n]} {n + 1} {scores[n]} t\n" for n in range(2)))
        _, report = import_trace("trec", path, TINY, tmp_path / "out", label="x", partial=True)
        assert report.noted == noted


def test_a_memory_as_long_as_a_book_comes_back_from_csv_and_one_that_was_cut_is_refused(tmp_path: Path) -> None:
    """A quoted text that does not end is a file that was cut."""
    path = tmp_path / "run.csv"
    path.write_text(f'question,rank,memory,text\n{ASKED[0]},1,m,"{"x" * 300_000}"\n')
    folder, _ = import_trace("csv", path, TINY, tmp_path / "out", label="x", partial=True)
    assert {len(row["text"]) for row in load(folder).stored_texts()} == {300_000}
    path.write_text(f'question,rank,memory,text\n{ASKED[0]},1,m,"a text that is c')
    with pytest.raises(MalformedDataError, match="not CSV: unexpected end of data"):
        import_trace("csv", path, TINY, tmp_path / "out", label="y", partial=True)


BLOCKS = f"""## Memory 1
{{"dia_id": "{TURNS[0]}"}} and "dia_id": "{TURNS[1]}"

## Memory 2
nothing known
"""


def test_an_agent_memory_benchmark_file(tmp_path: Path) -> None:
    """Blocks in their order with the dialogue ids inside; answers and verdicts become layers."""
    rows = [
        {
            "query_id": ASKED[0],
            "query": "?",
            "answer": "Paris",
            "context": BLOCKS,
            "correct": True,
            "meta": {"sample_id": CASE.conversation.id},
        },
        {"query_id": "other", "query": CASE.questions[1].text, "context": "", "meta": {}},
    ]
    path = tmp_path / "split.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"judge_llm": "j", "results": rows}).encode()))
    folder, report = import_trace("amb", path, TINY, tmp_path / "out", label="amb", partial=True)
    run = load(folder)
    first, second = run.hits_of([ASKED[0]], 5)[ASKED[0]]
    assert (first["sources"], first["lineage"]) == (TURNS[:2], "inferred")
    assert (second["sources"], second["lineage"]) == ([], "absent")
    assert (report.by_id, report.by_text) == (1, 1)
    (answers,), (verdicts,) = layers(run, "answers"), layers(run, "verdicts")
    entry = judged_entry(run, answers, verdicts, GOLD)
    assert (entry.score.value, entry.score.denominator.scored) == (1.0, 1)
    assert passed(verify(folder))


def test_hits_come_by_both_denominators_and_coverage_by_turns(tmp_path: Path) -> None:
    """One import gives our rate and theirs, with questions without evidence; a turn said twice counts once."""
    gold = {each.question: each for each in TINY.gold()}
    own = [question for question in CASE.questions if question.conversation == CASE.conversation.id]
    said = {turn.id: turn for turn in CASE.conversation.turns()}
    rows = [
        {"query_id": question.id, "query": question.text, "context": _blocks([said[TURNS[0]], *wanted, *wanted])}
        for question in own
        for wanted in [[said[turn] for turn in gold[question.id].anchors()]]
    ]
    path = tmp_path / "split.json"
    path.write_text(json.dumps({"results": [{"meta": {"sample_id": CASE.conversation.id}} | row for row in rows]}))
    run = load(import_trace("amb", path, TINY, tmp_path / "out", label="amb", partial=True)[0])
    labelled = sum(bool(gold[question.id].anchors()) for question in own)
    assert labelled < len(own)
    for text, n in (("", labelled), ("unlabelled=miss", len(own))):
        hits = align(run, GOLD, Contract.parse(text, BOARD), 60).rows(parse("Hit@60"))
        assert (hits.values.sum(), hits.defined.sum()) == (labelled, n)
    turns = [len({TURNS[0], *gold[question.id].anchors()}) / len(TURNS) for question in own]
    returned = coverage(align(run, GOLD, BOARD, 60))
    assert returned == pytest.approx((sum(turns) / len(own),) * 2)


def _blocks(turns: list[Turn]) -> str:
    """Spell turns as the context of that harness."""
    return "".join(
        f"## Memory {n}\n{json.dumps({'dia_id': turn.id, 'text': turn.text})}\n\n" for n, turn in enumerate(turns)
    )


def test_a_memorybench_checkpoint(tmp_path: Path) -> None:
    """A failed phase is an error; untyped results keep what is known; its own metrics are left where they are."""
    done = {
        "search": {
            "status": "completed",
            "results": [{"id": "m1", "memory": "A cat.", "similarity": 0.9}, "plain"],
        },
        "answer": {"hypothesis": "a cat"},
        "evaluate": {"label": "incorrect", "retrievalMetrics": {"recall": 1}},
    }
    broken = {"search": {"status": "failed", "error": "rate limit"}}
    questions = {
        ASKED[0]: {"questionId": ASKED[0], "question": "?", "phases": done},
        ASKED[1]: {"questionId": ASKED[1], "question": "?", "phases": broken},
    }
    run, _ = brought(tmp_path, "memorybench", {"questions": questions})
    assert run.questions["outcome"].tolist() == ["ok", "error"]
    assert run.questions["reason"].tolist()[1] == "rate limit"
    found = run.hits_of([ASKED[0]], 5)[ASKED[0]]
    assert [(h["memory"], h["score"]) for h in found] == [("m1", 0.9), ("result 2", None)]
    (verdicts,) = layers(run, "verdicts")
    assert [row["grade"] for row in verdicts.rows()] == ["incorrect"]


@pytest.mark.parametrize("grouped", [True, False])
def test_mem0_style_results(tmp_path: Path, grouped: bool) -> None:
    """By conversation index or flat, by names of several versions; without a list nothing is known of a search."""
    rows = [
        {
            "question": CASE.questions[0].text,
            "response": "x",
            "memories": [{"memory": "m", "score": 1}],
            "llm_score": 1,
        },
        {"question": CASE.questions[1].text, "predicted_answer": "y", "judgment": "WRONG"},
    ]
    run, report = brought(tmp_path, "mem0", {"0": rows} if grouped else rows)
    assert report.by_text == 2
    assert {"llm_score", "judgment", "response"} <= set(report.fields)
    assert run.questions["outcome"].tolist() == ["ok", "unsupported"]
    assert report.noted == {UNLISTED: 1}
    (verdicts,) = layers(run, "verdicts")
    assert [row["grade"] for row in verdicts.rows()] == ["correct", "incorrect"]


RECORD = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "Where did I move?",
    "answer": "Porto",
    "question_date": "2024/03/01 (Fri) 10:00",
    "haystack_dates": ["2024/02/02 (Fri) 10:00", "2024/02/01 (Thu) 10:00"],
    "haystack_session_ids": ["answer_1", "filler_2"],
    "haystack_sessions": [
        [
            {"role": "user", "content": "I moved to Porto.", "has_answer": True},
            {"role": "assistant", "content": "Nice."},
        ],
        [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}],
    ],
    "answer_session_ids": ["answer_1"],
}


def test_longmemevals_own_files(tmp_path: Path) -> None:
    """Its ids are mapped to ours, which give nothing away; hypotheses and labels become layers."""
    data = tmp_path / "data.json"
    data.write_text(json.dumps([RECORD]))
    dataset = open_dataset(f"longmemeval:{data}", allow_unpinned=True)
    ranked = [
        {"corpus_id": "noans_1_2", "text": "Nice."},
        {"corpus_id": "answer_1_1", "text": "I moved to Porto."},
        {"corpus_id": "filler_2", "text": "Hello."},
        {"corpus_id": "nowhere_7", "text": "?"},
    ]
    row = {"question_id": "q1", "retrieval_results": {"ranked_items": ranked}, "hypothesis": "Porto"}
    row["autoeval_label"] = {"model": "gpt-4o", "label": True}
    log = tmp_path / "log.jsonl"
    log.write_text(lines(row))
    folder, report = import_trace("longmemeval", log, dataset, tmp_path / "out", label="theirs")
    run = load(folder)
    found = run.hits_of(["q1"], 9)["q1"]
    assert [h["memory"] for h in found] == ["s02:t02", "s02:t01", "s01", "unknown:nowhere_7"]
    assert [len(h["sources"]) for h in found] == [1, 1, 2, 0]
    assert not any("answer_" in h["memory"] for h in found)
    assert report.dropped == {"an item names no session of the dataset": 1}
    gold = GoldTable.read(dataset)
    assert align(run, gold, Contract(), 4).judged.gains[0].tolist() == [0, 1, 0, 0]
    assert layers(run, "verdicts")[0].manifest.label == "imported: gpt-4o"
    log.write_text(lines({"question_id": "q1", "hypothesis": "Porto"}))
    answers = load(import_trace("longmemeval", log, dataset, tmp_path / "out", label="answers")[0])
    assert answers.questions["outcome"].tolist() == ["unsupported"]
    with pytest.raises(ConfigError, match="is not LongMemEval"):
        import_trace("longmemeval", log, TINY, tmp_path / "out", label="x")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("corpus.jsonl", "{\n", ":1: not JSON"),
        ("corpus.jsonl", "[]\n", ":1: not an object"),
        ("corpus.jsonl", '{"text": "x"}\n', "_id: it is missing"),
        ("corpus.jsonl", '{"_id": "a"}\n{"_id": "a"}\n', ":2: _id: 'a' occurs twice"),
        ("queries.jsonl", '{"_id": "q", "metadata": {"conversation": "z"}}\n', "no document of 'z'"),
        ("qrels/test.tsv", "h\nq\ta\n", ":2: not query-id"),
    ],
)
def test_a_broken_beir_folder_is_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    """File and line are named; a missing file too."""
    (tmp_path / "qrels").mkdir()
    files = {"corpus.jsonl": '{"_id": "a", "text": "x"}\n', "queries.jsonl": '{"_id": "q", "text": "?"}\n'}
    for each, text in (files | {"qrels/test.tsv": "h\nq\ta\t1\n", name: content}).items():
        (tmp_path / each).write_text(text)
    with pytest.raises(MalformedDataError) as caught:
        open_dataset(f"beir:{tmp_path}/")
    assert said in str(caught.value)
    (tmp_path / name).unlink()
    with pytest.raises(DataNotFoundError, match="There is no"):
        open_dataset(f"beir:{tmp_path}/")


def test_csv_has_the_fields_of_the_layout(tmp_path: Path) -> None:
    """One heading, sources in one cell."""
    (folder,) = execute(
        plan(["synthetic:tiny"], ["bm25"], limits=Limits(k=2)), tmp_path / "runs", executor=Inline(), check=False
    )
    (path,) = EXPORTERS["csv"](load(folder), TINY, tmp_path, Target.SOURCE)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["sources"] == rows[0]["memory"]


def test_a_question_that_is_answered_twice_has_its_first_answer(tmp_path: Path) -> None:
    """The second one is left out, and counted."""
    rows = [{"question": CASE.questions[0].text, "memories": [{"memory": name}]} for name in ("first", "second")]
    run, report = brought(tmp_path, "mem0", rows)
    assert [hit["text"] for hit in run.hits_of([ASKED[0]], 5)[ASKED[0]]] == ["first"]
    assert report.dropped == {"the question was answered before": 1}


def test_a_hit_that_is_named_twice_keeps_its_first_rank(tmp_path: Path) -> None:
    """What comes again further down, with less of a score, does not take it there, which is told."""
    joining = Joining(JoinedDataset(TINY))
    question = next(iter(joining.target.questions.values()))
    hits = [TracedMemory(name, score=score) for name, score in zip("abca", (0.9, 0.8, 0.7, 0.6), strict=True)]
    joining.answer(question, hits, place=FileLocation(tmp_path))
    assert [item.id for item in joining.answers[question.id].items] == ["a", "b", "c"]
    assert joining.noted == {TWICE: 1}
