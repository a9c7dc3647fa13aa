"""What a served process sees: a folder of its own, what was declared, and, if need be, no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import weakref
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.systems.wire.confining import confined
from memgauge.text.scrubbing import KEY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KEPT = ("PATH", "TZ", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "NIX_LD")
"""What every process is given of the user's environment: where programs and libraries are."""
FIXED = {
    "LANG": "C.UTF-8",
    "DO_NOT_TRACK": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
}
_CAGES = {
    "bwrap": (
        *[
            "bwrap",
            "--dev-bind",
            "/",
            "/",
            "--unshare-net",
            "--unshare-pid",
            "--proc",
            "/proc",
            "--cap-drop",
            "ALL",
        ],
        "--",
    ),
    "unshare": ("unshare", "--map-root-user", "--net", "--"),
}
"""Not ``--die-with-parent``: the parent is the thread that started a process, and that thread may end first."""


WALLS = "bwrap"
"""What makes a namespace of processes too, and cannot be started by what is confined already."""


class OwnFolder:
    """A folder that a process may fill, and that goes with it."""

    def __init__(self, name: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"memgauge-{name}-")).resolve()
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def emptied(self) -> Path:
        """Remove everything in it, and return its path."""
        for entry in self.path.iterdir():
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)
        for part in ("home", "tmp", "cache"):
            (self.path / part).mkdir(exist_ok=True)
        return self.path

    def remove(self) -> None:
        """Remove it."""
        self._remove()


def keyless(keys: Iterable[str] = ()) -> dict[str, str]:
    """Return the user's variables without those that are called keys, but for *keys*."""
    needed = set(keys)
    return {name: value for name, value in os.environ.items() if name in needed or not KEY_NAME.search(name)}


def environment(
    folder: Path, *, switches: Mapping[str, str] | None = None, passes: Iterable[str] = (), home: str = ""
) -> dict[str, str]:
    """Make the environment of a process: its folder, what is declared, and nothing else of the user's.

    Home, temporary files and caches lie in *folder*. In the variables that *switches* declare, ``{folder}`` and
    ``{home}`` are replaced; those of the user that *passes* names win over them.
    """
    own = {
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "XDG_DATA_HOME": str(folder / "home"),
    }
    shared, handed = ({name: os.environ[name] for name in names if name in os.environ} for names in (KEPT, passes))
    if home:
        path = shared.get("PATH", os.defpath)
        shared["PATH"] = os.pathsep.join([f"{home}/bin", f"{home}/node_modules/.bin", path])
    places = {"folder": str(folder), "home": home}
    declared = {name: _filled(value, places) for name, value in (switches or {}).items()}
    return {**shared, **FIXED, **own, **declared, **handed}


def _filled(value: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        value = value.replace(f"{{{name}}}", place)
    return value


def caged(arguments: list[str], network: str) -> list[str]:
    """Put a command where there is no network but its own, if that is wanted and can be done here."""
    cage = cage_here() if network == "none" else ""
    if not cage:
        return arguments
    return [shutil.which(cage) or cage, *_CAGES[cage][1:], *arguments]  # what it is given may name another path


def _works(command: list[str], *, walled: bool) -> bool:
    def tried() -> bool:
        return subprocess.run(command, capture_output=True, check=False, timeout=20).returncode == 0  # noqa: S603 - fixed words

    return tried() if walled else confined(tried)


@cache
def cage_here() -> str:
    """Name what can cut a process off the network on this machine; empty where nothing can."""
    for name, start in _CAGES.items():
        if shutil.which(name) and _works([*start, "true"], walled=name == WALLS):
            return name
    return ""
