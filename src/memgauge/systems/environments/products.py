"""What a product is: one folder each in ``products/``, with ``product.toml``, its adapter and its lock.

The same file, kept anywhere, describes a product of your own: ``memgauge systems install ./mine.toml``.
"""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from memgauge.errors import ConfigError
from memgauge.registry import parse_ref, unknown_name
from memgauge.systems.environments.checking import LARGEST, check_description, text_within
from memgauge.text.untrusted import toml_of

if TYPE_CHECKING:
    from collections.abc import Mapping

PRODUCTS = Path(__file__).parents[2] / "products"
DESCRIPTION = "product.toml"
DESCRIPTIONS = (DESCRIPTION, "model.toml")
D = TypeVar("D", bound="Product")

NETWORKS = ("none", "loopback", "any")


@dataclass(frozen=True, slots=True)
class Product:
    """One product in one version, and what it takes to run it."""

    name: str
    """What a user writes, ``--system NAME``: the name of its folder, or of a file of your own, ``NAME.toml``."""
    summary: str
    """What it is, in one sentence."""
    adapter: str
    """``module:factory``; the module imports nothing but the standard library and memgauge's pure modules."""
    module: str
    """What is importable where the product is installed; empty where it is not a Python package."""
    version: str = ""
    """Of the product; if nothing is said, its first package's. A checkout has a commit, a service an interface."""
    packages: tuple[str, ...] = ()
    """Its packages as pip takes them, pinned."""
    python: str = ">=3.11"
    """Which Pythons it runs on."""
    lock: str = ""
    """A file beside the description: every package pinned with hashes, as of its date."""
    wheels: Mapping[str, str] = field(default_factory=dict)
    """Packages whose wheel is named for a newer system than it needs, and that name: it is taken all the same."""
    node: tuple[str, ...] = ()
    """npm packages, pinned; they are installed into ``node_modules`` of the environment."""
    programs: tuple[str, ...] = ()
    """Programs that must be on the path, ``node>=20`` or ``cc``."""
    switches: Mapping[str, str] = field(default_factory=dict)
    """Environment of its process: telemetry off, folders; ``{folder}`` is the process's own folder, ``{home}`` the
    environment's."""
    passes: tuple[str, ...] = ()
    """Variables of the user's environment that it is given, keys for instance; nothing else is."""
    network: str = "loopback"
    """How far it may reach: ``none`` (a network of its own), ``loopback``, ``any`` (recorded)."""
    places: Mapping[str, str] = field(default_factory=dict)
    """What its files are, by patterns of their paths below the store, as ``history: every text that ever was``.

    The word before the colon is store, index, history, log, cache, write-ahead log or backup.
    """
    newest: tuple[str, ...] = ()
    """What may count as newer, of packages above, as ``NAME<2``; if nothing is said, every version."""
    notes: tuple[str, ...] = ()
    """What whoever installs it should know: name traps, broken versions."""
    file: str = ""
    """Where it was read from."""
    shelf: ClassVar[str] = "systems"
    """Where its environment lies, and the group of commands that installs it."""

    def __post_init__(self) -> None:
        if not self.version:
            object.__setattr__(self, "version", self.pinned)

    @property
    def pinned(self) -> str:
        """Return the version of the first package; empty where there is none."""
        first = (*self.packages, *self.node, "")[0]
        return first.rpartition("==")[2] if "==" in first else first.rpartition("@")[2]

    @property
    def lock_path(self) -> Path | None:
        """Return the path of the lock, ``None`` where there is none."""
        if not self.lock:
            return None
        return Path(self.file).parent / self.lock

    @property
    def is_shipped(self) -> bool:
        """Whether it lies in this package."""
        return Path(self.file).parent.parent == PRODUCTS


def product_of(ref: str) -> Product | None:
    """Return the product that a reference names, ``None`` where it names something else."""
    name = parse_ref(ref).name
    if name.endswith(".toml"):
        return product(name) if _describes_product(Path(name)) else None
    return product(name) if name in product_names() else None


def _describes_product(path: Path) -> bool:
    """Whether a file, which may also describe a system and its parameters, names an adapter."""
    try:
        return "adapter" in toml_of(text_within(path, LARGEST))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ConfigError):
        return False  # whoever reads it as a system says what is wrong with it


@cache
def product_names() -> tuple[str, ...]:
    """Name every product of the catalogue, in alphabetical order; its folders lie in the package and stay."""
    return tuple(sorted(map(_named, PRODUCTS.glob(f"*/{DESCRIPTION}"))))


def product(name: str) -> Product:
    """Return the product called *name*, or described by the TOML file *name*.

    Raises:
        UnknownNameError: There is none.
        ConfigError: Its file cannot be used.
    """
    if name.endswith(".toml"):
        return read_product(Path(name))
    if name not in product_names():
        raise unknown_name("product", name, product_names())
    return _listed(name)


@cache
def _listed(name: str) -> Product:
    return read_product(PRODUCTS / name.replace("-", "_") / DESCRIPTION)


def read_product(path: Path) -> Product:
    """Read a product from its file; it raises what :func:`read_described` raises."""
    return read_described(path, Product)


def read_described(path: Path, made: type[D]) -> D:
    """Read what a file describes.

    Raises:
        UnknownNameError: A key that does not exist.
        ConfigError: The file is absent or broken, or a value does not fit; the message names it.
    """
    content = toml_file(path)
    known = {item.name: item for item in fields(made) if item.name not in {"name", "file"}}
    for key, value in content.items():
        if key not in known:
            raise unknown_name(f"key in {path}:", key, known)
        content[key] = _value(key, value, known[key].type, path)
    absent = [name for name, item in known.items() if _required(item) and name not in content]
    if absent:
        raise ConfigError(f"{path} lacks {', '.join(absent)}.", "See docs/adapters.md for the keys.")
    if content.get("network", "none") not in NETWORKS:
        raise ConfigError(f"{path}: network is {content['network']!r}.", f"It is one of {', '.join(NETWORKS)}.")
    check_description(path, _named(path), content)
    return made(name=_named(path), file=str(path), **content)


def toml_file(path: Path) -> dict[str, Any]:
    """Read a file that describes a product, or the server of one.

    Raises:
        ConfigError: It is absent or broken.
    """
    try:
        return toml_of(text_within(path, LARGEST))
    except FileNotFoundError:
        raise ConfigError(f"There is no file {path}.", "Check the path.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}.") from error


def _named(path: Path) -> str:
    """Return what a product is called that a file describes; folders have no hyphens, for they are imported."""
    return path.absolute().parent.resolve().name.replace("_", "-") if path.name in DESCRIPTIONS else path.stem


def _required(item: Any) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _value(key: str, value: object, kind: object, path: Path) -> object:
    """Take a value of a TOML file as the field wants it: a text, a list of texts, a table of texts."""
    if (kind == "str" and isinstance(value, str)) or (kind == "int" and type(value) is int):
        return value
    if kind == "tuple[str, ...]" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    texts = list(value.values()) if isinstance(value, dict) else [None]
    if kind == "Mapping[str, str]" and all(isinstance(text, str) for text in texts):
        return value
    wanted = {"str": "a text in quotes", "int": "a whole number", "tuple[str, ...]": "a list of texts"}.get(
        str(kind), "a table of texts"
    )
    raise ConfigError(f"{path}: {key} must be {wanted}.")
