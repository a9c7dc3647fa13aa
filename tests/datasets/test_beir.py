from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from memgauge.datasets.beir.tasks import tasks
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset

CORPUS = [{"id": f"d{n}", "title": "Boats" if n == 1 else "", "text": f"Text {n}."} for n in range(1, 6)]
CANDIDATES = [
    {"scene_id": "conv_1", "candidate_doc_ids": ["d2", "d1"]},
    {"scene_id": "conv_2", "candidate_doc_ids": ["d3"]},
]


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write rows as JSON lines, and texts as they are."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else "".join(f"{json.dumps(row)}\n" for row in content)
        path.write_text(text, encoding="utf-8")
    return folder


def parquet(folder: Path, files: Mapping[str, list[dict[str, Any]]]) -> Path:
    """Write rows as Parquet."""
    for name, rows in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = write(folder, {"rows.jsonl": rows}) / "rows.jsonl"
        duckdb.connect().execute(f"COPY (FROM read_json_auto('{lines}')) TO '{path}' (FORMAT parquet)")
        lines.unlink()
    return folder


@pytest.fixture
def kalm(tmp_path: Path) -> Path:
    """A task as LMEB's makers lay it out: a corpus and candidates for all subsets, judgments without a heading."""
    return write(
        tmp_path,
        {
            "corpus.jsonl": CORPUS,
            "candidates.jsonl": CANDIDATES,
            "single/queries.jsonl": [
                {"id": "conv_1_q1", "text": "Which boat?"},
                {"id": "conv_3_q1", "text": "Lost?"},
            ],
            "single/qrels.tsv": "conv_1_q1\td1\t1\nconv_1_q1\td3\t2\nconv_1_q1\td2\t0\nnobody\td1\t1\n",
            "multi/queries.jsonl": [{"id": "conv_1_q2", "text": "Both?"}, {"id": "conv_2_q1", "text": "Third?"}],
            "multi/qrels.tsv": "conv_2_q1\td3\t1\n",
        },
    )


def _asked(dataset: Dataset) -> list[tuple[str, str, str]]:
    return [(q.id, q.category, case.conversation.id) for case in dataset.cases() for q in case.questions]


def test_the_candidate_list_is_the_conversation(kalm: Path) -> None:
    """Queries of one scene share a conversation over all subsets, and hold nothing outside its list."""
    dataset = open_dataset(f"beir:{kalm}")
    first, second = dataset.cases()
    assert [turn.id for turn in first.conversation.turns()] == ["d1", "d2"]
    assert [turn.text for turn in first.conversation.turns()] == ["Boats Text 1.", "Text 2."]
    assert [(q.id, q.category) for q in first.questions] == [("conv_1_q2", "multi"), ("conv_1_q1", "single")]
    assert [turn.id for turn in second.conversation.turns()] == ["d3"]
    assert first.conversation.id.startswith("set-")
    assert not validate(dataset)


def test_judgments_above_zero_are_evidence(kalm: Path) -> None:
    """What is judged 0 is none, and what lies outside of the list resolves to nothing."""
    golds = {gold.question: gold for gold in open_dataset(f"beir:{kalm}").gold()}
    assert [(e.raw, e.exact, e.turns) for e in golds["conv_1_q1"].evidence] == [
        ("d1", True, ("d1",)),
        ("d3", False, ()),
    ]
    assert golds["conv_1_q2"].evidence == ()


def test_what_is_left_out_is_counted(kalm: Path) -> None:
    """Documents of no list, queries without one or without a judgment, and judgments of no query are counted."""
    described = open_dataset(f"beir:{kalm}").describe()
    names = ("documents", "documents_of_no_list", "queries_without_candidates", "queries_without_judgment")
    assert [described[name] for name in names] == [5, 2, 1, 2]
    assert described["judged_of_no_query"] == 1
    assert described["questions"] == 3


def test_one_subset_and_no_lists(kalm: Path) -> None:
    """A subset is asked alone; without lists every query is searched in everything."""
    dataset = open_dataset(f"beir:{kalm},subset=multi,candidates=whole")
    (case,) = dataset.cases()
    assert [turn.id for turn in case.conversation.turns()] == ["d1", "d2", "d3", "d4", "d5"]
    assert [q.id for q in case.questions] == ["conv_1_q2", "conv_2_q1"]
    assert dataset.identity.options == {"variant": "path", "subset": "multi", "candidates": "whole"}
    with pytest.raises(UnknownNameError, match="Available: multi, single"):
        open_dataset(f"beir:{kalm},subset=many")


@pytest.mark.parametrize("subset", ["", "easy"])
def test_reads_parquet_as_the_hub_has_it(tmp_path: Path, subset: str) -> None:
    """Folders of pieces by role, with a subset before the role or without, say what lines of JSON say."""
    lead = f"{subset}-" if subset else ""
    folder = parquet(
        tmp_path,
        {
            f"{lead}corpus/test-00000-of-00002.parquet": CORPUS[:2],
            f"{lead}corpus/test-00001-of-00002.parquet": CORPUS[2:],
            f"{lead}queries/test-00000-of-00001.parquet": [
                {"_id": "q1", "text": "Which?"},
                {"_id": "q2", "text": "Two?"},
            ],
            f"{lead}{'qrels' if subset else 'default'}/test-00000-of-00001.parquet": [
                {"query-id": "q1", "corpus-id": "d4", "score": 1},
                {"query-id": "q2", "corpus-id": "d1", "score": 1},
            ],
            f"{lead}top_ranked/test-00000-of-00001.parquet": [
                {"query-id": "q1", "corpus-ids": ["d4", "d2"]},
                {"query-id": "q2", "corpus-ids": ["d1"]},
            ],
        },
    )
    dataset = open_dataset(f"beir:{folder}")
    first, second = dataset.cases()
    assert [(turn.id, turn.text) for turn in first.conversation.turns()] == [("d2", "Text 2."), ("d4", "Text 4.")]
    assert [turn.id for turn in second.conversation.turns()] == ["d1"]
    assert [gold.anchors() for gold in dataset.gold()] == [("d4",), ("d1",)]
    assert {q.category for case in dataset.cases() for q in case.questions} == {subset or "query"}


def test_the_only_split_is_read(tmp_path: Path) -> None:
    """Where there is no test split, the only one is."""
    files = {"corpus": CORPUS, "queries": [{"_id": "q", "text": "?"}]}
    folder = parquet(tmp_path, {f"{role}/train.parquet": rows for role, rows in files.items()})
    write(folder, {"qrels.jsonl": [{"query-id": "q", "corpus-id": "d1", "score": 1}]})
    assert [gold.anchors() for gold in open_dataset(f"beir:{folder}").gold()] == [("d1",)]


def test_subsets_with_corpora_of_their_own_stay_apart(tmp_path: Path) -> None:
    """Two corpora may use one id for two documents, and two queries one id."""
    for name in ("a", "b"):
        write(
            tmp_path,
            {
                f"{name}-corpus.jsonl": [{"_id": "d1", "text": f"Of {name}."}],
                f"{name}-queries.jsonl": [{"_id": "q1", "text": "Whose?"}],
                f"{name}-qrels.jsonl": [{"query-id": "q1", "corpus-id": "d1", "score": 1}],
            },
        )
    dataset = open_dataset(f"beir:{tmp_path}")
    assert _asked(dataset) == [("a/q1", "a", "corpus"), ("b/q1", "b", "corpus-2")]
    assert [next(case.conversation.turns()).text for case in dataset.cases()] == ["Of a.", "Of b."]
    assert not validate(dataset)


def test_a_task_gives_licence_and_source(kalm: Path) -> None:
    """The name of a task, in any case, changes what is said of the data and nothing that is read."""
    plain, named = open_dataset(f"beir:{kalm}"), open_dataset(f"beir:{kalm},task=locomo")
    assert (named.identity.licence, plain.identity.licence) == ("cc-by-nc-4.0", "that of its source")
    assert named.identity.source.startswith("mteb/LoCoMo@02e2c3de")
    assert named.identity.sha256 == plain.identity.sha256
    with pytest.raises(UnknownNameError, match="Did you mean LoCoMo"):
        open_dataset(f"beir:{kalm},task=lokomo")


def test_all_tasks_are_named() -> None:
    """There are 22 tasks with 193 subsets, and what each may be used for follows from its licence."""
    assert len(tasks()) == 22
    assert sum(len(task.subsets) for task in tasks().values()) == 193
    assert all(len(task.revision) == 40 and task.path.startswith("mteb/") for task in tasks().values())
    uses = {name: task.use for name, task in tasks().items()}
    assert (uses["LongMemEval"], uses["LoCoMo"], uses["TMD"], uses["LooGLE"]) == (
        "any",
        "research, not commerce",
        "ask its makers",
        "any, same licence",
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("candidates.jsonl", '{"scene_id": "conv_1"}\n', "candidates.jsonl:1: no candidate list"),
        ("single/qrels.tsv", "conv_1_q1\td1\t1\nx\n", "qrels.tsv:2: not query-id"),
        ("multi/queries.jsonl", '{"text": "?"}\n', "queries.jsonl:1: _id: it is missing"),
        ("corpus.jsonl", '{"id": "d1"}\n{"id": true}\n', "corpus.jsonl:2: _id: it is missing"),
    ],
)
def test_names_what_is_malformed(kalm: Path, name: str, content: str, said: str) -> None:
    """File and line are named."""
    write(kalm, {name: content})
    with pytest.raises(MalformedDataError) as caught:
        open_dataset(f"beir:{kalm}")
    assert said in str(caught.value)


def test_says_which_role_has_no_file(kalm: Path) -> None:
    """A folder without a corpus is refused with the names that it may have."""
    (kalm / "corpus.jsonl").unlink()
    with pytest.raises(DataNotFoundError, match="There is no multi-corpus in"):
        open_dataset(f"beir:{kalm}")


def test_texts_are_read_one_conversation_at_a_time(kalm: Path) -> None:
    """Nothing of the texts is held: a document that changes behind the opening is read as it is then."""
    dataset = open_dataset(f"beir:{kalm}")
    path = kalm / "corpus.jsonl"
    path.write_text(path.read_text("utf-8").replace("Text 2.", "Book 2."), encoding="utf-8")
    first = next(iter(dataset.cases()))
    assert [turn.text for turn in first.conversation.turns()] == ["Boats Text 1.", "Book 2."]
