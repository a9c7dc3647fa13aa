"""Where environments lie, and what stands in one that is complete."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.environments.products import Product

FILE = "environment.json"
"""Written last: a folder without it is not an environment, whatever else lies in it."""
LOCK = "lock.txt"


@dataclass(frozen=True, slots=True)
class Environment:
    """A complete environment."""

    product: str
    version: str
    python: str
    """The version of its Python."""
    lock_sha256: str
    """Of the lock that it was made from."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Every package in it, with its version."""
    installed_at: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0
    folder: str = ""

    @property
    def interpreter(self) -> str:
        """Return the path of its Python; this one where it has none of its own."""
        own = Path(self.folder) / "bin" / "python"
        return str(own) if own.exists() else sys.executable

    @property
    def lock(self) -> Path:
        """Return the path of the packages that are in it."""
        return Path(self.folder) / LOCK


def home() -> Path:
    """Return the user's folder for what memgauge installs: ``MEMGAUGE_HOME``, else where such things lie."""
    if named := os.environ.get("MEMGAUGE_HOME"):
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "memgauge"


def folder_of(product: Product) -> Path:
    """Return the folder of a product's environment."""
    return home() / product.shelf / product.name


def pins_sha256(product: Product) -> str:
    """Hash what an environment of *product* is made from."""
    lock = product.lock_path
    content = lock.read_bytes() if lock and lock.is_file() else "\n".join(product.packages).encode()
    return hashlib.sha256(content + "\n".join(product.node).encode()).hexdigest()


def environment_of(product: Product) -> Environment | None:
    """Return the environment of *product*, ``None`` where there is none.

    Raises:
        ConfigError: There is one, and it cannot be used: another version, a broken file, a Python that is gone.
    """
    folder = folder_of(product)
    again = f"Install it again: memgauge {product.shelf} install {product.name}."
    try:
        complete = Environment(**json_of((folder / FILE).read_bytes()) | {"folder": str(folder)})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{folder / FILE} cannot be read: {error}.", again) from error
    if complete.version not in {product.version, product.pinned}:  # that of a package where a checkout was unnamed
        raise ConfigError(f"{product.name} {complete.version} is installed, not {product.version}.", again)
    if complete.lock_sha256 != pins_sha256(product):
        raise ConfigError(
            f"{product.name} was installed from another lock than {product.lock or 'its pins'}.", again
        )
    if product.packages and complete.interpreter == sys.executable:
        raise ConfigError(f"The Python of {folder} is gone.", again)
    return complete


def write(environment: Environment, folder: Path) -> None:
    """Declare *folder* complete."""
    content = asdict(environment)
    del content["folder"]
    part = folder / f".{FILE}"
    part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    part.replace(folder / FILE)
