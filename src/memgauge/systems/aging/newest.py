"""The newest version of a product as a product of its own, installed beside the pinned one."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.systems.aging.names import canonical, without_pin, without_tag
from memgauge.systems.environments import places
from memgauge.systems.environments.install import install
from memgauge.systems.environments.places import folder_of, home, pins_sha256
from memgauge.systems.environments.products import Product, read_product

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.environments.places import Environment

SHELF: Final = "aged"
"""The folder of descriptions below MEMGAUGE_HOME."""
_UNWRITTEN: Final = frozenset({"name", "file", "lock", "newest"})


def is_packaged(product: Product) -> bool:
    """Whether an index could have a newer version of anything that *product* installs."""
    return bool(product.packages or product.node)


def description_of(product: Product) -> Path:
    """Return where the newest version is described: in our home, or beside a user's own, where its adapter is."""
    beside = home() / SHELF if product.is_shipped else Path(product.file).resolve().parent
    return beside / f"{product.name}-newest.toml"


def install_newest(
    product: Product, *, python: str = "", say: Callable[[str], None] = lambda _: None
) -> tuple[Product, Environment]:
    """Install the newest version that the names of its packages allow, and describe what came, pinned.

    Whether it imports is not asked here: that it does not is a finding, and no reason to take it away again.

    Raises:
        UserError: It cannot be installed, or its description cannot be written.
    """
    path = description_of(product)
    bounds = {canonical(bound): bound for bound in product.newest}
    wanted = replace(
        product,
        name=path.stem,
        version="newest",
        module="",
        lock="",
        packages=tuple(bounds.get(canonical(each), without_pin(each)) for each in product.packages),
        node=tuple(map(without_tag, product.node)),
    )
    made = install(wanted, python=python, again=True, say=say)
    has_own_version = product.version != product.pinned
    pinned = replace(
        wanted,
        version=product.version if has_own_version else "",
        module=product.module,
        packages=tuple(_pinned(each, made.packages) for each in product.packages),
        node=tuple(f"{without_tag(each)}@{made.packages[without_tag(each)]}" for each in product.node),
    )
    _describe(pinned, path)
    described = read_product(path)
    complete = replace(made, version=described.version, lock_sha256=pins_sha256(described))
    places.write(complete, folder_of(described))
    return described, complete


def _pinned(package: str, installed: Mapping[str, str]) -> str:
    versions = {canonical(name): version for name, version in installed.items()}
    return f"{without_pin(package)}=={versions[canonical(package)]}"


def _describe(product: Product, path: Path) -> None:
    content = {
        field.name: getattr(product, field.name) for field in fields(product) if field.name not in _UNWRITTEN
    }
    lines = [f"{key} = {_toml(value)}" for key, value in content.items() if value or key == "module"]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"Cannot write {path}: {error.strerror}.", "Set MEMGAUGE_HOME to a folder of yours."
        ) from error


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_toml(key)} = {_toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
