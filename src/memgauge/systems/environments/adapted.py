"""The adapter of every product, as an attribute: a product's file is read when its name is used."""

from __future__ import annotations

from memgauge.registry import load_target
from memgauge.systems.environments.products import product, product_names

TARGET = f"{__name__}:"


def adapters() -> dict[str, str]:
    """Return where the adapter of each product is found, by the product's name."""
    return {name: f"{TARGET}{name}" for name in product_names()}


def __getattr__(name: str) -> object:
    if name not in product_names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load_target(product(name).adapter)
