"""SQL over sealed runs, and nothing but them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UserError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.sql import SqlLimits
from memgauge.runs.record.sql import query as query_apart
from support.handmade import five_questions, planned
from support.sql import query_here as query

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Make two runs."""
    plan = planned(five_questions(), "support.systems:Notebook", "support.systems:Backwards")
    return execute(plan, tmp_path_factory.mktemp("it's two"), executor=Inline(), check=False)


def test_the_tables_of_several_runs_are_joined_under_their_run(two: list[Path]) -> None:
    """Every run is a row of ``runs``, and all tables carry its name."""
    found = query(two, "SELECT system, count(*) FROM runs JOIN questions USING (run) GROUP BY ALL ORDER BY ALL")
    assert found.columns == ("system", "count_star()")
    assert found.rows == [("Backwards", 5), ("Notebook", 5)]


def test_a_copy_of_a_run_does_not_count_twice(two: list[Path], tmp_path: Path) -> None:
    """The same run in two folders is one run."""
    copied = shutil.copytree(two[0], tmp_path / "copy")
    assert query([two[0], copied], "SELECT count(*) FROM questions").rows == [(5,)]


def test_columns_that_are_called_alike_are_numbered(two: list[Path]) -> None:
    """Data has one value of a name: that of the first table would be lost."""
    found = query(two, "SELECT 1 AS a, 2 AS a_1, 3 AS a, 4 AS a")
    assert (list(found.columns), found.rows) == (["a", "a_1", "a_2", "a_3"], [(1, 2, 3, 4)])


def test_the_trace_shows_who_returned_what(two: list[Path]) -> None:
    """One view joins questions, hits and memories."""
    statement = (
        "SELECT r.system, t.memory, t.lineage, t.sources, t.text FROM trace t JOIN runs r USING (run) "
        "WHERE question = 'c1-q2' AND rank = 1 ORDER BY r.system"
    )
    assert query(two, statement).rows == [
        ("Backwards", "m-t3", "exact", ["t3"], "Mist sleeps on the piano."),
        ("Notebook", "m-t1", "exact", ["t1"], "I adopted a grey cat called Mist."),
    ]


@pytest.mark.parametrize("statement", ["SELEC 1", "SELECT * FROM run", "SELECT error('late') FROM range(9)"])
def test_an_invalid_statement_is_a_user_error(two: list[Path], statement: str) -> None:
    """The database's message and the names of the tables are both in it."""
    with pytest.raises(UserError, match=r"(?s)The query failed: .*Tables: runs, questions, memories, hits"):
        query(two, statement)


def test_a_statement_without_a_result_gives_no_rows(two: list[Path]) -> None:
    """There is nothing to show, and that is no error."""
    assert query(two, "CREATE TABLE mine (i INTEGER)").rows == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is no statement; write one"),
        ("-- nothing\n;;", "it is no statement; write one"),
        ("SELECT 1; SELECT 2", "it is 2 statements; write one"),
        ("DELETE FROM hits; SELECT 2; SELECT", "Parser Error"),
    ],
)
def test_anything_but_one_statement_is_refused(two: list[Path], text: str, why: str) -> None:
    """Of several only the last would be shown, of none nothing."""
    with pytest.raises(UserError, match=f"The query failed: .*{why}"):
        query(two, text)


@pytest.mark.parametrize(
    "text", ["-- mine\nSELECT 1 ;; -- ours", "PIVOT hits ON rank USING count(*)", "FROM hits LIMIT 1"]
)
def test_one_statement_is_one_however_it_is_written(two: list[Path], text: str) -> None:
    """Comments, empty ends, and what the database plays as several."""
    assert query(two, text).rows


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "COPY (SELECT 1) TO 'out.csv'",
        "ATTACH 'other.db'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "SELECT * FROM glob('/etc/*')",
    ],
)
def test_a_statement_reaches_no_file(
    two: list[Path], statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither reading nor writing nor opening the door works."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="The query failed"):
        query(two, statement)
    assert list(tmp_path.iterdir()) == []


def test_a_statement_changes_no_run(two: list[Path]) -> None:
    """The tables are copies."""
    query(two, "DELETE FROM questions")
    assert query(two, "SELECT count(*) FROM questions").rows == [(10,)]


def test_a_process_of_its_own_gives_the_same(two: list[Path]) -> None:
    """Texts, lists, numbers, and what JSON lacks."""
    statement = (
        "SELECT 'é\u2028\\n' a, [1, 2] b, NULL c, 0.5::DOUBLE d, DATE '2024-01-01' e, {'f': 'g'} h FROM runs"
    )
    assert query_apart(two, statement) == query(two, statement)
    with pytest.raises(UserError, match=r"(?s)The query failed: .*Tables: runs"):
        query_apart(two[:1], "SELEC 1")


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))", "more than 0.3 seconds. Give it more"),
        ("SELECT length(repeat('x', 2000000000))", r"more than 0.25 GiB, or breaks the database"),
    ],
)
def test_what_takes_too_much_is_stopped(two: list[Path], statement: str, why: str) -> None:
    """In a sentence that says what it may take."""
    with pytest.raises(UserError, match=why):
        query_apart(two[:1], statement, SqlLimits(0.3, 0.25))


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_limit_is_one(seconds: float) -> None:
    """Somebody has to be able to wait for it."""
    with pytest.raises(ConfigError, match="are no limit"):
        SqlLimits(seconds)
