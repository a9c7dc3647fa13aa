"""Opening systems by their text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.frame.exits import WRONG_USE
from memgauge.systems import SYSTEMS, Role, describe_system, open_system
from memgauge.systems.catalogue import opens_ours
from memgauge.systems.environments import product_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said

OUTSIDE = '''
from memgauge.systems.policies.plain import Recency


class Mine(Recency):
    """My memory. It is recent."""

    name = "mine"

    def __init__(self, size: int = 3, path=None, label: "str | None" = None) -> None:
        super().__init__()
        self.size, self.path, self.label = size, path, label


def needy(wanted: int) -> Mine:
    return Mine()


class Stored(Recency):
    name = "stored"

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class Half:
    name = "half"

    def search(self) -> None: ...


nothing = 3
'''


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a module that memgauge does not know."""
    (tmp_path / "outside_memory.py").write_text(OUTSIDE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "outside_memory", raising=False)
    return tmp_path


ELSEWHERE = {"aml", "dense", "hybrid", "http", "https", "mcp", "wire", *product_names()}
"""Systems that need weights, an address, a command, or an environment of their own."""


@pytest.mark.parametrize("name", [name for name in SYSTEMS.names() if name not in ELSEWHERE])
def test_every_built_in_system_opens_by_its_name(name: str) -> None:
    """The name in the registry is the name of the system; of a family it is that of its first member."""
    assert open_system(name).name.split(":")[0] == {"reference": "log", "unusual": "paraphrasing"}.get(name, name)


def test_parameters_are_converted_by_annotation() -> None:
    """Numbers, flags and texts arrive as what the factory asks for."""
    system = open_system("bm25:k1=1.2,b=0.6,speaker=True,stem=english")
    assert (vars(system)["k1"], vars(system)["b"], vars(system)["speaker"]) == (1.2, 0.6, True)


def test_seed_reaches_only_those_that_take_one() -> None:
    """The seed of a run is the default of the parameter ``seed``."""
    assert vars(open_system("random", seed=7))["seed"] == 7
    assert vars(open_system("random:seed=9", seed=7))["seed"] == 9
    assert "seed" not in vars(open_system("bm25", seed=7))


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("bm26", "Unknown system 'bm26'. Did you mean bm25"),
        ("bm25:k2=1", "Unknown parameter of system bm25 'k2'. Did you mean k1"),
        ("bm25:fast", "Unknown variant or parameter of system bm25 'fast'"),
        ("faulty:rises", "Unknown fault 'rises'. Did you mean raises"),
        ("hybrid:embedder=hashd", "Unknown embedder 'hashd'. Did you mean hashed"),
    ],
)
def test_unknown_names_are_suggested(ref: str, message: str) -> None:
    """A misspelt system, parameter or variant names its neighbour."""
    with pytest.raises(UnknownNameError, match=message.replace(".", r"\.")):
        open_system(ref)


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("bm25:k1=high", "Parameter bm25:k1=high is not a number"),
        ("random:seed=1.5", "Parameter random:seed=1.5 is not a whole number"),
        ("bm25:speaker=maybe", "Parameter bm25:speaker=maybe is not true or false"),
        ("bm25:stem=klingon", "no stemmer called 'klingon'"),
        ("no_such_module_here:Thing", "no module named 'no_such_module_here'"),
        ("absent.toml", "There is no file absent.toml"),
    ],
)
def test_values_that_do_not_fit_are_named(ref: str, message: str) -> None:
    """An error names the parameter, its value and what would fit."""
    with pytest.raises(ConfigError, match=message):
        open_system(ref)


def test_a_factory_in_the_current_folder_opens(outside: Path) -> None:
    """``module:factory`` is imported from where the user stands, and called without arguments."""
    assert open_system("outside_memory:Mine").name == "mine"
    assert vars(open_system("outside_memory:Mine"))["size"] == 3


def test_a_memory_that_needs_a_path_gets_a_folder_of_its_own(outside: Path) -> None:
    """Each time an empty one, since no two may share a store; a path that is given counts."""
    first, second = (Path(str(vars(open_system("outside_memory:Stored"))["path"])) for _ in range(2))
    assert first != second
    assert [list(folder.iterdir()) for folder in (first, second)] == [[], []]
    (outside / "mine.toml").write_text('system = "outside_memory:Stored"\n[parameters]\npath = "here"\n')
    assert vars(open_system(str(outside / "mine.toml")))["path"] == "here"
    assert vars(open_system("outside_memory:Mine"))["path"] is None


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Half", r"lacks capabilities\(\), ingest\(\), flush\(\), dump\(\), reset\(\), version"),
        ("nothing", "is a int, not a factory"),
        ("needy", "missing a required argument: 'wanted'"),
    ],
)
def test_what_is_no_memory_system_is_refused(outside: Path, target: str, message: str) -> None:
    """The error says what is missing."""
    with pytest.raises(ConfigError, match=message):
        open_system(f"outside_memory:{target}")


def test_a_file_describes_a_system(outside: Path) -> None:
    """A TOML file names a system, its parameters and a label; without one the parameters stand for it."""
    file = outside / "mine.toml"
    file.write_text(
        'system = "outside_memory:Mine"\nlabel = "my own"\n[parameters]\nsize = 5\npath = [1]\nlabel = 4\n'
    )
    system = open_system(str(file))
    assert system.name == "my own"
    assert (vars(system)["size"], vars(system)["path"], vars(system)["label"]) == (5, [1], "4")
    file.write_text('system = "bm25"\n[parameters]\nk1 = 2\nspeaker = true\n')
    described = open_system(str(file))
    assert (described.name, vars(described)["k1"]) == ("bm25:k1=2,speaker=true", 2.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'system = "bm25"\nlabel = = 3', r"bad\.toml is not valid TOML: .*line 2"),
        (b'sytem = "bm25"', "Unknown key in .*bad.toml: 'sytem'. Did you mean system"),
        (b'label = "x"', 'names no system. Add a line like system = "bm25"'),
        (b"system = 3", "system must be text in quotes"),
        (b'system = "bm25"\nparameters = 3', "parameters must be a table"),
        (b'system = "bm25"\n[parameters]\nk = 3', "Unknown parameter of system bm25 'k'"),
        (b"\xff", r"Cannot read .*bad\.toml"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    """An error names the file, the place and what would fit."""
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises((ConfigError, UnknownNameError), match=message):
        open_system(str(file))


def test_listing_tells_what_a_system_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A card carries one sentence, the capabilities, and why a system is not available."""
    card = describe_system("oracle")
    assert card.summary.startswith("Returns exactly the evidence turns")
    assert card.capabilities is not None
    assert card.capabilities.role is Role.CEILING
    assert not card.unavailable
    monkeypatch.setenv("MEMGAUGE_MINILM", str(tmp_path))
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))  # weights that this machine has installed would do
    dense = describe_system("dense")
    assert dense.summary.startswith("Ranks turns by the cosine of sentence vectors")
    assert (
        dense.capabilities,
        "MEMGAUGE_MINILM" in dense.unavailable or "memgauge[dense]" in dense.unavailable,
    ) == (
        None,
        True,
    )


def test_listing_describes_systems_from_outside(outside: Path) -> None:
    """A system that no registry knows is described by its class."""
    assert describe_system("outside_memory:Mine").summary == "My memory"
    assert "Unknown system" in describe_system("nonsense").unavailable


def test_listing_survives_a_broken_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is put on the path once."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.chdir(tmp_path)
    describe_system("nowhere_at_all:thing")
    assert sys.path.count(str(tmp_path)) == 1


@pytest.mark.parametrize("command", [("systems", "serve"), ("study", "erasure", "report", "--subject", "ada")])
@pytest.mark.parametrize("line", ["1 / 0", "def unfinished("])
def test_a_module_that_does_not_load_is_told_in_a_sentence(
    command: tuple[str, ...],
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    memgauge: Callable[..., Said],
) -> None:
    """Where a command opens a memory in its own process: what was raised and where, and no traceback."""
    module = f"loads_not_{len(line)}_{len(command)}"
    (tmp_path / f"{module}.py").write_text(f"{line}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    said = memgauge(*command, f"{module}:Memory")
    assert said.code == WRONG_USE
    assert f"opening {module}:Memory raised " in said.err
    assert f"{module}.py" in said.err


def test_a_file_that_names_a_system_of_ours_opens_our_code(tmp_path: Path) -> None:
    """What it plays asks models through this package alone, whatever label the file gives it."""
    for name, system in (("tuned", "bm25"), ("served", "http://localhost:1"), ("own", "mine:Mine")):
        (tmp_path / f"{name}.toml").write_text(f'system = "{system}"\nlabel = "x"\n')
    assert opens_ours(f"{tmp_path}/tuned.toml")
    assert not any(opens_ours(f"{tmp_path}/{name}.toml") for name in ("served", "own", "absent"))
