"""Memories with one defect do what they say, log what they touched, and are else what they are made of."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

import pytest

from memgauge.errors import UnknownNameError
from memgauge.records import Scope, Turn
from memgauge.systems.catalogue import open_system
from memgauge.systems.reference.defective import DEFECTS, defective
from memgauge.systems.reference.defective.defective import Defective

SCOPE = Scope(user="u")
TURNS = [
    Turn(
        f"t{n:02}",
        "Marguerite",
        f"The parcel number {n} went to Rotterdam",
        f"s{n // 5}",
        datetime.fromisoformat(f"2024-01-{n + 1:02}"),
    )
    for n in range(25)
]


def lived(memory: Defective) -> Defective:
    """Let a memory hear all turns."""
    for turn in TURNS:
        with suppress(RuntimeError):
            memory.ingest([turn], SCOPE)
    return memory


@pytest.mark.parametrize("how", DEFECTS)
def test_a_defect_touches_something_and_logs_it_again(how: str) -> None:
    """Opened twice it does the same, and what it logs are turns that it heard."""
    ref = f"defective:{how},n=2,salt=1"
    first, second = (open_system(ref) for _ in range(2))
    assert isinstance(first, Defective)
    assert isinstance(second, Defective)
    query = next(f"parcel number {n}" for n in range(9) if first.meets(f"parcel number {n}"))
    touched = lived(first).spoils(query, SCOPE)
    assert touched
    assert touched == lived(second).spoils(query, SCOPE)
    assert touched <= {turn.id for turn in TURNS}
    first.reset()
    assert not list(first.dump(SCOPE))
    assert not first.spoils(query, SCOPE)


def test_what_is_not_touched_is_as_bm25_has_it() -> None:
    """A turn that a defect of writing left alone is stored word for word."""
    sound = {m.sources: m.text for m in lived(defective("drops", n=1000)).dump(SCOPE)}
    for how in ("drops", "refuses", "renames", "misfiles", "forgets"):
        memory = lived(defective(how, n=3, salt=2))
        stored = {m.sources: m.text for m in memory.dump(SCOPE)}
        untouched = {(turn.id,) for turn in TURNS} - {(name,) for name in memory.touched}
        assert memory.touched
        assert all(stored[name] == sound[name] for name in untouched)


def test_an_unknown_defect_is_named() -> None:
    """A typing mistake is a sentence with the nearest name."""
    with pytest.raises(UnknownNameError, match="drops"):
        open_system("defective:dropps")
