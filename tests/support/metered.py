"""A metering proxy in front of a server, and clients that ask through it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from memgauge.llm.metering.log import CallLog, calls_in
from memgauge.llm.metering.proxy import MeteringProxy
from memgauge.llm.prices import Price

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.llm.metering.log import MeteredCall

TEXT = "How are you today, on this fine morning?"
MOMENT = datetime(2027, 1, 5, 12, 0, tzinfo=UTC)


def dollars(model: str) -> Price | None:
    """Price what is called ``paid``: a dollar for a million tokens in, two for those out."""
    return Price.flat(1.0, 2.0, source="a list", as_of="2027-01-01") if model.startswith("paid") else None


@contextmanager
def metered(upstream: str, folder: Path, **options: Any) -> Iterator[MeteringProxy]:
    """Stand in front of *upstream* and write into *folder*."""
    with CallLog(folder) as log, MeteringProxy(upstream, log, clock=lambda: MOMENT, **options) as proxy:
        yield proxy


def ask(
    url: str, path: str = "chat/completions", *, heads: Mapping[str, str] | None = None, **more: Any
) -> tuple[int, bytes]:
    """Ask for a text, and return status and body."""
    body = {"model": "paid-mini", "messages": [{"role": "user", "content": TEXT}], **more}
    shown = {"Content-Type": "application/json", **(heads or {})}
    sent = Request(f"{url}/{path}", json.dumps(body).encode(), shown)  # noqa: S310 - loopback
    try:
        with urlopen(sent, timeout=30) as reply:  # noqa: S310 - loopback
            return reply.status, reply.read()
    except HTTPError as error:
        return error.code, error.read()


def written(folder: Path) -> list[MeteredCall]:
    """Return the calls that were written down, every line of which can be read."""
    calls = list(calls_in(folder))
    assert None not in calls
    return [call for call in calls if call is not None]
