"""What a router hears."""

from __future__ import annotations

from memgauge.systems.routing.context import Hearing, ShiftSigns


def test_a_session_begins_and_grows_old() -> None:
    """The first question of a session stands at its boundary; position grows with its turns."""
    hearing = Hearing()
    hearing.hear(["s1"] * 5)
    assert hearing.ask("what came up?") == ShiftSigns(boundary=True, interrupted=False, query=0, position=0)
    hearing.hear(["s1"] * 10)
    assert hearing.ask("what came up?") == ShiftSigns(boundary=False, interrupted=False, query=0, position=1)
    hearing.hear(["s1"] * 10)
    assert hearing.ask("what?").position == 2
    hearing.hear(["s2"])
    assert hearing.ask("what?") == ShiftSigns(boundary=True, interrupted=False, query=0, position=0)


def test_what_belongs_to_no_session_is_an_interruption_until_the_next_question() -> None:
    """It neither ends a session nor makes it older."""
    hearing = Hearing()
    hearing.hear(["s1", "", ""])
    assert hearing.ask("what?").interrupted
    assert not hearing.ask("what?").interrupted
    assert (hearing.session, hearing.turns) == ("s1", 1)


def test_long_questions_fall_into_other_bins() -> None:
    """Six words are short, eleven middling, more are long."""
    assert [Hearing().ask("why " * n).query for n in (6, 7, 11, 12)] == [0, 1, 1, 2]
