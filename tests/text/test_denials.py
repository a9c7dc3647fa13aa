"""What a text names only to deny it is told from what it says."""

from __future__ import annotations

import pytest

from memgauge.text.denials import is_denied, may_deny


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("lives in Rome, not in Paris any more", True),
        ("lives in Rome, not Paris", True),
        ("does not live in Paris anymore", True),
        ("no longer lives in Paris", True),
        ("used to work in Paris", True),
        ("moved from Paris to Rome", True),
        ("Rome instead of Paris", True),
        ("anywhere but Paris", True),
        ("lives in Rome, not 'Paris'", True),
        ("changed her home town from Paris to Rome", True),
        ("still hasn't moved from Paris", False),
        ("never moved from Paris", False),
        ("is used to Paris", False),
        ("cannot live anywhere but Paris", False),
        ("goes nowhere but Paris", False),
        ("Why not Paris? she said, and bought a flat there", False),
        ("went from Paris to work", False),
        ("changed trains coming from Paris", False),
        ("lives in Paris, not in Rome", False),
        ("not only Paris but Rome", False),
        ("hasn't left Paris", False),
        ("not until Paris", False),
        ("comes from Paris", False),
        ("moved to Paris", False),
        ("does not like Rome but Paris, any more than I do", False),
    ],
)
def test_a_value_is_denied_where_its_own_words_say_so(text: str, denied: bool) -> None:
    """A denial counts right before the value, and further away only where `any more` stands behind it."""
    start = text.index("Paris")
    assert is_denied(text, start, start + len("Paris")) is denied
    assert may_deny(text) or not denied
