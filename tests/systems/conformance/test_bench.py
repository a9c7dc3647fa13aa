"""The test bench of the conformance check."""

from __future__ import annotations

from memgauge.systems.conformance.bench import HERE, OTHERS, whose


def test_scopes_are_named_in_words() -> None:
    """A user, and the tenant where it is not the usual one; no code."""
    assert [whose(scope) for scope in (HERE, OTHERS[1])] == [
        "user conformance-one",
        "user conformance-one of tenant conformance-other",
    ]
