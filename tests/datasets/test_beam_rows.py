"""BEAM as rows, and how much of it is held at a time."""

from __future__ import annotations

import json
import tracemalloc
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.beam.dataset import Beam
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError
from support.beam import batch, chat, probes, said
from support.peaks import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Write = Callable[..., Path]


def bare(batches: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Write batches as the hub does: a list of messages each, with every key on every message."""
    none = {"time_anchor": None, "index": None, "question_type": None}
    return [[none | message for turn in entry["turns"] for message in turn] for entry in batches]


def row(name: str = "1", **changes: Any) -> dict[str, Any]:
    """One conversation as the hub writes it."""
    return {
        "conversation_id": name,
        "conversation_seed": {"category": "Home", "title": "A shed"},
        "narratives": "SECRET",
        "user_profile": {"user_info": "SECRET", "user_relationships": "SECRET"},
        "conversation_plan": "SECRET",
        "user_questions": [],
        "chat": bare(chat()),
        "probing_questions": repr(probes()),
        **changes,
    }


def of_plans(name: str = "1") -> dict[str, Any]:
    """One conversation of ten million tokens as the hub writes it: of each object one plan is not null."""
    first, second = bare(chat())
    plans = [{"plan-1": [first], "plan-2": None}, {"plan-1": None, "plan-2": [second]}]
    return row(name, chat=plans, plans=[{"chat": [first]}, {"chat": [second]}])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write rows as lines, as one list or as Parquet, and return the path."""

    def written(*rows: object, form: str = "jsonl") -> Path:
        path = tmp_path / f"rows.{form}"
        lines = [r if isinstance(r, str) else json.dumps(r) for r in rows]
        path.write_text(f"[{', '.join(lines)}]" if form == "json" else "\n".join(lines), "utf-8")
        if form == "parquet":
            import duckdb

            lines_of = f"read_json('{path}', format = 'newline_delimited')"
            duckdb.sql(f"COPY (SELECT * FROM {lines_of}) TO '{path}.done' (FORMAT parquet)")  # noqa: S608 - our own path
            path = path.with_name(path.name + ".done").replace(path)
        return path

    return written


def opened(path: Path) -> Beam:
    """Open a file of rows."""
    dataset = open_dataset(f"beam:{path}")
    assert isinstance(dataset, Beam)
    return dataset


@pytest.fixture
def folder(tmp_path: Path) -> Beam:
    """Open the same chat as a folder of the repository."""
    place = tmp_path / "1"
    (place / "probing_questions").mkdir(parents=True)
    (place / "chat.json").write_text(json.dumps(chat()), "utf-8")
    (place / "probing_questions" / "probing_questions.json").write_text(json.dumps(probes()), "utf-8")
    return opened(tmp_path)


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
@pytest.mark.parametrize("shape", [row, of_plans])
def test_rows_say_the_same_as_folders(
    write: Write, folder: Beam, shape: Callable[[], dict[str, Any]], form: str
) -> None:
    """Lines, a list and Parquet, with plans and without, give what the files of the repository give."""
    dataset = opened(write(shape(), form=form))
    assert list(dataset.cases()) == list(folder.cases())
    assert list(dataset.gold()) == list(folder.gold())
    assert list(dataset.truth()) == list(folder.truth())
    assert validate(dataset) == []
    assert "SECRET" not in repr(list(dataset.cases()))
    assert (dataset.identity.source, dataset.identity.pinned) == (f"rows.{form}", False)


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_every_row_is_a_chat(write: Write, form: str) -> None:
    """Rows come in the order of the file, named by their ids."""
    dataset = opened(write(row("7"), row("10"), row("9"), form=form))
    assert [case.conversation.id for case in dataset.cases()] == ["chat-7", "chat-10", "chat-9"]
    assert [gold.question for gold in dataset.gold()] == [q.id for c in dataset.cases() for q in c.questions]


def test_questions_may_be_written_out_and_ids_may_be_numbers(write: Write) -> None:
    """JSON in place of the Python literal, bare or as a text, and a number as the id say the same."""
    plain = list(opened(write(row())).gold())
    assert list(opened(write(row(probing_questions=probes()))).gold()) == plain
    assert list(opened(write(row(probing_questions=json.dumps(probes())))).gold()) == plain
    assert list(opened(write(row(conversation_id=1))).gold()) == plain


def test_lines_may_be_blank_and_turns_may_be_kept(write: Write, folder: Beam) -> None:
    """An empty line is passed over; a batch may also be lists of messages, as the repository groups them."""
    grouped = [entry["turns"] for entry in chat()]
    dataset = opened(write("", row(chat=grouped), ""))
    assert list(dataset.cases()) == list(folder.cases())


def test_a_path_without_a_file_is_named(tmp_path: Path) -> None:
    """A file of rows that is not there is refused by its path."""
    with pytest.raises(DataNotFoundError, match=r"No folder or file at .*none\.jsonl"):
        open_dataset(f"beam:{tmp_path}/none.jsonl")


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in row("2").items() if name != key}


_MESSAGE = {"role": "user", "id": 0, "content": "a"}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ([], r"field \$: Input should be a valid dictionary"),
        (_without("conversation_id"), r"field \$\.conversation_id: Field required"),
        (_without("chat"), r"field \$\.chat: Field required"),
        (_without("probing_questions"), r"field \$\.probing_questions: Field required"),
        (row("1"), r"field \$\.conversation_id: '1' is also the conversation of .*rows"),
        (row("2", conversation_id=[]), r"field \$\.conversation_id: "),
        (row("2", chat=[]), r"field \$\.chat: there is no batch"),
        (row("2", chat={}), r"field \$\.chat: Input should be a valid list"),
        (row("2", chat=[[_MESSAGE, {"role": "user"}]]), r"field \$\.chat\[0\]\[1\]\.id: Field required"),
        (row("2", chat=[[[_MESSAGE], [3]]]), r"field \$\.chat\[0\]\[1\]\[0\]: Input should be a valid"),
        (
            row("2", chat=[{"plan-1": [[_MESSAGE | {"content": 1}]]}]),
            r"field \$\.chat\[0\]\.plan-1\[0\]\[0\]\.content: ",
        ),
        (
            row("2", chat=[[_MESSAGE | {"time_anchor": "soon"}]]),
            r"field \$\.chat\[0\]\[0\]\.time_anchor: 'soon' is not a date",
        ),
        (row("2", probing_questions="{'a'"), r"field \$\.probing_questions is neither JSON .* nor a Python"),
        (row("2", probing_questions=None), r"field \$\.probing_questions: Input should be a valid dict"),
        (row("2", probing_questions="{'guess': []}"), r"field \$\.probing_questions\.guess: no such ability"),
        (
            row("2", probing_questions="{'abstention': [{'question': 1}]}"),
            r"field \$\.probing_questions\.abstention\[0\]\.question: ",
        ),
    ],
)
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_a_broken_row_is_named_after_the_whole_ones(write: Write, broken: object, message: str, form: str) -> None:
    """What is broken is refused by file, line or row, and field, after the rows before it were given."""
    cases = opened(write(row("1"), broken, form=form)).cases()
    assert next(cases).conversation.id == "chat-1"
    place = r"rows\.jsonl, line 2: " if form == "jsonl" else r"rows\.json, row 1 \(counted from 0\): "
    with pytest.raises(MalformedDataError, match=place + message):
        next(cases)


def test_what_is_no_json_is_named(write: Write, tmp_path: Path) -> None:
    """A line or a list that breaks off is refused, and so is a file without rows."""
    with pytest.raises(MalformedDataError, match=r"rows\.jsonl, line 2 is not JSON: "):
        list(opened(write(row(), "{")).cases())
    cases = opened(write(row("1"), '{"conversation_id"', form="json")).cases()
    assert next(cases).conversation.id == "chat-1"
    with pytest.raises(MalformedDataError, match=r"rows\.json is not JSON before byte [\d,]+: "):
        next(cases)
    for text in ("", "[]", "\n\n"):
        (tmp_path / "none.jsonl").write_text(text, "utf-8")
        with pytest.raises(MalformedDataError, match=r"none\.jsonl holds no row"):
            list(opened(tmp_path / "none.jsonl").cases())


def test_what_is_no_parquet_is_named(write: Write, tmp_path: Path) -> None:
    """A file that only begins like Parquet, and one without a column, are refused."""
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(MalformedDataError, match=r"cut\.parquet cannot be read as rows of Parquet: "):
        list(opened(tmp_path / "cut.parquet").cases())
    with pytest.raises(MalformedDataError, match=r"cannot be read as rows of Parquet: .*chat"):
        list(opened(write(_without("chat"), form="parquet")).cases())


_SENTENCE = "The shed needs rain 🙂 and a second coat of paint. "
"""With a character that makes Python keep a text in four bytes a character."""


def _long(plans: int, batches: int, messages: int, sentences: int) -> Iterator[str]:
    """Write one chat of plans as JSON, piece by piece."""
    text = _SENTENCE * sentences
    number = 0
    for plan in range(plans):
        yield f'{"," if plan else "["}{{"plan-{plan + 1}": ['
        for place in range(batches):
            said_here = [said(number + n, f"{number + n} {text} ->-> {n},1") for n in range(messages)]
            number += messages
            yield ("," if place else "") + json.dumps(
                batch(place + 1, "March-15-2024", *said_here), ensure_ascii=False
            )
        yield "]}"
    yield "]"


def _write_folder(root: Path, chats: int, *size: int) -> Path:
    """Write *chats* chats of one size as the repository does; return their folder."""
    for n in range(1, chats + 1):
        (root / str(n) / "probing_questions").mkdir(parents=True)
        (root / str(n) / "probing_questions" / "probing_questions.json").write_text(json.dumps(probes()), "utf-8")
        with (root / str(n) / "chat_trunecated.json").open("w", encoding="utf-8") as sink:
            sink.writelines(_long(*size))
    return root


def _write_rows(path: Path, chats: int, form: str, *size: int) -> Path:
    """Write *chats* rows of one size as lines or as a list."""
    with path.open("w", encoding="utf-8") as sink:
        sink.write("[" if form == "json" else "")
        for n in range(1, chats + 1):
            sink.write("," * (form == "json" and n > 1))
            sink.write(json.dumps(row(str(n), chat=None))[:-1].replace('"chat": null, ', "") + ', "chat": ')
            sink.writelines(_long(*size))
            sink.write("}\n")
        sink.write("]" if form == "json" else "")
    return path


def _peak(path: Path) -> int:
    """Read the cases, the gold and the facts of *path*, keeping none; return the peak of allocated bytes."""
    dataset = opened(path)
    tracemalloc.start()
    try:
        deque(dataset.cases(), maxlen=0)
        deque(dataset.gold(), maxlen=0)
        deque(dataset.truth(), maxlen=0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


_SMALL = (3, 4, 40, 20)
"""Plans, batches a plan, messages a batch, sentences a message."""


def test_only_one_folder_is_held(tmp_path: Path) -> None:
    """Four chats of plans need no more memory than one."""
    one = _peak(_write_folder(tmp_path / "one", 1, *_SMALL))
    assert _peak(_write_folder(tmp_path / "four", 4, *_SMALL)) < one * 1.1


@pytest.mark.parametrize("form", ["json", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_only_one_row_is_held(tmp_path: Path, form: str) -> None:
    """Four rows need no more memory than one."""
    one = _peak(_write_rows(tmp_path / f"one.{form}", 1, form, *_SMALL))
    assert _peak(_write_rows(tmp_path / f"four.{form}", 4, form, *_SMALL)) < one * 1.1


_MEASURE = """
import sys
from collections import deque
from memgauge.datasets.catalogue import open_dataset
dataset = open_dataset("beam:" + sys.argv[1])
words = sum(map(lambda c: sum(t.text.count(" ") + 1 for t in c.conversation.turns()), dataset.cases()))
deque(dataset.gold(), maxlen=0)
print(words)
"""


@pytest.mark.slow
def test_ten_million_tokens_need_less_than_700_megabytes(tmp_path: Path) -> None:
    """Two chats as large as the largest, as folders and as rows, are read within fixed memory."""
    full = (10, 10, 200, 50)
    for path in (
        _write_folder(tmp_path / "chats", 2, *full),
        _write_rows(tmp_path / "rows.jsonl", 2, "jsonl", *full),
        _write_rows(tmp_path / "rows.json", 2, "json", *full),
    ):
        (words,), peak = measured(_MEASURE, str(path))
        assert words > 20e6
        assert peak / 1024 < 700
