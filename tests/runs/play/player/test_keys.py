"""A memory is given the keys that it names, and those of models where it says that it needs one."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError
from memgauge.runs.play.plan import plan
from memgauge.runs.play.player.keys import keys_of, model_keys
from memgauge.runs.record.manifest import SystemPart


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


def test_a_reference_that_holds_a_key_is_not_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stand in the manifest, the tables and the folder's name."""
    monkeypatch.setenv("MY_TOKEN", "sk-Planned_7f3Qz9XwB2mK")
    with pytest.raises(ConfigError, match=r"\*\*\*.* holds a key") as refused:
        plan(["synthetic:tiny"], ["bm25:k1=sk-Planned_7f3Qz9XwB2mK"])
    assert "Planned" not in str(refused.value)
