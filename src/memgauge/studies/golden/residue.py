"""Residue: an erased value that still lies in a file, however it is written."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def residue(file: Path, values: Iterable[str]) -> set[str]:
    """Return the *values* that stand in the bytes of *file* in any spelling."""
    data = file.read_bytes()
    folded = data.lower()
    return {value for value in values if any(form in data or form in folded for form in spellings(value))}


def spellings(value: str) -> set[bytes]:
    """Return a value as UTF-8, UTF-16, folded, in JSON and in base64 at each of its three alignments."""
    plain = value.encode()
    forms = {plain, value.casefold().encode(), value.encode("utf-16-le"), value.encode("utf-16-be")}
    forms.add(json.dumps(value)[1:-1].encode())
    for shift in range(3):
        # Only the middle is the same whatever stands before and after.
        coded = base64.b64encode(b"\0" * shift + plain)
        forms.add(coded[4 : len(coded) - 4])
    return {form for form in forms if len(form) >= 6}
