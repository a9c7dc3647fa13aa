"""What was watched becomes traffic; what was lost, torn, altered or copied is counted and never guessed."""

from __future__ import annotations

import asyncio
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import DataError
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.watched import _Sequence, import_watched
from memgauge.runs.record.store import load
from memgauge.watch import watch
from memgauge.watch.rowlog import checked
from support.watched import Mem0Like, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return the folder of a log of ten searches, an addition and a change."""
    folder = tmp_path / "log"
    memory = watch(Mem0Like(), folder, salt="s", texts=True)
    memory.add("Ada likes tea", user_id="ada")
    for n in range(10):
        memory.search(f"q{n}", filters={"user_id": "ada"}, top_k=3)
    memory.update("m0", data="Ada likes cocoa")
    return folder


def _file(log: Path) -> Path:
    (path,) = log.glob("*.jsonl")
    return path


def test_rows_arrive_as_they_were_written(log: Path, tmp_path: Path) -> None:
    """Every operation and record is there, in order, with versions by the end of the writes."""
    traffic = import_watched(log, tmp_path / "traffic")
    columns, rows = traffic.operations(), rows_of(log)
    assert columns["operation"].tolist() == [row["operation"] for row in rows]
    for name in ("began_ns", "ended_ns"):
        assert columns[name].tolist() == [row[name] for row in rows]
    assert columns["scope"].tolist() == [row.get("scope", "") for row in rows]
    assert columns["scope_from"].tolist() == ["span"] * 11 + ["none"]
    assert columns["context_tokens"].tolist()[1:11] == [4] * 10
    records = traffic.records()
    assert records["version"].tolist() == [1] * 11 + [2]
    assert records["text"].tolist()[-1] == "Ada likes cocoa"
    identity = traffic.identity
    assert (identity.recorder, identity.pseudonyms, identity.texts) == ("watch", "keyed", True)
    assert identity.dialects == {"mem0": {"search": 10, "update": 1, "upsert": 1}}
    assert (traffic.ledger.rows, traffic.ledger.operations, traffic.ledger.left_out) == (13, 12, {})
    assert traffic.ledger.noted == {"files": 1, "processes": 1}
    assert Traffic.read(tmp_path / "traffic").manifest == traffic.manifest


def test_torn_and_altered_lines_and_gaps_are_counted(log: Path, tmp_path: Path) -> None:
    """A line that was cut, one that was changed and one that is away are three rows that are lost, in two gaps."""
    path = _file(log)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:40] + b"\n"
    lines[5] = lines[5].replace(b'"search"', b'"delete"')
    del lines[6]
    path.write_bytes(b"".join(lines)[:-20])
    ledger = import_watched(log, tmp_path / "traffic").ledger
    assert ledger.operations == 8
    assert ledger.left_out == {"a torn line": 2, "an altered line": 1}
    assert (ledger.noted["gaps in the numbers of rows"], ledger.noted["rows lost in gaps"]) == (2, 3)


def test_a_file_that_is_there_twice_is_read_once(log: Path, tmp_path: Path) -> None:
    """A copy under another name adds nothing."""
    shutil.copy(_file(log), log / "copy.watch.jsonl")
    ledger = import_watched(log, tmp_path / "traffic").ledger
    assert (ledger.operations, ledger.left_out["a file that is there twice"]) == (12, 1)
    assert "rows lost in gaps" not in ledger.noted


def test_files_of_other_formats_and_rows_of_other_forms_are_left_out(log: Path, tmp_path: Path) -> None:
    """A later format is not guessed at, and a row whose values are of the wrong kind is none."""
    path = _file(log)
    head = path.read_text("ascii").splitlines()[0]
    later = re.sub(r',"crc".*', "}", head.replace('"watch":1', '"watch":2'))
    (log / "later.watch.jsonl").write_bytes(checked(later) + checked('{"seq":0}'))
    rows = ['{"seq":12}', f'{{"seq":13,"operation":"search","began_ns":1,"ended_ns":{1 << 70}}}']
    rows += ['{"seq":14,"operation":"search","began_ns":1,"ended_ns":2,"records":[["m",null,null,null,"high"]]}']
    rows += ['{"seq":15,"operation":"search","began_ns":1,"ended_ns":2,"records":3}']
    with path.open("ab") as file:
        file.writelines(map(checked, rows))
    ledger = import_watched(log, tmp_path / "traffic").ledger
    assert ledger.operations == 12
    assert ledger.left_out["a row of another form"] == len(rows)
    assert ledger.left_out["a file of another format"] == 1


def test_names_under_two_salts_are_not_taken_for_the_same(log: Path, tmp_path: Path) -> None:
    """The ledger says that the users of one are not those of the other."""
    watch(Mem0Like(), log, salt="another").search("q", filters={"user_id": "ada"})
    traffic = import_watched(log, tmp_path / "traffic")
    assert traffic.ledger.noted["salts, of which none knows the names of another"] == 2
    assert len(set(traffic.operations("scope")["scope"]) - {""}) == 2


def test_a_log_that_is_written_meanwhile_is_read_as_far_as_it_is(log: Path, tmp_path: Path) -> None:
    """Only a line that is not whole yet is left out."""
    with _file(log).open("ab") as file:
        file.write(b'{"seq":12,"operation":"sea')
    ledger = import_watched(log, tmp_path / "traffic").ledger
    assert (ledger.operations, ledger.left_out) == (12, {"a torn line": 1})


def test_calls_that_a_host_gave_up_are_no_errors(tmp_path: Path) -> None:
    """Neither those of today, nor those that logs of before call errors."""

    class Slow(Mem0Like):
        async def search(self, *_: object, **__: object) -> dict[str, object]:  # type: ignore[override]
            await asyncio.sleep(60)
            return {}

    async def ask() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watch(Slow(), tmp_path / "log", salt="s").search("q"), 0.01)

    asyncio.run(ask())
    before = tmp_path / "before"
    before.mkdir()
    head, row = _file(tmp_path / "log").read_text("utf-8").splitlines()
    row = row.rpartition(',"crc"')[0].replace('"outcome":"cancelled"', '"outcome":"error"') + "}"
    (before / "old.watch.jsonl").write_bytes(head.encode() + b"\n" + checked(row))
    for folder in (tmp_path / "log", before):
        traffic = import_watched(folder, tmp_path / f"traffic of {folder.name}")
        columns = traffic.operations("outcome", "reason")
        assert (columns["outcome"].tolist(), columns["reason"].tolist()) == (["cancelled"], ["CancelledError"])


def test_a_folder_without_a_log_is_refused(tmp_path: Path) -> None:
    """It says what to name; a file whose first line is gone does not say what it is."""
    with pytest.raises(DataError, match=r"no file \*\.watch\.jsonl"):
        import_watched(tmp_path, tmp_path / "traffic")
    (tmp_path / "x.watch.jsonl").write_bytes(b"{}\n")
    with pytest.raises(DataError, match="no file says what it is"):
        import_watched(tmp_path, tmp_path / "traffic")
    assert not (tmp_path / "traffic").exists()


def test_it_is_imported_by_name(log: Path, tmp_path: Path, memgauge: Callable[..., Said]) -> None:
    """It becomes traffic and a run, once for the same files, and says what it read; a dataset it has none."""
    command = ("runs", "import", "watch", log, "--traffic", tmp_path / "traffic", "--out", tmp_path / "out")
    answer = memgauge(*command, "--json")
    assert answer.code == 0, answer.err
    assert answer.data["ledger"]["operations"] == 12
    run = load(Path(answer.data["folder"]))
    assert len(run.questions["question"]) == 10
    again = " ".join(memgauge(*command).out.split())
    assert "12 operations with 12 records" in again
    assert "13 lines of 1 files" in again
    (folder,) = (tmp_path / "traffic").iterdir()
    assert Traffic.read(folder).manifest.operations == 12
    assert memgauge(*command, "-d", "synthetic:tiny").code == 2
    assert memgauge(*command, log).code == 2


@given(st.lists(st.integers(0, 12), max_size=30))
def test_rows_are_counted_once_in_whatever_order_they_come(numbers: list[int]) -> None:
    """Repeated rows hide no lost ones, and a number below nothing is never told."""
    sequence = _Sequence()
    assert sum(map(sequence.take, numbers)) == len(set(numbers))
    behind = max(numbers, default=-1) + 1
    assert sequence.lost == behind - len(set(numbers))
    missing = [number not in numbers for number in range(behind)]
    assert sequence.gaps == sum(here and not before for before, here in pairwise([False, *missing]))


def test_a_row_that_is_there_twice_is_read_once(log: Path, tmp_path: Path) -> None:
    """As where a shipper of logs sent a tail again: rows are numbered, so that a copy is known."""
    (path, *_) = sorted(log.glob("*"))
    last = path.read_bytes().splitlines(keepends=True)[-1]
    path.write_bytes(path.read_bytes() + last + last)
    once = import_watched(log, tmp_path / "traffic")
    assert once.ledger.left_out["a row that is there twice"] == 2
    assert "rows lost in gaps" not in once.ledger.noted
