"""Where the servers of a memory are: a process and a folder for each scope, or one address for all of them."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.records import Scope
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.product_store import hashed, spelled
from memgauge.systems.mcp.client import StdioClient
from memgauge.systems.mcp.http import HttpClient
from memgauge.systems.mcp.templates import fill
from memgauge.systems.wire.remote import key_in
from memgauge.text.jsons import json_file
from memgauge.text.scrubbing import Scrubber, keys_in_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.systems.mcp.description import Description
    from memgauge.systems.mcp.session import McpClient

PROGRAMS = "MEMGAUGE_PROGRAMS"
"""The variable that says where the programs of a product's environment lie."""


class ScopedServers:
    """A process and a folder a scope."""

    most_open = 32
    """Processes at a time: of a product that takes 100 MB, hundreds would take all memory of a machine."""
    interventions: tuple[str, ...] = (
        "a process and a folder a scope; erasing a scope ends its process and removes its folder",
    )

    def __init__(self, about: Description, bin: str, path: str) -> None:  # noqa: A002 - what such a folder is called
        self._about = about
        self.offers: tuple[str, ...] = ("erasable", "durable") if about.outlives else ("erasable",)
        self._command = (find_program(about.command[0], bin), *about.command[1:])
        self._home = StoreFolders(about.name, path)

    def start(self, scope: Scope) -> McpClient:
        """Start a server in the folder of a scope."""
        return self._start(self._folder(scope), scope)

    def _start(self, folder: Path, scope: Scope | None) -> McpClient:
        folder.mkdir(parents=True, exist_ok=True)
        named = self.name(scope) if scope else ""
        place = {"dir": str(folder), "scope": named, "here": self._about.folder}
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(folder)}
        env |= {name: fill(value, place) for name, value in self._about.env.items()}
        command = [fill(part, place) for part in self._command]
        return StdioClient(command, env, folder, timeout_s=self._about.timeout_s)

    def version(self, check: Callable[[McpClient], None]) -> str:
        """Return the version of the package, or what a server beside the store says that it is."""
        if known := package_version(self._about.package, self._command[0]):
            return known
        folder = self._home.folder / "store-0"
        client = self._start(folder, None)
        check(client)
        client.close()
        shutil.rmtree(folder, ignore_errors=True)
        return client.version

    def name(self, scope: Scope) -> str:
        """Name a scope by a hash."""
        return hashed(scope)

    def _folder(self, scope: Scope) -> Path:
        return self._home.root / hashed(scope)

    def is_there(self, scope: Scope) -> bool:
        """Whether there is a folder: reading starts no server and makes none."""
        return self._folder(scope).exists()

    def forget(self, scope: Scope) -> bool:
        """Remove the folder."""
        shutil.rmtree(self._folder(scope), ignore_errors=True)
        return True

    def renew(self) -> None:
        """Begin in an empty folder."""
        self._home.renew()

    def paths(self) -> Sequence[Path]:
        """Name the folder of all scopes."""
        return (self._home.root,)

    def close(self) -> None:
        """Let a temporary folder go."""
        self._home.close()


class SharedServer:
    """One server for all scopes, told apart by names that nobody else uses; it is neither started nor ended."""

    most_open = sys.maxsize
    """Sessions at a time: they cost next to nothing here, and a server may forget with one."""

    def __init__(self, about: Description, bin: str, path: str) -> None:  # noqa: A002 - as above
        if bin or path:
            raise ConfigError(f"{about.name} is at an address: it has no bin and no path.", "Leave them out.")
        if about.key:
            key_in(about.key, about.url)
        self._about = about
        self.offers: tuple[str, ...] = ("erasable",) if "delete" in about.ops else ()
        where = "the address" if "{scope}" in about.url else "arguments of its tools"
        added = (f"one server at an address, {{scope}} in {where} tells scopes apart; a reset takes other names",)
        deletes = ("erasing deletes every memory that is listed",) if self.offers else ()
        self.interventions: tuple[str, ...] = added + deletes
        self.renew()

    def start(self, scope: Scope) -> McpClient:
        """Open a session at the address."""
        url = self._about.url.replace("{scope}", self.name(scope))
        key = key_in(self._about.key, self._about.url) if self._about.key else ""
        keys = Scrubber({key} | keys_in_url(self._about.url))  # the name of a scope is none
        return HttpClient(url, key, keys=keys, timeout_s=self._about.timeout_s)

    def version(self, check: Callable[[McpClient], None]) -> str:
        """Return what the server says that it is."""
        client = self.start(Scope("memgauge"))
        check(client)
        client.close()
        return client.version

    def name(self, scope: Scope) -> str:
        """Name a scope by a hash that no other opened system has."""
        return "s" + sha256(f"{self._token} {spelled(scope)}".encode()).hexdigest()[:24]

    def is_there(self, scope: Scope) -> bool:  # noqa: ARG002 - the server knows
        """Whether anything was written is for the server to say."""
        return True

    def forget(self, scope: Scope) -> bool:  # noqa: ARG002 - as above
        """Remove nothing: only the tools of the server can."""
        return False

    def renew(self) -> None:
        """Take names that are new to the server."""
        self._token = uuid4().hex

    def paths(self) -> Sequence[Path]:
        """Name nothing: what is stored lies elsewhere."""
        return ()

    def close(self) -> None:
        """Leave the server alone."""


def find_program(name: str, folder: str = "") -> str:
    """Return the path of a program: of *folder*, of this environment, or of the system; else the name as it is."""
    here = Path(sys.prefix)
    own = [os.environ.get(PROGRAMS, ""), str(here / "bin"), str(here / "node_modules" / ".bin")]
    places = [folder] if folder else [*filter(None, own), os.environ.get("PATH", "")]
    return shutil.which(name, path=os.pathsep.join(places)) or name


def npm_version(package: str, program: str, product: str) -> str:
    """Return the version of the npm package that lies beside a program of a product's environment.

    Raises:
        MissingExtraError: There is none.
    """
    known = package_version(package, find_program(program))
    if not known:
        raise MissingExtraError(
            f"{product} is not installed here.", f"Run `memgauge systems install {product.lower()}`."
        )
    return known


def package_version(package: str, program: str) -> str:
    """Return the version of the package of *program*, as Python or npm knows it; empty where neither does."""
    with suppress(ValueError, PackageNotFoundError):
        return version(package)
    for folder in Path(program).parents:
        about = folder / package / "package.json"
        if folder.name == "node_modules" and package and about.is_file():
            return str(json_file(about, "Install the package again.").get("version", ""))
    return ""
