"""How memories live, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.studies.production.health import health_rows
from support.recorded import faults, operation

if TYPE_CHECKING:
    from pathlib import Path


def test_what_nobody_wrote_is_no_scope_that_grows(tmp_path: Path) -> None:
    """Memories are gained by scope where the scope is known, and by nobody where none is."""
    nobodys = [operation("add", 24 * day, "", (f"n{day}", "x")) for day in range(3)]
    owned = operation("add", 72, "ada", ("a", "x"), ("b", "x"))
    for folder, operations, n in (("one", (*nobodys, owned), 1), ("none", nobodys, 0)):
        (tmp_path / folder).mkdir()
        rows = {row.key: row for row in health_rows(faults(tmp_path / folder, *operations).traffic)}
        assert rows["growth"].value.n == n
    assert rows["growth"].value.reason == "no writer's scope is known"


def test_a_rate_by_week_takes_a_day(tmp_path: Path) -> None:
    """What a tenth of a second would come to in a week is no measurement, and says why."""
    short = faults(tmp_path, operation("add", 0, "ada", ("a", "x")), operation("update", 20, "ada", ("a", "y")))
    rows = {row.key: row for row in health_rows(short.traffic)}
    assert rows["growth"].value.reason == "less than a day was recorded"
    assert rows["churn"].value.reason == "memories were followed for less than a day"
    (tmp_path / "day").mkdir()
    day = faults(
        tmp_path / "day", operation("add", 0, "ada", ("a", "x")), operation("update", 36, "ada", ("a", "y"))
    )
    rows = {row.key: row for row in health_rows(day.traffic)}
    assert rows["growth"].value.mean == pytest.approx(7 / 1.5, rel=1e-4)
    assert rows["churn"].value.mean == pytest.approx(7 / 1.5, rel=1e-4)


def test_no_interval_reaches_beyond_what_can_be(tmp_path: Path) -> None:
    """Rates and counts are not below 0, and what is alike is so by 1 at most."""
    adds = [operation("add", user, f"u{user}", (f"m{user}", "x")) for user in range(3)]
    update = operation("update", 10, "u0", ("m0", "y"))
    asked = [
        operation("search", 60 + user + hour, f"u{user}", *[(f"m{user}", "x")][: user % 2], query_hash="q")
        for user in range(3) for hour in (0, 10)
    ]  # fmt: skip
    asked.append(operation("search", 90, "u1", ("m2", "x"), query_hash="q"))
    traffic = faults(tmp_path, *adds, update, *asked).traffic
    rows = {row.key: row for row in health_rows(traffic)}
    for key, least, most in (("churn", 0, np.inf), ("length", 0, np.inf), ("stable", 0, 1)):
        value = rows[key].value
        assert value.low is not None
        assert value.high is not None
        assert least <= value.low <= value.high <= most, key
