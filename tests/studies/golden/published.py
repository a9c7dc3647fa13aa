"""The chapter's own test, word for word, and what it is worth: how many broken memories it notices."""

# ruff: noqa: PT018 - the printed test is made of asserts, and kept as it is printed
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.session import MemoryUnderTest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.golden.runner import Factory

MEANINGS: Mapping[str, Mapping[str, str]] = {
    "My deadline for the migration is March 10.": {"deadline": "March 10"},
    "Actually the deadline moved to March 21.": {"deadline": "March 21"},
}
"""What its two sentences mean, for a memory that is taught."""
CATEGORIES: Mapping[str, Sequence[str]] = {"commitment": ("deadline",)}
"""What it calls the kind of memory that is to be erased."""


def published(factory: Factory) -> MemoryUnderTest:
    """Construct the system of the chapter's test over any memory."""
    return MemoryUnderTest(factory, meanings=MEANINGS, categories=CATEGORIES)


def stateful_scenario_test(system: Any) -> None:
    """Run the test as it is printed; nothing is changed but its place on the page."""
    s1 = system.session(user="alice")
    s1.say("My deadline for the migration is March 10.")  # write
    assert "march 10" in s1.ask("When is my migration deadline?").lower()
    s2 = system.session(user="alice")  # NEW session
    assert "march 10" in s2.ask("Remind me of my deadline?").lower()  # PERSISTENCE
    s2.say("Actually the deadline moved to March 21.")  # CORRECTION
    ans = s2.ask("When is my deadline?")
    assert "march 21" in ans.lower() and "march 10" not in ans.lower()  # MUTATION
    sb = system.session(user="bob")
    assert "march" not in sb.ask("What is my deadline?").lower()  # CROSS-USER ISOLATION
    s2.request_erasure(category="commitment")
    s3 = system.session(user="alice")
    assert "march 21" not in s3.ask("What is my deadline?").lower()  # DELETION
    assert system.audit.has_event("erasure", user="alice")  # audit recorded


def published_kills(mutants: Mapping[str, Factory]) -> tuple[str, ...]:
    """Name the mutants on which one of the printed asserts fails."""
    return tuple(name for name, factory in mutants.items() if not _passes(factory))


def _passes(factory: Factory) -> bool:
    with published(factory) as system:
        try:
            stateful_scenario_test(system)
        except AssertionError:
            return False
    return True
