"""What is read of an outside agent's work, killed at any moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.studies.track.play.played import ANSWERS, QuestionEnding, answer_lines
from memgauge.studies.track.play.served import read_served
from memgauge.studies.track.play.trajectory import TIMINGS, TRAJECTORY, TrajectoryWriter, read_trajectory
from support.track.play import answered, call

if TYPE_CHECKING:
    from pathlib import Path

CALLS = (call(0, "list_tickets", text="für dana", ms=1.0), call(1, "get_ticket", text="x", question="q3", ms=2.0))
ANSWERED = (answered("q1", "dana", 1), answered("q2", "für immer", 1))


def write(folder: Path) -> None:
    """Keep two calls and two answers."""
    with TrajectoryWriter(folder) as writer:
        for each in CALLS:
            writer.write(each)
    (folder / ANSWERS).write_text(answer_lines(ANSWERED), "utf-8")


def cut(path: Path, size: int) -> None:
    """Take bytes off the end, as a kill in the middle of a write does."""
    path.write_bytes(path.read_bytes()[:-size])


@pytest.mark.parametrize("name", [TRAJECTORY, ANSWERS, TIMINGS])
def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path, name: str) -> None:
    """Wherever it was cut, what stands before it is read; only where its newline alone is missing it counts."""
    write(tmp_path)
    last_line = len((tmp_path / name).read_bytes().splitlines()[-1])
    for left in range(last_line, -1, -1):
        cut(tmp_path / name, 1)
        served = read_served(tmp_path, "tiny")
        whole = 2 if left == last_line else 1
        assert len(served.played.calls) == (whole if name == TRAJECTORY else 2)
        assert len(served.played.answers) == (whole if name == ANSWERS else 2)
        assert served.torn == ((name,) if 0 < left < last_line and name != TIMINGS else ())


def test_a_line_within_is_not_torn(tmp_path: Path) -> None:
    """What no kill can do is damage, and is named; so is a torn line where whole files are read."""
    write(tmp_path)
    cut(tmp_path / TRAJECTORY, 9)
    with pytest.raises(MalformedDataError, match=r"trajectory\.jsonl:2"):
        read_trajectory(tmp_path)
    (tmp_path / TRAJECTORY).write_bytes(b"{broken\n" + (tmp_path / TRAJECTORY).read_bytes())
    with pytest.raises(MalformedDataError, match=r"trajectory\.jsonl:1"):
        read_served(tmp_path, "tiny")


def test_what_was_left_open_is_told_apart(tmp_path: Path) -> None:
    """Answered, begun and never asked; no file of answers is no answer."""
    write(tmp_path)
    served = read_served(tmp_path, "tiny").played
    assert [served.ending(f"q{number}") for number in (1, 3, 4)] == [
        QuestionEnding.ANSWERED,
        QuestionEnding.UNANSWERED,
        QuestionEnding.UNASKED,
    ]
    (tmp_path / ANSWERS).unlink()
    assert read_served(tmp_path, "tiny").played.answers == ()
