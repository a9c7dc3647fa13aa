"""One shelf of runs and studies for all tests of the viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.web.export import export
from memgauge.web.library import Library
from memgauge.web.site import Site
from support.sharing import made_once
from support.web import make_prompts, make_runs, make_studies, make_unfinished

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.web.library import Item


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make runs, answers, verdicts, one unfinished run, and a result of every study."""

    def make(folder: Path) -> None:
        make_runs(folder / "runs")
        make_studies(folder / "studies")
        make_prompts(folder / "studies", folder / "runs")
        make_unfinished(folder, next((folder / "runs").glob("*random*")))

    return made_once(tmp_path_factory, "shelf", make)


@pytest.fixture(scope="session")
def library(shelf: Path) -> Library:
    """Open the shelf."""
    return Library((shelf,))


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory, library: Library, shelf: Path) -> Path:
    """Export two runs and two results, few stories of them."""

    def make(folder: Path) -> None:
        roots = [one.folder for one in library.finished() if one.label in {"bm25", "pipeline"}]
        few = Library((*roots, shelf / "studies" / "attribution.json", shelf / "studies" / "context.json"))
        done = export(few, folder, questions=3, memories=4)
        assert done.problems == ()
        assert done.pages == len(list(folder.glob("*.html")))
        assert done.files == len(list((folder / "files").iterdir()))

    return made_once(tmp_path_factory, "export", make)


@pytest.fixture(scope="session")
def site(library: Library) -> Site:
    """Make the site over the shelf."""
    return Site(library)


@pytest.fixture(scope="session")
def bm25(library: Library) -> Item:
    """Return the run with answers and verdicts."""
    return next(one for one in library.finished() if one.label == "bm25")
