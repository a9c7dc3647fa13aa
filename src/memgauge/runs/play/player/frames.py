"""How an owner and a player talk: frames of bytes with their length before them, over two pipes.

What goes in was pickled by the owner, whom the player trusts. What comes out is a header in JSON and bytes:
foreign code runs in there, and a pickle of its making would run in the owner.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import struct
from typing import TYPE_CHECKING, Any, Final

from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable

_LENGTH: Final = struct.Struct(">Q")
_PIECE: Final = 1 << 20
_LONGEST: Final = 1 << 40
LOOK_S: Final = 0.5
"""Seconds between two looks at whether the other side lives, while it says nothing."""


def widened(pipe: tuple[int, int]) -> tuple[int, int]:
    """Let a pipe hold a MiB, where that may be asked for: a haystack then takes few changes of processes."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, _PIECE)
    return pipe


def send(fd: int, payload: bytes) -> None:
    """Write one frame.

    Raises:
        OSError: Nobody reads any more.
    """
    for part in (_LENGTH.pack(len(payload)), payload):
        view = memoryview(part)
        while view:
            view = view[os.write(fd, view) :]


def receive(fd: int, alive: Callable[[], bool] = lambda: True) -> bytes:
    """Read one frame; *alive* is asked while nothing comes.

    Raises:
        EOFError: The other side ended, or what it said is no frame.
    """
    (length,) = _LENGTH.unpack(_exactly(fd, _LENGTH.size, alive))
    if length > _LONGEST:
        raise EOFError("a frame of no possible length")
    return _exactly(fd, length, alive)


def _exactly(fd: int, size: int, alive: Callable[[], bool]) -> bytes:
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    pieces = []
    for start in range(0, size, _PIECE):  # no room is taken for what was announced and does not come
        pieces.append(piece := bytearray(min(size - start, _PIECE)))
        view = memoryview(piece)
        while view:
            if not poll.poll(LOOK_S * 1000):
                if not alive():
                    raise EOFError("the process ended")
                continue
            came = os.readv(fd, [view])
            if not came:
                raise EOFError("the pipe was closed")
            view = view[came:]
    return b"".join(pieces)


def spelt(header: dict[str, Any], body: bytes = b"") -> bytes:
    """Spell what a player says: a header and bytes."""
    head = json.dumps(header).encode()
    return _LENGTH.pack(len(head)) + head + body


def understood(payload: bytes) -> tuple[dict[str, Any], bytes]:
    """Read what a player said.

    Raises:
        EOFError: It is nothing that a player says.
    """
    if len(payload) < _LENGTH.size:
        raise EOFError("a frame without a header")
    (length,) = _LENGTH.unpack_from(payload)
    head, body = payload[_LENGTH.size : _LENGTH.size + length], payload[_LENGTH.size + length :]
    try:
        header = json_of(head)
    except ValueError as error:
        raise EOFError("a header that is no JSON") from error
    if not isinstance(header, dict):
        raise EOFError("a header that is no object")  # noqa: TRY004 - whatever it says, it is of no use
    return header, body
