"""What a product's module shows in its environment: public names, parameters, defaults."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError
from memgauge.systems.aging.names import main_package
from memgauge.systems.wire.confining import confined
from memgauge.systems.wire.surroundings import OwnFolder, environment
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.environments.places import Environment
    from memgauge.systems.environments.products import Product

PROBE: Final = Path(__file__).parent / "probe.py"
WITHIN_S: Final = 300
Parameters = tuple[tuple[str, str | None], ...]
"""Names with their defaults; ``None`` where there is none."""


@dataclass(frozen=True)
class ModuleSurface:
    """What the module of a product shows, and on which Pythons its first package says it runs."""

    names: Mapping[str, Parameters]
    python: str


def surface_of(product: Product, made: Environment) -> ModuleSurface:
    """Import the module of *product* in its environment, and read its public names.

    Raises:
        ConfigError: It cannot be imported; the message says what it raised.
    """
    own = OwnFolder(product.name)
    try:
        surroundings = environment(own.emptied(), switches=product.switches, home=made.folder)
        written = own.path / "surface.json"
        command = [made.interpreter, str(PROBE), product.module, main_package(product), str(written)]
        done = confined(
            lambda: subprocess.run(  # noqa: S603 - the Python of an environment that we made
                command, capture_output=True, text=True, check=False, env=surroundings, timeout=WITHIN_S
            )
        )
        if done.returncode or not written.is_file():
            raise ConfigError(f"{_last(done.stderr) or f'its process ended with {done.returncode}'}")
        return _read(json_of(written.read_bytes()))
    except subprocess.TimeoutExpired:
        raise ConfigError(f"it does not import within {WITHIN_S} s") from None
    finally:
        own.remove()


def _read(content: Mapping[str, Any]) -> ModuleSurface:
    names = {
        name: tuple((str(part), default) for part, default in parts) for name, parts in content["names"].items()
    }
    return ModuleSurface(names, str(content["python"]))


def _last(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
