"""How much was written before a question: the order of the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.records import Outcome, Question
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.order import events_before
from memgauge.runs.record.rows import AttemptRows, failures
from memgauge.runs.record.spelling import encode

if TYPE_CHECKING:
    from pathlib import Path


def journal(folder: Path) -> Path:
    """Write two attempts at one conversation, and one whose name begins alike."""
    with Journal(folder) as written:
        for name, attempt, first in (("u1", 1, 2), ("u1", 2, 0), ("u10", 1, 5)):
            sheet = AttemptRows(name, attempt)
            rows = [sheet.row("case", number=0)]
            rows += [sheet.row("write", turns=[f"t{n}"], outcome="ok") for n in range(first)]
            for asked in ("q1", "q2"):
                question = Question(asked, name, "", "")
                rows += [sheet.question(question, 0, Outcome.OK, k=1), sheet.row("flush", session="s")]
            written.append(name, encode([*rows, sheet.end(failures(rows))]))
    return folder


@pytest.mark.parametrize(
    ("asked", "before"),
    [
        (("u1", 1, "q1"), 2),
        (("u1", 1, "q2"), 3),
        (("u1", 2, "q1"), 0),
        (("u10", 1, "q2"), 6),
        (("u1", 1, "q9"), None),
        (("u2", 1, "q1"), None),
    ],
)
def test_events_of_the_attempt_alone_are_counted(
    tmp_path: Path, asked: tuple[str, int, str], before: int | None
) -> None:
    """Writes and flushes of the same attempt count, up to the question; another attempt's do not."""
    assert events_before(journal(tmp_path), *asked) == before


def test_what_is_not_here_is_not_known(tmp_path: Path) -> None:
    """No journal says nothing; a broken line is named."""
    assert events_before(tmp_path, "u1", 1, "q1") is None
    (tmp_path / "journal.jsonl").write_text('{"t":"question","conversation":"u1","attempt":1,"question"\n')
    with pytest.raises(RunError, match=r"journal\.jsonl:1: no question"):
        events_before(tmp_path, "u1", 1, "q1")
