"""What a build server counts of a document."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.frame.counting import countable
from memgauge.frame.output import told
from memgauge.show import CheckOutcome, CountedCheck

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said

SAID = told({}, "values.json: two are left")


def test_a_command_that_failed_is_never_green() -> None:
    """Whatever its checks say, one that failed counts as failed, with all that it said."""
    passed = replace(SAID, checks=(CountedCheck("suite", "group", "one"),))
    for document, others in ((SAID, 0), (passed, 1)):
        *before, last = countable(document, "erasure", 1).checks
        assert len(before) == others
        assert (last.name, last.outcome, last.kind) == ("erasure", CheckOutcome.FAIL, "exit 1")
        assert last.detail == "values.json: two are left"
    assert countable(SAID, "verify", 3).checks[0].outcome is CheckOutcome.ERROR


def test_checks_that_tell_how_it_ended_stay_as_they_are() -> None:
    """Nothing is added where a check is red already, or where all is well."""
    green = (CountedCheck("suite", "group", "one"),)
    red = (CountedCheck("suite", "group", "one", CheckOutcome.FAIL),)
    assert countable(replace(SAID, checks=green), "x", 0).checks == green
    assert countable(replace(SAID, checks=green), "x", None).checks == green
    assert countable(replace(SAID, checks=red), "x", 1).checks == red
    assert [check.outcome for check in countable(SAID, "x", 0).checks] == [CheckOutcome.PASS]


def test_what_checks_nothing_makes_no_suite() -> None:
    """An empty suite would be green of nothing."""
    with pytest.raises(ConfigError, match="checks nothing"):
        countable(SAID, "runs", None)


@pytest.mark.parametrize("command", [("compare",), ("runs", "list"), ("runs", "sql"), ("failures",)])
def test_help_offers_no_suite_where_nothing_is_checked(
    memgauge: Callable[..., Said], command: tuple[str, ...]
) -> None:
    """A format that is refused is not offered; what counts checks says so."""
    offered = " ".join(memgauge(*command, "--help").out.split("--format", 1)[1].split("--json", 1)[0].split())
    assert "csv" in offered
    assert "junit" not in offered
    assert "junit where something is checked" in " ".join(
        memgauge("score", "--help").out.replace("│", " ").split()
    )
