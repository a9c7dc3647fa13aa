"""Name what nobody in the package calls; what registries spell as ``module:name`` is called.

Exceptions stand in ``[tool.vulture]`` of pyproject.toml, each with its reason. Fields are data, and passed over.
"""

from __future__ import annotations

import fnmatch
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from vulture import Vulture

if TYPE_CHECKING:
    import ast

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "memgauge"
KINDS = frozenset({"class", "function", "method", "property"})
_SPELLED = re.compile(r":([A-Za-z_]\w*)[\"'`]")
_SHOWN = re.compile(r"\.([A-Za-z_]\w*)")


def spelled() -> frozenset[str]:
    """Return the names that registries, product files, entry points and templates spell."""
    files = [ROOT / "pyproject.toml", *PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]
    names = {name for file in files for name in _SPELLED.findall(file.read_text("utf-8"))}
    templates = (file.read_text("utf-8") for file in PACKAGE.rglob("*.j2"))
    return frozenset(names.union(*map(_SHOWN.findall, templates)))


def unused(package: Path, used: frozenset[str], names: list[str], decorators: list[str]) -> list[str]:
    """Return a line for everything that nobody calls: a class, function, method, property or constant."""
    vulture = Vulture(ignore_decorators=decorators)
    vulture.reachability.visit = _nothing  # what is never reached is the linter's
    vulture.scavenge([str(package)])
    reviewed = re.compile("|".join(map(fnmatch.translate, names)) or r"(?!)")
    return [
        f"{Path(item.filename).relative_to(package)}:{item.first_lineno}: nobody calls the {item.typ} {item.name}"
        for item in vulture.get_unused_code(min_confidence=60)
        if (item.typ in KINDS or item.name.isupper()) and item.name not in used and not reviewed.match(item.name)
    ]


def _nothing(_: ast.AST) -> None:
    """Look at no node."""


def main() -> int:
    """Print what nobody calls; 1 where there is something."""
    reviewed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["vulture"]
    lines = unused(PACKAGE, spelled(), reviewed["ignore_names"], reviewed["ignore_decorators"])
    print("\n".join(lines) if lines else "Everything is called.")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
