"""What a product is opened with, and what is told before a process is started for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MissingExtraError, UnknownNameError
from memgauge.systems.catalogue import open_system
from memgauge.systems.environments.hearing import SAID

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing installed."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))


def test_turns_are_handed_over_as_they_were_said(tmp_path: Path) -> None:
    """Speakers stand before them only where that is asked for."""
    description = tmp_path / "mine.toml"
    adapter = "memgauge.systems.policies.lexical:Bm25Policy"
    description.write_text(f'summary = "Mine."\nadapter = "{adapter}"\nmodule = ""\n', "utf-8")
    plain = open_system(f"{description}:where=process").capabilities()
    assert SAID not in plain.interventions
    heard = open_system(f"{description}:where=process,as_heard=true").capabilities()
    assert SAID in heard.interventions


@pytest.mark.usefixtures("empty_home")
def test_a_parameter_that_does_not_exist_is_told_before_anything_is_started() -> None:
    """Also of a product that is not installed: whoever installs it first would wait for nothing."""
    with pytest.raises(UnknownNameError, match="embeder"):
        open_system("chroma:embeder=hashed,where=worker")
    with pytest.raises(MissingExtraError, match="chroma is not installed"):
        open_system("chroma:embedder=hashed,where=worker")


@pytest.mark.usefixtures("empty_home")
def test_a_product_reaches_as_far_as_its_file_says_or_the_user() -> None:
    """A model of another machine is out of reach for one that needs no network, until it is let out."""
    far = "chroma:embedder=openai:e5@http://192.0.2.1/v1,where=worker"
    with pytest.raises(ConfigError, match=r"another machine, and network=none keeps it here"):
        open_system(far)
    with pytest.raises(MissingExtraError, match="chroma is not installed"):
        open_system(f"{far},network=any")
