"""What is looked for in a process is noticed, and what every program does is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from support import ROOT

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
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "src"), "PATH": os.environ["PATH"]},
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


@pytest.mark.skipif(not which("jq"), reason="the memory of the example reads JSON with jq")
def test_a_memory_in_a_process_of_its_own_is_not_taken_for_one_that_searches() -> None:
    """What it takes is counted for every call by reading of its process: that is us, and no memory."""
    assert (
        heard(f"""
from memgauge.records import Scope, Turn
from memgauge.systems.catalogue import open_system
from memgauge.systems.wire.children import children_cpu_ms
memory = open_system("wire:command=sh {ROOT}/examples/toy.sh")
memory.ingest([Turn("t1", "Ann", "The red kite flew.", "s")], Scope("u"))
for _ in range(3):
    assert memory.search("kite", Scope("u"), 5).hits
    children_cpu_ms()
    memory.spent()
memory.close()
""")
        == "{}"
    )


def test_who_makes_a_world_again_is_refused() -> None:
    """The module that makes synthetic worlds, answers included, cannot be imported where a memory is played."""
    with pytest.raises(subprocess.CalledProcessError) as refused:
        heard("from memgauge.datasets.catalogue import open_dataset")
    assert "is not for memories" in refused.value.stderr
