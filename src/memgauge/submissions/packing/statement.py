"""The statement that goes with a submission: what numbers cannot say, under headings asked of everybody."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEADINGS: Final[Mapping[str, str]] = {
    "What was tuned": "which settings were chosen, by looking at which data; 'nothing' is an answer",
    "Relations": "what the submitter has to do with the product and with its competitors",
    "What was changed to run it": "what differs from the product as its users have it",
    "Known failures": "what it could not do here, and what its makers know of",
}
"""Heading, and what is said under it."""
OPEN: Final = "TO SAY:"
"""What stands where the submitter has to say something; a check refuses it."""


def statement_text(product: str, known_lines: Mapping[str, Sequence[str]]) -> str:
    """Write a statement: what is known under its heading, and what has to be said marked as such."""
    parts = [f"# Statement on {product}"]
    for heading, asked in HEADINGS.items():
        lines = [f"* {line}" for line in known_lines.get(heading, ())]
        parts.append(f"## {heading}\n\n" + ("\n".join(lines) if lines else f"{OPEN} {asked}."))
    return "\n\n".join(parts) + "\n"


def unsaid(text: str) -> tuple[str, ...]:
    """Name the headings that are missing, or under which nothing stands."""
    bodies: dict[str, str] = {}
    text = re.sub(r"<!--.*?(-->|\Z)", "", text, flags=re.DOTALL)
    for part in f"\n{text}".split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        bodies[heading.strip()] = body.strip()
    return tuple(name for name in HEADINGS if not re.search(r"\w", bodies.get(name, "")) or OPEN in bodies[name])
