"""The rules of both cycles are those that entrants wrote down."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.aml.contract import CYCLES, cycle_of


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504])
def test_add_is_asked_again_after_these(status: int) -> None:
    """In both cycles."""
    assert all(cycle.add.again(status) for cycle in CYCLES.values())


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 422])
def test_nothing_is_asked_again_after_those(status: int) -> None:
    """One such answer can end a run."""
    assert not any(rules.again(status) for cycle in CYCLES.values() for rules in (cycle.add, cycle.search))


def test_cycles_differ_where_rules_changed() -> None:
    """524 and the network for Add, all of 5xx but 524 for Search, and never 409 for Search."""
    first, second = CYCLES[1], CYCLES[2]
    assert [rules.again(524) for rules in (first.add, second.add, first.search, second.search)] == [
        False,
        True,
        False,
        False,
    ]
    assert [rules.again(0) for rules in (first.add, second.add, second.search)] == [False, True, False]
    assert [rules.again(507) for rules in (first.search, second.search)] == [False, True]
    assert not first.search.again(409)
    assert not second.search.again(409)
    assert second.add.attempts == 32


def test_waits_are_those_that_a_server_asks_for() -> None:
    """Cycle 2 honours Retry-After up to a minute, and waits a minute without; else waits double."""
    second = CYCLES[2]
    assert [second.wait_s(1, 429, after) for after in (None, 3, 900)] == [60, 3, 60]
    assert [second.wait_s(attempt, 503, None) for attempt in (1, 2, 3, 20)] == [1, 2, 4, 60]
    assert CYCLES[1].wait_s(1, 429, 30) == 1


def test_a_cycle_that_is_not_known_is_a_sentence() -> None:
    """Those that are known are named."""
    with pytest.raises(ConfigError, match="There are 1, 2"):
        cycle_of(3)
