"""What ``embedder=``, ``model=`` and ``dim=`` mean, the same for every product, and how far it must reach."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.systems.adapters.listing import is_loopback
from memgauge.systems.models.catalogue import local_model, names_model, settings_of
from memgauge.systems.models.lending import served_at
from memgauge.systems.models.routing import routed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ADDRESS: Final = re.compile(r"@(https?://[^\s,#\"']+)")
EMBEDDER, MODEL, DIM = "embedder", "model", "dim"
HASHED, BEST = "hashed", "best"
WRITTEN: Final = "a name of `memgauge models list`, or openai:NAME@http://HOST:PORT/v1"


@dataclass(frozen=True, slots=True)
class ChosenModels:
    """What a product is given in the place of what the user wrote."""

    given: Mapping[str, object]
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of its process."""
    network: str = ""
    """How far it may reach for them; as was said, if nothing is here."""


def chosen_models(name: str, given: Mapping[str, object], network: str) -> ChosenModels:
    """Read the models that a product called *name* is to ask, and start those that are installed.

    *given* are its parameters as they were written; *network* is how far it may reach, by its description or by
    the user.

    Raises:
        UserError: There is no such model, it is not installed, or it cannot be reached; the option is named.
    """
    read, variables = dict(given), dict[str, str]()
    reached: dict[str, str] = {}
    if DIM in read:
        read[EMBEDDER] = f"{read.get(EMBEDDER, HASHED)}#dim={_length(name, read.pop(DIM))}"
    if EMBEDDER in read:
        read[EMBEDDER], reached[EMBEDDER] = _embedder(str(read[EMBEDDER]))
    if MODEL in read and (writer := _writer(str(read[MODEL]))):
        read[MODEL], written = writer
        reached[MODEL] = routed(written)
        variables = {"OPENAI_BASE_URL": reached[MODEL]}
        if is_loopback(written):
            variables["OPENAI_API_KEY"] = "unused"  # it is not for a server that asks for none
    return ChosenModels(read, variables, _reach(name, reached, network))


def models_named(given: Mapping[str, object]) -> Iterator[str]:
    """Yield the installed models that parameters name, so that they can be started before they are needed."""
    for option in (EMBEDDER, MODEL):
        name = str(given.get(option, "")).partition("#")[0]
        if names_model(name):
            yield name


def addresses_named(written: str) -> tuple[str, ...]:
    """Return the addresses of models that a reference names, each once."""
    return tuple(dict.fromkeys(url.rstrip("/") for url in _ADDRESS.findall(written)))


def _length(name: str, dim: object) -> str:
    if not str(dim).isdecimal() or int(str(dim)) < 1:
        raise ConfigError(f"{name}: dim={dim} is no length of a vector.", "Write a whole number, or leave it out.")
    return str(dim)


def _embedder(written: str) -> tuple[str, str]:
    """Return what an adapter is told, and the address that it will ask."""
    name, mark, dim = written.partition("#")
    if name == BEST:
        name = "minilm" if _is_here("minilm") else HASHED
    if name == HASHED:
        return f"{name}{mark}{dim}", ""
    if names_model(name):
        url = _at(name, "embeddings", EMBEDDER)
        return f"openai:{local_model(name).name}@{url}{mark}{dim}", url
    model, _, url = name.removeprefix("openai:").partition("@")
    url = url or os.environ.get("OPENAI_BASE_URL", "")
    served = name.startswith("openai:") or "@" in name
    if not served or not model or not url.startswith(("http://", "https://")):
        raise ConfigError(
            f"embedder={name} names no embedder that can be reached.", f"Write embedder=hashed, {WRITTEN}."
        )
    url = routed(url)
    return f"openai:{model}@{url}{mark}{dim}", url


def _writer(written: str) -> tuple[str, str] | None:
    """Return a language model and its address, ``None`` where a name alone was written."""
    if names_model(written):
        return local_model(written).name, _at(written, "chat", MODEL)
    name, at, url = written.removeprefix("openai:").partition("@")
    if not at:
        return None
    if not name or not url.startswith(("http://", "https://")):
        raise ConfigError(f"model={written} names no model that can be reached.", f"Write model={WRITTEN}.")
    return name, url


def _at(name: str, kind: str, option: str) -> str:
    """Return where an installed model is served."""
    known = local_model(name).kind
    if known and known != kind:
        does = "embeds texts and writes none" if kind == "chat" else "writes texts and embeds none"
        raise ConfigError(f"{option}={name}: {name} {does}.", "See `memgauge models list` for the kinds.")
    return served_at(name)


def _is_here(name: str) -> bool:
    try:
        settings_of(local_model(name))
    except (ConfigError, MissingExtraError):
        return False
    return True


def _reach(name: str, reached: Mapping[str, str], network: str) -> str:
    """Say how far a product must reach; an address of this machine opens this machine and nothing else."""
    for option, url in reached.items():
        host = urlsplit(url).hostname or ""
        if url and not is_loopback(url) and network != "any":
            raise ConfigError(
                f"{name}: {option}= is asked at {host}, another machine, and network={network} keeps it here.",
                "Add network=any to let it out.",
            )
    return "loopback" if network == "none" and any(reached.values()) else network
