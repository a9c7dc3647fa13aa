"""What studies publish in the checkout: it is found, read strictly, and written as it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.checkout import published_at, read_spec


class _Tale(BaseModel):
    lanes: int


def test_what_is_published_is_found_from_here_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder below the present one comes first; the checkout is found from anywhere; another is a sentence."""
    (tmp_path / "results" / "board").mkdir(parents=True)
    (tmp_path / "results" / "board" / "results.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert published_at(Path("results") / "board", "results.json", "The bundles") == tmp_path / "results" / "board"
    assert published_at(Path("results") / "weak", "results.json", "The records").is_dir()
    with pytest.raises(DataNotFoundError, match="The tales are not here"):
        published_at(Path("results") / "tales", "results.json", "The tales")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("lanes = ", "is no TOML"), ('lanes = "many"', "lanes: Input should be"), ("", "lanes: Field")],
)
def test_a_description_that_does_not_fit_is_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    """It says which file, which field, and what is wrong."""
    path = tmp_path / "tale.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=problem):
        read_spec(_Tale, path, "tale")


def test_a_description_is_read(tmp_path: Path) -> None:
    """One that is there is read, and one that is not is named."""
    (tmp_path / "tale.toml").write_text("lanes = 3")
    assert read_spec(_Tale, tmp_path / "tale.toml", "tale").lanes == 3
    with pytest.raises(DataNotFoundError, match=r"other\.toml is missing"):
        read_spec(_Tale, tmp_path / "other.toml", "tale")
