"""What a command lacks is said at once."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError, DataNotFoundError, MissingExtraError, MissingPartsError
from memgauge.missing import MissingParts


def opening(name: str) -> str:
    """Open what is called in capitals; data and weights are missing, and a mistake is one."""
    if name.startswith("data"):
        raise DataNotFoundError(f"No {name}.", f"Fetch {name}.")
    if name == "weights":
        raise MissingExtraError("No weights.", "Install them.")
    if name == "mistake":
        raise ConfigError("This is no name.")
    return name.upper()


def test_what_is_here_is_opened_and_all_that_is_not_is_named_in_one_error() -> None:
    """Each missing thing once, with what adds it, and one advice for all."""
    parts = MissingParts()
    assert parts.opened(["a", "data-1", "b"], opening) == {"a": "A", "b": "B"}
    assert parts.opened(["weights", "data-2", "data-1"], opening) == {}
    with pytest.raises(MissingPartsError) as caught:
        parts.require()
    first, *each, last = str(caught.value).splitlines()
    assert first == "3 things are missing:"
    assert each == [
        "  - No data-1. Fetch data-1.",
        "  - No weights. Install them.",
        "  - No data-2. Fetch data-2.",
    ]
    assert "memgauge doctor" in last


def test_one_missing_thing_is_its_own_error_and_a_mistake_is_told_first() -> None:
    """Who lacks one thing reads of that alone; what cannot be meant is no missing part; nothing missing passes."""
    parts = MissingParts()
    parts.require()
    parts.opened(["data"], opening)
    with pytest.raises(DataNotFoundError, match=r"^No data\. Fetch data\.$"):
        parts.require()
    with pytest.raises(ConfigError, match="no name"):
        parts.opened(["mistake"], opening)
