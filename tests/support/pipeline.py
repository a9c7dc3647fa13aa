"""What the tests of the full pipeline share: turns with a day, and short ways to look at what is held."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memgauge.records import Form, Scope, Turn
from memgauge.systems.pipeline.system import Pipeline

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.records import Memory

ADA = Scope("ada")
DAY0 = datetime(2024, 3, 1, 9)  # noqa: DTZ001 - turns carry naive local times


def day(number: float) -> datetime:
    """Return a moment so many days after the first of March 2024, nine o'clock."""
    return DAY0 + timedelta(days=number)


def midnight(year: int, month: int, number: int) -> datetime:
    """Return the first moment of a day."""
    return datetime(year, month, number)  # noqa: DTZ001 - turns carry naive local times


def turn(name: str, text: str, at: float | None = 0, *, role: str = "user", speaker: str = "Ada") -> Turn:
    """Make a turn, said on day *at*; ``None`` is no time."""
    return Turn(name, speaker, text, "s", None if at is None else day(at), role)


def pipeline(path: Path | str = "") -> Pipeline:
    """Open a memory that finds by words alone."""
    return Pipeline(path=str(path), embedder="none")


def tell(system: Pipeline, *turns: Turn, scope: Scope = ADA) -> None:
    """Hand over turns one by one."""
    for one in turns:
        system.ingest([one], scope)


def facts(system: Pipeline, scope: Scope = ADA) -> list[Memory]:
    """List the facts in a memory."""
    return [memory for memory in system.dump(scope) if "/fact/" in memory.id and memory.form is Form.CANONICAL]


def held(system: Pipeline, at: float | None = None, scope: Scope = ADA) -> list[str]:
    """List the facts that hold on day *at*, or at the end of time, in alphabetical order."""
    return sorted(
        fact.text
        for fact in facts(system, scope)
        if (
            fact.valid_to is None
            if at is None
            else (fact.valid_from is None or fact.valid_from <= day(at))
            and (fact.valid_to is None or day(at) < fact.valid_to)
        )
    )


def found(system: Pipeline, query: str, at: float | None = None, *, scope: Scope = ADA, k: int = 10) -> list[str]:
    """Return the texts that a search finds, best first."""
    as_of = None if at is None else day(at)
    return [hit.memory.text for hit in system.search(query, scope, k, as_of).hits]


def spellings(word: str) -> list[bytes]:
    """Spell *word* in the ways in which a store could hold it."""
    forms = {word, word.casefold(), word.upper(), json.dumps(word)[1:-1]}
    encoded = [
        form.encode(encoding) for form in forms for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le")
    ]
    padded = [base64.b64encode(b" " * n + word.encode())[4 * (n > 0) : -4] for n in range(3)]
    return [*encoded, *(part for part in padded if len(part) > 6), word.encode().hex().encode()]


def residue(path: Path, word: str) -> list[str]:
    """Name the files beside *path* that hold *word* in any spelling."""
    files = sorted(path.parent.glob(f"{path.name}*"))
    return [file.name for file in files for spelling in spellings(word) if spelling in file.read_bytes()]
