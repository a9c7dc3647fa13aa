"""The documentation as data: its blocks, what is said about them in comments, and how they are run.

Comments before a block say what to do with it; readers of the page do not see them:

* ``<!-- file: NAME -->``: the block is the file NAME, for what follows on the page;
* ``<!-- uses: PAGE -->``: the files of another page are there too;
* ``<!-- before: COMMANDS -->``: run first, without being shown;
* ``<!-- needs: FEATURE, … -->``: run where these are, by their names in ``memgauge doctor``;
* ``<!-- slow -->``: run by ``make test-slow`` only;
* ``<!-- not run: REASON -->``: never run; its commands are still checked for being real ones;
* ``<!-- run -->``: run a block of Python or of a shell without prompts; a ``text`` block after it is its output;
* ``<!-- varies: REGEX -->``: what this matches may differ from run to run.

In what a page prints, ``…`` stands for anything, on a line of its own and within one.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COMMENT = re.compile(
    r"<!--\s*(file|uses|before|needs|slow|not run|run|varies)(?::\s*(.*?))?\s*-->", flags=re.DOTALL
)
_PIECE = re.compile(
    rf"(?P<comment>{_COMMENT.pattern})|^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```[ ]*$",
    flags=re.DOTALL | re.MULTILINE,
)
_MASKS = (
    (r"(?<![\w.])/(?:[\w.@+-]+/)*[\w.@+-]+", "/PATH"),
    (r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,64}\b", "HASH"),
    (r"\b\d+(?:\.\d+)?/\d+\.\d+\b", "MS/MS"),
    (r"\b\d[\d,]*(?:\.\d+)? ?(s|ms|seconds|minutes|min|MB of memory)\b", r"N \1"),
    (r"[-─═=_]{4,}", "-----"),
)
_PROGRESS = re.compile(r"^\d+/\d+ conversations\b.*\n?", re.MULTILINE)
PATIENCE_S = 280
_INSTALLED = any(point.name == "memgauge" for point in entry_points(group="pytest11"))
_PLUGIN = "" if _INSTALLED else "-p memgauge.pytest_plugin"


@dataclass(frozen=True)
class Block:
    """One fenced block of a page, and the comments before it."""

    page: str
    line: int
    language: str
    text: str
    notes: tuple[tuple[str, str], ...] = ()

    def all(self, key: str) -> list[str]:
        """Return the values of a comment, which may stand there several times."""
        return [value for name, value in self.notes if name == key]

    def says(self, key: str) -> bool:
        """Whether a comment stands there."""
        return bool(self.all(key))

    @property
    def needs(self) -> list[str]:
        """Name the features without which it cannot be run."""
        return [name.strip() for value in self.all("needs") for name in value.split(",")]

    @property
    def why_not(self) -> str:
        """Say why it is never run; empty where it is."""
        return " ".join(self.all("not run"))

    @property
    def runs(self) -> bool:
        """Whether there is something to run in it."""
        return not self.why_not and (self.language == "console" or self.says("run"))

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One command of a block, and what is printed below it."""

    text: str
    printed: str = ""


@dataclass
class Run:
    """A folder in which a page is played."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    at: str = "."
    """Where the reader is, below the folder in which the page begins."""

    def __post_init__(self) -> None:
        self.environment = _environment(self.folder)

    def call(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command line as a reader would, and stay where it goes."""
        if found := re.fullmatch(r"cd ([\w./-]+)", command):
            self.at = str(Path(self.at) / found[1])
            command = "true"
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder / "here" / self.at,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE_S,
        )

    def write(self, block: Block) -> None:
        """Write the file that *block* is."""
        for name in block.all("file"):
            path = self.folder / "here" / self.at / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return the text of every page by its name: the README and everything in ``docs`` but decisions."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = {str(path.relative_to(ROOT)): path for path in found}
    return {name: path.read_text("utf-8") for name, path in names.items() if "decisions/" not in name}


def blocks(page: str, text: str) -> list[Block]:
    """Cut a page into its blocks."""
    found: list[Block] = []
    notes: list[tuple[str, str]] = []
    for piece in _PIECE.finditer(text):
        if piece["comment"]:
            notes.append((piece[2], piece[3] or ""))
            continue
        line = text.count("\n", 0, piece.start()) + 1
        found.append(Block(page, line, piece["language"], piece["text"], tuple(notes)))
        notes = []
    return found


def commands(block: Block) -> list[Command]:
    """Cut a block into its commands: ``$ `` begins one, and a backslash at the end goes on."""
    if block.language != "console":
        return [Command(f"set -e\n{block.text}")]
    found: list[Command] = []
    goes_on = False
    for line in block.text.splitlines(keepends=True):
        if goes_on:
            found[-1] = replace(found[-1], text=found[-1].text + line)
            goes_on = line.endswith("\\\n")
        elif line.startswith("$ "):
            found.append(Command(line[2:]))
            goes_on = line.endswith("\\\n")
        elif found:
            found[-1] = replace(found[-1], printed=found[-1].printed + line)
    return [replace(one, text=one.text.strip()) for one in found]


def play(block: Block, after: Block | None, run: Run) -> str:
    """Run a block and return what differs from what the page prints; empty where nothing does."""
    for hidden in block.all("before"):
        done = run.call(hidden)
        if done.returncode:
            return f"{block}: before it, {hidden!r} exits with {done.returncode}:\n{done.stdout}{done.stderr}"
    if block.language == "python":
        expected = after.text if after and after.language in {"", "text"} and not after.notes else ""
        (run.folder / "block.py").write_text(block.text, encoding="utf-8")
        return _differs(block, Command(f"python {shlex.quote(str(run.folder / 'block.py'))}", expected), run)
    wrong = (_differs(block, command, run) for command in commands(block))
    return next(filter(None, wrong), "")


def _differs(block: Block, command: Command, run: Run) -> str:
    done = run.call(command.text)
    err = _PROGRESS.sub("", done.stderr)
    title = f"{block}: $ {command.text}\n(exit code {done.returncode})"
    if not command.printed.strip(" \n…"):
        return f"{title}\n{done.stdout}{err}" if done.returncode else ""
    masks = block.all("varies")
    heard = (done.stdout, done.stdout + err, err + done.stdout)
    if any(matches(command.printed, one, masks) for one in heard):
        return ""
    return (
        f"{title}\nThe page prints, where it first differs:\n{_first_miss(command.printed, heard, masks)}\n"
        f"but it is:\n{done.stdout}{err}"
    )


def matches(printed: str, heard: str, varies: Sequence[str] = ()) -> bool:
    """Whether what a page prints is what was heard, but for times, paths, hashes, layout, and ``…``."""
    return _missed(printed, heard, varies) is None


def _missed(printed: str, heard: str, varies: Sequence[str]) -> str | None:
    """Return the first part between two ``…`` that was not heard, ``None`` where all were."""
    whole = plain(heard, varies)
    parts = [plain(part, varies) for part in printed.split("…")]
    if len(parts) == 1:
        return None if parts[0] == whole else parts[0]
    first, *between, last = parts
    if not whole.startswith(first):
        return first
    at = len(first)
    for part in between:
        found = whole.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None if len(whole) - at >= len(last) and whole.endswith(last) else last


def _first_miss(printed: str, heard: Sequence[str], varies: Sequence[str]) -> str:
    part = _missed(printed, heard[0], varies) or ""
    whole = plain(heard[0], varies)
    good = next((n for n in range(len(part), 0, -1) if part[:n] in whole), 0)
    return f"  {part[max(0, good - 80) : good]}>>>{part[good : good + 160]}"


def plain(text: str, varies: Sequence[str] = ()) -> str:
    """Mask what may differ from run to run and machine to machine, and fold white space."""
    for pattern in varies:
        text = re.sub(pattern, "VARIES", text)
    for pattern, instead in _MASKS:
        text = re.sub(pattern, instead, text)
    return " ".join(text.split())


def _environment(folder: Path) -> dict[str, str]:
    """Make a place in which ``memgauge``, ``python`` and ``pytest`` are those of this test run.

    Its cache is its own: a memory that another page has checked would not be checked again.
    """
    programs, here, home = folder / "bin", folder / "here", folder / "home"
    for one in (programs, here, home):
        one.mkdir(parents=True, exist_ok=True)
    (here / "results").mkdir(exist_ok=True)
    for name in ("examples", "recipes"):
        if not (here / name).exists():  # pages are read in the checkout
            (here / name).symlink_to(ROOT / name)
    for name in ("rules", "registry", "boards", "claims"):  # nothing of a registry is read through a link
        if not (here / "results" / name).exists():
            shutil.copytree(ROOT / "results" / name, here / "results" / name)
    python = shlex.quote(sys.executable)
    for name, what in {
        "memgauge": "-m memgauge",
        "python": "",
        "python3": "",
        "pytest": f"-m pytest -p no:cacheprovider {_PLUGIN}",
    }.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec {python} {what} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    kept = {name: os.environ[name] for name in ("MEMGAUGE_DATA", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "PATH": f"{programs}:{os.environ.get('PATH', '')}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "COLUMNS": "120",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MEMGAUGE_HOME": str(home / "memgauge"),
    }


_SPAN = re.compile(r"`(memgauge(?: [^`]*)?)`")


def shown_commands(page: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield every command line of ``memgauge`` that a page shows, in blocks and within sentences, and where."""
    fenced = blocks(page, text)
    for block in fenced:
        if block.language in {"console", "sh", "bash", "yaml", "toml"}:
            for line in re.sub(r"\s*\\\n\s*", " ", block.text).splitlines():
                for found in re.findall(
                    r"(?:^|[\s&|;(])(?:\.venv/bin/)?(memgauge [a-z][^|;&)]*)", _unquoted(line)
                ):
                    yield str(block), found.strip()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for span in _SPAN.findall(prose):
        yield page, " ".join(span.split())


def _unquoted(line: str) -> str:
    """Return the command part of a line: no prompt, no comment, and nothing of a command within a command."""
    return re.sub(r"\$\([^)]*\)|\s#\s.*", "", line.removeprefix("$ "))
