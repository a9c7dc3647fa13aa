"""Every command that makes runs lets their systems be checked, for there is one place where runs are made."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memgauge as package
from memgauge.runs.record.conformance import Conformance
from memgauge.runs.record.store import load
from memgauge.studies.slices import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.cli import Said

SOURCES = Path(package.__file__).parent
TINY = ("-d", "synthetic:tiny")
SHIFT = ("--preset", "clean", "--bursts", "5", "--draws", "100")
MAKERS = {
    "cli/run.py": ("run", *TINY, "-s", "recency"),
    "cli/complying.py": ("results", "comply", *TINY, "-s", "bm25", "--test", "renamed-ids", "--runs", "made"),
    "cli/demo.py": ("demo", *TINY),
    "studies/quality/commands.py": ("study", "quality", "run", *TINY, "-s", "recency"),
    "studies/shift/study.py": ("study", "shift", "run", *TINY, *SHIFT, "--policy", "flat", "-s", "recency"),
    "studies/targets/commands.py": ("study", "targets", "run", *TINY, "--store", "facts-1", "-s", "bm25"),
}
"""A command of every module of the command line and of the studies that makes runs to keep."""
RECORDED_ELSEWHERE = {"exchange/freeze.py", "studies/shift/play/freeze.py"}
"""Where a run is written of what no memory of the protocol did: another tool, a simulated policy."""

SCRATCH = {"studies/production/replaying.py"}
"""Where a run is made to be read once, and thrown away."""


def calls(path: Path, name: str) -> list[ast.Call]:
    """Return the calls in a module of what is called *name* there."""
    text = path.read_text("utf-8")
    called = (
        [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)] if f"{name}(" in text else []
    )
    return [node for node in called if isinstance(node.func, ast.Name) and node.func.id == name]


def makers() -> Iterator[str]:
    """Name the modules of the command line and of every study that make runs to keep; recipes keep none."""
    rooms = [SOURCES / "cli", *(SOURCES.parent / study.package.replace(".", "/") for study in slices())]
    for path in (path for room in rooms for path in sorted(room.rglob("*.py"))):
        text = path.read_text("utf-8")
        module = path.relative_to(SOURCES).as_posix()
        makes = "memgauge.runs.play.execute import execute" in text
        if makes and path.stem != "recipe" and module not in SCRATCH:
            yield module


def test_every_command_that_makes_runs_is_tried_here() -> None:
    """A new one is a line of the table above."""
    assert sorted(makers()) == sorted(MAKERS)


@pytest.mark.parametrize(
    "module", [pytest.param(name, marks=pytest.mark.slow if "demo" in name else ()) for name in sorted(MAKERS)]
)
def test_a_run_says_whether_its_system_conforms(
    module: str, memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever command made it."""
    monkeypatch.chdir(tmp_path)
    shown = memgauge(*MAKERS[module], "--out", tmp_path)
    assert shown.code == 0, shown.err
    lived = [load(path.parent).manifest for path in tmp_path.rglob("manifest.json")]
    lived = [manifest for manifest in lived if not manifest.system.ref.startswith("simulated:")]
    assert lived
    assert {manifest.conformance for manifest in lived} == {Conformance(checked=True)}


def test_no_module_of_ours_leaves_the_check_out() -> None:
    """Neither by asking for it, nor by writing a manifest of its own."""
    modules = {path.relative_to(SOURCES).as_posix(): path for path in SOURCES.rglob("*.py")}
    assert not [
        name
        for name, path in modules.items()
        for call in calls(path, "execute")
        if any(word.arg == "check" for word in call.keywords)
    ]
    written = {name for name, path in modules.items() if calls(path, "Manifest")}
    assert written == {"runs/play/plan.py"} | RECORDED_ELSEWHERE
