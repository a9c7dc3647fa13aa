"""What is said where a command misses what it cannot do without."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from cyclopts import CycloptsError, CycloptsPanel, MissingArgumentError

if TYPE_CHECKING:
    from rich.panel import Panel


def explained(error: CycloptsError) -> Panel:
    """Say what is missing and how such a command looks; of every other mistake what the parser says."""
    return CycloptsPanel((isinstance(error, MissingArgumentError) and _missing(error)) or error)


def _missing(error: MissingArgumentError) -> str:
    """Explain an argument that has a place; empty where an option was left without its value."""
    argument, target = error.argument, error.target
    if argument is None or target is None or error.keyword or argument.tokens:
        return ""
    place = argument.field_info
    name = place.name.upper() if place.is_positional else argument.name
    examples = [line.strip() for line in inspect.cleandoc(target.__doc__ or "").splitlines()]
    example = next((line for line in examples if line.startswith("Example: ")), "")
    asked = " ".join(("memgauge", *(error.command_chain or ())))
    return f"{asked} needs {name}.\n{example}".strip()
