"""Skeletons: small things that work, made of the files beside this module with names filled in."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.refusals import remedy

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TEMPLATE = ".tmpl"
_PYTHONS = sys.stdlib_module_names | {"test"}
"""Modules that come with Python; the list of its own leaves out its tests."""
_SITES = frozenset({"site-packages", "dist-packages"})
"""Folders that packages are installed in."""

STEPS = {
    "system": (
        "python -m unittest",
        "memgauge systems check @name@:@Name@",
        "memgauge run --dataset synthetic --system @name@:@Name@ --system bm25",
        "memgauge score",
    ),
    "dataset": (
        "python -m unittest",
        "python -m pip install --editable .",
        "memgauge data validate @name@:./sample.jsonl",
        "memgauge run --dataset @name@:./sample.jsonl --system bm25",
    ),
    "suite": (
        "python -m unittest",
        "memgauge study golden run --suite @name@.memsuite.yaml --system pipeline",
        "memgauge study golden run --suite @name@.memsuite.yaml --system bm25 --shrink",
    ),
}
"""What is done next with each kind, in its folder."""


@dataclass(frozen=True)
class Skeleton:
    """What is written, and what is done with it next."""

    name: str
    files: Mapping[str, str]
    """Texts by file names."""
    steps: tuple[str, ...]


def skeleton(kind: str, name: str) -> Skeleton:
    """Fill a name into the skeleton of a *kind*.

    Raises:
        ConfigError: The name cannot be one of a module.
    """
    _check(name)
    folder = Path(__file__).parent / kind
    texts = {path.name.removesuffix(_TEMPLATE): path.read_text("utf-8") for path in folder.glob(f"*{_TEMPLATE}")}
    filled = {_fill(file, name): _fill(text, name) for file, text in texts.items()}
    return Skeleton(name, filled, tuple(_fill(step, name) for step in STEPS[kind]))


def write(made: Skeleton, into: Path) -> Path:
    """Write a skeleton into a new folder below *into*, and return that folder.

    Raises:
        ConfigError: There is something of that name, or the folder cannot be made.
    """
    folder = into / made.name
    try:
        folder.mkdir(parents=True)
        for file, text in made.files.items():
            (folder / file).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise ConfigError(
            f"{folder} is there already, and nothing in it was touched.",
            "Choose another name, or --into a folder.",
        ) from None
    except OSError as error:
        raise ConfigError(f"Cannot write to {folder}: {error.strerror}.", remedy(error)) from error
    return folder


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        better = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).strip("_").lower()
        hint = f"For instance {better}." if _NAME.fullmatch(better) else "For instance mymemory."
        raise ConfigError(
            f"{name!r} cannot be the name of a module: small letters, digits and underscores, a letter first.",
            hint,
        )
    if keyword.iskeyword(name) or name in _PYTHONS or name == "memgauge":
        raise ConfigError(f"Python has a {name!r} of its own.", f"For instance my_{name}.")
    if _is_installed(name):
        raise ConfigError(f"A package that is installed here is called {name!r}.", f"For instance my_{name}.")


def _is_installed(name: str) -> bool:
    """Whether a folder of that name would hide an installed package from whatever runs in it."""
    spec = importlib.util.find_spec(name)
    places = [] if spec is None else [spec.origin or "", *(spec.submodule_search_locations or ())]
    return any(_SITES.intersection(Path(place).parts) for place in places)


def _fill(text: str, name: str) -> str:
    title = "".join(part.capitalize() for part in name.split("_"))
    return text.replace("@name@", name).replace("@Name@", title).replace("@dashed@", name.replace("_", "-"))
