"""What is not final is asked for again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.aml.client import AmlReply
from memgauge.systems.aml.contract import CYCLES
from memgauge.systems.aml.persisting import persist

if TYPE_CHECKING:
    from collections.abc import Sequence


def played(statuses: Sequence[int], *, search: bool = False, number: int = 2) -> tuple[int, int, list[float]]:
    """Let a server answer so, the last for ever; return the last status, the attempts, and the waits."""
    left, waits = list(statuses), list[float]()
    cycle = CYCLES[number]
    rules = cycle.search if search else cycle.add

    def ask() -> AmlReply:
        return AmlReply(left.pop(0) if len(left) > 1 else left[0], retry_after=7)

    reply, tries = persist(ask, rules, cycle, waits.append)
    return reply.status, tries, waits


def test_it_goes_on_until_an_answer_is_final() -> None:
    """Success ends it, and so does what is never asked for again."""
    assert played([503, 429, 200]) == (200, 3, [1, 7])
    assert played([500, 422]) == (422, 2, [1])
    assert played([200]) == (200, 1, [])


def test_it_gives_up_when_attempts_are_used() -> None:
    """32 of an Add in cycle 2, six of a Search."""
    assert played([503])[:2] == (503, 32)
    assert played([503], search=True)[:2] == (503, 6)
    assert played([409], search=True)[:2] == (409, 1)
    assert played([0])[:2] == (0, 32)
    assert played([0], number=1)[:2] == (0, 1)
