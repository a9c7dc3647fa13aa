"""What the tests of curation share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.track.curation import make_clone, write_dump

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, str]]:
    """Return a clone, a dump of its issues, and the hashes of its commits."""
    folder = tmp_path_factory.mktemp("cloned")
    commits = make_clone(folder / "slugs")
    return folder / "slugs", write_dump(folder / "dump.json", commits), commits
