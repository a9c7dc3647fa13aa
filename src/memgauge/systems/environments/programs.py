"""Programs that a product needs on the path."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from memgauge.errors import MissingExtraError
from memgauge.systems.environments.pythons import fits
from memgauge.systems.wire.confining import confined
from memgauge.systems.wire.surroundings import keyless

if TYPE_CHECKING:
    from memgauge.systems.environments.products import Product

_NAMED = re.compile(r"([A-Za-z0-9_.+-]+?)\s*((?:[<>=!]=?.*)?)")
_VERSION = re.compile(r"\d+(?:\.\d+)*")


def require_programs(product: Product) -> None:
    """Check every program that *product* needs.

    Raises:
        MissingExtraError: One is absent or too old; the message names both.
    """
    for wanted in product.programs:
        match = _NAMED.fullmatch(wanted)
        name, bounds = (match[1], match[2]) if match else (wanted, "")
        path = shutil.which(name)
        remedy = f"Install {wanted} and put it on the path."
        if path is None:
            raise MissingExtraError(f"{product.name} needs {wanted}, and there is no {name} on the path.", remedy)
        if bounds and not fits(has := _version(path), bounds):
            have = ".".join(map(str, has)) or "of an unknown version"
            raise MissingExtraError(f"{product.name} needs {wanted}; {path} is {have}.", remedy)


def _version(path: str) -> tuple[int, ...]:
    asked = confined(
        lambda: subprocess.run(  # noqa: S603 - a program that a product names
            [path, "--version"], capture_output=True, text=True, check=False, timeout=30, env=keyless()
        )
    )
    match = _VERSION.search(asked.stdout or asked.stderr)
    return tuple(map(int, match[0].split("."))) if match else ()
