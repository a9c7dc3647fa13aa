"""Cluster files: what they say, and what they may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.runs.play.executors.settings import ClusterSettings, Demand, checked, read_settings
from support.handmade import many_questions, planned

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_pattern_that_fits_counts(tmp_path: Path) -> None:
    """By the reference or the label of a system; everything else gets the default."""
    (tmp_path / "c.toml").write_text(
        'address = "h:1"\n[default]\ncpus = 2\n[systems."support*"]\ngpus = 0.5\n[systems."*"]\ncpus = 9\n',
        encoding="utf-8",
    )
    settings = read_settings(tmp_path / "c.toml")
    (cell,) = planned(many_questions(1, 1), "support.systems:Notebook").cells
    assert settings.demand(cell.manifest) == Demand(gpus=0.5)
    assert ClusterSettings(default=Demand(cpus=2)).demand(cell.manifest).cpus == 2


def test_a_demand_fits_a_node_that_has_all_of_it() -> None:
    """What is not asked for does not matter; GB are bytes there."""
    demand = Demand(cpus=2, memory_gb=1, resources={"weights": 1})
    assert str(demand) == "2 CPU, 1 GB, 1 weights"
    assert demand.fits({"CPU": 2.0, "memory": 2.0**30, "weights": 4.0, "GPU": 1.0})
    assert not demand.fits({"CPU": 2.0, "memory": 2.0**29, "weights": 4.0})
    assert not demand.fits({"CPU": 2.0, "memory": 2.0**30})


def test_nothing_is_asked_of_a_node_that_is_not_wanted() -> None:
    """None of a thing is no demand: a node need not know the name."""
    assert Demand(cpus=2, resources={"weights": 0}).wanted == {"CPU": 2}
    assert Demand(cpus=0).wanted == {}


def test_what_is_left_out_is_as_if_it_were_written(tmp_path: Path) -> None:
    """An empty file says something that fits: nobody waits for less than no time."""
    (tmp_path / "c.toml").write_text("", encoding="utf-8")
    settings = read_settings(tmp_path / "c.toml")
    assert checked(settings.model_dump(), "what is left out") == settings == ClusterSettings()
    assert settings.patience_s == 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("worker = 3", "worker: extra inputs are not permitted"),
        ("[systems.x]\ncpu = 1", r"systems\.x\.cpu: extra inputs are not permitted"),
        ("[systems.x]\ncpus = -1", r"systems\.x\.cpus: input should be greater than or equal to 0"),
        ("= 3", "Cannot read"),
    ],
)
def test_a_mistake_in_a_file_is_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    """It names the file and the key."""
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        read_settings(tmp_path / "c.toml")


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    """With what else may stand there."""
    with pytest.raises(ConfigError, match=r"no file .*c\.toml\. Name a cluster file, or address=host:port"):
        read_settings(tmp_path / "c.toml")
