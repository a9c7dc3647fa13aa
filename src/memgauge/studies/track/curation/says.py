"""Whether an event, or the code base, states an accepted answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.repository import import_cut
from memgauge.studies.track.scoring.spelling import dated, holds, words
from memgauge.studies.track.timeline.models import Commit
from memgauge.studies.track.timeline.observable import unseen
from memgauge.studies.track.timeline.references import text_of

if TYPE_CHECKING:
    from memgauge.studies.track.timeline.models import CodeRepository, Event, HiddenQuestion, Timeline

_LARGEST = 200_000
"""Bytes of a file that are looked at."""


def says(event: Event, answer: str) -> bool:
    """Whether the words of an event hold *answer* as a whole."""
    return holds(words(dated(text_of(event))), words(dated(answer)))


def unseen_anywhere(question: HiddenQuestion, timeline: Timeline, beside: Path | None) -> tuple[str, ...]:
    """Return the parts of an accepted answer that neither events nor files hold.

    Files are those that commits brought and, where the instance has a code base, those of its last commit.
    """
    unseen_parts = _not_in(_brought(timeline), unseen(question.answer, timeline))
    if unseen_parts and timeline.repository is not None and timeline.repository.path:
        return _not_in(_kept(timeline.repository, beside), unseen_parts)
    return unseen_parts


def _not_in(code: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts that do not stand in *code*, split as code is and not as prose."""
    code_words = words(dated(code)) if parts else ()
    return tuple(part for part in parts if not holds(code_words, words(dated(part))))


def _brought(timeline: Timeline) -> str:
    commits = [event.payload for event in timeline.events if isinstance(event.payload, Commit)]
    return "\n".join(f"{path}\n{content or ''}" for commit in commits for path, content in commit.files.items())


def _kept(repository: CodeRepository, beside: Path | None) -> str:
    """Return paths and contents of the code base at the commit where it is cut."""
    mirror, sha = import_cut((beside or Path()) / repository.path, repository.commit)
    listing = git("ls-tree", "-r", "-l", "-z", sha, at=mirror).decode("utf-8", "replace")
    rows = [row.partition("\t") for row in listing.split("\0") if row]
    blobs = [blob for _, kind, blob, size in (head.split() for head, _, _ in rows) if _small(kind, size)]
    blob_lines = "".join(f"{blob}\n" for blob in blobs).encode()
    contents = git("cat-file", "--batch", at=mirror, stdin=blob_lines).decode("utf-8", "replace")
    return "\n".join([*(path for _, _, path in rows), contents])


def _small(kind: str, size: str) -> bool:
    return kind == "blob" and int(size) <= _LARGEST
