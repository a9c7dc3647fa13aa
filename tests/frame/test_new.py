"""`memgauge new`: skeletons that work at once."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.frame.skeletons import STEPS, skeleton, write
from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

    Call = Callable[..., Said]

KINDS = sorted(STEPS)


def _run(*command: str | Path, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join(map(str, filter(None, (ROOT / "src", path))))
    environment = {**os.environ, "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"}
    command = (sys.executable, "-m", *command)
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("kind", "runner"),
    [
        ("system", "unittest"),
        ("dataset", "unittest"),
        ("suite", "unittest"),
        *(pytest.param(kind, "pytest", marks=pytest.mark.slow) for kind in KINDS),
    ],
)
def test_a_skeleton_passes_its_own_tests(kind: str, runner: str, tmp_path: Path) -> None:
    """What was just written passes, with nothing but Python and with pytest."""
    folder = write(skeleton(kind, "try_it"), tmp_path)
    quiet = ["-q", "-p", "no:cacheprovider"] if runner == "pytest" else []
    done = _run(runner, *quiet, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK" in done.stderr or "passed" in done.stdout


@pytest.mark.parametrize(
    "kind", ["dataset", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("system", "suite"))]
)
def test_a_broken_skeleton_fails_its_own_tests(kind: str, tmp_path: Path) -> None:
    """The tests of a skeleton notice when what they test is broken."""
    folder = write(skeleton(kind, "try_it"), tmp_path)
    file, good, bad = {
        "system": ("try_it.py", "best[:k]", "best[:0]"),
        "dataset": ("sample.jsonl", "Turin", "Milan"),
        "suite": ("try_it.memsuite.yaml", "about: supplier", "about: other"),
    }[kind]
    text = (folder / file).read_text("utf-8")
    assert good in text
    (folder / file).write_text(text.replace(good, bad), encoding="utf-8")
    assert _run("unittest", cwd=folder).returncode != 0


def test_the_system_conforms_and_stands_on_a_board(
    memgauge: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands that are printed after writing a memory work as printed."""
    monkeypatch.chdir(tmp_path)
    said = memgauge("systems", "new", "board_memory", "--json")
    folder, steps = said.data["folder"], said.data["steps"]
    assert (said.code, folder, steps[0]) == (0, "board_memory", "cd board_memory")
    monkeypatch.chdir(folder)
    for step in steps[2:]:
        done = memgauge(*step.removeprefix("memgauge ").replace("synthetic", "synthetic:tiny").split())
        assert done.code == 0, done.err
    assert "board_memory:BoardMemory" in done.out


def test_the_system_has_thirty_lines(tmp_path: Path) -> None:
    """The memory itself is short enough to be read."""
    text = (write(skeleton("system", "short"), tmp_path) / "short.py").read_text("utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 30


def test_the_dataset_is_known_once_it_is_installed(tmp_path: Path) -> None:
    """Installed as a package, the dataset is described, validated and measured by its name."""
    folder = write(skeleton("dataset", "our_notes"), tmp_path)
    place = tmp_path / "place"
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--disable-pip-version-check")
    installed = _run("pip", "install", *offline, "--target", place, ".", cwd=folder)
    assert installed.returncode == 0, installed.stderr
    ref = "our_notes:./sample.jsonl"
    valid = _run("memgauge", "data", "validate", ref, cwd=folder, path=place)
    assert "valid" in valid.stdout, valid.stderr
    ran = _run("memgauge", "run", "-d", ref, "-s", "bm25", cwd=folder, path=place)
    assert (ran.returncode, "3 ok" in ran.stdout) == (0, True), ran.stdout + ran.stderr
    assert _run("memgauge", "score", cwd=folder, path=place).returncode == 0


def test_what_is_written_is_named(memgauge: Call, tmp_path: Path) -> None:
    """Text names every file and what to do next, from within the new folder."""
    said = memgauge("study", "golden", "new", "house_rules", "--into", tmp_path)
    assert said.code == 0
    for file in (tmp_path / "house_rules").iterdir():
        assert file.name in said.out.replace("\n", "")
    assert "golden run --suite house_rules.memsuite.yaml" in said.out


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("My-Memory", "my_memory"),
        ("MyMemory", "my_memory"),
        ("7th", "mymemory"),
        ("numpy", "my_numpy"),
        ("yaml", "my_yaml"),
        ("test", "my_test"),
        ("json", "my_json"),
        ("class", "my_class"),
        ("../x", "For instance x."),
    ],
)
def test_a_name_that_cannot_be_a_module_is_refused(name: str, hint: str) -> None:
    """Names that Python could not import are refused, with one that it could."""
    with pytest.raises(ConfigError, match=hint):
        skeleton("system", name)


def test_nothing_is_overwritten(memgauge: Call, tmp_path: Path) -> None:
    """A folder that is there is left alone."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.py").write_text("precious")
    said = memgauge("systems", "new", "mine", "--into", tmp_path)
    assert said.code == 2
    assert "is there already" in said.err
    assert [path.read_text() for path in (tmp_path / "mine").iterdir()] == ["precious"]


def test_a_folder_that_cannot_be_made_is_a_mistake(memgauge: Call, tmp_path: Path) -> None:
    """A file where the folder should go is said so."""
    (tmp_path / "file").touch()
    said = memgauge("data", "new", "mine", "--into", tmp_path / "file")
    assert said.code == 2
    assert "Cannot write" in said.err


def test_the_program_is_called_from_within(
    tmp_path: Path, memgauge: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where memgauge is called by a path, the steps lead there from the new folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("memgauge.frame.new.program", lambda: ".venv/bin/memgauge")
    assert "../.venv/bin/memgauge score" in memgauge("systems", "new", "mine", "--json").data["steps"]
    monkeypatch.setattr("memgauge.frame.new.program", lambda: "/opt/bin/memgauge")
    assert "/opt/bin/memgauge score" in memgauge("systems", "new", "other", "--json").data["steps"]
