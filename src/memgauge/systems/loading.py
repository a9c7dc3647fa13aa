"""Memory systems from outside: ``module:factory`` and TOML files, checked before they are used."""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.registry import load_target, unknown_name
from memgauge.systems.environments.checking import LARGEST, text_within
from memgauge.systems.own_file import misnamed, own_file
from memgauge.systems.own_modules import own_modules
from memgauge.text.untrusted import toml_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.protocol import MemorySystem

METHODS = ("capabilities", "ingest", "flush", "search", "dump", "reset")
"""What every memory system must be able to do."""


def load_factory(target: str) -> Callable[..., MemorySystem]:
    """Import the factory ``module:factory``, looking in the current folder too.

    Raises:
        ConfigError: It cannot be imported or is not callable, or a file was named and not its module.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    module = target.partition(":")[0]
    is_path = module.endswith(".py") or "/" in module
    if is_path and (path := own_file(module)):
        raise misnamed(path)
    factory = load_target(target)
    if not callable(factory):
        raise ConfigError(
            f"{target} is a {type(factory).__name__}, not a factory.",
            "Name a class or a function that returns a memory system.",
        )
    return factory


def require_system(system: object, ref: str) -> None:
    """Refuse what lacks a method or a name that every memory system has.

    Raises:
        ConfigError: Names everything that is missing.
    """
    missing = [f"{name}()" for name in METHODS if not callable(getattr(system, name, None))]
    missing += [name for name in ("name", "version") if not isinstance(getattr(system, name, None), str)]
    if missing:
        raise ConfigError(
            f"{ref} gave a {type(system).__name__} that is no memory system: it lacks {', '.join(missing)}.",
            "See memgauge.systems.protocol.MemorySystem.",
        )


def source_hash(ref: str, system: MemorySystem) -> str:
    """Hash what a version number may not tell: a home-made system's modules, its TOML file, files it reads.

    A home-made memory changes more often than its version: a run of yesterday's code is not a run of today's.
    """
    files = [path for path in [Path(ref.strip())] if path.suffix == ".toml" and path.is_file()]
    named = str(_toml(files[0]).get("system", "")) if files else ref  # a description of a product names none
    maker = named.partition(":")[0].strip()
    for module in dict.fromkeys((type(system).__module__, maker)):
        source = getattr(sys.modules.get(module), "__file__", None)
        if source and not module.startswith("memgauge."):
            files += [file for file in own_modules(module, Path(source)) if file not in files]
    files += getattr(system, "files", ())
    if not files:
        return ""
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


@dataclass(frozen=True)
class SystemFile:
    """What a TOML file says about one system."""

    system: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    label: str = ""

    @property
    def spelled(self) -> str:
        """Write the system with its options in one line."""
        values = {name: json.dumps(value, default=str).strip('"') for name, value in self.parameters.items()}
        options = ",".join(f"{name}={value}" for name, value in values.items())
        return f"{self.system}{',' if ':' in self.system else ':'}{options}"


def read_system_file(path: str) -> SystemFile:
    """Read a system from a TOML file.

    Raises:
        ConfigError: The file is absent or broken, or a key has the wrong type.
        UnknownNameError: A key that does not exist.
    """
    content = _toml(Path(path))
    known = {"system": "text in quotes", "parameters": "a table, [parameters]", "label": "text in quotes"}
    for key, value in content.items():
        if key not in known:
            raise unknown_name(f"key in {path}:", key, known)
        if not isinstance(value, dict if key == "parameters" else str):
            raise ConfigError(f"{path}: {key} must be {known[key]}.")
    if not content.get("system"):
        raise ConfigError(f"{path} names no system.", 'Add a line like system = "bm25".')
    return SystemFile(**content)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return toml_of(text_within(path, LARGEST))
    except FileNotFoundError:
        raise ConfigError(f"There is no file {path}.", "Check the path.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error  # the error names line and column
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}.") from error
