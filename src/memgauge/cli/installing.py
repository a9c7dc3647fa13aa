"""The exact commands that add something to this installation, as they are typed on this machine."""

from __future__ import annotations

import inspect
import os
import shutil
from typing import TYPE_CHECKING, cast

from memgauge.frame.console import program
from memgauge.registry import load_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.environments.products import Product

_MANAGERS = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "apk": "apk add",
    "pacman": "pacman -S",
    "brew": "brew install",
}
_NAMES = {"nodejs": {"brew": "node"}, "python3.12": {"brew": "python@3.12", "pacman": "python"}}


def me() -> str:
    """Return how this program is called here."""
    return program()


def package(name: str) -> str:
    """Return the command that installs a package of this machine's system."""
    for manager, command in _MANAGERS.items():
        if shutil.which(manager):
            rights = "" if manager == "brew" or _is_root() else "sudo "
            return f"{rights}{command} {_NAMES.get(name, {}).get(manager, name)}"
    return f"# install {name} and put it on the path"


def python(version: str) -> str:
    """Return the command that brings another Python."""
    return f"uv python install {version}" if shutil.which("uv") else package(f"python{version}")


def stood_in(product: Product) -> tuple[str, ...]:
    """Say what an adapter takes in the place of a model unless it is told otherwise, and what makes it real."""
    if not product.is_shipped:
        return ()  # an adapter of somebody's own may be importable in its environment alone
    parameters = _parameters(product)
    notes = []
    if "embedder" in parameters and parameters["embedder"].default == "hashed":
        notes.append("its vectors are of hashed words, a stand-in, unless embedder= names a model")
    if "model" in parameters:
        notes.append("it may ask the model= that is named, else that at OPENAI_BASE_URL; a scripted one stands in")
    return tuple(notes)


def made_real(product: Product) -> str:
    """Say what makes a product's numbers real, as it is typed here; empty where nothing stands in."""
    if not stood_in(product):
        return ""
    parameters = _parameters(product)
    option, model = ("embedder", "minilm") if "embedder" in parameters else ("model", "smollm2")
    return (
        f"Make its numbers real: {me()} models install {model}, then --system {product.name}:{option}={model} "
        "(docs/how-to/real-numbers.md)"
    )


def real_ref(product: Product, model: str) -> str:
    """Name a product with the vectors of *model*, where it would take hashed ones."""
    vectors = stood_in(product) and "embedder" in _parameters(product)
    return f"{product.name}:embedder={model}" if vectors else product.name


def _parameters(product: Product) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(cast("Callable[..., object]", load_target(product.adapter))).parameters


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
