"""The time zone of the machine, for as long as a scenario is played."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def machine_in(zone: str | None) -> Iterator[None]:
    """Let this process, and those that it starts, live in *zone*, as POSIX writes it; without one, change nothing.

    What a memory returns must not depend on it: scenarios are told in the naive local time of a conversation.
    """
    if zone is None or not hasattr(time, "tzset"):
        yield
        return
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()
