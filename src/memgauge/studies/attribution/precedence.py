"""A declared order of precedence, held against what happens when sources contradict each other.

The cell in which all three do shows who comes first and nothing else; who comes second shows where the first is
absent. So an order is checked in four cells, question by question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.registry import unknown_name
from memgauge.results import result
from memgauge.studies.attribution.cells import CONFLICT, CONFLICTS, AnswerSource, Held
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.share import CountedShare, rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.attribution.cells import Intervention
    from memgauge.studies.attribution.run import Observed


@result
@dataclass(frozen=True)
class Contest:
    """Who was followed in one cell where sources contradict each other."""

    cell: str
    expected: str
    """Who has to win by the declared order; empty where none was declared."""
    followed: Mapping[str, int]
    """Questions by whom their answer follows, everything that is no source included."""
    kept: CountedShare | None
    """Questions in which the expected source won; ``None`` where no order was declared."""

    @property
    def winner(self) -> str:
        """Return the source that more than half of the answers follow; empty where none is followed so often."""
        whole = sum(n for name, n in self.followed.items() if name != FollowedSource.FAILED)
        return next((str(s) for s in AnswerSource if 2 * self.followed.get(str(s), 0) > whole), "")


@result
@dataclass(frozen=True)
class Precedence:
    """The observed order, and whether it is the one that was declared."""

    declared: tuple[str, ...]
    observed: tuple[str, ...]
    """From the first to the last, as far as the cells that were asked decide it."""
    contests: tuple[Contest, ...]
    reason: str = ""
    """Why nothing was checked."""

    @property
    def kept(self) -> bool | None:
        """Whether every contest was won by whom the declared order says; ``None`` where nothing was declared."""
        if not self.declared or self.reason:
            return None
        return all(contest.winner == contest.expected for contest in self.contests)


def parse_order(text: str) -> tuple[AnswerSource, ...]:
    """Read ``memory,document,state``.

    Raises:
        UnknownNameError: A source that does not exist.
        ConfigError: Not all three, each once.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in set(AnswerSource):
            raise unknown_name("source", name, [str(source) for source in AnswerSource])
    if sorted(names) != sorted(AnswerSource):
        raise ConfigError(f"The order {text!r} is not of all three.", "Write e.g. memory,document,state.")
    return tuple(AnswerSource(name) for name in names)


def precedence(observed: Observed, declared: Sequence[AnswerSource] = ()) -> Precedence:
    """Say who wins where sources contradict each other, and whether that is as declared."""
    cells = [cell for cell in (CONFLICT, *CONFLICTS) if observed.column(cell)]
    named = tuple(str(source) for source in declared)
    if not cells:
        return Precedence(named, (), (), "the reader cannot be given all three sources")
    contests = tuple(_contest(observed, cell, declared) for cell in cells)
    return Precedence(named, _order(contests), contests)


def _contest(observed: Observed, cell: Intervention, declared: Sequence[AnswerSource]) -> Contest:
    column = observed.column(cell)
    followed = {
        str(source): n for source in FollowedSource if (n := sum(seen.follows is source for seen in column))
    }
    here = [source for source in declared if cell.of(source) is Held.OWN]
    if not here:
        return Contest(cell.name, "", followed, None)
    won = [
        (None if seen.follows is FollowedSource.FAILED else seen.follows == here[0].value, question.slot)
        for question, seen in zip(observed.questions, column, strict=True)
    ]
    return Contest(cell.name, str(here[0]), followed, rate(won))


def _order(contests: Sequence[Contest]) -> tuple[str, ...]:
    """Take the winner of all three, then the winner where that one is absent, then whoever is left."""
    winners = {contest.cell: contest.winner for contest in contests}
    first = winners.get(CONFLICT.name, "")
    second = winners.get(f"conflict-without-{first}", "") if first else ""
    if not second:
        return (first,) if first else ()
    (third,) = set(map(str, AnswerSource)) - {first, second}
    return (first, second, third)
