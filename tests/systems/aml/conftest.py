"""Connections of tests end with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.aml import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def hung_up() -> Iterator[None]:
    """Hang up on every server that a test has asked."""
    yield
    while CLIENTS:
        CLIENTS.pop().close()
