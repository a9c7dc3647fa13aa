"""Rows that are told by numbers of turns become the lines that the rows themselves would be."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Form, Lineage, Memory, Outcome, Turn
from memgauge.runs.play.player.rows import CheckedLines
from memgauge.runs.record import verbatim
from memgauge.runs.record.lineage import TracedVersion
from memgauge.runs.record.row_log import HeldRows, RowLog
from memgauge.runs.record.rows import AttemptRows
from memgauge.runs.record.spelling import encode
from memgauge.runs.record.verbatim import VerbatimLines, VerbatimLog, turns_of
from memgauge.streams import SessionEnd, Write
from memgauge.text.heard import spellings

if TYPE_CHECKING:
    from collections.abc import Sequence

NOON = datetime(2023, 5, 8, 12)  # noqa: DTZ001 - turns carry naive local times
SHEET = AttemptRows('a "conversation"', 2)
TEXTS = st.text(max_size=9) | st.sampled_from(
    ['say "yes"\n', "a\\b\ttab\x7f", "\ud800 half", "word " * 60, "é\u2028"]
)
TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from(["t0", "t1", 't"2', "t\ud801", "t4"]),
        st.sampled_from(["Ada", "", 'B"', "\n"]),
        TEXTS,
        st.just("s"),
        st.none() | st.just(NOON) | st.just(NOON.replace(tzinfo=UTC)),
    ),
    max_size=6,
)


@st.composite
def attempts(draw: st.DrawFn) -> tuple[list[Turn], list[Any]]:
    """Draw turns, and rows and versions that are told of them, or nearly so."""
    turns = draw(TURNS)
    told: list[Any] = []
    for turn in draw(st.lists(st.sampled_from(turns), max_size=9)) if turns else []:
        row = SHEET.row(
            "write",
            turns=[turn.id],
            outcome=draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.OK, Outcome.ERROR])),
            reason=draw(st.sampled_from(["", "", "why"])),
            ms=draw(st.floats(0, 1e9)),
            changed=draw(st.sampled_from([[turn.id], [turn.id], [], [turn.id, "x"]])),
        )
        told.append(
            draw(st.sampled_from([row, row, row, SHEET.row("flush", session="s", outcome=Outcome.OK, ms=0.5)]))
        )
    for place, turn in enumerate(draw(st.lists(st.sampled_from(turns), max_size=9)) if turns else []):
        memory = Memory(
            turn.id, draw(st.sampled_from(spellings(turn.text, turn.speaker, turn.at))), Form.RAW, event_at=turn.at
        )
        version = TracedVersion(place, memory, 1, Form.RAW, (turn.id,), Lineage.EXACT)
        others = [
            replace(version, version=2),
            replace(version, form=Form.CANONICAL),
            replace(version, sources=(turn.id, "t9")),
            replace(version, sources=()),
            replace(version, lineage=Lineage.DECLARED),
            replace(version, row=place + 7),
            *(
                replace(version, memory=replace(memory, **change))
                for change in (
                    {"text": turn.text + "!"}, {"text": ""}, {"event_at": None}, {"event_at": NOON},
                    {"valid_from": NOON}, {"valid_to": NOON}, {"stored_at": NOON}, {"channel": "c"}, {"id": "t4"},
                )
            ),
        ]  # fmt: skip
        told.append(draw(st.just(version) | st.sampled_from([version, *others])))
    return turns, told


def taken(log: HeldRows | RowLog, told: Sequence[Any]) -> None:
    """Let *log* take a case with all that is told of it."""
    log.append(SHEET.row("case", number=0))
    for each in told:
        if isinstance(each, TracedVersion):
            log.keep([each], SHEET)
        else:
            log.append(each)
    log.append(SHEET.end(0))
    log.before_end([SHEET.spent("rest", 1.0, 1.0, [], transparent=True)])


@given(attempts(), st.sampled_from([1, 2, 512]))
def test_lines_are_those_of_the_rows(drawn: tuple[list[Turn], list[Any]], together: int) -> None:
    """Whatever is told of whichever turns, however many together: by numbers or not, to the byte."""
    turns, told = drawn
    rows, log = HeldRows(), VerbatimLog(turns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verbatim, "_RUN", together)
        for each in (rows, log):
            taken(each, told)
        checked = CheckedLines(SHEET.conversation, SHEET.attempt, 0, (), turns)
        lines = b"".join(checked.take(portion) for portion in log.lines())
    assert checked.end() == log.failed == 0
    assert lines == encode(rows)


def test_what_is_the_same_for_each_turn_is_told_once() -> None:
    """Of a conversation that is kept as it was heard nearly nothing travels."""
    turns = [Turn(f"t{n}", "Ada", "long words " * 90, "s", NOON) for n in range(500)]
    log = VerbatimLog(turns)
    written = [SHEET.row("write", turns=[t.id], outcome="ok", reason="", ms=0.5, changed=[t.id]) for t in turns]
    kept = [
        TracedVersion(n, Memory(t.id, t.text, event_at=NOON), 1, Form.RAW, (t.id,), Lineage.EXACT)
        for n, t in enumerate(turns)
    ]
    taken(log, [*written, *kept])
    assert log.lines().size < 6000


def test_turns_are_numbered_as_they_are_written() -> None:
    """Whatever lies between them, and however many a write has."""
    a, b, c = (Turn(name, "Ada", name, "s") for name in "abc")
    assert turns_of([Write((a, b)), SessionEnd("s"), Write((c,))]) == [a, b, c]


WROTE = {"t": "wrote", "first": 0, "ms": [0.5, 0.5]}
COPIED = {"t": "copied", "row": 0, "spelling": 0, "turns": [1, 0]}


@pytest.mark.parametrize(
    "rows",
    [
        [WROTE | {"first": -1}], [WROTE | {"first": 1}], [WROTE | {"first": True}], [WROTE | {"first": "0"}],
        [WROTE | {"ms": [1]}], [WROTE | {"ms": [float("nan")]}], [WROTE | {"ms": None}], [{"t": "wrote"}],
        [WROTE, WROTE], [COPIED, COPIED], [COPIED | {"turns": [0, 0]}], [COPIED | {"turns": [2]}],
        [COPIED | {"turns": [-1]}], [COPIED | {"turns": [False]}], [COPIED | {"turns": "0"}], [{"t": "copied"}],
        [COPIED | {"spelling": 3}], [COPIED | {"spelling": -1}], [COPIED | {"row": True}], [COPIED | {"row": -1}],
        [COPIED | {"row": "0,"}],
    ],
)  # fmt: skip
def test_what_stands_for_no_rows_is_refused(rows: list[dict[str, Any]]) -> None:
    """Turns that there are not, that were told before, or whatever is no number."""
    turns = [Turn("a", "Ada", "x", "s"), Turn("b", "Ada", "y", "s")]
    with pytest.raises(ValueError, match=r"nobody made|stands for none"):
        list(map(VerbatimLines(turns, "c", 1).of, rows))
    body = "".join(f"{json.dumps(row)}\n" for row in [SHEET.row("case", number=0), *rows]).encode()
    with pytest.raises(EOFError):
        CheckedLines(SHEET.conversation, SHEET.attempt, 0, (), turns).take(body)


def test_nothing_is_told_before_the_beginning() -> None:
    """A record begins with its case."""
    turns = [Turn("a", "Ada", "x", "s")]
    with pytest.raises(EOFError, match="another record"):
        CheckedLines("c", 1, 0, (), turns).take(json.dumps(COPIED | {"turns": [0]}).encode() + b"\n")


def test_a_turn_that_was_changed_in_place_is_told_as_it_was_kept() -> None:
    """A memory is handed the very turns; whatever its code makes of them, the journal says what it kept."""
    turns = [Turn("a", "Ada", "x", "s", NOON), Turn("b", "Ada", "y", "s", NOON)]
    played = [replace(turn) for turn in turns]
    log, rows = VerbatimLog(played), HeldRows()
    object.__setattr__(played[0], "text", "")
    object.__setattr__(played[1], "at", NOON.replace(year=1999))
    told = [
        TracedVersion(n, Memory(t.id, t.text, event_at=t.at), 1, Form.RAW, (t.id,), Lineage.EXACT)
        for n, t in enumerate(played)
    ]
    for each in (rows, log):
        taken(each, told)
    checked = CheckedLines(SHEET.conversation, SHEET.attempt, 0, (), turns)
    assert b"".join(map(checked.take, log.lines())) == encode(rows)
