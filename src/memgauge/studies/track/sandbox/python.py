"""The Python that runs inside: the system's where there is one, else what is needed of the one that runs us."""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

_SYSTEM = Path("/usr/bin/python3")
_INSTALLED = ("site-packages", "dist-packages")
HOME = "/opt/python"
"""Where an interpreter that does not lie below `/usr` is shown."""


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter, and what of it has to be shown besides `/usr`."""

    command: str
    """Its path inside."""
    shown: tuple[tuple[Path, str], ...] = ()
    """Paths of this machine, and where they are shown."""
    masked: tuple[str, ...] = ()
    """Folders inside that are shown empty: what is installed for us is nobody else's business."""


def python(system: Path = _SYSTEM) -> Python:
    """Choose the interpreter that runs inside."""
    if system.exists():
        return Python(str(system))
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    base = Path(sys.base_prefix)
    library = base / "lib" / version
    places = [
        ((base / "bin" / version).resolve(), f"{HOME}/bin/python3"),
        (library, f"{HOME}/lib/{version}"),
    ]
    library_file = Path(str(sysconfig.get_config_var("LIBDIR")), str(sysconfig.get_config_var("INSTSONAME")))
    if library_file.suffix != ".a" and library_file.is_file():
        places.append((library_file, f"{HOME}/lib/{library_file.name}"))
    masked_folders = tuple(f"{HOME}/lib/{version}/{name}" for name in _INSTALLED if (library / name).is_dir())
    return Python(f"{HOME}/bin/python3", tuple(places), masked_folders)
