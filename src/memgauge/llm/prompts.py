"""Prompts as versioned data: what a model is told, hashed, with everything foreign fenced as data."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from memgauge.llm.fences import fenced, nonce
from memgauge.llm.messages import Message
from memgauge.registry import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Prompt:
    """One template."""

    name: str
    version: int
    purpose: str
    """``answer``, ``judge`` or ``parse``."""
    system: str
    user: str

    @property
    def sha256(self) -> str:
        """Return the hash of everything that a model reads of it."""
        return hashlib.sha256(f"{self.system}\x00{self.user}".encode()).hexdigest()

    @property
    def label(self) -> str:
        """Name it with its version."""
        return f"{self.name}-{self.version}"

    def render(self, **parts: str | Iterable[str]) -> tuple[Message, ...]:
        """Fill in *parts*, each text fenced as data; several texts of one part are numbered.

        The fences carry a number that is made from the parts and occurs in none of them, so no text can close its
        own; the same parts give the same messages.
        """
        texts = _listed(parts)
        number = _nonce(texts)
        filled = {name: fenced(name, part, number) for name, part in texts.items()}
        return Message("system", self.system.strip()), Message("user", _filled(self.user.strip(), filled))


def number_of(**parts: str | Iterable[str]) -> str:
    """Return the number that the fences of a prompt about *parts* carry."""
    return _nonce(_listed(parts))


def _listed(parts: Mapping[str, str | Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: (part,) if isinstance(part, str) else tuple(part) for name, part in parts.items()}


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Replace every placeholder in one pass, so that no part is taken for a template."""
    pieces = []
    rest = template
    while True:
        head, brace, tail = rest.partition("{")
        pieces.append(head)
        if not brace:
            return "".join(pieces)
        name, _, rest = tail.partition("}")
        pieces.append(parts[name])


def _nonce(texts: Mapping[str, tuple[str, ...]]) -> str:
    return nonce(*(f"{name}\x01{text}" for name, part in sorted(texts.items()) for text in part))


@cache
def prompts() -> Mapping[str, Prompt]:
    """Return every prompt by name."""
    folder = files("memgauge.llm") / "templates"
    paths = (path for path in folder.iterdir() if path.name.endswith(".toml"))
    known = (Prompt(**tomllib.loads(path.read_text("utf-8"))) for path in paths)
    return {prompt.name: prompt for prompt in sorted(known, key=lambda prompt: prompt.name)}


def open_prompt(name: str) -> Prompt:
    """Return a prompt by name.

    Raises:
        UnknownNameError: There is none.
    """
    return named("prompt", name, prompts())
