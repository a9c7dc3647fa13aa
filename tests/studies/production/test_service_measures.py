"""How searches and writes ended: failed, given up by whoever asked, or well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.records import Outcome
from memgauge.studies.production.drift import charted
from memgauge.studies.production.health import health_rows
from memgauge.studies.production.measures import TrafficMeasures
from memgauge.studies.production.repeats import repeats
from support.recorded import faults, operation

if TYPE_CHECKING:
    from pathlib import Path


def test_what_the_host_gave_up_is_told_and_is_no_error(tmp_path: Path) -> None:
    """It is no case of errors and of times; traffic that was sealed with it as an error says the same."""
    traffic = faults(
        tmp_path,
        operation("search", 0, "ada"),
        operation("search", 1, "ada", outcome=Outcome.CANCELLED, reason="CancelledError"),
        operation("search", 2, "bob", outcome=Outcome.ERROR, reason="KeyboardInterrupt"),
        operation("search", 3, "bob", outcome=Outcome.ERROR, reason="ValueError"),
        operation("search", 4, "bob", outcome=Outcome.TIMEOUT, reason="TimeoutError"),
    ).traffic
    rows = {row.key: row for row in health_rows(traffic)}
    counts = {key: (rows[key].cases, rows[key].value.n) for key in rows if key.startswith("search_")}
    assert counts["search_error"] == (1, 3)
    assert counts["search_timeout"] == (1, 3)
    assert counts["search_cancelled"] == (2, 5)
    assert rows["search_p50"].value.n == 1


def test_the_same_memories_in_another_order_are_the_same_list_in_another_order(tmp_path: Path) -> None:
    """Jaccard's index sees no difference, rank-biased overlap does; after a write the list is no repetition."""
    first, turned = (("a", ""), ("b", "")), (("b", ""), ("a", ""))
    traffic = faults(
        tmp_path,
        operation("search", 0, "ada", *first, query_hash="cat"),
        operation("search", 1, "ada", *turned, query_hash="cat"),
        operation("add", 2, "ada", ("c", "")),
        operation("search", 3, "ada", ("b", ""), ("c", ""), query_hash="cat"),
    ).traffic
    values = {column.spec.key: column.values.tolist() for column in repeats(traffic)}
    assert values["stable"] == [1.0]
    assert values["stable order"] == [pytest.approx((0.9 * 1) / (1 + 0.9))]
    assert values["stable written"] == [pytest.approx(1 / 3)]


def test_reasons_are_of_what_was_recorded(tmp_path: Path) -> None:
    """A time is undefined because nothing succeeded, and not because nothing was recorded."""
    traffic = faults(
        tmp_path,
        operation("search", 0, "ada", outcome=Outcome.CANCELLED),
        operation("search", 1, "bob", outcome=Outcome.CANCELLED),
    ).traffic
    rows = {row.key: row for row in health_rows(traffic)}
    assert rows["search_error"].value.reason == "the host gave up every search"
    assert rows["search_p50"].value.reason == "no search succeeded"
    assert rows["write_p50"].value.reason == rows["write_cancelled"].value.reason == "no write was recorded"


def test_what_was_given_up_is_followed_from_day_to_day(tmp_path: Path) -> None:
    """A memory for which nobody waits any more is as silent as one that fails."""
    traffic = faults(
        tmp_path, operation("search", 0, "ada"), operation("search", 1, "bob", outcome=Outcome.CANCELLED)
    ).traffic
    first = next(charted(TrafficMeasures(traffic)))
    assert (first.spec.name, first.values.tolist()) == ("searches that failed or were given up", [0, 1])
