"""Golden suites under pytest: collected, marked, told, and nowhere to be seen where there are none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import memgauge
from memgauge.studies.golden.suite_run import run_suites
from memgauge.studies.golden.words import headline
from support import ROOT
from support.golden import BROKEN, GOOD, MEMORIES, VACUOUS, loaded, write_suite

if TYPE_CHECKING:
    from collections.abc import Callable

    Ran = subprocess.CompletedProcess[str]

pytest_plugins = ("pytester",)
QUIET = ("-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--color=no")
KNOWN = any(point.name == "memgauge" for point in entry_points(group="pytest11"))
"""Whether this environment has the package installed, and so the plugin."""


@pytest.fixture(scope="session", autouse=True)
def imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import everything before pytester remembers what was: numpy and yaml cannot be imported twice."""
    for memory in ("bm25", "ideal"):
        assert headline(run_suites(loaded(tmp_path_factory.mktemp("suite")), memory))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a search path on which the plugin is found by its entry point, as pyproject.toml names it."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    home = tmp_path_factory.mktemp("site")
    info = home / "memgauge_as_installed-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memgauge-as-installed\nVersion: 0.1\n")
    lines = "\n".join(f"{name} = {target}" for name, target in points.items())
    (info / "entry_points.txt").write_text(f"[pytest11]\n{lines}\n")
    return os.pathsep.join([str(home), str(Path(memgauge.__file__).parents[1])])


@pytest.fixture
def run(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run pytest in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    plugin = () if KNOWN else ("-p", "memgauge.pytest_plugin")

    def call(*arguments: object) -> Ran:
        ran = pytester.runpytest_inprocess(*QUIET, *plugin, *map(str, arguments))
        return subprocess.CompletedProcess((), int(ran.ret), ran.stdout.str(), ran.stderr.str())

    return call


@pytest.fixture
def outside(installed: str, tmp_path: Path) -> Callable[..., Ran]:
    """Run pytest as a user does, in a process of its own that finds the plugin by its entry point."""

    def call(*arguments: object) -> Ran:
        (tmp_path / "pytest.ini").touch()
        return subprocess.run(
            [sys.executable, "-m", "pytest", *QUIET, *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": installed},
        )

    return call


def test_a_scenario_is_a_test(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Pass, fail, soft, known, unsupported; a failure says anomaly, witness, file and line."""
    write_suite(tmp_path)
    ran = run("--memgauge-system", "bm25", "--junitxml", "out.xml", "-rxs")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 failed, 2 passed, 1 skipped, 2 xfailed" in ran.stdout
    assert "mutation.deadline: fail MIXED_VERSIONS at recall" in ran.stdout
    assert "replaced it by" in ran.stdout
    assert "small.memsuite.yaml:13, public-issue mem0ai/mem0#4957" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "soft gate: fail MIXED_VERSIONS" in ran.stdout
    assert "known: our-memory#7" in ran.stdout
    assert "needs a memory that is durable" in ran.stdout
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "out.xml").iter("testcase")}  # noqa: S314 - made here
    told = {node.get("name"): node.get("value") for node in cases["mutation.deadline"].iter("property")}
    assert told == {
        "family": "mutation",
        "severity": "critical",
        "gate": "hard",
        "provenance": "public-issue mem0ai/mem0#4957",
        "anomaly": "MIXED_VERSIONS",
        "layer": "recall",
    }


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("soft", {"mutation.soft"}),
        ("critical", {"mutation.deadline"}),
        ("mutation and hard", {"mutation.deadline", "mutation.known"}),
        ("rare", {"mutation.deadline"}),
        ("isolation or persistence", {"isolation.other", "persistence.next", "durability.restart"}),
    ],
)
def test_scenarios_are_chosen_by_marks(
    run: Callable[..., Ran], tmp_path: Path, expression: str, names: set[str]
) -> None:
    """Gate, severity, tag and family are marks, under strict marks too; listing needs no memory."""
    write_suite(tmp_path)
    ran = run("--collect-only", "--strict-markers", "-m", expression)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert {line.split("::")[1] for line in ran.stdout.splitlines() if "::" in line} == names


def test_what_is_long_has_a_mark_of_its_own(run: Callable[..., Ran], tmp_path: Path) -> None:
    """More than a hundred turns, sweeps and restarts are for the night; the rest is for every commit."""
    (tmp_path / "waits.memsuite.yaml").write_text(
        "schema: 1\nsuite: {id: waits, version: 1.0.0}\nscenarios:\n"
        "- {id: waits.short, title: Wait, family: waits, steps: [{say: Hi, times: 9}, {probe: [x]}]}\n"
        "- {id: waits.long, title: Wait, family: waits, steps: [{say: Hi, times: 101}, {probe: [x]}]}\n",
        "utf-8",
    )
    listed = {
        expression: run("--collect-only", "--strict-markers", "-m", expression).stdout
        for expression in ("nightly", "not nightly")
    }
    assert ["waits.long" in listed[expression] for expression in listed] == [True, False]
    assert ["waits.short" in listed[expression] for expression in listed] == [False, True]


def test_what_a_memory_must_offer_is_a_test(run: Callable[..., Ran], tmp_path: Path) -> None:
    """A capability that is missing fails by itself, whatever is chosen; a name that is none is refused."""
    write_suite(tmp_path)
    ran = run("--memgauge-system", "bm25", "-m", "isolation", "--memgauge-class", "assistant")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "3 passed" in ran.stdout
    assert "the memory is not durable (assistant: what was said yesterday" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert run("--memgauge-system", "bm25", "-m", "isolation", "--memgauge-require", "mutable").returncode == 0
    assert "Did you mean durable" in run("--memgauge-system", "bm25", "--memgauge-require", "durible").stderr


def test_the_memory_may_stand_in_the_ini_file(run: Callable[..., Ran], tmp_path: Path) -> None:
    """An option wins over it; the seed plants other values."""
    write_suite(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmemgauge_system = ideal\n")
    assert run("--memgauge-seed", "7").returncode == 0
    assert run("--memgauge-system", "bm25").returncode == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "golden suites need a memory system: give --memgauge-system module:factory"),
        (("--memgauge-system", "bm52"), "--memgauge-system bm52: Unknown system 'bm52'. Did you mean bm25"),
    ],
)
def test_a_memory_that_is_not_named_is_one_clear_mistake(
    run: Callable[..., Ran], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    """Nothing is run, and one line says what to do."""
    write_suite(tmp_path)
    ran = run(*options)
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    told = [line for line in (ran.stdout + ran.stderr).splitlines() if said in line]
    assert len(told) == 1
    assert "passed" not in ran.stdout


def test_nothing_but_a_pass_is_a_pass(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Vacuous scenarios and those that cannot be read fail with file and line; the others run."""
    write_suite(tmp_path, GOOD + VACUOUS + BROKEN)
    ran = run("--memgauge-system", "ideal")
    assert "2 failed, 6 passed" in ran.stdout
    assert "isolation.vacuous: vacuous" in ran.stdout
    assert re.search(r"small\.memsuite\.yaml:\d+: broken\.step: .*there is no step 'sing'", ran.stdout)


def test_a_memory_that_raises_or_hangs_fails_by_name(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Every scenario says why, and nothing that the memory says is obeyed."""
    (tmp_path / "hostile.py").write_text(MEMORIES, encoding="utf-8")
    write_suite(tmp_path)
    ran = run("--memgauge-system", "hostile:Hostile")
    assert "4 failed" in ran.stdout
    assert "search raised ValueError" in ran.stdout
    assert "\x1b" not in ran.stdout
    hung = run("--memgauge-system", "hostile:hangs_on_opening", "--memgauge-timeout", "0.3", "-m", "isolation")
    assert "opening it did not return within 0.3 s" in hung.stdout


def test_a_suite_that_cannot_be_read_is_a_collection_error(run: Callable[..., Ran], tmp_path: Path) -> None:
    """A wrong schema, and an id that another file has; other files still run where that is allowed."""
    write_suite(tmp_path)
    write_suite(tmp_path, "schema: 9\n", "wrong")
    write_suite(tmp_path, GOOD, "twice")
    ran = run("--memgauge-system", "ideal", "--continue-on-collection-errors")
    assert ran.returncode == 1
    assert "schema: 9 is not 1" in ran.stdout
    assert "twice.memsuite.yaml:4: id persistence.next is taken in" in " ".join(ran.stdout.split())
    assert "6 passed" in ran.stdout


@pytest.mark.slow
def test_workers_of_xdist_play_the_same(outside: Callable[..., Ran], tmp_path: Path) -> None:
    """The same verdicts; without a memory every scenario says what is missing."""
    write_suite(tmp_path)
    assert "1 failed, 2 passed, 1 skipped, 2 xfailed" in outside("-n", "1", "--memgauge-system", "bm25").stdout
    ran = outside("-n", "1")
    assert "6 failed" in ran.stdout
    assert "no memory system was named: give --memgauge-system" in ran.stdout


def test_a_session_without_a_suite_sees_nothing(outside: Callable[..., Ran], tmp_path: Path) -> None:
    """No module of ours but the plugin is imported, nothing is printed, and no mark is registered."""
    (tmp_path / "test_own.py").write_text(
        "import sys\n\n"
        "def test_own():\n"
        "    ours = {name for name in sys.modules if name.split('.')[0] == 'memgauge'}\n"
        "    assert ours == {'memgauge', 'memgauge.version', 'memgauge.pytest_plugin'}\n"
        "    assert not {'numpy', 'yaml', 'pydantic', 'rich'} & set(sys.modules)\n"
    )
    ran = outside("-W", "error")
    assert ran.returncode == 0, ran.stdout
    assert "memgauge" not in ran.stdout + ran.stderr
    assert "golden" not in outside("--markers").stdout
    assert "--memgauge-system" in outside("--help").stdout


def test_the_shipped_suite_runs_by_its_name(outside: Callable[..., Ran]) -> None:
    """``--pyargs memgauge.suites`` collects it where the package is installed."""
    ran = outside("--pyargs", "memgauge.suites", "--memgauge-system", "ideal", "-m", "seed")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "passed" in ran.stdout
