"""The memory tool of agents as a memory: a scripted hand writes and reads with its six commands, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.notes.folder import EditableNotes, line_swap
from memgauge.systems.notes.grep import by_count, counted_words, keywords
from memgauge.systems.notes.lines import line_of
from memgauge.systems.notes.tool import ROOT, MemoryTool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memgauge.records import Memory, Scope
    from memgauge.systems.notes.folder import Ranked


class MemoryToolFolder(EditableNotes):
    """Keeps turns in files below ``/memories`` by the memory tool, and views all of them to answer.

    The tool has no search. What an agent does with a question is to view the directory and then its files; which
    lines it takes is here those that hold most words of the question, the newest first of equals.
    """

    name = "memory-tool"
    interventions = (
        "no model drives the tool: every turn is a line of its session's file, and every file is viewed",
        "of what was viewed, lines that share most words with the question are taken",
    )

    def _ranked(self, query: str, memories: Sequence[Memory]) -> Ranked:
        return by_count(counted_words(keywords(query), memories))

    def _append(self, name: str, memory: Memory, place: Path, heading: str) -> None:
        tool, path, line = MemoryTool(place), f"{ROOT}/{name}", line_of(memory)
        if heading:
            tool.create(path, f"{heading}{line}\n")
        else:
            ends = tool.view(path).count("\n")
            tool.insert(path, ends, line)

    def _replace(self, name: str, old: Memory, new: Memory | None, place: Path) -> None:
        MemoryTool(place).str_replace(f"{ROOT}/{name}", *line_swap(old, new))

    def _remove(self, name: str, place: Path) -> None:
        MemoryTool(place).delete(f"{ROOT}/{name}")

    def _texts(self, scope: Scope) -> Mapping[str, str]:
        place = self._place(scope)
        if not place.is_dir():
            return {}
        tool = MemoryTool(place)
        paths = tool.view(ROOT).split("\n")[1:]
        return {
            path.removeprefix(f"{ROOT}/"): _unnumbered(tool.view(path)) for path in paths if path.endswith(".md")
        }


def _unnumbered(view: str) -> str:
    """Take the numbers of lines off what the tool shows."""
    return "\n".join(line.partition("\t")[2] for line in view.split("\n"))
