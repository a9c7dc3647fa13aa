"""Half a surrogate pair, which Python's texts can hold and no encoding can."""

from __future__ import annotations


def encodable(text: str) -> str:
    """Return *text* so that UTF-8 can hold it: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
