"""The memory tool that agents are given: a folder of files, and six commands on paths below ``/memories``.

The commands, their arguments and what they refuse are those of the tool as model vendors describe it. Nothing
outside the folder can be named: a path is refused where it leaves ``/memories``, by dots, by an encoding of them,
or by a link that lies in the folder.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = "/memories"
DEPTH: Final = 2
"""Levels that a view of a directory lists."""


class MemoryTool:
    """One folder behind ``view``, ``create``, ``str_replace``, ``insert``, ``delete`` and ``rename``."""

    def __init__(self, folder: Path) -> None:
        """Serve *folder* as ``/memories``; it is made if it is not there."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder.resolve()

    def view(self, path: str, view_range: tuple[int, int] | None = None) -> str:
        """Show what a directory holds, two levels deep, or the lines of a file behind their numbers.

        *view_range* is the first and the last line to show, counted from 1; -1 is the end.

        Raises:
            ConfigError: There is no such path, or no such lines.
        """
        place = self._there(path)
        if place.is_dir():
            return "\n".join((path, *(f"{path.rstrip('/')}/{name}" for name in _listed(place))))
        lines = read(place).split("\n")
        first, last = view_range or (1, -1)
        last = len(lines) if last == -1 else last
        if not 1 <= first <= last <= len(lines):
            raise ConfigError(f"{path} has no lines {first} to {last}.", f"It has {len(lines)}.")
        return "\n".join(f"{number:>6}\t{lines[number - 1]}" for number in range(first, last + 1))

    def create(self, path: str, file_text: str) -> str:
        """Write a file, in the place of one that is there.

        Raises:
            ConfigError: The path is a directory, or not below ``/memories``.
        """
        place = self._place(path)
        if place.is_dir():
            raise ConfigError(f"{path} is a directory.", "Name a file.")
        write(place, file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replace a text that stands in a file exactly once.

        Raises:
            ConfigError: There is no such file, or the text is not in it, or is in it more than once.
        """
        place = self._file(path)
        text = read(place)
        times = text.count(old_str) if old_str else 0
        if times != 1:
            how = "is not in" if not times else f"stands {times} times in"
            raise ConfigError(f"The text to replace {how} {path}.", "Name a text that stands in it once.")
        write(place, text.replace(old_str, new_str))
        return f"The file {path} has been edited."

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert a text after a line; 0 is the beginning.

        Raises:
            ConfigError: There is no such file, or no such line.
        """
        place = self._file(path)
        lines = read(place).split("\n")
        ending = len(lines) - (lines[-1] == "")
        if not 0 <= insert_line <= ending:
            raise ConfigError(f"{path} has no line {insert_line}.", f"Take 0 to {ending}.")
        write(place, "\n".join((*lines[:insert_line], insert_text.removesuffix("\n"), *lines[insert_line:])))
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Remove a file, or a directory with everything in it.

        Raises:
            ConfigError: There is no such path, or it is ``/memories`` itself.
        """
        place = self._below(path)
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file or a directory to where nothing is yet.

        Raises:
            ConfigError: There is nothing at the old path, or something at the new one.
        """
        place, aim = self._below(old_path), self._place(new_path)
        if aim.exists() or place in aim.parents:
            raise ConfigError(f"{old_path} cannot be moved to {new_path}.", "Name a path where nothing is.")
        aim.parent.mkdir(parents=True, exist_ok=True)
        place.rename(aim)
        return f"Successfully renamed {old_path} to {new_path}"

    def _place(self, path: str) -> Path:
        """Return where *path* lies."""
        parts = Path(unquote(path)).parts
        inside = "\0" not in path and parts[:2] == ("/", "memories") and ".." not in parts
        place = self._folder.joinpath(*parts[2:])
        if not inside or not place.resolve().is_relative_to(self._folder):
            raise ConfigError(f"{path!r} is not below {ROOT}.", f"Name a path like {ROOT}/notes.md, without '..'.")
        return place

    def _there(self, path: str) -> Path:
        place = self._place(path)
        if not place.exists():
            raise ConfigError(f"The path {path} does not exist.", f"View {ROOT} for those that do.")
        return place

    def _below(self, path: str) -> Path:
        place = self._there(path)
        if place == self._folder:
            raise ConfigError(f"{ROOT} itself stays.", "Name something in it.")
        return place

    def _file(self, path: str) -> Path:
        place = self._there(path)
        if place.is_dir():
            raise ConfigError(f"{path} is a directory.", "Name a file.")
        return place


def read(place: Path) -> str:
    """Read a file as it was written, its line ends included."""
    return place.read_bytes().decode("utf-8", "surrogatepass")


def write(place: Path, text: str) -> None:
    """Write a file whole or not at all, so that a reader never sees half of it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name}.new")
    beside.write_bytes(text.encode("utf-8", "surrogatepass"))
    beside.replace(place)


def _listed(folder: Path, depth: int = DEPTH) -> Iterator[str]:
    """Yield what *folder* holds, by name, and what its directories hold; hidden names are left out."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        yield f"{entry.name}/" if entry.is_dir() else entry.name
        if entry.is_dir() and depth > 1:
            yield from (f"{entry.name}/{name}" for name in _listed(entry, depth - 1))
