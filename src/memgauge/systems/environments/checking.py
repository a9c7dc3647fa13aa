"""What a description from outside may say: names and pins, and nothing that an installer or a loader obeys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST: Final = 1 << 20
"""Bytes of a description."""
_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_DOTTED: Final = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_VERSION: Final = r"[A-Za-z0-9][A-Za-z0-9.!+_-]*"
NAME: Final = re.compile(_NAME)
_FITS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "adapter": (re.compile(rf"{_DOTTED}:{_DOTTED}"), "module:factory"),
    "module": (re.compile(rf"(?:{_DOTTED})?"), "a module"),
    "packages": (re.compile(rf"{_NAME}(?:\[[A-Za-z0-9._, -]*\])?=={_VERSION}"), "NAME==VERSION"),
    "newest": (
        re.compile(
            rf"{_NAME}(?:\[[A-Za-z0-9._, -]*\])?(?:[<>=!~]=|[<>]){_VERSION}(?:,(?:[<>=!~]=|[<>]){_VERSION})*"
        ),
        "NAME<VERSION",
    ),
    "node": (re.compile(rf"(?:@{_NAME}/)?{_NAME}@{_VERSION}"), "NAME@VERSION"),
    "programs": (re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*\s*(?:[<>=!]=?[0-9., <>=!]+)?"), "NAME>=VERSION"),
    "passes": (re.compile(r"[A-Za-z_]\w*"), "a variable"),
    "switches": (
        re.compile(r"(?!LD_|DYLD_|GLIBC_TUNABLES$|GCONV_PATH$|PATH$)[A-Za-z_]\w*"),
        "its own variable",
    ),
    "wheels": (NAME, "a package"),
    "places": (re.compile(r"(?!/)(?!.*\.\.)[ -~]+"), "a path below the store"),
    "lock": (re.compile(rf"(?:{_NAME}\.(?:txt|json))?"), "a file beside the description, .txt or .json"),
}
_PINS: Final = r"(?:;(?:(?!\s--)[ -:<-~])*)?(?:\s+--hash=[a-z0-9]+:[0-9a-f]+)*"
_PINNED: Final = re.compile(rf"{_NAME}(?:\[[A-Za-z0-9._, -]*\])?=={_VERSION}\s*{_PINS}", re.ASCII)


def check_description(path: Path, name: str, content: Mapping[str, Any]) -> None:
    """Hold the values of a description against what they may be.

    Raises:
        ConfigError: One is something else; the message names it.
    """
    if not NAME.fullmatch(name):
        raise ConfigError(f"{path}: {name!r} is no name of a product.", "Use letters, digits, dots and hyphens.")
    for key, (shape, wanted) in _FITS.items():
        value = content.get(key, ())
        for each in [value] if isinstance(value, str) else value:
            if not shape.fullmatch(each):
                raise ConfigError(
                    f"{path}: {key}: {each[:80]!r} is not {wanted}.", "See docs/adapters.md for the keys."
                )
    lock = Path(path.parent, content.get("lock") or path.name)
    if lock.is_symlink():
        raise ConfigError(f"{path}: its lock {lock} is a link.", "Put the file itself beside the description.")


def check_pins(lock: Path) -> None:
    """Hold a lock for pip against what a lock is: pins with hashes, no options, no addresses and no variables.

    Raises:
        ConfigError: A line is something else.
    """
    text = _read(lock).replace("\\\n", " ")
    for line in filter(None, (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())):
        if not _PINNED.fullmatch(line) or "${" in line:
            raise ConfigError(f"{lock}: {line[:80]!r} is no pin.", "A lock holds NAME==VERSION --hash=….")


def check_tree(lock: Path, packages: object) -> None:
    """Hold a lock for npm against what it is: packages in their folders, each with its hash.

    Raises:
        ConfigError: One is a link, lies elsewhere, or is brought without a hash.
    """
    if not isinstance(packages, dict) or not isinstance(packages.get(""), dict):
        raise ConfigError(f"{lock} is no lock of npm.", "Write it with npm install.")
    for place, about in packages.items():
        named = isinstance(about, dict) and place.startswith("node_modules/") and ".." not in place.split("/")
        if place and not (named and about.get("integrity") and not about.get("link") and _is_file(about)):
            raise ConfigError(f"{lock}: {place[:80]!r} is no package with its hash.", "Write it with npm install.")


def _is_file(about: Mapping[str, Any]) -> bool:
    return str(about.get("resolved", "https:")).startswith(("https:", "file:"))


def _read(path: Path) -> str:
    try:
        return text_within(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}.") from error


def text_within(path: Path, largest: int = 16 * LARGEST) -> str:
    """Read a file of text that is a file, and no larger than so many bytes.

    Raises:
        ConfigError: It is a device or a pipe, or larger.
        OSError: It cannot be read.
        UnicodeDecodeError: It is no text.
    """
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is no file.", "Name a file.")
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ConfigError(f"{path} is larger than {largest:,} bytes.", "Name a file that describes a system.")
    return content.decode("utf-8")
