"""The modules of a home-made memory: its file, and every one of its own that it imports, however deep.

Imports are read and not run, so that the answer depends on files alone, and not on what else was loaded. What is
imported by a name that is put together while it runs is not seen.
"""

from __future__ import annotations

import ast
import sysconfig
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
"""Folders of packages that have versions; what lies there is told by them."""


def own_modules(module: str, file: Path) -> list[Path]:
    """Return the files of *module*, which lies in *file*, and of what it imports beside it: its own first.

    Of an installed package that is its file alone, and of Python itself none.
    """
    file = file.resolve()
    if _INSTALLED & set(file.parts):
        return [file]
    if file.is_relative_to(Path(sysconfig.get_path("stdlib")).resolve()):
        return []
    root = file.parents[module.count(".") + (file.name == "__init__.py")]
    seen: dict[Path, str] = {file: module}
    waiting = deque(seen)
    while waiting:
        importing = waiting.popleft()
        for name in _imported(importing, seen[importing]):
            for imported, path in _files(root, name):
                if path not in seen:
                    seen[path] = imported
                    waiting.append(path)
    return [file, *sorted(seen.keys() - {file})]


def _files(root: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield every file below *root* that importing *name* runs: packages on the way, and itself."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:depth])
        for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
            if path.is_file():
                yield ".".join(parts[:depth]), path
                break


def _imported(file: Path, module: str) -> Iterator[str]:
    """Yield the whole names that the code in *file* imports; none of what is no Python."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join(part for part in (*above, node.module or "") if part)
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
