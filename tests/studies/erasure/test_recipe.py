"""Reports of products beside their cards: skipped where a product is not installed, and otherwise compared."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MissingExtraError
from memgauge.registry import load_target
from memgauge.studies.erasure import recipe
from memgauge.systems.conformance.shipped import shipped_cards

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = sorted(
    entry.name
    for entry in (files("memgauge.studies.erasure") / "claims").iterdir()
    if entry.name.endswith(".toml")
)


def _claim(name: str) -> dict[str, object]:
    return tomllib.loads((files("memgauge.studies.erasure") / "claims" / name).read_text("utf-8"))


def test_six_products_and_more_are_claimed() -> None:
    """Of some a card knows residues, and of some that there are none."""
    assert len(CLAIMS) >= 6


@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_claimed_of_a_card_is_what_the_card_says(name: str) -> None:
    """Without any product: the shipped cards are at hand."""
    claim = _claim(name)
    assert callable(load_target(str(claim["recipe"])))
    product = name.removeprefix("erasure-").removesuffix(".toml")
    card = next(card for card in shipped_cards() if card.ref == product)
    expected = {figure["name"]: figure.get("expected") for figure in claim["figure"]}  # type: ignore[attr-defined]
    assert expected["left_by_card"] == bool(card.golden and card.golden.left_behind)
    assert expected["agrees"] == 1


def test_a_product_that_is_not_installed_is_skipped_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names the command that installs it."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    with pytest.raises(MissingExtraError, match="memgauge systems install qdrant"):
        recipe.qdrant()
