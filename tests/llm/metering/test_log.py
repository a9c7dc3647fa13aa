"""Lines are only appended; what broke off is told from what is whole, and a full disk stops nobody."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.llm.metering.calls import CallEnd, CallRoute
from memgauge.llm.metering.log import FILE, CallLog, MeteredCall, calls_in
from support.disk import full_disk

if TYPE_CHECKING:
    from pathlib import Path

CALL = MeteredCall(at="2027-01-05T12:00:00+00:00", route=CallRoute.CHAT, model="m", end=CallEnd.OK, tokens_in=0)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """A 0 stays one, and what nobody knows stays unknown; the file is the user's alone."""
    for _ in range(2):
        with CallLog(tmp_path) as log:
            log.append(CALL)
    assert list(calls_in(tmp_path)) == [CALL, CALL]
    assert (CALL.tokens_in, CALL.tokens_out) == (0, None)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_line_that_broke_off_costs_no_other(tmp_path: Path) -> None:
    """Whoever goes on begins a line of his own."""
    with CallLog(tmp_path) as log:
        log.append(CALL)
    with (tmp_path / FILE).open("a") as file:
        file.write('{"at": "2027-01')
    with CallLog(tmp_path) as log:
        log.append(CALL)
    assert list(calls_in(tmp_path)) == [CALL, None, CALL]


def test_a_full_disk_costs_lines_and_is_said(tmp_path: Path) -> None:
    """Nothing is raised into a call, and what is written later is whole."""
    with CallLog(tmp_path) as log:
        log.append(CALL)
        with full_disk(log.path.stat().st_size + 10):
            log.append(CALL)
            log.append(CALL)
        assert log.lost == 2
        log.append(CALL)
    assert list(calls_in(tmp_path)) == [CALL, None, CALL]


def test_where_nothing_was_metered_it_is_said(tmp_path: Path) -> None:
    """With what to name instead; a folder that is a file is no folder."""
    with pytest.raises(DataNotFoundError, match="models meter"):
        list(calls_in(tmp_path))
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="Cannot write"):
        CallLog(tmp_path / "file")
