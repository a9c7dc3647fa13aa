"""A study is one folder and one line, also from an installed package: the toy beside this test is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgauge.registry import load_target
from memgauge.studies.slices import slices

TOYS = Path(__file__).parents[1] / "toys" / "study"
VIEW = """
import sys
from pathlib import Path
from memgauge.web.address import Address
from memgauge.web.library import Library
from memgauge.web.site import Site
from memgauge.web.studies import found
library = Library((Path(sys.argv[1]),))
(study,) = found(library)
print(study.kind, Site(library).html(Address.of("study", study.key)))
"""


def run(*arguments: str | Path) -> str:
    """Run Python where the toy is installed."""
    environment = {**os.environ, "PYTHONPATH": str(TOYS), "COLUMNS": "80"}
    command = [sys.executable, *map(str, arguments)]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_an_installed_study_has_commands_results_pages_and_claims(tmp_path: Path) -> None:
    """Its group is in the help, its result is written and shown by the viewer, its claims are computed again."""
    assert "How long questions are (a toy)." in run("-m", "memgauge", "study", "--help")
    assert "words." in run("-m", "memgauge", "study", "lengths", "measure", "--out", tmp_path)
    data = json.loads((tmp_path / "lengths.json").read_text("utf-8"))
    assert (data["kind"], data["version"], data["value"]["questions"]) == ("lengths", 1, 32)
    assert "<table" in (tmp_path / "lengths.html").read_text("utf-8")
    shown = run("-c", VIEW, tmp_path)
    assert shown.startswith("lengths ")
    assert "A question of synthetic:tiny has" in shown
    (figure,) = json.loads(run("-m", "memgauge", "reproduce", "lengths", "--json"))
    assert (figure["name"], figure["status"]) == ("questions", "OK")


@pytest.mark.parametrize("study", list(slices()), ids=lambda study: study.name)
def test_what_a_slice_names_is_there(study: object) -> None:
    """Commands, documents and files that it recognises can be imported, and kinds of results are its own."""
    mounted = next(each for each in slices() if each is study)
    assert load_target(mounted.commands)
    names = [shown.name for shown in mounted.results] + [kept.name for kept in mounted.files]
    assert len(names) == len(set(names))
    for shown in mounted.results:
        assert shown.kind.name == shown.name
        assert load_target(shown.show)
    for kept in mounted.files:
        assert load_target(kept.recognise)
        assert load_target(kept.show)


def test_a_broken_package_costs_its_own_study_only(tmp_path: Path) -> None:
    """What an installed package raises, or hands out instead of a slice, is said; every other command works."""
    for name, code in (("raising", "raise RuntimeError('no')"), ("other", "SLICE = 3")):
        (tmp_path / f"{name}.py").write_text(code, "utf-8")
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
        (metadata / "entry_points.txt").write_text(f"[memgauge.studies]\n{name} = {name}:SLICE\n", "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "memgauge", "study", "--help"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    warnings = " ".join(done.stderr.split())
    assert "study 'raising' cannot be used: RuntimeError: no." in warnings
    assert "study 'other' cannot be used: its target is no Slice but int." in warnings
    assert "targets" in done.stdout
