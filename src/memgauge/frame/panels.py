"""Judges that a command names, opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.models import ModelOptions
from memgauge.frame.numbers import COUNT
from memgauge.frame.options import JudgeNames
from memgauge.llm.messages import VERDICT_TOKENS, steady

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.access import Access
    from memgauge.llm.judges.panel import Panel


def open_panel(
    names: Sequence[str], repeats: int, quorum: int, models: ModelOptions, max_tokens: int = VERDICT_TOKENS
) -> tuple[Panel, dict[str, Access]]:
    """Open the judges and the models behind them.

    Raises:
        ConfigError: Nobody was named, or a number is below 1.
    """
    from memgauge.llm.judges.panel import Judge, Panel

    if not names:
        raise ConfigError("No judge was named.", "Name one with --panel provider:name; there is no default.")
    if repeats < 1 or quorum < 1:
        raise ConfigError("Repeats and quorum must be at least 1.")
    wanted = [name for text in names for name in text.split(",")]
    accesses = {name: models.open(name) for name in dict.fromkeys(wanted)}
    judges = [
        Judge(access, sample, steady(max_tokens)) for access in accesses.values() for sample in range(repeats)
    ]
    return Panel(tuple(judges), quorum), accesses


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PanelOptions:
    """Who judges."""

    panel: JudgeNames = ()
    """Judge models as `provider:name`; repeat for several."""
    repeats: Annotated[int, COUNT] = 1
    """How often each of them judges everything anew."""
    quorum: Annotated[int, COUNT] = 1
    """Judges that must have said something."""
    max_tokens: Annotated[int, COUNT] = VERDICT_TOKENS
    """Tokens that one verdict may have, thinking included; what is cut off is none."""

    def open(self, models: ModelOptions) -> tuple[Panel, dict[str, Access]]:
        """Open the judges and the models behind them.

        Raises:
            ConfigError: Nobody was named, or a number is below 1.
        """
        return open_panel(self.panel, self.repeats, self.quorum, models, self.max_tokens)


PANEL = PanelOptions()
