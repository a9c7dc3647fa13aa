"""Sandboxes that work here, each with a small repository to clone."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.git.service import GitService
from memgauge.studies.track.sandbox.choose import Kind, open_sandbox, problem
from memgauge.studies.track.sandbox.room import Room
from memgauge.studies.track.sandbox.running import SandboxLimits
from memgauge.studies.track.timeline.models import CodeRepository, Commit, Event, Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.track.sandbox.sandbox import Sandbox

AT = datetime(2025, 3, 3, tzinfo=UTC)
TIMELINE = Timeline(
    name="small",
    events=(Event(id="e", at=AT, payload=Commit(message="Say hello", files={"hello.txt": "hello\n"})),),
    repository=CodeRepository(name="small"),
)


@cache
def why_not(kind: Kind) -> str:
    """Say once why a kind of sandbox does not work here."""
    room = Room.open()
    try:
        return problem(kind, room)
    finally:
        room.close()


@pytest.fixture
def opened() -> Iterator[Callable[..., Sandbox]]:
    """Open sandboxes that serve a repository, or skip with the reason why there is none."""
    stack: list[Sandbox | GitService] = []

    def make(kind: Kind, limits: SandboxLimits | None = None) -> Sandbox:
        why = "" if kind == "none" else why_not(kind)
        if why:
            pytest.skip(f"needs {kind}: {why}")
        sandbox = open_sandbox(kind, limits or SandboxLimits(wall_s=60))
        stack.append(sandbox)
        service = GitService(TIMELINE, sandbox.room.git, sandbox.room.socket)
        stack.append(service)
        service.advance(AT)
        return sandbox

    yield make
    for one in reversed(stack):
        one.close()


@pytest.fixture(params=["bubblewrap", "landlock"])
def sandbox(opened: Callable[..., Sandbox], request: pytest.FixtureRequest) -> Sandbox:
    """Open one sandbox of every kind that keeps an agent in."""
    return opened(request.param)


@pytest.fixture
def bubblewrap(opened: Callable[..., Sandbox]) -> Sandbox:
    """Open the default sandbox."""
    return opened("bubblewrap")
