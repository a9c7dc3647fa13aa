"""The page is computed from records, and from nothing else."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError
from memgauge.results import plain
from memgauge.show.markdown import markdown
from memgauge.studies.weak.published import publish
from memgauge.studies.weak.recipe import figures
from memgauge.studies.weak.record import LANE, read_lane
from memgauge.studies.weak.show import document
from memgauge.studies.weak.spec import WeakSpec
from memgauge.studies.weak.study import FILE, WEAK

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.studies.weak.record import RecordedLane
    from support.cli import Said


@pytest.fixture
def published(study: Path, tmp_path: Path) -> Path:
    """Copy the tiny study with the numbers of its page."""
    folder = tmp_path / "weak"
    shutil.copytree(study, folder)
    (folder / FILE).write_text(json.dumps(plain(WEAK.of(publish(folder)))), "utf-8")
    return folder


def test_a_page_names_every_lost_write_and_ranks_nobody(published: Path) -> None:
    """Who could not be played stands there with the reason, and what was not played with its name."""
    page = markdown(document(publish(published)), level=1)
    assert "4 turns were handed to 1 product: 3 are lost, 2 of them counted as written" in page
    assert page.count("| asking | s01:t0") == 3
    assert "refuses to be started by root" in page
    assert "Not played yet: demo." in page
    assert "rank" not in page.replace("nobody is ranked", "").replace("no rank", "")


def test_numbers_of_the_page_come_out_again(published: Path) -> None:
    """Without a model and without the product."""
    again = figures(published)
    assert (again["rows"], again["rows_recomputed"], again["rows_not_recomputed"]) == (2, 2, 0)
    assert (again["lost_writes"], again["lost_writes_unnamed"]) == (3, 0)
    assert (again["requests"], again["unfit"], again["requests_without_verdict"]) == (4, 2, 0)
    assert (again["products"], again["not_played"], again["users"]) == (1, 2, 0)


@pytest.mark.parametrize("change", [("text", "{}"), ("status", 400), ("output_tokens", 1_000)])
def test_a_record_that_was_changed_is_found(published: Path, change: tuple[str, Any]) -> None:
    """Its row no more follows from it."""
    path = published / "asking.json"
    data = json.loads(path.read_text("utf-8"))
    data["value"]["exchanges"][1][change[0]] = change[1]
    path.write_text(json.dumps(data), "utf-8")
    assert figures(published)["rows_not_recomputed"] == 1


def test_a_record_is_read_as_it_was_written(study: Path, lane: RecordedLane) -> None:
    """By the codec of all results."""
    data = json.loads((study / "asking.json").read_text("utf-8"))
    assert LANE.read(data) == lane
    assert read_lane(study, "nobody") is None


def test_what_is_no_study_is_said(tmp_path: Path, study: Path) -> None:
    """Where it is, and what to do."""
    with pytest.raises(DataNotFoundError, match=r"weak\.toml is missing"):
        publish(tmp_path)
    shutil.copy(study / "weak.toml", tmp_path)
    with pytest.raises(DataNotFoundError, match="holds no recorded lane"):
        publish(tmp_path)
    (tmp_path / "asking.json").write_text("{}", "utf-8")
    with pytest.raises(MalformedDataError, match=r"asking\.json"):
        publish(tmp_path)
    (tmp_path / "weak.toml").write_text("title = 1", "utf-8")
    with pytest.raises(ConfigError, match="title"):
        WeakSpec.read(tmp_path)


def test_the_page_is_a_command(published: Path, tmp_path: Path, memgauge: Callable[..., Said]) -> None:
    """With its data, its numbers in a file, and its Markdown."""
    page = tmp_path / "page.md"
    said = memgauge("study", "weak", "page", published, "--json", "--write", "--as-page", page)
    assert said.code == 0, said.err
    assert plain(WEAK.read(said.data)) == plain(publish(published))
    assert page.read_text("utf-8").startswith("# A tiny study\n")
    assert "Every lost write" in memgauge("study", "weak", "page", published).out
