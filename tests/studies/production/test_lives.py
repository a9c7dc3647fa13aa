"""How memories live, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.production.health import health_rows
from support.recorded import faults, operation

if TYPE_CHECKING:
    from pathlib import Path


def test_what_nobody_wrote_is_no_scope_that_grows(tmp_path: Path) -> None:
    """Memories are gained by scope where the scope is known, and by nobody where none is."""
    nobodys = [operation("add", hour, "", (f"n{hour}", "x")) for hour in range(3)]
    owned = operation("add", 3, "ada", ("a", "x"), ("b", "x"))
    for folder, operations, n in (("one", (*nobodys, owned), 1), ("none", nobodys, 0)):
        (tmp_path / folder).mkdir()
        rows = {row.key: row for row in health_rows(faults(tmp_path / folder, *operations).traffic)}
        assert rows["growth"].value.n == n
    assert rows["growth"].value.reason == "no writer's scope is known"
