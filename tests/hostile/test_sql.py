"""`memgauge runs sql` on statements that want more than the run."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.cli import invoke
from memgauge.errors import TamperError, UserError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from support.forgery import rehash
from support.sql import query_here as query

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def run() -> Iterator[Path]:
    """Make a run beside a file that is nobody's business."""
    with tempfile.TemporaryDirectory() as out:
        (folder,) = execute(plan(["synthetic:tiny"], ["none"]), Path(out), executor=Inline(), check=False)
        (folder / "secret.csv").write_text("a,b\n1,2\n")
        yield folder


WORDS = (
    "select",
    "from",
    "runs",
    "copy",
    "to",
    "attach",
    "'",
    '"',
    "(",
    ")",
    ";",
    "read_text",
    "/etc/passwd",
    "*",
    "1",
)
STATEMENTS = (
    "SELECT * FROM read_csv('{f}/secret.csv')",
    "SELECT * FROM '{f}/secret.csv'",
    "SELECT * FROM '{f}/hits.parquet'",
    "SELECT * FROM read_text('{f}/secret.csv')",
    "SELECT * FROM read_blob('{f}/secret.csv')",
    "SELECT * FROM read_json('{f}/manifest.json')",
    "SELECT * FROM sniff_csv('{f}/secret.csv')",
    "SELECT * FROM glob('{f}/*')",
    "SELECT * FROM parquet_metadata('{f}/hits.parquet')",
    "CREATE MACRO m() AS TABLE SELECT * FROM read_text('{f}/secret.csv')",
    "COPY runs TO '{f}/out.csv'",
    "COPY runs FROM '{f}/secret.csv'",
    "SELECT 1; COPY runs TO '{f}/out.csv'",
    "EXPORT DATABASE '{f}/out'",
    "IMPORT DATABASE '{f}'",
    "ATTACH '{f}/out.db'",
    "CREATE SECRET (TYPE s3)",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{f}/x.duckdb_extension'",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET lock_configuration = false",
    "SET temp_directory = '{f}'",
    "SET file_search_path = '/etc'",
    "SET allowed_directories = ['/']",
    "SET log_query_path = '{f}/log.sql'",
    "SET profiling_output = '{f}/profile.txt'",
    "SET enable_profiling = 'json'",
    "SET memory_limit = '100TB'",
    "CALL enable_logging(storage='file', storage_path='{f}/logs')",
    "SELECT * FROM enable_logging(storage='file', storage_path='{f}/logs')",
    "CALL enable_profiling(save_location='{f}/profile.txt')",
    "SELECT getenv('HOME')",
    "SELECT \ud800",
)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_nothing_but_the_run_is_read_or_written(run: Path, statement: str) -> None:
    """Files, extensions, secrets, settings, logs and profiles are refused, and no file appears."""
    before = sorted(run.rglob("*"))
    with pytest.raises(UserError, match="The query failed"):
        query([run], statement.replace("{f}", str(run)))
    assert sorted(run.rglob("*")) == before


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=8).map(" ".join))
@settings(max_examples=25)
def test_any_statement_gives_rows_or_an_error_of_ours(run: Path, statement: str) -> None:
    """Grammar, half characters and nonsense."""
    before = sorted(run.rglob("*"))
    with suppress(UserError):
        query([run], statement)
    assert sorted(run.rglob("*")) == before


def test_values_that_json_lacks_are_texts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Decimals, dates, bytes and numbers that are none; lists and structures keep their shape."""
    statement = "SELECT 0.5 a, DATE '2024-01-01' b, 'nan'::DOUBLE c, 'x'::BLOB d, [1.5, 2.5] e, {'f': NULL} g"
    assert invoke(["runs", "sql", statement, str(run), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row == {"a": "0.5", "b": "2024-01-01", "c": "nan", "d": "b'x'", "e": ["1.5", "2.5"], "g": {"f": None}}


def test_a_table_that_is_broken_is_named(run: Path, tmp_path: Path) -> None:
    """A run whose files are damaged is not read; where its seal was made to fit, it is an error."""
    copied = shutil.copytree(run, tmp_path / "run")
    (copied / "hits.parquet").write_bytes(b"PAR1")
    with pytest.raises(TamperError, match=r"hits\.parquet changed.*memgauge runs verify"):
        query([copied], "SELECT 1")
    rehash(copied, "hits.parquet")
    with pytest.raises(UserError, match=r"(?s)The query failed: .*hits\.parquet"):
        query([copied], "SELECT 1")
