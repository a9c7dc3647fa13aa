"""One request for `git http-backend`, the CGI program that comes with git, and its answer."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import parse_headers
from typing import TYPE_CHECKING, cast

from memgauge.errors import MemgaugeError
from memgauge.studies.track.git.command import git_binary, git_environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message
    from pathlib import Path
    from typing import BinaryIO

LARGEST_BODY = 16 << 20
"""Bytes that a request may hold; what a clone asks for is far smaller."""
_IN_MEMORY = 1 << 20
_CHUNK = 1 << 16


class BodyTooLarge(MemgaugeError):  # noqa: N818 - named for what happened
    """A request holds more than a clone could ask for."""


@dataclass(frozen=True, slots=True)
class GitRequest:
    """A request, as far as the program needs it."""

    method: str
    path: str
    """Below the folder of repositories."""
    query: str
    headers: Message


@dataclass(frozen=True, slots=True)
class GitReply:
    """What the program answers."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: BinaryIO
    process: subprocess.Popen[bytes]

    @property
    def whole(self) -> bool:
        """Whether the program ended well; asked once its answer was read to the end."""
        return self.process.wait() == 0


@contextmanager
def spooled(stream: BinaryIO, headers: Message) -> Iterator[tuple[BinaryIO, int]]:
    """Read a whole request body to a file first, and give the file with its length.

    The program writes its headers before it has read the body; whoever feeds the body while passing on the answer
    waits for itself.

    Raises:
        BodyTooLarge: It is larger than :data:`LARGEST_BODY`.
    """
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        for piece in _pieces(stream, headers):
            if spool.tell() + len(piece) > LARGEST_BODY:
                raise BodyTooLarge(f"A body has more than {LARGEST_BODY} bytes.")
            spool.write(piece)
        length = spool.tell()
        spool.rollover()  # a process can only be given a real file
        spool.seek(0)
        yield cast("BinaryIO", spool), length


@contextmanager
def answer(folder: Path, request: GitRequest, body: BinaryIO, length: int) -> Iterator[GitReply]:
    """Run the program on the repositories of *folder*; the answer can be read while the context is open."""
    environment = git_environment(
        {
            "GIT_PROJECT_ROOT": str(folder.absolute()),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.method,
            "PATH_INFO": request.path,
            "QUERY_STRING": request.query,
            "CONTENT_TYPE": request.headers.get("Content-Type") or "",
            "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding") or "",
            "GIT_PROTOCOL": request.headers.get("Git-Protocol") or "",
            "SERVER_PROTOCOL": "HTTP/1.1",
        }
    )
    process = subprocess.Popen(  # noqa: S603 - git itself, without a shell
        [git_binary(), "http-backend"],
        stdin=body.fileno(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        output = cast("BinaryIO", process.stdout)
        headers = parse_headers(output)
        status = int((headers.get("Status") or "200").split()[0])
        passed_on = tuple((name, value) for name, value in headers.items() if name.lower() != "status")
        yield GitReply(status, passed_on, output, process)
    finally:
        cast("BinaryIO", process.stdout).close()
        process.kill()
        process.wait()


def _pieces(stream: BinaryIO, headers: Message) -> Iterator[bytes]:
    """Yield a body as it comes, of known length or in chunks."""
    if (headers.get("Transfer-Encoding") or "").lower() == "chunked":
        while size := int(stream.readline(_CHUNK).split(b";")[0].strip() or b"0", 16):
            yield from _exactly(stream, size)
            stream.readline()
        stream.readline()
    else:
        yield from _exactly(stream, int(headers.get("Content-Length") or 0))


def _exactly(stream: BinaryIO, length: int) -> Iterator[bytes]:
    while length > 0 and (piece := stream.read(min(length, _CHUNK))):
        length -= len(piece)
        yield piece
