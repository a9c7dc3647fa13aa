"""Watch what a served product reaches for: addresses outside this machine, files outside its folder.

It rests on the interpreter's audit events, which every socket and file that Python opens raises, for good.
Libraries that call the operating system themselves are not seen; for those there is a network of their own, none.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
from typing import Any

_ASKING = {"socket.getaddrinfo", "socket.gethostbyname"}
_REACHING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_MAKING = {"open", "os.mkdir", "os.rename", "sqlite3.connect"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_MOST = 50
"""Things of one kind that are listed; there may be thousands of the same."""


class AuditGuard:
    """Refuses or only records, and tells what it saw since it was last asked."""

    def __init__(self, network: str, folder: str) -> None:
        self._refuses = network != "any"
        self._own = tuple(os.path.join(os.path.realpath(place), "") for place in (folder, "/dev", "/proc"))  # noqa: PTH118 - as the events name them
        self._outside: dict[str, int] = {}
        self._strayed: dict[str, None] = {}
        self._told: set[str] = set()

    def install(self) -> None:
        """Begin to watch; there is no end."""
        sys.addaudithook(self._heard)

    def seen(self) -> dict[str, Any]:
        """Return the addresses reached for, with how often, and the paths written outside, none of them twice."""
        outside, self._outside = self._outside, {}
        strayed = [path for path in self._strayed if path not in self._told]
        self._told.update(strayed)
        return {key: seen for key, seen in (("outside", outside), ("strayed", strayed)) if seen}

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _ASKING:
            self._reached(args[0], args[1] if len(args) > 1 else None)
        elif event in _REACHING and isinstance(args[1], tuple):
            self._reached(args[1][0], args[1][1])
        elif event in _MAKING:
            self._made(event, args)

    def _reached(self, host: object, port: object) -> None:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
        if is_here(name):
            return
        address = f"{name}:{port}" if port not in {None, 0, ""} else name
        if address in self._outside or len(self._outside) < _MOST:
            self._outside[address] = self._outside.get(address, 0) + 1
        if self._refuses:
            raise OSError(errno.ENETUNREACH, f"memgauge: {address} is outside this machine, and out of bounds")

    def _made(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and not (isinstance(args[2], int) and args[2] & _WRITING):
            return
        path = args[1] if event == "os.rename" else args[0]
        if isinstance(path, int) or path in {":memory:", ""} or len(self._strayed) >= _MOST:
            return
        try:
            place = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError, OSError):
            return
        if not f"{place}/".startswith(self._own):
            self._strayed[place] = None


def is_here(host: str) -> bool:
    """Whether *host* is this machine."""
    if host in {"", "localhost"} or host == socket.gethostname():
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
