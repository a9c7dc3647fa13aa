"""A timeline's Git events as real commits whose hashes follow from the timeline alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError
from memgauge.studies.track.git.command import git
from memgauge.studies.track.timeline.models import Commit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.studies.track.timeline.models import Event

_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_UNFIT = re.compile(r"[<>\x00-\x1f\x7f]")
_HOST = "timeline.invalid"
_TELLING = 7
"""Characters from which on a name is taken for the commit's own."""
_TELLING_LINE = 12
"""The same for a line of code, which is more likely to stand elsewhere too."""


@dataclass(frozen=True, slots=True)
class EventCommit:
    """A commit that a Git event became."""

    event: str
    """The event's id."""
    sha: str
    branch: str
    tells: tuple[str, ...]
    """What a text shows of it besides its hash: the timeline's own name, its message's first line, its lines."""


def write_events(repository: Path, events: Iterable[Event], branch: str) -> tuple[EventCommit, ...]:
    """Commit Git events on top of what *repository* holds, in their order, and return what was written.

    Author, committer and date are the event's; the timeline's own commit id cannot be reproduced and stays as the
    trailer ``Timeline-Commit``. An event that goes to a branch which does not exist yet opens it from *branch*.

    Raises:
        MalformedDataError: A file's path leads out of the repository.
    """
    commit_events = [(event, event.payload) for event in events if isinstance(event.payload, Commit)]
    if not commit_events:
        return ()
    heads = _heads(repository)
    heads_before = tuple(heads.values())
    stream = bytearray()
    names: list[str] = []
    for number, (event, commit) in enumerate(commit_events, 1):
        name = commit.merged_to or branch
        parent = heads.get(name) or heads.get(branch) or ""
        stream += _commit(event, commit, name, parent, number)
        heads[name] = f":{number}"
        names.append(name)
    stream += b"".join(b"get-mark :%d\n" % number for number in range(1, len(commit_events) + 1)) + b"done\n"
    hashes = git("fast-import", "--quiet", "--done", at=repository, stdin=bytes(stream)).decode("ascii").split()
    pairs = list(zip(commit_events, names, hashes, strict=True))
    setting = [sha for (_, commit), _, sha in pairs if commit.files]
    new_lines = _brought(repository, setting, heads_before) if setting else {}
    return tuple(
        EventCommit(event.id, sha, name, _tells(commit, new_lines.get(sha, ())))
        for (event, commit), name, sha in pairs
    )


def subject_of(commit: Commit) -> str:
    """Return the first line of a commit's message, or what stands for it."""
    return (
        commit.message.replace("\0", "").strip().split("\n", 1)[0]
        or f"Change {commit.commit_id or 'without a message'}"
    )


def events_in(text: str, commits: Iterable[EventCommit]) -> tuple[str, ...]:
    """Return the ids of the events that *text* says something of.

    An event shows by its hash or a prefix of it (seven digits or more), by the timeline's own commit id, by the
    first line of its message, or by a line that it brought into the code.
    """
    words = set(_HASH.findall(text))
    return tuple(
        commit.event
        for commit in commits
        if any(commit.sha.startswith(word) for word in words) or any(tell in text for tell in commit.tells)
    )


def _tells(commit: Commit, lines: Iterable[str]) -> tuple[str, ...]:
    names = (name for name in (commit.commit_id, subject_of(commit)) if len(name) >= _TELLING)
    return (*names, *lines)


def _brought(repository: Path, commits: Sequence[str], trees: Iterable[str]) -> dict[str, list[str]]:
    """Return the longer lines that each commit added and that stood nowhere in the code earlier."""
    diffs = git("show", "--format=%x00%H", "--unified=0", "--no-color", *commits, at=repository)
    parts = (part.splitlines() for part in diffs.decode("utf-8", "replace").split("\0")[1:])
    added_lines = {lines[0]: sorted({line[1:].strip() for line in lines if _adds(line)}) for lines in parts}
    standing_lines = _standing(repository, {line for lines in added_lines.values() for line in lines}, trees)
    new_lines: dict[str, list[str]] = {}
    for commit in commits:
        new_lines[commit] = [line for line in added_lines.get(commit, ()) if line not in standing_lines]
        standing_lines.update(new_lines[commit])
    return new_lines


def _adds(line: str) -> bool:
    return line.startswith("+") and not line.startswith("+++ ") and len(line[1:].strip()) >= _TELLING_LINE


def _standing(repository: Path, lines: set[str], trees: Iterable[str]) -> set[str]:
    """Return those of *lines* that some file of *trees* contains."""
    trees = sorted(set(trees))
    if not lines or not trees:
        return set()
    arguments = ("grep", "-h", "-I", "-F", "-f", "/dev/stdin", *trees)
    patterns = "\n".join(sorted(lines)).encode()
    matching = git(*arguments, at=repository, stdin=patterns, accepted=(0, 1))  # 1: nothing was found
    text = matching.decode("utf-8", "replace")
    return {line for line in lines if line in text}


def _heads(repository: Path) -> dict[str, str]:
    listing = git("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads", at=repository)
    rows = (line.split(" ", 1) for line in listing.decode("utf-8").splitlines())
    return {name: sha for sha, name in rows}


def _commit(event: Event, commit: Commit, branch: str, parent: str, mark: int) -> bytes:
    who = f"{_person(commit.author)} {int(event.at.timestamp())} +0000"
    lines = [f"commit refs/heads/{_ref(branch, event)}", f"mark :{mark}", f"author {who}", f"committer {who}"]
    parts = ["\n".join(lines).encode(), b"\n", _data(_message(commit))]
    if parent:
        parts.append(f"from {parent}\n".encode())
    for path, content in commit.files.items():
        quoted_path = _quoted(path, event)
        if content is None:
            parts.append(f"D {quoted_path}\n".encode())
        else:
            parts += [f"M 100644 inline {quoted_path}\n".encode(), _data(content)]
    return b"".join(parts) + b"\n"


def _message(commit: Commit) -> str:
    trailer_values = [("Timeline-Commit", commit.commit_id), ("Pull-Request", commit.pr)]
    trailer_values += [("Changed-File", path) for path in commit.files_changed]
    trailers = [f"{key}: {' '.join(value.split())}" for key, value in trailer_values if value.strip()]
    body = commit.message.replace("\0", "").strip() or subject_of(commit)
    return "\n\n".join([body, "\n".join(trailers)] if trailers else [body]) + "\n"


def _person(author: str) -> str:
    name = " ".join(_UNFIT.sub(" ", author).split()) or "unknown"
    address = re.sub(r"[^a-z0-9]+", ".", name.lower()).strip(".") or "unknown"
    return f"{name} <{address}@{_HOST}>"


def _ref(branch: str, event: Event) -> str:
    if not re.fullmatch(r"[\w.+-]+(/[\w.+-]+)*", branch) or ".." in branch or branch.endswith((".", ".lock")):
        raise MalformedDataError(f"event {event.id}: {branch!r} is no name for a branch.")
    return branch


def _quoted(path: str, event: Event) -> str:
    parts = path.split("/")
    if any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts) or _UNFIT.search(path):
        raise MalformedDataError(f"event {event.id}: {path!r} is no path inside a repository.")
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _data(text: str) -> bytes:
    content = text.encode("utf-8", "replace")
    return b"data %d\n%s\n" % (len(content), content)
