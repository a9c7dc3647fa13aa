from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.floors import floors_of, longest_is_right
from memgauge.records import Case, Choices, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.base import DatasetIdentity

TEXTS = ["My boat is red.", *("Nothing here." for _ in range(18)), "My cat sleeps."]
WANTED = ((0,), (19, 1), ())
ASKED = ("Which colour has my boat?", "Where does my cat sleep?", "Who am I?")


@dataclass(frozen=True)
class Small:
    """Twenty turns and three questions, of which the last has nothing to find."""

    options: tuple[Choices, ...] = ()

    @property
    def identity(self) -> DatasetIdentity:
        """Not asked for."""
        raise NotImplementedError

    def cases(self) -> Iterator[Case]:
        """Yield the only conversation."""
        turns = tuple(Turn(f"t{n}", "Ann", text, "s") for n, text in enumerate(TEXTS))
        questions = tuple(Question(f"q{n}", "c", text, "x") for n, text in enumerate(ASKED))
        yield Case(Conversation("c", (Session("s", None, turns),)), questions)

    def gold(self) -> Iterator[Gold]:
        """Yield what is right."""
        for n, wanted in enumerate(WANTED):
            evidence = tuple(Evidence(f"t{turn}", exact=True, turns=(f"t{turn}",)) for turn in wanted)
            yield Gold(f"q{n}", evidence, abstain=not wanted)

    def describe(self) -> Mapping[str, object]:
        """Not asked for."""
        raise NotImplementedError


class SmallChoices(Small):
    """The same, with options."""

    def choices(self) -> Iterator[Choices]:
        """Yield the options."""
        return iter(self.options)


def test_floors_are_what_they_say() -> None:
    """One of three asks for silence; ten of twenty turns are drawn; common words find two of three turns."""
    floors = floors_of(Small())
    assert floors.questions == 3
    assert floors.empty == pytest.approx(1 / 3)
    assert floors.random == pytest.approx(0.5)
    assert floors.grep == pytest.approx((1 + 1 / 2) / 2)
    assert floors.longest is None


def test_the_longest_option_is_counted_over_all_choices() -> None:
    """Where two are equally long, each is taken with half a chance."""
    first = Choices("q0", "?", ("a", "the red one"), 1)
    tied = Choices("q1", "?", ("abc", "abd", "x"), 0)
    assert [longest_is_right(first), longest_is_right(tied)] == [1.0, 0.5]
    assert longest_is_right(Choices("q2", "?", ("a", "long"), 0)) == 0.0
    assert floors_of(SmallChoices((first, tied))).longest == pytest.approx(0.75)
