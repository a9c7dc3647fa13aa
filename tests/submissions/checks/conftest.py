"""One good submission in a registry in git, made once for all that spoil it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from chaos.submissions.world import good_registry
from support.sharing import made_once

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the registry; to be copied, never to be changed."""
    return (
        made_once(tmp_path_factory, "good-results", lambda folder: good_registry(folder / "registry")) / "registry"
    )
