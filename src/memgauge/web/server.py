"""The server: binds, says where it is, and goes when it is told to."""

from __future__ import annotations

import socket
from functools import partial
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.extras import lacking
from memgauge.web.library import Library
from memgauge.web.processes import share
from memgauge.web.security import Door, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.web.connections import ConnectionLimits
    from memgauge.web.keeping import ContentStore


LARGEST_HEAD = 65_536
"""Bytes of the head of a request."""


def serve(
    library: Library,
    door: Door,
    port: int,
    *,
    ready: Callable[[str], None],
    limits: ConnectionLimits | None = None,
    jobs: int = 1,
) -> None:
    """Serve until interrupted; *ready* is told the address when others can use it.

    *port* 0 takes any that is free; *limits* are of the connections of each process. Several *jobs* open the
    library's folders anew, and share what it keeps on disk.

    Raises:
        ConfigError: The port is taken, or the host is not one of this machine.
        MissingExtraError: The extra ``web`` is not installed.
    """
    try:
        from memgauge.web.connections import ConnectionLimits
    except ImportError as error:
        raise lacking("web", "The viewer needs starlette and uvicorn.") from error
    limits = limits or ConnectionLimits()
    listener = _bind(door.host, port, limits.connections)
    name = "localhost" if is_loopback(door.host) and ":" not in door.host else _written(door.host)
    address = f"http://{name}:{listener.getsockname()[1]}/"
    with listener:
        if jobs > 1:
            work = partial(_open_and_answer, library.roots, library.store, door, limits)
            share(listener, jobs, work, partial(ready, address))
        else:
            ready(address)
            _answer(library, door, limits, listener)


def _open_and_answer(
    roots: tuple[Path, ...], store: ContentStore, door: Door, limits: ConnectionLimits, listener: socket.socket
) -> None:
    _answer(Library(roots, store=store), door, limits, listener)


def _answer(library: Library, door: Door, limits: ConnectionLimits, listener: socket.socket) -> None:
    import uvicorn

    from memgauge.web.app import application
    from memgauge.web.connections import patient

    config = uvicorn.Config(
        application(library, door),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
        http=patient(limits),
        h11_max_incomplete_event_size=LARGEST_HEAD,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listener])


def _bind(host: str, port: int, waiting: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"Cannot serve at {_written(host)}:{port}: {reason}.",
            "Choose another --port; 0 takes any.",
        ) from error
    listener.listen(waiting)
    return listener


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
