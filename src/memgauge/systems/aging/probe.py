"""Run in the environment of a product: write down the public names of its module, with parameters and defaults.

It imports nothing but the standard library, because nothing else is sure to be there.

    python probe.py MODULE DISTRIBUTION FILE
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

LONGEST = 120
"""Characters of a default."""


def spelled(value: object) -> str:
    """Write a default down, without the address of an object and without its whole content."""
    try:
        text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    except (AttributeError, RuntimeError, TypeError, ValueError):
        text = type(value).__name__
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def parameters(of: Any) -> list[list[str | None]]:
    """List the parameters of what can be called, each with its default; nothing where Python cannot say."""
    try:
        listed = inspect.signature(of).parameters.values()
    except (AttributeError, NameError, TypeError, ValueError):
        return []
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [[stars.get(p.kind, "") + p.name, None if p.default is p.empty else spelled(p.default)] for p in listed]


def public(module: ModuleType, package: str) -> Iterator[tuple[str, Any]]:
    """Yield the public names of a module that are its own, with what they are."""
    exported = getattr(module, "__all__", None)
    for name in sorted({*map(str, exported or ()), *dir(module)}):
        if name.startswith("_") or (exported and name not in exported):
            continue
        try:
            of = getattr(module, name, None)
        except (ImportError, RuntimeError, TypeError, ValueError):
            continue  # what needs another package is not there without it
        home = getattr(of, "__module__", None)
        foreign = isinstance(home, str) and home.partition(".")[0] != package
        if inspect.ismodule(of) or (foreign and not exported):
            continue
        yield name, of


def surface(name: str) -> dict[str, list[list[str | None]]]:
    """Return parameters by public name, of methods by ``Class.method``; a constant has one, called ``=``."""
    listed: dict[str, list[list[str | None]]] = {}
    for called, of in public(importlib.import_module(name), name.partition(".")[0]):
        if not callable(of):
            simple = of is None or isinstance(of, (bool, int, float, str))
            listed[called] = [["=", spelled(of) if simple else type(of).__name__]]
            continue
        listed[called] = parameters(of)
        if inspect.isclass(of):
            methods = sorted(n for n, each in vars(of).items() if not n.startswith("_") and callable(each))
            listed |= {f"{called}.{n}": parameters(vars(of)[n]) for n in methods}
    return listed


def requires(distribution: str) -> str:
    """Return the Pythons that a distribution says it runs on."""
    try:
        return metadata.metadata(distribution)["Requires-Python"] or ""
    except metadata.PackageNotFoundError:
        return ""


if __name__ == "__main__":
    surfaced = {"names": surface(sys.argv[1]) if sys.argv[1] else {}, "python": requires(sys.argv[2])}
    Path(sys.argv[3]).write_text(json.dumps(surfaced), encoding="utf-8")
