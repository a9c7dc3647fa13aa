"""The repository of one timeline as it stands at a simulated time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from memgauge.studies.track.git.gitea import Gitea
from memgauge.studies.track.git.history import EventCommit, events_in, write_events
from memgauge.studies.track.git.host import GitHost
from memgauge.studies.track.git.remotes import listing, remotes
from memgauge.studies.track.git.repository import copy_cut, empty_repository, import_cut
from memgauge.studies.track.timeline.models import Platform

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memgauge.studies.track.timeline.models import Timeline

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class Host(Protocol):
    """Whatever serves a folder of bare repositories at a unix socket."""

    def publish(self) -> None:
        """Let new commits be seen."""
        ...

    def close(self) -> None:
        """Stop."""
        ...


HOSTS: dict[str, Callable[[Path, Path], Host]] = {"builtin": GitHost, "gitea": Gitea}
"""What `--git` can name."""


class GitService:
    """Serves the repository of a timeline, with the commits that have happened so far and no others."""

    def __init__(
        self, timeline: Timeline, folder: Path, socket: Path, *, beside: Path | None = None, host: str = "builtin"
    ) -> None:
        """Make the repository in *folder* and serve it at *socket*.

        The folder must be empty; *socket* is a unix socket, *host* a name of :data:`HOSTS`. The path of the
        timeline's repository starts from the folder *beside*.

        Raises:
            DataError: The repository cannot be used.
        """
        self.folder = folder
        self.socket = socket
        self.written: tuple[EventCommit, ...] = ()
        """The commits so far that were events."""
        self._events = [event for event in timeline.events if event.platform is Platform.GIT]
        self._branch = timeline.repository.branch if timeline.repository else "main"
        self._repository = self._made(timeline, beside)
        self._host = HOSTS[host](folder, socket)

    def advance(self, until: datetime) -> tuple[EventCommit, ...]:
        """Commit every event up to *until* that is not committed yet, and return the new commits."""
        if self._repository is None:
            return ()
        due_events = [event for event in self._events[len(self.written) :] if event.at <= until]
        commits = write_events(self._repository, due_events, self._branch)
        self.written += commits
        if commits:
            self._host.publish()
        return commits

    def listing(self) -> str:
        """Say which repositories there are, where they stand, and how they are cloned."""
        return listing(remotes(self.socket))

    def revealed(self, text: str) -> tuple[str, ...]:
        """Return the ids of the events that the output of a tool says something of."""
        return events_in(text, self.written)

    def close(self) -> None:
        """Stop serving."""
        self._host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _made(self, timeline: Timeline, beside: Path | None) -> Path | None:
        source = timeline.repository
        if source is None and not self._events:
            return None
        name = _UNFIT.sub("-", source.name if source else timeline.name).strip("-.") or "repository"
        at = self.folder / f"{name}.git"
        if source is None or not source.path:
            return empty_repository(at, self._branch)
        mirror, sha = import_cut((beside or Path()) / source.path, source.commit)
        return copy_cut(mirror, at, sha, self._branch)
