"""Rows as lines: the same bytes however few are held."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.runs.record import row_log
from memgauge.runs.record.row_log import HeldRows, JournalLines, RowLog
from memgauge.runs.record.spelling import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS: list[dict[str, Any]] = [
    {"t": "case", "number": 0},
    *({"t": "question", "outcome": ("ok", "error", "timeout")[n % 3], "n": n} for n in range(40)),
    {"t": "end"},
]


@pytest.mark.parametrize("held", [0, 300, 1 << 20])
@pytest.mark.parametrize("at_once", [1, 100, 1 << 20])
@pytest.mark.parametrize("together", [1, 7, 128])
def test_lines_do_not_depend_on_where_they_lie(
    held: int, at_once: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes before the end stands there, portions are whole lines, and failures are counted."""
    monkeypatch.setattr(row_log, "AT_ONCE", at_once)
    monkeypatch.setattr(row_log, "_TOGETHER", together)
    log, plain = RowLog(held), HeldRows()
    for rows in (log, plain):
        rows.extend(ROWS)
        rows.before_end([{"t": "probe"}, {"t": "spent"}])
        rows.before_end([])
    assert log.failed == plain.failed == 26
    lines = log.lines()
    assert bytes(lines) == encode(plain) == bytes(deepcopy(lines))
    assert all(portion.endswith(b"\n") for portion in lines)
    assert lines.size == len(encode(plain))
    assert bytes(lines.before_last(b"!\n")).splitlines()[-2:] == [b"!", b'{"t":"end"}']


@pytest.mark.parametrize("portions", [(b"a\n",), (b"a\n", b"b\n"), (b"a\nb\n", b"c\nd\n")])
def test_a_line_goes_before_the_last(portions: Sequence[bytes]) -> None:
    """Wherever the last portion begins."""
    lines = JournalLines(1)
    for portion in portions:
        lines.append(portion)
    *before, last = b"".join(portions).splitlines(keepends=True)
    assert bytes(lines.before_last(b"!\n")) == b"".join([*before, b"!\n", last])
