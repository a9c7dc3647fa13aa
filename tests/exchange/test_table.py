"""Our own layout: what contradicts itself, or says half of what it should, is refused and never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MalformedDataError
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.reading import require_unbroken
from memgauge.exchange.table import read_csv, read_jsonl
from memgauge.exchange.trace import FileLocation, JoinedDataset
from memgauge.records import Lineage, Outcome
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from memgauge.exchange.trace import Joining

TINY = open_dataset("synthetic:tiny")
TARGET = JoinedDataset(TINY)
CASE = TARGET.cases[0]
FIRST, SECOND = (question.id for question in CASE.questions[:2])
HOME = CASE.conversation.id
ELSEWHERE = TARGET.cases[1].conversation.id
TURNS = [turn.id for turn in CASE.conversation.turns()]
FILE = Path("t")


def hit(rank: int = 1, memory: object = "m", **more: Any) -> dict[str, Any]:
    """Spell one hit of the first question."""
    return {"question": FIRST, "rank": rank, "memory": memory} | more


def read(tmp_path: Path, *rows: dict[str, Any] | str) -> Joining:
    """Read lines of JSON."""
    path = tmp_path / "t.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return read_jsonl(path, TARGET)


@given(st.sets(st.integers(1, 9), min_size=1), st.integers(0, 1))
def test_ranks_that_leave_one_out_are_refused_at_the_first_behind_the_gap(ranks: set[int], start: int) -> None:
    """Ranks from the start on, none left out, are all that a run can hold."""
    places = {rank: FileLocation(path=FILE, line=10 + rank) for rank in ranks}
    missing = next(rank for rank in range(start, 11) if rank not in ranks)
    behind = min((rank for rank in ranks if rank > missing), default=None)
    if behind is None:
        require_unbroken(places, start)
    else:
        with pytest.raises(MalformedDataError, match=f"t:{10 + behind}: rank: {behind}, and rank {missing} of"):
            require_unbroken(places, start)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([hit(7)], ":1: rank: 7, and rank 1 of"),
        ([hit(5, "c"), hit(1, "a"), hit(2, "b")], ":1: rank: 5, and rank 3 of"),
        ([hit(outcome="empty")], ":1: outcome: it is empty, and the line is a hit"),
        ([hit(outcome="error", reason="down")], ":1: outcome: it is error, and the line is a hit"),
        ([hit(reason="down")], ":1: reason: one is named, and the line is a hit"),
        ([{"question": FIRST, "outcome": "error"}, hit()], ":2: question: line 1 says that it ended without"),
        ([hit(), {"question": FIRST}], ":2: question: line 1 is a hit of it"),
        ([{"question": FIRST}, {"question": FIRST, "outcome": "error"}], ":2: question: line 1 says"),
        ([{"question": FIRST, "outcome": "ok"}], ":1: outcome: it is ok, and the line is no hit"),
        ([{"question": FIRST, "reason": "down"}], ":1: reason: it says why"),
        ([{"question": FIRST, "rank": 1}], ":1: rank: a line without a memory"),
        ([{"question": FIRST, "text": "x"}], ":1: text: a line without a memory"),
        ([hit(memory=None)], ":1: rank: a line without a memory"),
        ([hit(conversation=ELSEWHERE)], f":1: conversation: it is '{ELSEWHERE}', and"),
        ([hit(lineage="absent", sources=TURNS[:1])], ":1: lineage: it is absent, and 1 sources are named"),
        ([hit(lineage="exact", sources=[])], ":1: lineage: it is exact, and no source is named"),
        ([hit(lineage="declared")], ":1: lineage: it is declared, and no source is named"),
        ([hit(text="x", form="raw"), hit(1, question=SECOND, form="summary")], ":2: form: 'm' is told of"),
        ([hit(text="x"), hit(1, question=SECOND, sources=TURNS[:1])], ":2: sources: 'm' is told of"),
        ([hit(text=["x"])], ":1: text: list where a text"),
        ([hit(memory=True)], ":1: memory: bool where a text"),
        ([{"conversation": HOME, "memory": "m", "rank": 1}], ":1: rank: a line without a question"),
        (
            [json.dumps(hit())[:-1] + f', "question": "{SECOND}"}}'],
            ":1: not JSON: the name 'question' stands",
        ),
    ],
)
def test_a_line_that_contradicts_itself_or_another_is_refused(
    tmp_path: Path, rows: list[dict[str, Any] | str], words: str
) -> None:
    """Line and field are named."""
    with pytest.raises(MalformedDataError) as caught:
        read(tmp_path, *rows)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"question,rank,memory,memory\n{FIRST},1,a,b\n", ":1: memory: two columns"),
        (f"question, rank,memory\n{FIRST},1,a\n", ":1:  rank: there is no such field"),
        (f"question,rank,memory,text\n{FIRST},1\n", ":2: 2 values stand below 4 names"),
        (f'question,rank,memory,text\n{FIRST},1,a,"b\nc"\n{FIRST},2\n', ":4: 2 values stand below 4 names"),
        (f"question,rank,memory\n{FIRST},1,a,b\n", ":2: 4 values stand below 3 names"),
        (f"question,rank,memory\n{FIRST},2,a\n", ":2: rank: 2, and rank 1 of"),
    ],
)
def test_a_sheet_with_a_column_twice_or_a_row_that_was_cut_is_refused(
    tmp_path: Path, text: str, words: str
) -> None:
    """The line is the one where the row begins, also behind a text of several lines."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(MalformedDataError) as caught:
        read_csv(path, TARGET)
    assert words in str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_sheet_may_end_its_lines_as_any_program_does(tmp_path: Path, end: str) -> None:
    """Line ends within a text stay what they were."""
    path = tmp_path / "t.csv"
    rows = ("question,rank,memory,text", f'{FIRST},1,m,"a{end}b"', f"{FIRST},2,n,c")
    path.write_bytes("".join(row + end for row in rows).encode())
    assert [item.text for item in read_csv(path, TARGET).answers[FIRST].items] == [f"a{end}b", "c"]


def test_a_summary_of_memories_that_nobody_can_trace_has_no_lineage(tmp_path: Path) -> None:
    """What descends from no turn is never a miss, whatever it was declared to be."""
    joining = read(tmp_path, hit(sources=["fact"]), {"conversation": HOME, "memory": "fact", "text": "?"})
    (item,) = joining.answers[FIRST].items
    assert (item.sources, item.lineage) == ((), Lineage.ABSENT)


def test_a_question_without_hits_ended_as_its_line_says(tmp_path: Path) -> None:
    """Empty where nothing else is said."""
    joining = read(tmp_path, {"question": FIRST}, {"question": SECOND, "outcome": "timeout", "reason": "60 s"})
    assert [joining.answers[key].outcome for key in (FIRST, SECOND)] == [Outcome.EMPTY, Outcome.TIMEOUT]


def test_what_the_dataset_lacks_is_left_out_where_that_was_said(tmp_path: Path) -> None:
    """Questions and conversations of others are counted with --partial, and refused without it."""
    path = tmp_path / "t.jsonl"
    rows = (hit(), hit(question="zzz"), {"conversation": "nowhere", "memory": "m", "text": "x"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder, report = import_trace("jsonl", path, TINY, tmp_path / "out", label="x", partial=True)
    assert load(folder).questions["question"].tolist() == [FIRST]
    assert (report.rows, report.by_id) == (3, 1)
    assert report.dropped == {"no such question": 1, "no such conversation": 1}
    with pytest.raises(MalformedDataError, match=r"2 rows fit none.*:2: no such question: 'zzz'"):
        import_trace("jsonl", path, TINY, tmp_path / "out", label="x")
