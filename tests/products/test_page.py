"""The page for authors of adapters says what is checked."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from memgauge.systems.conformance.honest import HONEST
from memgauge.systems.conformance.optional import OPTIONAL
from memgauge.systems.conformance.probes import REQUIRED
from memgauge.systems.environments.products import Product
from support import ROOT

if TYPE_CHECKING:
    from memgauge.systems.conformance.bench import Probe

PAGE = (ROOT / "docs" / "adapters.md").read_text("utf-8")
PROBES = {**REQUIRED, **HONEST, **OPTIONAL}


@pytest.mark.parametrize(("name", "probe"), PROBES.items(), ids=list(PROBES))
def test_every_check_stands_on_the_page(name: str, probe: Probe) -> None:
    """Under its name, with what it asks, in the words of the probe itself."""
    asks = (probe.__doc__ or "").partition("\n")[0].rstrip(".")
    assert f"| {name} | {asks[0].lower()}{asks[1:]} |" in PAGE


def test_every_key_of_a_product_stands_on_the_page() -> None:
    """What a file may say is named where its author reads."""
    keys = {item.name for item in fields(Product)} - {"name", "file"}
    assert {
        key for key in keys if f"`{key}`" not in PAGE and f"\n{key} = " not in PAGE and f"[{key}]" not in PAGE
    } == set()
