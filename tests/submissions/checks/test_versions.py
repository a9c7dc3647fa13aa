"""Of a product somebody else must be able to measure and to install the version that was run."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from chaos.submissions import checked
from chaos.submissions.hands import set_field
from chaos.submissions.world import submission_in
from memgauge.submissions.layout import CARD, LOCK

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def registry(good: Path, tmp_path: Path) -> Path:
    """A copy of the good registry, whose submission is of a product."""
    return shutil.copytree(good, tmp_path / "registry", symlinks=True)


def faulted(registry: Path) -> list[str]:
    """Name the files that S8 has something to say of."""
    return [each.file for each in checked(registry).findings["S8"]]


@pytest.mark.parametrize("name", [CARD, LOCK])
def test_a_product_brings_its_card_and_its_lock(name: str, registry: Path) -> None:
    """What is missing is named."""
    (submission_in(registry).folder / name).unlink()
    assert faulted(registry) == [name]


def test_a_baseline_needs_no_card(registry: Path) -> None:
    """It is part of memgauge."""
    product = registry / "registry" / "products" / "bm25.toml"
    product.write_text(product.read_text("utf-8").replace('role = "product"', 'role = "baseline"'), "utf-8")
    for name in (CARD, LOCK):
        (submission_in(registry).folder / name).unlink()
    assert faulted(registry) == []


def test_what_is_hosted_is_installed_by_nobody(registry: Path) -> None:
    """There is no lock to bring."""
    folder = submission_in(registry).folder
    set_field(folder, category="hosted")
    (folder / LOCK).unlink()
    assert faulted(registry) == []
