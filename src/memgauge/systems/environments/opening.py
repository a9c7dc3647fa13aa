"""Open a product: in a process of its own environment, or in this one where it lives here."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass, fields
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.registry import arguments_for, load_target, parse_ref
from memgauge.systems.environments.hearing import hearing
from memgauge.systems.environments.places import environment_of
from memgauge.systems.environments.products import NETWORKS, product_of
from memgauge.systems.models.lending import lend
from memgauge.systems.models.spelling import DIM, EMBEDDER, ChosenModels, chosen_models, models_named
from memgauge.systems.wire.client import CALL_S, START_S, connect
from memgauge.systems.wire.opening import Subprocess, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge import ranges
    from memgauge.systems.environments.products import Product
    from memgauge.systems.protocol import MemorySystem

PLACES = ("auto", "process", "worker")


@dataclass(frozen=True, slots=True)
class ProductPlacement:
    """Where and how a product is run; read from the parameters that every product has."""

    where: str = "auto"
    """``process`` is this one, ``worker`` its own, ``auto`` this one where the right version lives here."""
    timeout: ranges.Seconds = CALL_S
    """Seconds for one call."""
    start: ranges.Seconds = START_S
    """Seconds for opening."""
    network: str = ""
    """How far it may reach; if nothing is said here, as its file says, and to a model of this machine."""
    fresh: bool = True
    """Whether every opened system gets a process that no other had; else one is opened in it after the other."""
    as_heard: bool = False
    """Whether it is handed every turn behind its speaker and its day, as policies of ours keep it."""


def open_product(product: Product, ref: str, extra: Mapping[str, object], seed: int = 0) -> MemorySystem:
    """Open a product by its reference: the parameters of its adapter, and those of :class:`ProductPlacement`.

    Raises:
        MissingExtraError: It is not installed.
        UserError: Its environment or a parameter cannot be used.
    """
    from memgauge.systems.catalogue import open_factory  # the catalogue opens products here

    parsed = parse_ref(ref)
    given: dict[str, object] = {**parsed.params, **extra} | ({"variant": parsed.variant} if parsed.variant else {})
    placing: dict[str, object] = {
        field.name: given.pop(field.name) for field in fields(ProductPlacement) if field.name in given
    }
    place = ProductPlacement(**arguments_for(ProductPlacement, "system", product.name, placing))
    for name, value, known in (("place", place.where, PLACES), ("network", place.network, ("", *NETWORKS))):
        if value not in known:
            raise ConfigError(
                f"{ref}: there is no {name} {value!r}.", f"There are: {', '.join(filter(None, known))}."
            )
    here = place.where == "process" or (place.where == "auto" and lives_here(product))
    if product.is_shipped:
        _check(product, given)
        chosen = chosen_models(product.name, given, place.network or product.network)
    else:
        chosen = ChosenModels(given, network=place.network or product.network)
    if here:
        os.environ.update(chosen.variables)
        opened = open_factory(product.adapter, product.name, chosen.given, seed=seed)
    else:
        opened = _in_worker(product, ref, chosen, seed, place)
    return hearing(opened) if place.as_heard else opened


def _check(product: Product, given: Mapping[str, object]) -> None:
    """Tell a mistake before a process is started."""
    factory = cast("Callable[..., Any]", load_target(product.adapter))
    own = {name: value for name, value in given.items() if name != DIM}
    if DIM in given and EMBEDDER not in inspect.signature(factory).parameters:
        own[EMBEDDER] = ""  # it is said of what is not there
    arguments_for(factory, "system", product.name, own)


def lives_here(product: Product) -> bool:
    """Whether *product* can be imported here, in the version that its file names."""
    try:
        if not product.module or find_spec(product.module) is None:
            return False
    except ModuleNotFoundError:  # a package above it is absent
        return False
    name, _, wanted = next((pin for pin in product.packages if "==" in pin), "").partition("==")
    try:
        return bool(name) and metadata.version(name.partition("[")[0]) == wanted
    except metadata.PackageNotFoundError:
        return False


def _in_worker(
    product: Product, ref: str, chosen: ChosenModels, seed: int, place: ProductPlacement
) -> MemorySystem:
    environment = environment_of(product)
    if environment is None:
        raise MissingExtraError(
            f"{product.name} is not installed.", f"Run `memgauge systems install {product.name}`."
        )
    command = serving(
        environment.interpreter,
        factory=product.adapter,
        name=product.name,
        arguments=chosen.given,
        network=chosen.network,
        path=[] if product.is_shipped else [str(Path(product.file).resolve().parent)],
    )
    carried = Subprocess(
        product.name,
        command,
        switches={**product.switches, **chosen.variables},
        passes=tuple(name for name in product.passes if name not in chosen.variables),
        network=chosen.network,
        home=environment.folder,
        files=(environment.lock,),
        keep=not place.fresh,
    )
    return connect(carried, ref, seed=seed, call_s=place.timeout, start_s=place.start)


IN_PROCESS = frozenset({"minilm"})
"""What policies of ours embed with themselves, where they can."""


def lend_models(ref: str) -> None:
    """Start the installed models that a reference names, once for all processes that will play it.

    Raises:
        UserError: One is not installed, or cannot be served.
    """
    if not ref or ref.strip().endswith(".toml"):
        return
    product, named = product_of(ref), models_named(parse_ref(ref).params)
    lend(name for name in named if (product and product.is_shipped) or name not in IN_PROCESS)
