"""What `memgauge study track doctor` runs inside a sandbox: look for everything that must not be reachable.

This file is started there by a bare interpreter, so it imports the standard library only. It prints, for every
check, what it could reach; nothing is what should be printed. Names come reversed, so that the request is no find.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LARGEST = 1 << 20
_MOST = 5
_SEARCH_S = 10
_LIKELY = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/root", "/etc", "/usr/local")  # noqa: S108 - looked into
_OLDER = {"/proc", "/sys", "/dev", "/usr"}
"""The kernel's own, and the read-only system, which is older than any canary; they are not walked through."""
_SYSTEM = ("/", "/usr", "/usr/bin", "/etc", "/run", "/var")
_PATIENCE_S = 1.0
_FORKS = 2000
_ALLOCATED = 1 << 36
_BLOCK = os.makedev(8, 0)
_NEW_USERS = 0x10000000


def canary_in_files(request: dict[str, Any]) -> Iterator[str]:
    """Look at every name, and read every file of folders that changed since the canary was planted."""
    canary = request["canary"][::-1]
    until = time.monotonic() + _SEARCH_S
    for folder, names, files in _folders():
        if time.monotonic() > until:
            yield f"the search took longer than {_SEARCH_S} s: too much can be seen"
            return
        yield from (str(Path(folder, name)) for name in names + files if canary in name)
        if _changed(folder) >= request["planted"]:
            yield from (str(Path(folder, name)) for name in files if _holds(Path(folder, name), canary.encode()))


def canary_in_processes(request: dict[str, Any]) -> Iterator[str]:
    """Read the environment and command line of every process that can be seen, and this one's own."""
    canary = request["canary"][::-1]
    if any(canary in value for value in os.environ.values()):
        yield "an environment variable"
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("environ", "cmdline"):
            with contextlib.suppress(OSError):
                if canary.encode() in (process / name).read_bytes():
                    yield str(process / name)


def host_paths(request: dict[str, Any]) -> Iterator[str]:
    """Open what lies on the machine outside: files are read, folders listed."""
    for path in (Path(name[::-1]) for name in request["paths"]):
        with contextlib.suppress(OSError):
            if path.is_dir():
                list(path.iterdir())
            else:
                path.read_bytes()
            yield str(path)


def network(request: dict[str, Any]) -> Iterator[str]:
    """Connect to the machine outside, to a machine beyond it, and ask for a name."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"canary", ("127.0.0.1", request["udp"]))  # whether it arrives is seen outside
    yield from _connected(("127.0.0.1", request["tcp"]), "a port of the machine outside")
    yield from _connected((request["beyond"], 80), "another machine")
    with contextlib.suppress(OSError):
        socket.getaddrinfo(request["name"], 80)
        yield f"a name server, for {request['name']}"


def unix_sockets(request: dict[str, Any]) -> Iterator[str]:
    """Connect to sockets of the machine outside that have no address but a name or a path."""
    addresses = {f"\0{request['abstract']}": "an abstract socket", request["path_socket"]: "a socket file"}
    for address, name in addresses.items():
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(_PATIENCE_S)
            client.connect(address)
            yield f"{name} of the machine outside"


def processes(request: dict[str, Any]) -> Iterator[str]:
    """Look at, and signal, the process that started the sandbox."""
    pid = request["pid"]
    with contextlib.suppress(OSError):
        os.kill(pid, 0)
        if _is_outside(pid, request):
            yield f"process {pid} can be signalled"
    if _is_outside(pid, request):
        yield f"process {pid} can be seen"


def privileges(request: dict[str, Any]) -> Iterator[str]:
    """Use what only root may do."""
    if os.geteuid() == 0:
        yield "this is root"
    with contextlib.suppress(OSError):
        capabilities = [
            line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("Cap")
        ]
        yield from (line for line in capabilities if int(line.split()[1], 16))
    node = Path("disk-of-the-host")
    with contextlib.suppress(OSError):
        os.mknod(node, stat.S_IFBLK | 0o600, _BLOCK)
        node.unlink()
        yield "a node of the host's disk can be made"
    if request["namespaces"]:
        import ctypes

        if ctypes.CDLL(None).unshare(_NEW_USERS) == 0:
            yield "a new user namespace can be made"


def writable(_: dict[str, Any]) -> Iterator[str]:
    """Write where nothing may be written."""
    for folder in _SYSTEM:
        file = Path(folder, "written-by-the-probe")
        with contextlib.suppress(OSError):
            file.write_text("x")
            file.unlink()
            yield str(file)


def forks(request: dict[str, Any]) -> Iterator[str]:
    """Start processes until one is refused."""
    children: list[int] = []
    try:
        while len(children) < _FORKS:
            child = os.fork()
            if not child:
                time.sleep(60)
                os._exit(0)
            children.append(child)
        yield f"{len(children)} processes could be started"
    except OSError:
        if len(children) > request["processes"]:
            yield f"{len(children)} processes could be started, and {request['processes']} are allowed"
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def memory(_: dict[str, Any]) -> Iterator[str]:
    """Ask for more memory than any limit allows."""
    with contextlib.suppress(MemoryError, OverflowError):
        bytearray(_ALLOCATED)
        yield f"{_ALLOCATED >> 30} GiB could be allocated"


def _folders() -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk through whatever can be listed, the likely places first: where `/` is closed, others may be open."""
    seen_folders = set(_OLDER)
    for top in (str(Path.cwd()), *_LIKELY, "/"):
        if top in seen_folders:
            continue
        for folder, names, files in os.walk(top):
            yield folder, names, files
            names[:] = [name for name in names if f"{folder.rstrip('/')}/{name}" not in seen_folders]
            seen_folders.add(folder)


def _changed(folder: str) -> float:
    with contextlib.suppress(OSError):
        return Path(folder).stat().st_mtime
    return 0.0


def _holds(path: Path, needle: bytes) -> bool:
    with contextlib.suppress(OSError):
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST:
            content: bytes = path.read_bytes()
            return needle in content
    return False


def _connected(address: tuple[str, int], name: str) -> Iterator[str]:
    with contextlib.suppress(OSError), socket.create_connection(address, _PATIENCE_S):
        yield f"{name}, {address[0]}:{address[1]}"


def _is_outside(pid: int, request: dict[str, Any]) -> bool:
    """Say whether a process id means the same process here as outside: ids of another namespace may be equal."""
    with contextlib.suppress(OSError):
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes().hex() == request["cmdline"])
    return False


CHECKS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "files": canary_in_files,
    "environment": canary_in_processes,
    "paths": host_paths,
    "network": network,
    "sockets": unix_sockets,
    "processes": processes,
    "privileges": privileges,
    "writing": writable,
    "forks": forks,
    "memory": memory,
}


def main() -> None:
    """Run every check and print what each could reach."""
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        request = json.load(file)
    print(json.dumps({name: list(check(request))[:_MOST] for name, check in CHECKS.items()}))  # noqa: T201 - the result


if __name__ == "__main__":
    main()
