"""Mem0 where it is installed, and a clear sentence where it is not."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from memgauge.errors import MissingExtraError
from memgauge.records import Scope
from memgauge.systems.adapters.mem0 import Mem0, _owner
from memgauge.systems.conformance import check


@pytest.mark.skipif(find_spec("mem0") is not None, reason="Mem0 is installed here.")
def test_without_mem0_the_remedy_is_named() -> None:
    """It is installed into an environment of its own."""
    with pytest.raises(MissingExtraError, match=r"mem0ai==2\.2\.1"):
        Mem0()


@pytest.mark.skipif(find_spec("mem0") is None, reason="Mem0 is not installed here.")
def test_the_raw_lane_keeps_its_promises() -> None:
    """Everything but an empty query, which Mem0 refuses, passes the conformance check."""
    assert {one.name for one in check(Mem0).broken} <= {"any text is accepted"}


def test_scopes_are_spelled_as_mem0_does() -> None:
    """A tenant stands before its user, and the default tenant is silent."""
    assert _owner(Scope("ada")) == {"user_id": "ada"}
    assert _owner(Scope("ada", "acme", "bot", "s1")) == {"user_id": "acme/ada", "agent_id": "bot", "run_id": "s1"}
