"""What a player writes is checked line by line before it enters a journal."""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.records import Question, Turn
from memgauge.runs.play.engine import note_case, run_case
from memgauge.runs.play.player.assignment import masked
from memgauge.runs.play.player.rows import CheckedLines, rows_of
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.row_log import RowLog
from memgauge.runs.record.rows import failures
from memgauge.runs.record.spelling import encode
from memgauge.runs.record.verbatim import VerbatimLog, turns_of
from memgauge.streams import Ask, Reset, SessionEnd, Write, clean
from memgauge.systems import open_system
from support.handmade import five_questions
from support.systems import Failing, Notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.streams import Event

NOON = datetime(2023, 5, 8, 12)  # noqa: DTZ001 - turns carry naive local times
_CLOCKS = re.compile(rb'"(wall_|cpu_)?ms":[-0-9.e]+')
(CASE,) = five_questions().cases()


@pytest.mark.parametrize("system", [Notebook, Failing])
def test_questions_get_their_names_back(system: type[Notebook]) -> None:
    """Played under numbers a conversation gives the lines that it gives under names."""
    hidden = masked(clean(CASE))
    asked = [event.question for event in hidden.stream if isinstance(event, Ask)]
    assert [(each.id, each.category, each.after_session) for each in asked] == [
        (str(n), "", None) for n in range(len(CASE.questions))
    ]
    played = run_case("c1", hidden.stream, system, Limits(), number=3, attempt=2)
    lines, failed = journal_of(encode(played), "c1", 2, 3, hidden.questions)
    plain = run_case("c1", clean(CASE), system, Limits(), number=3, attempt=2)
    for row in plain:
        row.update(dict.fromkeys(row.keys() & {"ms", "wall_ms", "cpu_ms"}))
    without = [{**row, **dict.fromkeys(row.keys() & {"ms", "wall_ms", "cpu_ms"})} for row in rows_of(lines)]
    assert without == json.loads(json.dumps(plain))
    assert failed == failures(plain)


def journal_of(
    body: bytes, conversation: str, attempt: int, number: int, questions: Sequence[Question]
) -> tuple[bytes, int]:
    """Check lines that come line by line, and say how many questions failed."""
    checked = CheckedLines(conversation, attempt, number, questions)
    return b"".join(map(checked.take, body.splitlines(keepends=True))), checked.end()


def forged(change: dict[str, object], table: str) -> bytes:
    """Change the first row of a table."""
    rows = run_case("c1", masked(clean(CASE)).stream, Notebook, Limits())
    place = next(n for n, row in enumerate(rows) if row["t"] == table)
    rows[place] |= change
    return encode(rows)


@pytest.mark.parametrize(
    ("change", "table", "words"),
    [
        ({"conversation": "c2"}, "write", "another record"),
        ({"attempt": 7}, "memory", "another record"),
        ({"t": "seal"}, "memory", "another record"),
        ({"question": "9"}, "question", "not asked"),
        ({"question": "1"}, "question", "other questions"),
        ({"outcome": "excellent"}, "question", "an outcome that there is not"),
        ({"number": 8}, "case", "without a beginning"),
        ({"failed": 3}, "end", "miscounts"),
        ({"t": "write"}, "end", "without a beginning or an end"),
    ],
)
def test_a_forged_line_is_refused(change: dict[str, object], table: str, words: str) -> None:
    """A player that writes it counts as dead."""
    with pytest.raises(EOFError, match=words):
        journal_of(forged(change, table), "c1", 1, 0, masked(clean(CASE)).questions)


def test_what_is_no_line_is_refused() -> None:
    """Neither half a line nor another kind of value."""
    for body in (b"", b"{\n", b"[]\n"):
        with pytest.raises(EOFError):
            journal_of(body, "c1", 1, 0, ())


EVENTS: st.SearchStrategy[Event] = (
    st.builds(
        Write,
        st.lists(
            st.builds(
                Turn,
                st.sampled_from(["t0", "t1", "t2", "t3"]),
                st.sampled_from(["Ada", ""]),
                st.sampled_from(["beans", 'a "gate"\n', "\ud800", "rain " * 60, ""]),
                st.just("s"),
                st.none() | st.just(NOON),
            ),
            min_size=1,
            max_size=2,
        ).map(tuple),
        st.sampled_from(["", "", "Ben"]),
    )
    | st.just(SessionEnd("s"))
    | st.just(Reset())
    | st.just(Ask(Question("q", "c1", "rain beans", "")))
)


@pytest.mark.parametrize(
    "system",
    [
        "bm25",
        "tfidf",
        "recency:as_heard=false",
        "full:speaker=true",
        "bm25:capacity=2",
        "files",
        Notebook,
        Failing,
    ],
)
@settings(max_examples=15)
@given(stream=st.lists(EVENTS, max_size=12).map(tuple))
def test_turns_told_by_numbers_leave_the_lines_of_rows(system: Any, stream: tuple[Event, ...]) -> None:
    """Whatever is written, again or together, and forgotten or asked between: for our memories and for others."""
    hidden = masked(stream)
    opened = system if callable(system) else partial(open_system, system)
    lines = []
    for rows in (RowLog(), VerbatimLog(turns_of(hidden.stream))):
        note_case("c1", hidden.stream, opened, Limits(), rows)
        checked = CheckedLines("c1", 1, 0, hidden.questions, turns_of(hidden.stream))
        lines.append(_CLOCKS.sub(b"", b"".join(map(checked.take, rows.lines()))))
        checked.end()
    assert lines[0] == lines[1]
