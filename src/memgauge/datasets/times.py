"""How times are read that people write: without a zone, in UTC, so that any two of them can be compared."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import BeforeValidator

from memgauge.text.dates import parse_date

_EPOCH = re.compile(r"-?[0-9]{9,}(?:\.[0-9]*)?")
_FIRST_SECOND = 100_000_000
_END_SECOND = 4_102_444_800
"""From 1973 to 2099: a number is read in the one unit in which it lies between."""
_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)
"""Parts of a second that are counted."""


def naive_utc(value: object) -> datetime | None:
    """Read a time as UTC without a zone; nothing and the empty text are ``None``.

    Understood are numbers since 1970 (seconds, milli-, micro- or nanoseconds), ISO 8601, and what
    :func:`memgauge.text.dates.parse_date` reads. What names no offset is taken to be UTC already.

    Raises:
        ValueError: It is none of these.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return _plain(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value)
    if not isinstance(value, str):
        raise ValueError("a time is a number or a text")  # noqa: TRY004 - what pydantic expects of a validator
    text = value.strip().removesuffix(" UTC")
    if _EPOCH.fullmatch(text):
        return _since_1970(float(text))
    return _plain(_parsed(text))


def _parsed(text: str) -> datetime:
    for parse in (datetime.fromisoformat, parse_date):
        with suppress(ValueError):
            return parse(text)
    raise ValueError("no time that can be read, as 2024-03-01T08:00 is")


def _plain(time: datetime) -> datetime:
    try:
        utc = time.astimezone(UTC) if time.tzinfo else time
    except OverflowError as error:
        raise ValueError("no such time") from error
    return utc.replace(tzinfo=None)


def _since_1970(number: float) -> datetime:
    for unit in _UNITS:
        if _FIRST_SECOND * unit <= number < _END_SECOND * unit:  # which NaN is not either
            return datetime(1970, 1, 1) + timedelta(seconds=number / unit)  # noqa: DTZ001 - naive UTC on purpose
    raise ValueError("no time since 1970 that a chat could have")


NaiveTime = Annotated[datetime | None, BeforeValidator(naive_utc)]
