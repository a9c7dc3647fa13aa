"""`memgauge study track serve`: the tools of one instance for agents that are not ours."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError, RunError
from memgauge.frame.exits import OK
from memgauge.frame.numbers import COUNT, NUMBER, PORT
from memgauge.frame.options import Flag
from memgauge.frame.streams import put, results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.play.instance import Setting, Setup
    from memgauge.studies.track.play.played import Answer
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.timeline.models import Timeline


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ServedWorld:
    """The world that is served, and its walls."""

    memory: str = "none"
    """A memory system that gets tools of its own, such as bm25 or mem0."""
    sandbox: Literal["auto", "bubblewrap", "landlock", "docker", "none", "off"] = "auto"
    """Walls around files and shell; none lets an agent read everything, off leaves files, shell and Git out."""
    clock: Literal["static", "live"] = "static"
    """Whether everything has happened, or events arrive with every call."""
    events: Annotated[int, COUNT] = 1
    """Live: events a call."""
    start: Annotated[int, NUMBER] = 1
    """Live: events that have happened at the beginning."""
    notices: Literal["off", "low", "high"] = "low"
    """What an agent is told about new events, with its next result."""

    def setup(self) -> Setup:
        """Return what is set up, checked."""
        from memgauge.studies.track.play.instance import Setup
        from memgauge.studies.track.world.clock import InstanceClock

        clock = InstanceClock(self.clock, events=self.events, start=self.start)
        return Setup(memory=self.memory, sandbox=self.sandbox, clock=clock, notices=self.notices)


_WORLD = ServedWorld()


def serve(
    instance: str,
    *,
    server: Literal["all", "slack", "linear", "git", "fs", "memory", "questions"] = "all",
    http: Annotated[bool, Flag] = False,
    host: str = "127.0.0.1",
    port: Annotated[int, PORT] = 0,
    world: ServedWorld = _WORLD,
    out: Annotated[Path | None, Parameter(show_default=False)] = None,
) -> int:
    """Serve an instance's tools over MCP, and Slack's Web API beside them over HTTP.

    Over stdio, which an agent starts itself, one server is served: one platform's tools, or all of them. With
    --http every server has an address, /slack/mcp and so on, over one and the same world; that of /questions/mcp
    hands out the hidden questions one after another and takes the answers.

    Example: memgauge study track serve slow-checkout --http

    Parameters
    ----------
    instance
        A file of an instance, or the name of a shipped one.
    server
        Which server, over stdio.
    http
        Serve over HTTP until interrupted; the address is the first line that is printed.
    host
        Address to listen on.
    port
        Port to listen on; 0 takes a free one.
    out
        New folder that every call and answer is written to, so that they can be scored.
    """
    from memgauge.studies.track.play.instance import opened
    from memgauge.studies.track.stopping import tidied
    from memgauge.studies.track.timeline.opening import open_instance
    from memgauge.studies.track.tools.mcp_face import require_mcp

    require_mcp()
    path = _place_of(instance)
    timeline = open_instance(path)
    with tidied(), opened(timeline, world.setup(), path.parent) as setting, _ServedFiles.at(out) as files:
        _serve(timeline, setting, files, server, (host, port) if http else None)
    return OK


def _place_of(instance: str) -> Path:
    """Find the one instance of a name or a folder.

    Raises:
        ConfigError: There are several.
    """
    from memgauge.studies.track.timeline.opening import find_instances

    paths = find_instances((instance,))
    if len(paths) > 1:
        raise ConfigError(f"{instance} holds {len(paths)} instances, and one is served.", f"Name one: {paths[0]}.")
    return paths[0]


def _serve(
    timeline: Timeline, setting: Setting, files: _ServedFiles, server: str, address: tuple[str, int] | None
) -> None:
    import anyio

    from memgauge.studies.track.tools.asking import Asking
    from memgauge.studies.track.tools.recording import Recorder
    from memgauge.studies.track.tools.serve import choose, http_app, over_http, over_stdio, servers_of

    recorder = Recorder(setting.router, lambda: setting.world.now, files.call)
    asking = Asking(timeline.questions, recorder.progress, setting.next_question, files.answer)
    servers = servers_of(setting.router, recorder, asking)
    if address is None:
        anyio.run(over_stdio, choose(servers, server))
    else:
        over_http(http_app(servers, setting.world, recorder), *address, ready=_say_address)


def _say_address(address: str) -> None:
    put(f"{address}\n", results())


class _ServedFiles:
    """Where calls and answers go: two files of a folder, or nowhere."""

    def __init__(self, folder: Path | None) -> None:
        from memgauge.studies.track.play.trajectory import TrajectoryWriter

        self._folder = folder
        self._writer = None if folder is None else TrajectoryWriter(folder)

    @classmethod
    @contextmanager
    def at(cls, folder: Path | None) -> Iterator[_ServedFiles]:
        """Keep things in a folder that nothing was kept in before.

        Raises:
            RunError: There are calls already, of somebody else.
        """
        from memgauge.studies.track.play.trajectory import TRAJECTORY

        if folder is not None and (folder / TRAJECTORY).exists():
            raise RunError(f"{folder} holds a trajectory already.", "Name another --out; nothing is overwritten.")
        files = cls(folder)
        try:
            yield files
        finally:
            if files._writer is not None:
                files._writer.close()

    def call(self, call: Call) -> None:
        """Keep a call."""
        if self._writer is not None:
            self._writer.write(call)

    def answer(self, answer: Answer) -> None:
        """Keep an answer."""
        if self._folder is not None:
            from memgauge.studies.track.play.played import ANSWERS, answer_lines

            with (self._folder / ANSWERS).open("a", encoding="utf-8") as file:
                file.write(answer_lines([answer]))
