"""What all mutants share: a name, a family, and what is expected to go wrong."""

from __future__ import annotations

from typing import ClassVar

from memgauge.systems.protocol import Capabilities, Role
from memgauge.systems.reference.ideal import Ideal


class Mutant(Ideal):
    """The ideal memory with one thing wrong."""

    how: ClassVar[str]
    family: ClassVar[str]
    breaks: ClassVar[tuple[str, ...]]
    """The anomalies that it causes, by name; whichever a scenario meets first is enough."""

    def __init_subclass__(cls, *, how: str = "", breaks: tuple[str, ...] = ()) -> None:
        """Name a mutant; its module is its family."""
        super().__init_subclass__()
        cls.how, cls.name = how, f"mutant:{how}"
        cls.family, cls.breaks = cls.__module__.rpartition(".")[2], breaks or getattr(cls, "breaks", ())

    def capabilities(self) -> Capabilities:
        """Declare what the ideal memory declares, but be no ceiling."""
        ideal = super().capabilities()
        return Capabilities(
            event_time=ideal.event_time, reports_changes=True, declares_sources=True, role=Role.SYSTEM
        )
