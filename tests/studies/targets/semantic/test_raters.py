"""Who labels, and who decides."""

from __future__ import annotations

import pytest

from memgauge.studies.targets.semantic.labels import CaseLabel
from memgauge.studies.targets.semantic.raters import decided, grouped, ties_down, voices


def labels(**words: str) -> list[CaseLabel]:
    """Label case a, once for each rater."""
    names = {"h1": "heuristic:J1", "h2": "heuristic:J2", "h3": "heuristic:J3", "p1": "person:1", "p2": "person:2"}
    return [CaseLabel("a", names.get(name, name), word) for name, word in words.items()]


def test_raters_are_people_judges_or_heuristics() -> None:
    """In the order in which they are believed; a group without a member is none."""
    raters = ["heuristic:J2", "openai:x", "person:1", "heuristic:J1"]
    assert list(grouped(raters).items()) == [
        ("people", ["person:1"]),
        ("judges", ["openai:x"]),
        ("heuristics", ["heuristic:J1", "heuristic:J2"]),
    ]
    assert grouped(["openai:x"]) == {"judges": ["openai:x"]}


@pytest.mark.parametrize(
    ("words", "decision"),
    [
        ({"h1": "supports", "h2": "supports", "h3": "supports", "p1": "not"}, "not"),
        ({"h1": "supports", "h2": "supports", "h3": "supports", "model": "partial"}, "partial"),
        ({"h1": "supports", "model": "partial", "p1": "not", "p2": "supports"}, "undecided"),
        ({"h1": "supports", "model": "invalid"}, "supports"),
        ({"model": "invalid"}, "invalid"),
    ],
)
def test_no_majority_of_a_lower_group_outvotes_a_higher_one(words: dict[str, str], decision: str) -> None:
    """People before judges before heuristics; a group that said nothing that can be read leaves it to the next."""
    assert decided(labels(**words)) == {"a": decision}


def test_a_quorum_is_of_judges_and_not_of_people() -> None:
    """People share a part of the cases only."""
    assert decided(labels(p1="not"), quorum=2) == {"a": "not"}
    assert decided(labels(model="not"), quorum=2) == {"a": "undecided"}


def test_a_voice_is_a_group_or_its_only_rater() -> None:
    """With what it decided."""
    found = voices(labels(p1="not", h1="supports", h2="partial"))
    assert list(found.items()) == [("person:1", {"a": "not"}), ("heuristics", {"a": "undecided"})]
    assert ties_down("heuristics", labels(h1="supports", h2="partial")) == {"a": "partial"}
