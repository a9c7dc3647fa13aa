"""Messages of a memory that get lost, late, doubled or out of order: an attempt is lost, and no row."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from chaos.faults import DATASET, SYSTEM, _scores, rows
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from support.faults import failed

if TYPE_CHECKING:
    from pathlib import Path

BETWEEN = """
import os, subprocess, sys, time
kind, number, folder, *command = sys.argv[1:]
mark = os.path.join(folder, "mark")
served = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
held = b""
count = 0
for line in sys.stdin.buffer:
    served.stdin.write(line)
    served.stdin.flush()
    if b'"id"' not in line:
        continue
    reply = served.stdout.readline()
    count += 1
    strikes = count == int(number) and os.path.exists(mark)
    if strikes:
        os.unlink(mark)
        if kind == "late":
            time.sleep(0.3)
        if kind == "lost":
            continue
        if kind == "swapped":
            held = reply
            continue
        if kind == "doubled":
            reply += reply
        if kind == "torn":
            reply = reply[: len(reply) // 2] + b"\\n"
        if kind == "foreign":
            reply = reply.replace(b'"id":', b'"id":9')
    sys.stdout.buffer.write(reply + held)
    sys.stdout.buffer.flush()
    held = b""
"""


LIMITS = Limits(attempts=2, timeout_s=4)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the same run with nothing between it and its memory."""
    (folder,) = execute(plan([DATASET], [SYSTEM], limits=LIMITS), tmp_path_factory.mktemp("plain"), check=False)
    return folder


@pytest.mark.parametrize(
    "kind",
    [
        *("late", "lost", "doubled"),
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("swapped", "torn", "foreign")),
    ],
)
def test_no_message_that_goes_astray_costs_a_row(tmp_path: Path, plain: Path, kind: str) -> None:
    """What is late is waited for; anything else ends the attempt, and the next one is whole."""
    mark = tmp_path / "mark"
    mark.touch()
    between = tmp_path / "between.py"
    between.write_text(BETWEEN)
    serve = [sys.executable, "-m", "memgauge.systems.wire.serve", SYSTEM]
    command = shlex.join([sys.executable, "-S", str(between), kind, "9", str(tmp_path), *serve])
    planned = plan([DATASET], [f"wire:timeout=4,command={command}"], limits=LIMITS)
    (folder,) = execute(planned, tmp_path / "out", check=False)
    assert not mark.exists()
    assert rows(folder) == rows(plain)
    assert _scores(folder) == _scores(plain)
    assert failed(folder) == {}
