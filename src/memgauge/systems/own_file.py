"""A Python file that somebody named as a memory: what in it may be one, told without running it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

_TELLING: Final = frozenset({"ingest", "search"})
"""Methods that together make a class look like a memory."""
_PARAMETERISED: Final = re.compile(r"(?P<memory>[\w.]+:\w+)[:,]\w+=.*")


def own_file(name: str) -> Path | None:
    """Return the Python file below the current folder that *name* means, with its ending or without it."""
    path = Path(name if name.endswith(".py") else f"{name}.py")
    here = bool(name) and not path.is_absolute() and ".." not in path.parts
    return path if here and path.is_file() else None


def misnamed(path: Path, ref: str = "") -> ConfigError:
    """Build the error for a file that was named where a memory of it has to be, or a memory with parameters."""
    named = _PARAMETERISED.fullmatch(ref.strip())
    if named is not None:
        return ConfigError(
            f"{ref} gives parameters to a memory of your own.",
            f'Write a TOML file with system = "{named["memory"]}" and a table [parameters], and name that.',
        )
    module = ".".join(path.with_suffix("").parts)
    memories = memories_in(path)
    written = " or ".join(f"{module}:{memory}" for memory in memories)
    remedy = f"Write {written}." if memories else f"Write {module}:NAME, the class or function that makes it."
    return ConfigError(f"{path} is a file; a memory in it has to be named.", remedy)


def memories_in(path: Path) -> Sequence[str]:
    """Name the classes of a file that look like memories, in its order; none where it cannot be read as Python."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef) and _looks_like_memory(node))


def _looks_like_memory(node: ast.ClassDef) -> bool:
    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    return methods >= _TELLING or "MemorySystem" in bases
