"""Where a product's language model is: an OpenAI-compatible address from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass

from memgauge.errors import ConfigError
from memgauge.systems.adapters.listing import identity_at

UNUSED = "unused"
"""What stands in the place of a key where a server asks for none; clients refuse an empty one."""
OWN = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and what to show it."""

    url: str
    key: str


def endpoint(name: str) -> Endpoint:
    """Return the model's address for the memory *name*: ``OPENAI_BASE_URL``, or OpenAI's own where there is a key.

    Raises:
        ConfigError: The environment names none.
    """
    url, key = os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_API_KEY", "")
    if not url and key in {"", UNUSED}:
        raise ConfigError(
            f"{name} asks a language model here, and none is named.",
            "Set OPENAI_BASE_URL to an OpenAI-compatible address, or OPENAI_API_KEY.",
        )
    return Endpoint(url or OWN, key or UNUSED)


def asked_model(model: str) -> str:
    """Say which model is asked: what its server says, else its name."""
    identity = identity_at(os.environ.get("OPENAI_BASE_URL", ""), model)
    return identity.label if identity else f"{model}: the server does not say which weights"
