"""A folder of notes with a table of contents and grep."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from memgauge.errors import ConfigError
from memgauge.records import Scope, Turn, Verdict
from memgauge.systems import check, open_system
from memgauge.systems.policies.files import FilesPolicy, NoteFolder

NOON = datetime(2024, 5, 1, 12)  # noqa: DTZ001 - turns carry naive local times
ADA = Scope("ada")
SAID = [
    ("s1", "I planted beans"),
    ("s1", "near the gate"),
    ("s1", "it rained"),
    ("s2", "Beans again, beans and peas"),
    ("s2", "the robin came"),
    ("s2", "peas by the gate"),
]
TURNS = [
    Turn(f"t{n}", "Ada", text, session, NOON + timedelta(days=int(session[1])))
    for n, (session, text) in enumerate(SAID)
]


def found(query: str, k: int = 60, **how: Any) -> list[str]:
    """Write the turns and return the ids of the lines that grep shows."""
    system = FilesPolicy(**how)
    system.ingest(TURNS, ADA)
    return [hit.memory.id for hit in system.search(query, ADA, k).hits]


def test_it_keeps_every_promise() -> None:
    """The conformance check finds nothing that fails or could not fail."""
    report = check(lambda: open_system("files"))
    assert report.conforms
    assert {each.verdict for each in report.checks} == {Verdict.PASS, Verdict.UNSUPPORTED}


def test_lines_count_by_the_words_that_they_hold() -> None:
    """Whatever the case of a word, and however often it stands in a line; who holds none is not shown."""
    assert found("Where do the peas grow, by the GATE?", around=0) == ["t5", "t3", "t1"]
    assert found("ships", around=0) == []
    assert found("where is the", around=0) == []


def test_the_table_of_contents_says_which_note_is_read_first() -> None:
    """Of lines that hold equally many words, those come first whose note says so in its heading."""
    assert found("gate in May", around=0, topics=8)[0] == "t1"
    folder = NoteFolder(topics=2, around=0)
    system = FilesPolicy()
    system.ingest(TURNS, ADA)
    folder.extend(list(system.dump(ADA)))
    assert [line.split()[:3] for line in folder.contents()] == [["2", "May", "2024"], ["3", "May", "2024"]]
    assert "peas" in folder.contents()[1]
    assert "peas" not in folder.contents()[0]
    assert found("gate 3 May 2024", around=0) != found("gate 2 May 2024", around=0)


def test_lines_around_a_match_follow_it_within_its_note() -> None:
    """As grep -C shows them, each once, and never a line of another note."""
    assert found("rained") == ["t2", "t1"]
    assert found("robin", around=2) == ["t4", "t3", "t5"]
    assert found("robin", 1) == ["t4"]


def test_numbers_below_nothing_are_refused() -> None:
    """They would mean nothing."""
    with pytest.raises(ConfigError, match="files:around=-1 is not a whole number from 0 to"):
        FilesPolicy(around=-1)
