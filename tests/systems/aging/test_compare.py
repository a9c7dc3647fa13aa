"""What counts as a change, and which changes break a promise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Verdict
from memgauge.systems.aging.compare import VersionFacts, changes, outcome, uncompared
from memgauge.systems.aging.report import AgingChange, AgingOutcome, AgingTopic
from memgauge.systems.aging.surface import ModuleSurface
from memgauge.systems.conformance.check import Check

CLAIMS = {"reports_changes": True, "declares_sources": True, "k_cap": None, "stand_ins": (), "unit": "turn"}
PINNED = VersionFacts(
    "1.0",
    {"gadget": "1.0", "pip": "1"},
    (Check("update", Verdict.PASS), Check("expiry", Verdict.UNSUPPORTED)),
    CLAIMS,
    ("mutable",),
    ModuleSurface({"open": (("path", None), ("limit", "10")), "LIMIT": (("=", "60"),)}, ">=3.11"),
    {"isolation.one": "pass", "time.one": "fail"},
)
VERDICTS = st.sampled_from(list(Verdict))


def _only(newest: VersionFacts) -> AgingChange:
    (change,) = changes(PINNED, newest)
    return change


def test_what_is_the_same_is_no_change() -> None:
    """Neither are the tools that an environment brings of itself."""
    assert changes(PINNED, replace(PINNED, packages={"gadget": "1.0", "pip": "2"})) == ()
    assert outcome(PINNED, ()) is AgingOutcome.CURRENT


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"packages": {"gadget": "1.1"}}, (AgingTopic.PACKAGES, "gadget", "1.0", "1.1", False)),
        ({"packages": {"gadget": "1.0", "new": "3"}}, (AgingTopic.PACKAGES, "new", "", "3", False)),
        ({"packages": {}}, (AgingTopic.PACKAGES, "gadget", "1.0", "", False)),
        ({"offers": ()}, (AgingTopic.CLAIMS, "mutable", "offered", "", True)),
        ({"offers": ("erasable", "mutable")}, (AgingTopic.CLAIMS, "erasable", "", "offered", False)),
        (
            {"capabilities": CLAIMS | {"declares_sources": False}},
            (AgingTopic.LINEAGE, "sources", "yes", "no", True),
        ),
        ({"capabilities": CLAIMS | {"k_cap": 50}}, (AgingTopic.CLAIMS, "k_cap", "none", "50", False)),
        (
            {"capabilities": CLAIMS | {"stand_ins": ("hashed",)}},
            (AgingTopic.DEFAULTS, "stand_ins", "none", "hashed", False),
        ),
        (
            {"golden": {"isolation.one": "fail", "time.one": "fail"}},
            (AgingTopic.GOLDEN, "isolation.one", "pass", "fail", True),
        ),
        (
            {"golden": {"isolation.one": "pass", "time.one": "pass"}},
            (AgingTopic.GOLDEN, "time.one", "fail", "pass", False),
        ),
    ],
)
def test_every_kind_of_change_is_told(
    change: dict[str, object], expected: tuple[AgingTopic, str, str, str, bool]
) -> None:
    """With what was there, what is there now, and whether it was promised."""
    assert _only(replace(PINNED, **change)) == AgingChange(*expected)  # type: ignore[arg-type] # by name


@pytest.mark.parametrize(
    ("names", "topic", "before", "after"),
    [
        ({"open": (("path", None), ("limit", "20"))}, AgingTopic.DEFAULTS, "(path, limit=10)", "(path, limit=20)"),
        ({"open": (("path", None),)}, AgingTopic.API, "(path, limit=10)", "(path)"),
        ({"open": (("path", None), ("limit", None))}, AgingTopic.API, "(path, limit=10)", "(path, limit)"),
        ({"LIMIT": (("=", "50"),)}, AgingTopic.DEFAULTS, "60", "50"),
        ({"close": ()}, AgingTopic.API, "", "()"),
    ],
)
def test_a_default_is_told_from_a_parameter(
    names: dict[str, tuple[tuple[str, str | None], ...]], topic: AgingTopic, before: str, after: str
) -> None:
    """Another default is a default; a parameter, or a name, that comes or goes is the API; neither breaks."""
    assert PINNED.surface is not None
    change = _only(replace(PINNED, surface=ModuleSurface({**PINNED.surface.names, **names}, ">=3.11")))
    assert (change.topic, change.pinned, change.newest, change.broken) == (topic, before, after, False)


def test_other_pythons_are_told() -> None:
    """As the first package says it."""
    assert PINNED.surface is not None
    change = _only(replace(PINNED, surface=replace(PINNED.surface, python=">=3.12")))
    assert change == AgingChange(AgingTopic.PYTHON, "Requires-Python", ">=3.11", ">=3.12")


@given(VERDICTS, VERDICTS)
def test_what_passed_and_does_not_is_broken_and_so_is_what_fails_newly(before: Verdict, after: Verdict) -> None:
    """And nothing else is; the same verdict is no change, whatever it says."""
    sides = [replace(PINNED, checks=(Check("x", v, "ids differ"),)) for v in (before, after)]
    listed = changes(*sides)
    bad = {Verdict.FAIL, Verdict.ERROR, Verdict.FLAKY}
    assert len(listed) == (before is not after)
    assert any(change.broken for change in listed) == (
        before is not after and (before is Verdict.PASS or (after in bad and before not in bad))
    )


def test_a_change_of_packages_alone_holds_and_a_broken_promise_outweighs_all() -> None:
    """Broken ones stand first."""
    newer = replace(PINNED, packages={"gadget": "1.1"})
    assert outcome(PINNED, changes(PINNED, newer)) is AgingOutcome.HOLDS
    more = replace(newer, offers=("erasable", "mutable"))
    assert outcome(PINNED, changes(PINNED, more)) is AgingOutcome.CHANGED
    less = changes(PINNED, replace(newer, offers=()))
    assert outcome(PINNED, less) is AgingOutcome.BROKEN
    assert [change.broken for change in less] == [True, False]
    unknown = VersionFacts("1.0", {"gadget": "1.0"})
    assert outcome(unknown, changes(unknown, newer)) is AgingOutcome.UNCOMPARED


def test_a_check_that_one_side_lacks_or_a_model_silenced_is_not_compared() -> None:
    """It is no change, and it is said."""
    newest = replace(
        PINNED, checks=(Check("update", Verdict.ERROR, "ModelError: no answer"), Check("new", Verdict.FAIL))
    )
    assert changes(PINNED, newest) == ()
    assert uncompared(PINNED, newest) == {
        AgingTopic.CONFORMANCE: "made of one version only: expiry, new; a model did not answer: update"
    }
    assert uncompared(PINNED, PINNED) == {}
    assert uncompared(VersionFacts("1.0", {}), PINNED) == {}
