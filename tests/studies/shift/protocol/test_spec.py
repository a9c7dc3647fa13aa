"""The knobs of the shift study."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError
from memgauge.studies.shift.protocol.spec import PRESETS, DistractorSource, ShiftSpec, TermFit


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"horizon": 0}, "T must be at least 1"),
        ({"bursts": (-1, 5)}, "0 or more"),
        ({"bursts": ()}, "0 or more"),
        ({"bursts": (50, 0)}, "ascending"),
        ({"k": 0}, "at least 1"),
        ({"budget": 0}, "at least 1"),
        ({"interrupted": -1}, "at least 0"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], said: str) -> None:
    """One sentence says what does not fit."""
    with pytest.raises(ConfigError, match=said):
        ShiftSpec(**wrong)  # type: ignore[arg-type] # wrong on purpose


def test_the_clean_preset_knows_no_future() -> None:
    """It differs from the paper in everything that leaks."""
    assert PRESETS["clean"].fit is TermFit.PREFIX
    assert PRESETS["clean"].source is DistractorSource.OTHER_CONVERSATIONS
    assert PRESETS["clean"].horizon == PRESETS["paper"].horizon
