"""Which variables a system may read although they look like keys: those that it declares, and no other."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from memgauge.errors import UserError
from memgauge.systems.environments.products import product_of
from memgauge.systems.loading import read_system_file
from memgauge.systems.mcp.description import read_description

if TYPE_CHECKING:
    from memgauge.runs.record.manifest import SystemPart

_ASKING: Final = frozenset({"llm", "embedder", "server", "network"})
"""Needs that come with a key: of whom is the user's affair."""
_OF_MODELS: Final = re.compile(r"(^|_)API_?KEYS?$|^(HF|HUGGING_?FACE(_HUB)?|REPLICATE_API)_TOKEN$")
_SERVER: Final = re.compile(r"\bmcp:([^,+\s]+)")
_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{2,}")


def keys_of(system: SystemPart) -> frozenset[str]:
    """Return what a system is given: what its product or its text names; keys of models where it needs one."""
    if not _ASKING.isdisjoint(system.capabilities.get("needs", ())) and _product_keys(system.ref) is None:
        return keys_named(system.ref) | model_keys()
    return keys_named(system.ref)


def model_keys() -> frozenset[str]:
    """Return the variables that hold keys of models: no other comes for nothing but saying that it is needed."""
    return frozenset(name for name, value in os.environ.items() if value and _OF_MODELS.search(name))


def keys_named(ref: str) -> frozenset[str]:
    """Return the variables that a product or a server's description declares, or a text names in capitals."""
    text = text_of(ref)
    return frozenset(_NAME.findall(text)) | (_product_keys(ref) or frozenset()) | _server_keys(text)


def _server_keys(text: str) -> frozenset[str]:
    """Return the variables that descriptions of MCP servers name for the keys of these."""
    keys = set()
    for which in _SERVER.findall(text):
        with suppress(UserError):  # whoever opens it says what is wrong with it
            keys.add(read_description(which).key)
    return frozenset(keys - {""})


def _product_keys(ref: str) -> frozenset[str] | None:
    try:
        product = product_of(ref)
        if product is None and ref.strip().endswith(".toml"):
            product = product_of(read_system_file(ref.strip()).system)
    except UserError:
        return None
    return frozenset(product.passes) if product is not None else None


def text_of(ref: str) -> str:
    """Return what the user wrote: the text, or a file of his with its parameters."""
    if not ref.strip().endswith(".toml"):
        return ref
    try:
        described = read_system_file(ref.strip())
    except UserError:
        return ref
    return " ".join([described.system, *map(str, described.parameters.values())])
