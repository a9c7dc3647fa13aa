"""Laws of the project itself: locks, lint exceptions, sizes, floors, and what `make test` runs."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGE = ROOT / "src" / "memgauge"
LOCKS = ("run", "dense", "llm", "track", "cluster", "dev", "build", "bench", "bench-embed")
TEXT = {".cff", ".css", ".csv", ".html", ".in", ".j2", ".json", ".lock", ".md", ".py", ".sh", ".toml", ".yml"}
BARE = {".gitignore", "Containerfile", "LICENSE", "Makefile", "run"}


@cache
def pyproject() -> dict[str, Any]:
    """Read pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def lock_text(name: str) -> str:
    """Read one lock file."""
    return (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")


def pins(name: str) -> set[tuple[str, str]]:
    """Read the (package, version) pairs of one lock file; a package may have one for each Python version."""
    return {
        (n, v) for n, v in re.findall(r"^([a-z0-9.\-]+)(?:\[[^\]]*\])?==([^\s;]+)", lock_text(name), re.MULTILINE)
    }


def project_files(*suffixes: str) -> Iterable[Path]:
    """Yield the text files of the project, or those with *suffixes*, and nothing that a tool left there."""
    found = list(ROOT.iterdir())
    for folder in (
        ".ci",
        "bench",
        "chaos",
        "docs",
        "examples",
        "recipes",
        "requirements",
        "src",
        "tests",
        "tools",
    ):
        found += (ROOT / folder).rglob("*")
    wanted = (p for p in found if (p.suffix in (suffixes or TEXT) or (not suffixes and p.name in BARE)))
    yield from (p for p in wanted if p.is_file() and p.name != Path(__file__).name)


@dataclass
class CodeFacts:
    """What the syntax of the package says of it."""

    classes: Counter[str] = field(default_factory=Counter)
    long_functions: list[str] = field(default_factory=list)
    swallowing: set[str] = field(default_factory=set)
    """Modules with a handler of every error that does not raise it again."""

    def add(self, path: str, node: ast.AST) -> None:
        """Take note of a class, a function or a handler."""
        if isinstance(node, ast.ClassDef):
            self.classes[node.name] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (node.end_lineno or 0) - node.lineno >= 60:
                self.long_functions.append(f"{path}:{node.lineno} {node.name}")
        elif isinstance(node, ast.ExceptHandler) and not any(isinstance(line, ast.Raise) for line in node.body):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(kind is None or ast.unparse(kind) in {"Exception", "BaseException"} for kind in kinds):
                self.swallowing.add(path)


@cache
def code() -> CodeFacts:
    """Read the syntax of every module of the package."""
    facts = CodeFacts()
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            facts.add(str(path.relative_to(PACKAGE)), node)
    return facts


def recipe(target: str) -> str:
    """Return the commands of one make target."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert found, f"no target {target}"
    return found[1]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address(name: str) -> None:
    """A lock works with whatever package index its reader uses: no address, no option, no path."""
    assert not re.findall(
        r"\w+://\S*|file:\S*|^\s*-(?!-hash=).*|(?<![\w.])/\w+/\S*", lock_text(name), re.MULTILINE
    )


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_of_a_lock_is_hashed(name: str) -> None:
    """Each requirement is one exact version followed by its hashes."""
    lines = [line for line in lock_text(name).splitlines() if line and not line.lstrip().startswith("#")]
    bare = [
        here
        for here, after in zip(lines, [*lines[1:], ""], strict=True)
        if here[0] != " " and "--hash=" not in after
    ]
    assert pins(name)
    assert bare == []


@pytest.mark.parametrize("name", ["run", "dense", "build"])
def test_developers_use_the_versions_that_users_get(name: str) -> None:
    """The development lock holds every pin of the smaller locks."""
    assert pins(name) <= pins("dev")


def test_the_locks_fit_pyproject() -> None:
    """Everything that pyproject.toml asks for is pinned to a version that it accepts (else: make lock)."""
    project = pyproject()
    groups = {
        "run": project["project"]["dependencies"],
        **{extra: project["project"]["optional-dependencies"][extra] for extra in ("dense", "llm", "track")},
        "dev": project["dependency-groups"]["dev"],
        "build": project["build-system"]["requires"],
    }
    wrong = []
    for lock, requirements in groups.items():
        for wanted in map(Requirement, requirements):
            versions = [v for n, v in pins(lock) if n == canonicalize_name(wanted.name)]
            if not versions or not all(wanted.specifier.contains(v, prereleases=True) for v in versions):
                wrong.append(f"{lock}.lock: {wanted} is pinned to {versions}")
    assert wrong == []


def test_every_lint_exception_of_the_project_has_a_reason() -> None:
    """Each line of pyproject.toml that switches a rule off says why."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.pydocstyle]")]
    lines = [line for line in section.splitlines() if re.search(r'"[A-Z]+\d*"', line) and '"ALL"' not in line]
    assert len(lines) > 10
    assert [line for line in lines if not re.search(r"# \w+", line)] == []


def test_every_lint_exception_in_the_code_has_a_reason() -> None:
    """A line that silences the linter names the rule and says why."""
    silent = re.compile(r"#\s*noqa(?!: [A-Z]+\d+(?:, ?[A-Z]+\d+)* - \w).*")
    found = {str(p.relative_to(ROOT)): silent.findall(p.read_text(encoding="utf-8")) for p in project_files(".py")}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_modules_are_small() -> None:
    """No module of the package exceeds 500 lines, and half of them stay within 170."""
    sizes = {
        str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in PACKAGE.rglob("*.py")
    }
    assert {path: size for path, size in sizes.items() if size > 500} == {}
    assert median(sizes.values()) <= 170


def test_every_class_has_a_name_of_its_own() -> None:
    """A name stands for one thing in the whole package."""
    assert [name for name, count in code().classes.items() if count > 1] == []


def test_functions_fit_a_screen() -> None:
    """No function has more than 60 lines."""
    assert code().long_functions == []


def test_whatever_foreign_code_raises_is_caught_at_its_boundary() -> None:
    """Everywhere else a handler of every error raises it again."""
    assert code().swallowing == {"foreign.py", "runs/play/call.py"}


def test_no_file_names_a_machine_or_a_package_index() -> None:
    """The project holds no path of the machine it was written on and chooses no package index."""
    index = r"--(?:extra-)?index[-_]url[ =]\S|--find[-_]links[ =]\S|\bregistry\s*=\s*.?http"
    private = re.compile(rf"(?<![\w.])/(?:work|farm|root|home/\w+)/|{index}")
    assert [
        str(p.relative_to(ROOT)) for p in project_files() if private.search(p.read_text(encoding="utf-8"))
    ] == []


def test_every_room_stands_on_a_floor() -> None:
    """The contract that import-linter checks places every room, and names no room that does not exist."""
    (contract,) = (each for each in contracts() if each.get("containers") == ["memgauge"])
    placed = {room for floor in contract["layers"] for room in floor.split(" | ")}
    assert placed == {p.parent.name for p in PACKAGE.glob("*/__init__.py")} | {"results"}


def test_runs_have_three_rooms() -> None:
    """What a run is lies below who makes it and what is laid over it, and nothing of runs has no place."""
    (contract,) = (each for each in contracts() if each.get("containers") == ["memgauge.runs"])
    assert contract["layers"] == ["costs", "play | layers", "record"]
    rooms = {path.stem for path in (PACKAGE / "runs").iterdir() if not path.name.startswith("__")}
    assert rooms == {"costs", "play", "layers", "record"}


def test_no_study_is_left_out() -> None:
    """The contract by which studies know nothing of each other names every one of them."""
    (contract,) = (one for one in contracts() if one["type"] == "independence")
    assert contract["modules"] == [
        f"memgauge.studies.{path.parent.name}" for path in sorted((PACKAGE / "studies").glob("*/__init__.py"))
    ]


def contracts() -> list[dict[str, Any]]:
    """Return what import-linter checks."""
    found: list[dict[str, Any]] = pyproject()["tool"]["importlinter"]["contracts"]
    return found


@pytest.mark.parametrize(
    ("part", "command"),
    [
        ("lint", "ruff check ."),
        ("lint", "ruff format --check ."),
        ("lint", "mypy"),
        ("lint", "lint-imports"),
        ("wheel", "tools/check_wheel.sh"),
        ("test", "pytest"),
    ],
)
def test_make_test_checks_everything(part: str, command: str) -> None:
    """Lint, format, types, arrows, the wheel and the tests are part of ``make test``."""
    assert command in recipe(part)
    assert part == "test" or part in recipe("test").split()


def test_make_coverage_counts_branches_of_the_same_tests() -> None:
    """What is measured is what ``make test`` runs."""
    (tests,) = (line for line in recipe("test").splitlines() if "pytest" in line)
    assert recipe("coverage").strip() == f"{tests.strip()} --cov --cov-branch --cov-report=term"


def test_ci_runs_make_test() -> None:
    """What CI runs is what a developer runs."""
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == "make test"


@pytest.mark.parametrize("path", [".ci/run", "tools/check_wheel.sh", "tools/lock.sh"])
def test_a_script_can_be_started(path: str) -> None:
    """Scripts are executable and stop at the first failure."""
    script = ROOT / path
    assert os.access(script, os.X_OK)
    assert "\nset -euo pipefail\n" in script.read_text(encoding="utf-8")


def test_make_explains_its_targets() -> None:
    """A bare ``make`` prints one sentence for every target."""
    printed = subprocess.run(["make", "-s", "-C", str(ROOT)], capture_output=True, text=True, check=True).stdout
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    explained = dict(re.findall(r"^  make (\S+) +(\S.*)$", printed, re.MULTILINE))
    assert set(explained) == set(phony[1].split())
    assert all(sentence.endswith(".") for sentence in explained.values())


def test_the_map_shows_the_house_as_it_is() -> None:
    """CONTRIBUTING.md has a line for every room, and every path that it names exists."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = set(re.findall(r"^\| `(\w+)/\w*` \|", text, re.MULTILINE))
    assert rooms == {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    named = set(re.findall(r"`([\w./]+/[\w.]*)`", text))
    assert {n for n in named if not (ROOT / n).exists() and not (PACKAGE / n).exists()} == set()
