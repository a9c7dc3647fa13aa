"""Live: a play whose steps come one at a time, from a program that runs rather than from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.golden.play import Play
from memgauge.studies.golden.scenario import LAYERS, AskStep, Scenario, SessionStep

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.records import Scope
    from memgauge.studies.golden.driver import Driver, ReturnedText
    from memgauge.studies.golden.scenario import Step
    from memgauge.studies.golden.tokens import Kind

_NOTHING = Scenario(
    id="live",
    title="live",
    family="live",
    repeats=1,
    steps=(SessionStep(session="s0"), AskStep(ask="Anything?", about="anything", k=1)),
)
"""What a play wants to be given; its steps are never played."""


class Live(Play):
    """Plays whatever it is handed, and keeps what it was."""

    def __init__(self, driver: Driver, seed: str = "0") -> None:
        super().__init__(_NOTHING, driver, seed, LAYERS)
        self.done: list[Step] = []
        self.kinds: dict[str, Kind] = {}
        """Types of variables."""
        self.values: dict[str, str] = {}
        """Values of variables that are given rather than made up."""
        self.seen: dict[str, list[ReturnedText]] = {}
        """What the last question brought back, by layer."""

    @property
    def erased(self) -> frozenset[tuple[Scope, str]]:
        """Whose memories were erased, and their ids."""
        return frozenset(self.removed)

    def do(self, step: Step) -> None:
        """Play one step."""
        self.done.append(step)
        self.take(len(self.done), step)

    def look(self, layer: str, query: str, k: int, at: datetime) -> list[ReturnedText] | None:
        """Ask one layer, and keep what it brought back."""
        seen = super().look(layer, query, k, at)
        if seen is not None:
            self.seen[layer] = seen
        return seen

    def value(self, name: str, copy: str = "") -> str:
        """Return the value of a variable, the one that it was given first."""
        given = self.values.get(name)
        return given if given is not None else super().value(name, copy)

    def kind(self, name: str) -> Kind:
        """Return the type of a variable."""
        return self.kinds.get(name, "word")
