"""A memory is given the keys that it names, and those of models where it says that it needs one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.runs.play.plan import plan
from memgauge.runs.play.player.keys import keys_of, model_keys
from memgauge.runs.record.manifest import SystemPart

if TYPE_CHECKING:
    from pathlib import Path

SERVER = """
name = "notes"
url = "http://127.0.0.1:9/mcp"
key = "NOTES_KEY"
ops.add = { tool = "write", arguments = { user = "{scope}", body = "{text}" } }
ops.search = { tool = "find", arguments = { user = "{scope}", query = "{query}" }, result = "rows" }
ops.list = { tool = "all", arguments = { user = "{scope}" }, result = "rows" }
row = { id = "title", text = "body" }
"""


def part(ref: str, *needs: str) -> SystemPart:
    """Describe a system with these needs."""
    return SystemPart(
        ref=ref, label=ref, name=ref, version="1", capabilities={"needs": list(needs)}, supports=(), source=""
    )


def test_a_need_of_a_model_brings_no_other_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the password of a database, nor what a cloud asks for; what is named by hand comes too."""
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "MY_TOKEN"):
        monkeypatch.setenv(name, "a-value-of-1")
    assert {"OPENAI_API_KEY", "HF_TOKEN"} <= keys_of(part("mine:Memory", "llm"))
    assert not {"AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "MY_TOKEN"} & model_keys()
    assert keys_of(part("mine:Memory")) == frozenset()
    assert "MY_TOKEN" in keys_of(part("mine:Memory,key=MY_TOKEN", "llm"))


@pytest.mark.parametrize("ref", ["mcp:./notes", "mcp:./notes.toml", "mcp:./notes,path=x", "./mine.toml"])
def test_a_server_at_an_address_brings_the_key_that_its_description_names(
    ref: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that describes it names the variable, and no reference does."""
    (tmp_path / "notes.toml").write_text(SERVER, "utf-8")
    (tmp_path / "mine.toml").write_text('system = "mcp:./notes"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert "NOTES_KEY" in keys_of(part(ref))
    (tmp_path / "notes.toml").write_text("name =", "utf-8")
    assert "NOTES_KEY" not in keys_of(part(ref))


def test_a_reference_that_holds_a_key_is_not_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stand in the manifest, the tables and the folder's name."""
    monkeypatch.setenv("MY_TOKEN", "sk-Planned_7f3Qz9XwB2mK")
    with pytest.raises(ConfigError, match=r"\*\*\*.* holds a key") as refused:
        plan(["synthetic:tiny"], ["bm25:k1=sk-Planned_7f3Qz9XwB2mK"])
    assert "Planned" not in str(refused.value)
