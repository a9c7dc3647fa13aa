"""A timeline's repository as it stands at a simulated time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.remotes import remotes
from memgauge.studies.track.git.service import GitService
from memgauge.studies.track.timeline.models import CodeRepository, Commit, Event, Timeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.track.git import Origin

START = datetime(2025, 3, 3, tzinfo=UTC)
EVENTS = tuple(
    Event(
        id=f"e{n}",
        at=START + timedelta(days=n),
        payload=Commit(author="Bob", message=f"Step number {n}", files={"step.txt": f"step {n} was taken\n"}),
    )
    for n in range(3)
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make the folder of repositories."""
    (tmp_path / "git").mkdir()
    return tmp_path / "git"


def test_only_what_has_happened_is_there(origin: Origin, place: Path, short: Callable[[str], Path]) -> None:
    """Commits appear as time goes on, on top of the cut, and each once."""
    told = CodeRepository(name="demo", path="origin", commit=origin.commits[1])
    timeline = Timeline(name="t", events=EVENTS, repository=told)
    with GitService(timeline, place, short("s"), beside=origin.path.parent) as service:
        assert "The present" in service.listing()
        assert [one.event for one in service.advance(EVENTS[1].at)] == ["e0", "e1"]
        assert service.advance(EVENTS[1].at) == ()
        log = git("log", "--format=%s", "main", at=place / "demo.git").decode().splitlines()
        assert log == ["Step number 1", "Step number 0", "The present", "The past"]
        shown = service.listing()
        assert "git clone http://git.local:3000/pgym/demo.git" in shown
        assert f"last commit: {service.written[-1].sha} 2025-03-04T00:00:00+00:00 Bob: Step number 1" in shown
        service.advance(EVENTS[2].at)
        assert service.revealed("2: step 2 was taken") == ("e2",)


def test_events_alone_make_a_repository(place: Path, short: Callable[[str], Path]) -> None:
    """A timeline whose code base is gone still has its Git events; its name is made fit for an address."""
    with GitService(Timeline(name="my team's app", events=EVENTS), place, short("s")) as service:
        assert service.listing().splitlines()[0] == "my-team-s-app"
        assert service.listing().splitlines()[-1] == "  empty"
        service.advance(EVENTS[0].at)
        (one,) = remotes(service.socket)
        assert one.subject == "Step number 0"


def test_a_timeline_without_git_has_no_repository(place: Path, short: Callable[[str], Path]) -> None:
    """The list says so, and time goes on."""
    with GitService(Timeline(name="t", events=()), place, short("s")) as service:
        assert service.listing() == "There are no remote repositories."
        assert service.advance(START) == ()


def test_nobody_at_the_socket_is_a_sentence(tmp_path: Path, short: Callable[[str], Path]) -> None:
    """A host that is gone is named."""
    with pytest.raises(RunError, match="does not answer"):
        remotes(short("gone"))
