"""The wording of a world."""

from __future__ import annotations

from itertools import product

import pytest

from memgauge.datasets.synthetic.words import (
    ACTS,
    COLLECTIONS,
    HAPPENINGS,
    MEMBERSHIPS,
    RESTAURANT,
    ROLE,
    RUMOURS,
    SPENDINGS,
    STATES,
    TALK,
    THINGS,
    TRANSIENTS,
    Theme,
    WordingLevel,
)
from memgauge.text.tokens import tokenize

ALL = (*STATES, ROLE, *TRANSIENTS, *COLLECTIONS, *MEMBERSHIPS, *SPENDINGS, *HAPPENINGS, *THINGS, *RUMOURS)
_SMALL = """
a an the is are was were am be been do did does have has had i my me mine you your what which who whom when where
name named list how many much times of on in at for to from with by it its that this as and or not no so right now
moment was day one get
"""
SMALL = frozenset(_SMALL.split())


def content(text: str) -> set[str]:
    """Return the words that carry meaning; places of values are none."""
    bare = text.replace("{v}", "").replace("{d}", "").replace("{n}", "").replace("{p}", "")
    return set(tokenize(bare)) - SMALL


@pytest.mark.parametrize("theme", ALL, ids=lambda theme: theme.name)
def test_levels_are_what_they_are_called(theme: Theme) -> None:
    """A near clause has the words of the question; the others have none of its content words."""
    asked = set().union(*(content(text) for text in theme.lines["asks"]))
    for clause in theme.lines[WordingLevel.LEX]:
        assert content(clause) & asked, clause
    for level in (WordingLevel.PARA, WordingLevel.LATENT):
        for clause in theme.lines[level]:
            assert not content(clause) & asked, clause


@pytest.mark.parametrize("theme", ALL, ids=lambda theme: theme.name)
def test_clauses_have_their_places(theme: Theme) -> None:
    """Every clause holds its value; one with an end holds the day too."""
    if theme in RUMOURS:
        return  # what is told has no value: who told it is asked
    value = "{n}" if theme in SPENDINGS else "{d}" if theme in HAPPENINGS else "{v}"
    for level in WordingLevel:
        assert all(value in clause for clause in theme.lines[level])
        assert all("{d}" in clause for clause in theme.lines[level] if theme in TRANSIENTS)
        assert all("{v}" in clause for clause in theme.lines.get(f"{level}_out", ()))
        assert all("{p}" in clause for clause in theme.lines.get(f"born.{level}", ()))


@pytest.mark.parametrize("level", WordingLevel)
@pytest.mark.parametrize("act", sorted(set(ACTS) - {"gossip", "retract", "erase"}))
def test_every_speech_act_has_twenty_forms(act: str, level: WordingLevel) -> None:
    """A speech act around the clauses of states can be worded in at least twenty ways at each distance."""
    clauses = [clause for theme in STATES for clause in theme.lines[level]]
    forms = {frame.replace("{s}", clause) for frame, clause in product(ACTS[act], clauses)}
    assert len(forms) >= 20


@pytest.mark.parametrize("act", ["retract", "erase"])
@pytest.mark.parametrize("level", WordingLevel)
def test_ends_have_twenty_forms(act: str, level: WordingLevel) -> None:
    """Taking something back names its topic, in at least twenty ways at each distance."""
    topics = {theme.lines[f"topic.{level}"][0] for theme in STATES}
    assert len({frame.replace("{t}", topic) for frame in ACTS[act] for topic in topics}) >= 20


def test_replies_and_plain_talk_share_no_content_with_questions() -> None:
    """Only the remarks that are meant to overlap do."""
    asked = set().union(*(content(text) for theme in ALL for text in theme.lines["asks"]))
    for text in (*TALK["topics"], *TALK["tails"], *TALK["replies"]):
        assert not content(text) & asked, text
    assert all(content(text) & asked for text in TALK["overlapping"])


def test_the_wishes_of_a_choice_have_all_levels() -> None:
    """Diet, budget and district can be said at each distance."""
    for wish, level in product(("diet", "budget", "district"), WordingLevel):
        assert RESTAURANT.lines[f"{wish}.{level}"]
