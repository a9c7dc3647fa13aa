"""Seeds as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.track.curation.seed import SEED, Approach, Seed, read_seed, read_task, write_seed

if TYPE_CHECKING:
    from pathlib import Path


def test_a_seed_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Nothing is lost between two steps."""
    seed = Seed(name="one", approach=Approach.TOP_DOWN, title="A story", task="Ada asks. Ben answers.")
    write_seed(tmp_path / "one", seed)
    assert read_seed(tmp_path / "one") == seed


def test_what_is_no_seed_is_named(tmp_path: Path) -> None:
    """A missing one says where to begin, a broken one names line and field."""
    with pytest.raises(DataNotFoundError, match="curate seed"):
        read_seed(tmp_path)
    (tmp_path / SEED).write_text('{"name": "one",\n "approach": "sideways"}', encoding="utf-8")
    with pytest.raises(MalformedDataError, match=r"line 2: \$\.approach"):
        read_seed(tmp_path)


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, DataNotFoundError, "Cannot read"),
        (b"\xff\xfe", MalformedDataError, "no UTF-8"),
        (b" \n", MalformedDataError, "says nothing"),
    ],
)
def test_a_task_has_to_say_something(tmp_path: Path, content: bytes | None, error: type, said: str) -> None:
    """A task is text that is there."""
    path = tmp_path / "task.md"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=said):
        read_task(path)
