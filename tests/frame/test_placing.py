"""Where work is done, as it is said on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.frame.placing import HERE, Placing
from memgauge.runs.play.executors import Inline, Processes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


def test_nothing_said_is_one_process_apart() -> None:
    """More workers are more of them; the harness's own has to be named."""
    assert isinstance(HERE.open(), Processes)
    assert isinstance(Placing(workers=2).open(), Processes)
    assert isinstance(Placing(workers=2, executor="inline").open(), Inline)


def test_an_address_is_that_of_a_cluster() -> None:
    """Elsewhere it means nothing."""
    with pytest.raises(ConfigError, match=r"--address is that of a cluster\. Add --executor ray"):
        Placing(address="h:1", executor="processes").open()


def test_an_address_joins_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a cluster file too."""
    seen: list[str] = []
    monkeypatch.setattr("memgauge.runs.play.executors.executor", lambda spec, **_: seen.append(spec))
    Placing(executor="ray", address="h:1").open()
    Placing(executor="ray:c.toml", address="h:1").open()
    assert seen == ["ray:address=h:1", "ray:c.toml,address=h:1"]


@pytest.mark.players
def test_a_run_takes_an_executor(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A mistake is a sentence; a name works."""
    asked = ("run", "-d", "synthetic:tiny", "-s", "none", "--out", tmp_path, "--executor")
    assert "Unknown executor 'rai'. Did you mean ray?" in memgauge(*asked, "rai").err
    assert memgauge(*asked, "processes:2").code == 0
