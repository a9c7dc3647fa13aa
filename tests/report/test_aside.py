"""Figures drawn by another process: the same bytes, and no harm where it ends early."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.report import aside
from memgauge.report.aside import DrawingProcess, drawing_beside
from memgauge.report.board import documents
from memgauge.show import Figure
from memgauge.show.drawing import layered, specification
from memgauge.show.figures import Drawing, drawn
from report.boards import board, second

if TYPE_CHECKING:
    from pathlib import Path


def test_another_process_draws_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it drew is held for whoever draws next, and is what this process would have drawn."""
    boards = [board(), second()]
    here = [drawn(figure) for figure in documents(boards, title="Two").figures]
    whole = documents(boards, title="Two")
    with DrawingProcess() as drawing:
        drawing.begin(whole.figures)
        drawing.finish()
    monkeypatch.delattr("memgauge.show.figures._composed")
    assert [drawn(figure) for figure in whole.figures] == here


def here_alone() -> Drawing:
    """Compose a drawing in this process, which alone finds this module."""
    import altair as alt

    chart = layered(alt.Chart(alt.InlineData(values=[{}])).mark_point())
    return Drawing(specification(chart, height=10), "One point.")


def test_what_another_process_cannot_draw_is_drawn_here() -> None:
    """One that ends without an answer leaves every figure to this process."""
    figure = Figure("alone", "Drawn here", "", here_alone)
    with DrawingProcess() as drawing:
        drawing.begin([figure])
        drawing.finish()
    assert drawn(figure).startswith("<svg")


def test_one_that_was_stopped_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while its figures are drawn here, and it is gone."""
    monkeypatch.setattr(aside, "LONGEST_S", 0.2)
    figure = Figure("alone", "Drawn here", "", here_alone)
    with DrawingProcess() as drawing:
        drawing._process.send_signal(signal.SIGSTOP)
        drawing.begin([figure])
        drawing.finish()
    assert drawing._process.returncode == -signal.SIGKILL
    assert drawn(figure).startswith("<svg")


def end_early(*, handed: bool) -> None:
    """Start another process, and go wrong."""
    with DrawingProcess() as drawing:
        if handed:
            drawing.begin([Figure("alone", "Drawn here", "", here_alone)])
        raise LookupError


def test_an_error_ends_the_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the work here, be it before or after figures were handed over, ends it there."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **pipes: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **pipes))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    for handed in (False, True):
        with pytest.raises(LookupError):
            end_early(handed=handed)
    assert [process.returncode is not None for process in started] == [True, True]


@pytest.mark.parametrize(("much", "cores", "begun"), [(10, 2, True), (11, 2, False), (10, 1, False)])
def test_little_is_drawn_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, much: int, cores: int, begun: bool
) -> None:
    """Another process starts where runs have more than so many bytes of hits, and a core is free."""
    monkeypatch.setattr(aside, "MUCH", much)
    monkeypatch.setattr(aside, "usable_cores", lambda: cores)
    (tmp_path / "hits.parquet").write_bytes(bytes(11))
    with drawing_beside([tmp_path, tmp_path / "unfinished"]) as drawing:
        assert (drawing is not None) is begun


def test_what_a_site_prints_is_no_part_of_a_drawing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that runs whenever an interpreter starts may greet; what is drawn is drawn all the same."""
    (tmp_path / "sitecustomize.py").write_text("print('welcome')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    whole = documents([board()], title="One")
    with DrawingProcess() as drawing:
        drawing.begin(whole.figures)
        drawing.finish()
    monkeypatch.delattr("memgauge.show.figures._composed")
    assert all(drawn(figure).startswith("<svg") for figure in whole.figures)


def test_where_no_process_can_start_all_is_drawn_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a container may have no more of them."""
    monkeypatch.setattr(aside, "MUCH", 0)
    monkeypatch.setattr(aside, "usable_cores", lambda: 2)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (tmp_path / "hits.parquet").write_bytes(bytes(11))
    with drawing_beside([tmp_path]) as drawing:
        assert drawing is None
