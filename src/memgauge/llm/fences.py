"""Fences around foreign texts in a prompt: one for each, with a number that none of them can know."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nonce(*texts: str) -> str:
    """Make a number from *texts* that occurs in none of them; the same texts give the same number."""
    whole = "\x00".join(texts)
    number = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:12]
    while number in whole:
        number = hashlib.sha256(number.encode()).hexdigest()[:12]
    return number


def fenced(name: str, texts: Iterable[str], number: str) -> str:
    """Put every text into a fence of its own; several are numbered, outside of their fences.

    So no text can end its own fence, or pass for two.
    """
    fences = [f"<{name}-{number}>\n{text}\n</{name}-{number}>" for text in texts]
    if len(fences) == 1:
        return fences[0]
    return "\n".join(f"[{n}] {fence}" for n, fence in enumerate(fences, 1))


def unfenced(text: str, number: str) -> str:
    """Take fences of *number* out of a reply: nobody else knows it, so they are an echo and no attack."""
    return re.sub(rf"</?\w+-{number}>", "", text).strip()
