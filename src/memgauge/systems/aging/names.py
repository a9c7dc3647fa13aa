"""Names of packages, without their versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.systems.environments.products import Product

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PIN = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)\s*(;)?")


def canonical(name: str) -> str:
    """Spell the name of a Python package as indexes compare it, without extras and versions."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", name, maxsplit=1)[0]).lower()


def without_pin(package: str) -> str:
    """Return a package as pip takes it, with its extras and without its version."""
    return package.partition("==")[0]


def without_tag(package: str) -> str:
    """Return a package as npm takes it, without its version: ``@a/b@1`` is ``@a/b``."""
    name, _, _ = package.rpartition("@")
    return name or package


def main_package(product: Product) -> str:
    """Return the name of the first package; empty where it has none for Python."""
    return canonical(product.packages[0]) if product.packages else ""


def locked_on(product: Product) -> str:
    """Return the day that a lock carries in its name; empty where it carries none."""
    day = _DAY.search(product.lock)
    return day[0] if day else ""


def locked_packages(lock: Path) -> dict[str, str]:
    """Return packages and versions of a lock; those that only some machines get are left out."""
    if lock.suffix == ".json":
        packages = json_file(lock, "Write it with npm install.")["packages"]
        return {
            path.removeprefix("node_modules/"): str(about.get("version", ""))
            for path, about in packages.items()
            if path
        }
    pins = (_PIN.match(line) for line in lock.read_text("utf-8").splitlines())
    return {canonical(pin[1]): pin[2] for pin in pins if pin and not pin[3]}
