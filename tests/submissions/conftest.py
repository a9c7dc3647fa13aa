"""One small registry for all tests here, and the rows that follow from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.submissions.repository import Repository
from memgauge.submissions.site.build import view_of
from support.graded import make_graded_registry
from support.sharing import made_once, root
from support.small_registry import make_small_registry

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.site.registry_view import RegistryView
    from support.small_registry import ViewOf


@pytest.fixture(scope="session")
def small_registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a registry of six submissions; who changes it works on a copy."""
    return made_once(tmp_path_factory, "registry", make_small_registry)


@pytest.fixture(scope="session")
def rows_kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Name a folder in which all tests keep rows, so that each bundle is read once."""
    return root(tmp_path_factory) / "rows-of-registries"


@pytest.fixture(scope="session")
def viewed(rows_kept: Path) -> ViewOf:
    """Return a function that computes everything that the site of a registry shows."""
    return lambda folder: view_of(Repository.at(folder), rows_kept)


@pytest.fixture(scope="session")
def small_view(small_registry: Path, viewed: ViewOf) -> RegistryView:
    """Compute the site of the registry as it is."""
    return viewed(small_registry)


@pytest.fixture(scope="session")
def graded_registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a registry of three submissions that bring grades; who changes it works on a copy."""
    return made_once(tmp_path_factory, "graded", make_graded_registry) / "registry"
