"""What runs inside a sandbox: set limits, forward Git's address, then become a shell or do one file operation.

This file is copied into the sandbox and started there by a bare interpreter, so it imports the standard library
only. The request comes as JSON on standard input.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import select
import signal
import socket
import stat
import sys
from collections import deque
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST_SEARCHED = 4 << 20
LONGEST_LINE = 500
_CHUNK = 1 << 16


class FileRefused(Exception):  # noqa: N818 - becomes a failed call, by its code
    """A file operation that cannot be done."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def main() -> None:
    """Do what standard input asks for."""
    request = json.load(sys.stdin.buffer)
    limit(request["limits"])
    if request.get("git"):
        forward(request["port"], request["git"])
    if request["do"] == "shell":
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a descriptor is wanted
            os.dup2(nothing.fileno(), 0)
        os.execv("/bin/bash", ["bash", "-c", request["command"]])  # noqa: S606 - the agent's command
    try:
        reply = {"text": OPERATIONS[request["do"]](**request["arguments"])}
    except FileRefused as refused:
        reply = {"code": refused.code, "message": str(refused)}
    except RecursionError:
        reply = {"code": "too_deep", "message": "the folders or the pattern are nested too deeply"}
    except (OSError, UnicodeError, ValueError) as error:
        reply = {"code": "cannot", "message": str(error)}
    sys.stdout.write(json.dumps(reply))


def limit(limits: dict[str, float]) -> None:
    """Bound this process and what it becomes."""
    wanted = {
        resource.RLIMIT_CPU: limits["cpu_s"],
        resource.RLIMIT_AS: limits["memory"],
        resource.RLIMIT_FSIZE: limits["file_size"],
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_NOFILE: 512,
        resource.RLIMIT_CORE: 0,
    }
    for which, value in wanted.items():
        hard = resource.getrlimit(which)[1]
        most = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(which, (most, most))


def forward(port: int, target: str) -> None:
    """Listen where Git's address leads, and pass everything on to the host's socket, in a process of its own."""
    listener = socket.create_server(("127.0.0.1", port), backlog=64)
    if os.fork():
        listener.close()
        return
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    while True:
        client, _ = listener.accept()
        if os.fork():
            client.close()
            continue
        listener.close()
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as server:
            server.connect(target)
            pump(client, server)
        os._exit(0)


def pump(client: socket.socket, server: socket.socket) -> None:
    """Pass on what either side says, until both are done."""
    peers = {client: server, server: client}
    open_ = set(peers)
    while open_:
        for side in select.select(list(open_), [], [])[0]:
            data = side.recv(_CHUNK)
            if data:
                peers[side].sendall(data)
            else:
                open_.discard(side)
                peers[side].shutdown(socket.SHUT_WR)


def list_directory(path: str, detailed: bool) -> str:
    """List a folder: folders first, each group by name; with sizes and kinds if *detailed*."""
    folder = _existing(path)
    if not folder.is_dir():
        raise FileRefused("not_a_directory", f"{path} is no folder")
    entries = sorted(folder.iterdir(), key=lambda entry: (not entry.is_dir(), entry.name))
    lines = [_entry(entry, detailed) for entry in entries]
    return "\n".join(lines) or "(empty)"


def read_file(file_path: str, start_line: int, max_lines: int) -> str:
    """Read lines of a text file, and say where they come from if there are more."""
    file = _text_file(file_path)
    with file.open(encoding="utf-8", errors="replace") as lines:
        before = sum(1 for _ in islice(lines, start_line - 1))
        shown = [line.rstrip("\r\n") for line in islice(lines, max_lines)]
        total = before + len(shown) + sum(1 for _ in lines)
    if start_line > 1 and start_line > total:
        raise FileRefused("no_such_line", f"{file_path} has {total} lines, and line {start_line} was asked for")
    last = start_line + len(shown) - 1
    rest = [] if last == total else [f"[lines {start_line}-{last} of {total}]"]
    return "\n".join(shown + rest) or "(empty)"


def write_file(file_path: str, content: str) -> str:
    """Write a text file, with the folders that it needs."""
    file = Path(file_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and not file.is_file():
        raise FileRefused("not_a_file", f"{file_path} is no file")
    file.write_text(content, encoding="utf-8")
    return f"Wrote {len(content.encode())} bytes to {file_path}."


def search_file_content(
    pattern: str, search_path: str, case_sensitive: bool, max_matches: int, context_lines: int
) -> str:
    """Find lines that match a regular expression in a file or below a folder."""
    wanted, remark = _compiled(pattern, case_sensitive)
    lines: list[str] = [remark] if remark else []
    shown = 0
    last = ("", 0)
    for name, number, line, matches in _matching(_existing(search_path), wanted, context_lines):
        if matches and shown == max_matches:
            lines.append(f"[more than {max_matches} matches; the rest is not shown]")
            break
        shown += matches
        if context_lines and lines and last != (name, number - 1):
            lines.append("--")
        last = (name, number)
        mark = ":" if matches else "-"
        lines.append(f"{name}{mark}{number}{mark}{line[:LONGEST_LINE]}")
    if not shown:
        lines.append("No matches.")
    return "\n".join(lines)


def _matching(top: Path, wanted: re.Pattern[str], context: int) -> Iterator[tuple[str, int, str, bool]]:
    """Yield matching lines with those around them, each once and in order."""
    for file in _searchable(top):
        name = os.path.relpath(file)
        before: deque[tuple[int, str]] = deque(maxlen=context)
        after = 0
        with contextlib.suppress(OSError), file.open(encoding="utf-8", errors="replace") as lines:
            for number, raw in enumerate(lines, 1):
                line = raw.rstrip("\r\n")
                if wanted.search(line):
                    yield from ((name, earlier, text, False) for earlier, text in before)
                    before.clear()
                    after = context
                    yield name, number, line, True
                elif after:
                    after -= 1
                    yield name, number, line, False
                else:
                    before.append((number, line))


def _searchable(top: Path) -> Iterator[Path]:
    if not top.is_dir():
        yield _text_file(str(top))
        return
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            file = Path(folder, name)
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_SEARCHED and not _binary(file):
                yield file


def _compiled(pattern: str, case_sensitive: bool) -> tuple[re.Pattern[str], str]:
    flags = 0 if case_sensitive else re.IGNORECASE
    try:
        return re.compile(pattern, flags), ""
    except re.error as error:
        remark = f"[{pattern!r} is no regular expression ({error}); searched for as it is written]"
        return re.compile(re.escape(pattern), flags), remark


def _text_file(path: str) -> Path:
    file = _existing(path)
    if file.is_dir():
        raise FileRefused("is_a_directory", f"{path} is a folder")
    if not file.is_file():
        raise FileRefused("not_a_file", f"{path} is no regular file")
    if _binary(file):
        raise FileRefused("binary_file", f"{path} is no text")
    return file


def _existing(path: str) -> Path:
    there = Path(path)
    if not there.exists():
        raise FileRefused("not_found", f"there is no {path}")
    return there


def _binary(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return b"\0" in opened.read(8192)
    except OSError as error:
        raise FileRefused("not_readable", f"{file}: {error.strerror}") from error


def _entry(path: Path, detailed: bool) -> str:
    status = path.lstat()
    kind = "/" if stat.S_ISDIR(status.st_mode) else "@" if stat.S_ISLNK(status.st_mode) else ""
    if not detailed:
        return path.name + kind
    size = "-" if stat.S_ISDIR(status.st_mode) else status.st_size  # a folder's size is the file system's affair
    return f"{stat.filemode(status.st_mode)} {size:>10} {path.name}{kind}"


OPERATIONS: dict[str, Callable[..., str]] = {
    "list_directory": list_directory,
    "read_file": read_file,
    "write_file": write_file,
    "search_file_content": search_file_content,
}

if __name__ == "__main__":
    main()
