"""What `memgauge doctor` says of walls on this machine."""

from __future__ import annotations

import pytest

from memgauge.cli.isolation import JUDGES, SANDBOXES, SYSTEMS, isolation, lines
from memgauge.studies.track.sandbox import choose, groups
from memgauge.studies.track.sandbox import room as room_module


def test_systems_judges_and_sandboxes_are_told_of() -> None:
    """Each fact says what keeps it; no line is longer than 80 columns, and no room is left."""
    facts = tuple(isolation())
    assert [*dict.fromkeys(fact.whose for fact in facts)] == [SYSTEMS, JUDGES, SANDBOXES]
    assert all(fact.what and fact.means for fact in facts)
    assert all(len(line) <= 80 for line in lines(facts))
    assert not room_module._LIVING


@pytest.mark.parametrize(
    ("works", "expected"),
    [
        ((), ["an agent is kept in"]),
        (("landlock",), ["an agent cannot find out whether a file exists"]),
        (("bubblewrap", "landlock"), []),
    ],
)
def test_what_does_not_hold_is_named(
    monkeypatch: pytest.MonkeyPatch, works: tuple[str, ...], expected: list[str]
) -> None:
    """The best walls that work decide; where the kernel keeps no count, that is said."""
    monkeypatch.setattr(choose, "problem", lambda kind, _: "" if kind in works else "is not here")
    monkeypatch.setattr(groups, "_made", lambda *_: [])
    facts = [fact for fact in isolation() if fact.whose == SANDBOXES]
    assert [fact.what for fact in facts if not fact.holds] == expected
    assert any("20 times a second" in fact.means for fact in facts) is bool(works)
