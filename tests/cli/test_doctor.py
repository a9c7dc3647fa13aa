"""`memgauge doctor`: what is here, what is not, and the command that adds it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import features, installing
from memgauge.cli.features import FeatureStatus, findings
from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

    Call = Callable[..., Said]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Make a machine that has nothing: no program, no data, no key, no product."""
    (tmp_path / "bin").mkdir()
    for name in {*os.environ}:
        if name.endswith(("_API_KEY", "_BASE_URL")) or name.startswith("MEMGAUGE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "products"))
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("memgauge.datasets.files.search_roots", lambda: (tmp_path / "cache",))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _named(name: str) -> FeatureStatus:
    return features.wanted(name, tuple(findings()))


def test_a_bare_machine_is_told_what_adds_everything(bare: Path, memgauge: Call) -> None:
    """Whatever is missing has a command beside it, the exit code is 0, and the core works."""
    said = memgauge("doctor", "--json")
    assert said.code == 0
    missing = [one for one in said.data["features"] if not one["here"]]
    assert {"bubblewrap", "chromium", "git", "node", "locomo", "openai", "mem0"} <= {
        one["name"] for one in missing
    }
    assert [one["name"] for one in missing if not one["add"]] == []
    assert [one["name"] for one in said.data["features"] if one["here"] and one["add"]] == []
    assert said.data["looks for data in"] == [str(bare / "cache")]
    assert {fact["whose"].partition(":")[0] for fact in said.data["isolation"]} == {
        "Systems",
        "Judges",
        "Sandboxes",
    }


@pytest.mark.usefixtures("bare")
def test_the_text_holds_one_command_a_line(memgauge: Call) -> None:
    """What is to be copied is one line, however long, and keys that few use are left out."""
    out = memgauge("doctor").out
    assert "  $ memgauge data fetch locomo" in out
    assert "  $ memgauge systems install mem0\n" in out
    assert "openai" in out
    assert "mistral" not in out


@pytest.mark.usefixtures("bare")
def test_a_required_feature_decides_the_exit_code(memgauge: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is 1 where a required feature is missing, 0 where all are here, 2 where there is none such."""
    said = memgauge("doctor", "--require", "openai", "--require", "locomo")
    assert said.code == 1
    assert "Required and missing: locomo. Add it: memgauge data fetch locomo" in said.out
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert memgauge("doctor", "--require", "openai").code == 0
    unknown = memgauge("doctor", "--require", "openia")
    assert unknown.code == 2
    assert "Did you mean openai" in unknown.err


@pytest.mark.usefixtures("bare")
def test_a_key_is_named_and_never_shown(memgauge: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a key, doctor says that it is set, in text and in data; an empty one is not."""
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-very-secret")
    monkeypatch.setenv("GROQ_API_KEY", "")
    text, data = memgauge("doctor"), memgauge("doctor", "--json")
    assert "MISTRAL_API_KEY (is set)" in text.out
    assert "sk-very-secret" not in text.out + text.err + data.out
    assert not _named("groq").here


def test_programs_are_found_on_the_path(bare: Path) -> None:
    """A program that is there is named with its path, whichever of its names it has."""
    program = bare / "bin" / "google-chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    found = _named("chromium")
    assert (found.here, found.found, found.add) == (True, str(program), "")


def test_data_is_found_by_variant(bare: Path) -> None:
    """A dataset is here when a file of it is, and doctor says which variant is and which is not."""
    kind = bare / "cache" / "longmemeval"
    kind.mkdir(parents=True)
    from memgauge.datasets.catalogue import DATASETS

    first, *others = DATASETS.get("longmemeval").files
    (kind / first.name).write_text("[]")
    found = _named("longmemeval")
    assert found.here
    assert found.found.startswith(first.variant)
    assert all(other.variant in found.found for other in others)


def test_weights_in_a_wrong_place_are_named(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MEMGAUGE_MINILM that leads nowhere is what is wrong, and the remedy is to unset it; a right one is here."""
    monkeypatch.setenv("MEMGAUGE_MINILM", str(bare))
    found = _named("minilm")
    assert not found.here
    assert "holds no MiniLM weights" in found.found
    assert found.add == "unset MEMGAUGE_MINILM"
    for name in ("model.safetensors", "tokenizer.json"):
        (bare / name).touch()
    assert _named("minilm").found == str(bare)


def test_weights_of_an_installed_model_are_here(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an environment variable, those that `models install` brought are used, and named."""
    monkeypatch.delenv("MEMGAUGE_MINILM", raising=False)
    monkeypatch.setattr("memgauge.retrieval.minilm.PACKAGE", "no_such_package_of_weights")
    assert _named("minilm").add == "memgauge models install minilm"
    assert _named("model-e5").add == "memgauge models install e5"
    from memgauge.systems.environments import places
    from memgauge.systems.models.catalogue import local_model

    model = local_model("minilm")
    folder = places.folder_of(model)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    places.write(places.Environment("minilm", model.version, "3.11", places.pins_sha256(model)), folder)
    assert _named("minilm").here
    assert str(folder) in _named("minilm").found


def test_a_broken_product_is_installed_again(bare: Path) -> None:
    """An environment that cannot be used is missing, with what is wrong with it."""
    folder = bare / "products" / "systems" / "chroma"
    folder.mkdir(parents=True)
    (folder / "environment.json").write_text("{")
    found = _named("chroma")
    assert not found.here
    assert "cannot be read" in found.found
    assert found.add == "memgauge systems install chroma --again"


def test_a_product_that_is_installed_is_here(bare: Path) -> None:
    """An environment that is complete is named with its version and its folder."""
    from memgauge.systems.environments import places
    from memgauge.systems.environments.products import product

    one = product("faiss")
    folder = places.folder_of(one)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    places.write(places.Environment("faiss", one.version, "3.11.7", places.pins_sha256(one)), folder)
    found = _named("faiss")
    assert found.here
    assert found.found == f"{one.version}, {bare / 'products' / 'systems' / 'faiss'}"


def test_every_extra_of_the_project_is_a_feature() -> None:
    """The extras that doctor knows are those of pyproject.toml, and their modules are what they install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(features.EXTRAS) == set(project["optional-dependencies"])


def test_an_extra_that_is_half_there_says_what_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra of which some modules are missing is missing, and names them."""
    monkeypatch.setitem(features.EXTRAS, "dense", ("search", ("json", "no_such_module")))
    found = _named("dense")
    assert (found.here, found.found) == (False, "without no_such_module")
    assert "pip install" in found.add


def test_commands_fit_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a manager of its own, and some have other names there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installing.package("git") == "# install git and put it on the path"
    assert installing.python("3.12") == "# install python3.12 and put it on the path"
    monkeypatch.setattr(installing, "_is_root", lambda: False)
    for manager, command in {"brew": "brew install node", "dnf": "sudo dnf install nodejs"}.items():
        program = tmp_path / manager
        program.write_text("")
        program.chmod(0o755)
        assert installing.package("nodejs") == command
    (tmp_path / "uv").write_text("")
    (tmp_path / "uv").chmod(0o755)
    assert installing.python("3.12") == "uv python install 3.12"


def test_doctor_asks_nobody() -> None:
    """It needs no network, and imports none of the packages that it looks for."""
    code = (
        "import sys, socket; socket.socket.connect = None\n"
        "from memgauge.cli import invoke\n"
        "assert invoke(['doctor', '--json']) == 0\n"
        "heavy = {'onnxruntime', 'pydantic_ai', 'starlette', 'mcp', 'hypothesis', 'duckdb'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
