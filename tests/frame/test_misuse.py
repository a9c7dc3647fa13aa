"""Who leaves out what a command cannot do without reads what it is called, and an example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.frame.exits import WRONG_USE

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["compare"], "memgauge compare needs BASELINE."),
        (["run", "-s", "bm25"], "memgauge run needs --dataset."),
        (["runs", "show"], "Example: memgauge runs show"),
        (["score", "--k"], "--k requires an argument"),
        (["score", "--what", "1"], "Unknown option"),
    ],
)
def test_what_is_missing_is_named(memgauge: Callable[..., Said], arguments: list[str], sentence: str) -> None:
    """A place is called as the help calls it; an option without its value, or an unknown one, as before."""
    said = memgauge(*arguments)
    assert said.code == WRONG_USE
    assert sentence in said.err
