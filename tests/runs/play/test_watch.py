"""What is looked for in a process is noticed, and what every program does is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PLAYED = """
import json
from memgauge.runs.play.watch import noticed, watch
watch()
{code}
print(json.dumps(noticed()))
assert noticed() == {{}}
"""


def heard(code: str) -> str:
    """Run *code* in a process that is watched, and return what was noticed."""
    done = subprocess.run(
        [sys.executable, "-c", PLAYED.format(code=code)],
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("code", "noticed"),
    [
        ("import gc; gc.get_objects(); gc.get_objects()", '{"gc.get_objects": 2}'),
        ("import gc; gc.get_referrers(3)", '{"gc.get_referrers": 1}'),
        ("import sys; sys._current_frames()", '{"sys._current_frames": 1}'),
        ("import os; os.listdir('/proc/1')", '{"the files of other processes": 1}'),
        ("import os\ntry: open('/proc/1/environ')\nexcept OSError: pass", '{"the files of other processes": 1}'),
        ("try: import memgauge.datasets\nexcept ImportError: pass", '{"the module memgauge.datasets": 1}'),
        ("import os; os.listdir('/proc'); open('/proc/self/status').close()", "{}"),
        ("import os; open(f'/proc/{os.getpid()}/status').close()", "{}"),
        ("from memgauge.systems.wire.left import end_left; end_left('nobody has this mark')", "{}"),
        ("import logging, gc, os; gc.collect(); logging.warning('x'); open(os.devnull)", "{}"),
    ],
)
def test_what_a_memory_has_no_need_of_is_counted(code: str, noticed: str) -> None:
    """Reading all objects, other threads or other processes is counted; ordinary work is not."""
    assert heard(code) == noticed


def test_who_makes_a_world_again_is_refused() -> None:
    """The module that makes synthetic worlds, answers included, cannot be imported where a memory is played."""
    with pytest.raises(subprocess.CalledProcessError) as refused:
        heard("from memgauge.datasets.catalogue import open_dataset")
    assert "is not for memories" in refused.value.stderr
