"""A run that was played again beside its first play: paired by question, and whether it agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.scoring.compare import compare
from memgauge.submissions.sheets.verdicts import PairedResult

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings

MARGIN: Final = 0.02
"""Within which a repetition must agree, the whole of its interval."""


def paired_result(first: Run, again: Run, gold: GoldTable, settings: Settings, margin: float) -> PairedResult:
    """Hold a repetition against its first run, by the contract's first measure.

    Raises:
        IdentityError: They are of other data, or were played otherwise.
        ConfigError: No interval can be given.
    """
    primary = compare(first, again, gold, settings, margin=margin).differences[0]
    same = not (primary.wins or primary.losses)
    low, high = (0.0, 0.0) if same else (primary.low, primary.high)
    if low is None or high is None:
        raise ConfigError(f"No interval can be given: {primary.reason}.", "Repeat a run of more conversations.")
    return PairedResult(
        measure=primary.measure,
        difference=round(primary.difference, 6),
        interval=(round(low, 6), round(high, 6)),
        margin=margin,
        questions=primary.n,
    )
