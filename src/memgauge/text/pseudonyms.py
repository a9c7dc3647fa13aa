"""Names and texts of production as keyed hashes: equality survives, words do not.

It needs the standard library alone, so that a host can use it while it serves.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

MADE_OF_TEXT: Final = "h:"
"""How the id of a memory begins whose only name is its text."""
_BYTES: Final = 16
"""Of the hash of a name: so many that no two of any service's names meet."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Replaces names under a key that its user holds; without one, names stay as they are."""

    key: bytes | None = field(default=None, repr=False)

    @property
    def keyed(self) -> bool:
        """Whether names are replaced."""
        return self.key is not None

    def name(self, kind: str, value: str) -> str:
        """Replace a name; equal names of different kinds (a user, a store) become different ones.

        What is empty stays so, for it says that nothing is known.
        """
        if self.key is None or not value:
            return value
        return _known_name(self.key, kind, value)

    def text_hash(self, text: str) -> str:
        """Hash a text without regard to spelling of letters and white space; under the key, where there is one."""
        data = normal_text(text).encode("utf-8", "replace")
        if self.key is None:
            return hashlib.sha256(data).hexdigest()
        return _keyed(self.key, b"text\0" + data, 32)

    def memory(self, memory_id: str, text_hash: str) -> str:
        """Name a memory by its id, or by the hash of its text where it has none.

        Of memories there are so many that to remember a name takes longer than to hash it again.
        """
        if not memory_id:
            return f"{MADE_OF_TEXT}{text_hash}" if text_hash else ""
        return memory_id if self.key is None else _keyed_name(self.key, "memory", memory_id)


def normal_text(text: str) -> str:
    """Compose letters (NFC) and fold white space: what storing and returning a text may change in it."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


@lru_cache(1 << 15)
def _known_name(key: bytes, kind: str, value: str) -> str:
    """Hash a name, of which a service has few that come again and again."""
    return _keyed_name(key, kind, value)


def _keyed_name(key: bytes, kind: str, value: str) -> str:
    return _keyed(key, f"{kind}\0{value}".encode("utf-8", "replace"), _BYTES)


def _keyed(key: bytes, data: bytes, size: int) -> str:
    digest = _begun(key, size).copy()
    digest.update(data)
    return digest.hexdigest()


@lru_cache(16)
def _begun(key: bytes, size: int) -> hashlib.blake2b:
    """Begin a hash under a key, shortened to what the hash takes; a copy costs less than to begin once more."""
    return hashlib.blake2b(key=hashlib.sha512(key).digest(), digest_size=size)
