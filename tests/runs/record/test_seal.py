"""Sealing and what a seal notices."""

from __future__ import annotations

import hashlib
import json
import random
from typing import TYPE_CHECKING

import duckdb
import pytest

from memgauge.errors import RunError
from memgauge.runs.play.execute import execute
from memgauge.runs.record.database import _database as shared
from memgauge.runs.record.database import connect
from memgauge.runs.record.seal import FILE, NAMES, Seal, file_hash, seal, sealed
from memgauge.runs.record.spelling import encode
from support.disk import full_disk
from support.handmade import five_questions, planned
from support.peaks import measured
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path


def test_a_seal_holds_the_hash_of_every_file(sealed_run: Path) -> None:
    """Anybody can recompute it with sha256sum."""
    found = Seal.read(sealed_run)
    tables = {f"{table}.parquet" for table in ("questions", "memories", "hits", "writes")}
    assert set(found.files) == {"manifest.json", "journal.jsonl", "cost.json"} | tables
    for name, value in found.files.items():
        assert (
            value == hashlib.sha256((sealed_run / name).read_bytes()).hexdigest() == file_hash(sealed_run / name)
        )


@pytest.mark.parametrize("size", [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 700_000])
def test_a_file_of_any_size_has_the_hash_of_all_its_bytes(tmp_path: Path, size: int) -> None:
    """It is read in pieces, which do not show."""
    content = hashlib.shake_128(b"any").digest(size)
    (tmp_path / "a").write_bytes(content)
    assert file_hash(tmp_path / "a") == hashlib.sha256(content).hexdigest()


def test_sealing_again_gives_the_same_bytes(sealed_run: Path) -> None:
    """Tables depend on the journal alone."""
    before = {name: (sealed_run / name).read_bytes() for name in (*NAMES, FILE)}
    (sealed_run / FILE).unlink()
    assert not sealed(sealed_run)
    seal(sealed_run)
    assert {name: (sealed_run / name).read_bytes() for name in (*NAMES, FILE)} == before


def test_equal_experiments_have_equal_content(pristine: Path, tmp_path: Path) -> None:
    """Clocks differ between two runs, their content does not."""
    (other,) = execute(
        planned(five_questions(), "support.systems:Notebook"), tmp_path, executor=AsPlayers(), check=False
    )
    mine, yours = Seal.read(pristine), Seal.read(other)
    assert mine.content == yours.content
    assert mine.files["journal.jsonl"] != yours.files["journal.jsonl"]


def test_other_experiments_have_other_content(pristine: Path, tmp_path: Path) -> None:
    """A different ranking is a different content."""
    (other,) = execute(
        planned(five_questions(), "support.systems:Backwards"), tmp_path, executor=AsPlayers(), check=False
    )
    assert Seal.read(pristine).content != Seal.read(other).content


def test_an_unfinished_run_has_no_seal(tmp_path: Path) -> None:
    """The error says how to finish it."""
    with pytest.raises(RunError, match="not sealed: the run is unfinished"):
        Seal.read(tmp_path)


def test_every_changed_byte_of_the_seal_is_noticed(sealed_run: Path) -> None:
    """It is refused, or it says something else than before."""
    path = sealed_run / FILE
    raw, found = path.read_bytes(), Seal.read(sealed_run)
    for place in range(len(raw)):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        try:
            assert Seal.read(sealed_run) != found
        except RunError:
            continue


@pytest.mark.parametrize("text", ["", "[]", "{", '{"files": 3, "content": "x"}', '{"content": "x"}', "\xff"])
def test_what_is_no_seal_is_refused(sealed_run: Path, text: str) -> None:
    """The error names the file."""
    (sealed_run / FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(RunError, match="SEAL is not"):
        Seal.read(sealed_run)


@pytest.mark.parametrize("change", [{"format": 2}, {"files": {}}])
def test_a_seal_of_another_kind_is_refused(sealed_run: Path, change: dict[str, object]) -> None:
    """Another format, or a seal over fewer files, is not what sealing writes."""
    path = sealed_run / FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | change, indent=2) + "\n")
    with pytest.raises(RunError, match="not as it was written"):
        Seal.read(sealed_run)


def test_a_seal_is_spelt_in_one_way(sealed_run: Path) -> None:
    """The same values spelt otherwise are not what sealing writes; what it wrote long ago stays readable."""
    path = sealed_run / FILE
    fields = json.loads(path.read_text())
    assert path.read_text() == json.dumps(fields, indent=2) + "\n"
    for indent in (None, 1, 4):
        path.write_text(json.dumps(fields, indent=indent) + "\n")
        with pytest.raises(RunError, match="not as it was written"):
            Seal.read(sealed_run)


def test_a_disk_that_fills_up_while_sealing_leaves_a_run_to_be_finished(sealed_run: Path) -> None:
    """The tables fail with a remedy, and sealing again succeeds."""
    content = Seal.read(sealed_run).content
    (sealed_run / FILE).unlink()
    with (
        full_disk(100),
        pytest.raises(RunError, match=r"Cannot write the tables of .* Allow files of this size .* and run"),
    ):
        seal(sealed_run)
    assert not sealed(sealed_run)
    assert seal(sealed_run).content == content


def test_connections_share_a_database_and_no_temporary_table() -> None:
    """What one connection makes for itself no other one sees, and it is gone when the connection is."""
    with connect() as here, connect() as there:
        for db, number in ((here, 1), (there, 2)):
            db.execute("CREATE TEMP TABLE journal AS SELECT ? AS number", [number])
        assert [db.execute("FROM journal").fetchall() for db in (here, there)] == [[(1,)], [(2,)]]
    with connect() as later, pytest.raises(duckdb.CatalogException):
        later.execute("FROM journal")


def test_reading_takes_one_thread() -> None:
    """Neither the work nor the files wait for other threads."""
    with connect() as db:
        settings = "SELECT current_setting('threads'), current_setting('async_threads')"
        assert [int(number) for number in db.execute(settings).fetchall()[0]] == [1, 0]


def test_a_database_that_answers_no_more_is_opened_again() -> None:
    """A spoilt file that makes the shared database unfit spoils no later reading."""
    shared().close()
    with pytest.raises(duckdb.Error), connect() as db:
        db.execute("SELECT 1")
    with connect() as db:
        assert db.execute("SELECT 2").fetchall() == [(2,)]


@pytest.mark.slow
def test_sealing_texts_takes_a_part_of_their_memory(tmp_path: Path) -> None:
    """Of 120 MB of texts a process holds a group while it seals them, and not what it let go of too."""
    chance = random.Random(1)  # noqa: S311 - texts, no secret
    said = " ".join(f"word{n}" for n in chance.choices(range(5000), k=500_000))
    manifest = planned(five_questions(), "support.systems:Notebook").cells[0].manifest
    manifest.write(tmp_path)
    with (tmp_path / "journal.jsonl").open("wb") as file:
        for number in range(180):
            at = {"conversation": f"c{number:03}", "attempt": 1}
            texts = (said[start : start + 1400] for start in chance.choices(range(len(said) - 1400), k=490))
            memories = [
                {
                    "t": "memory", **at, "row": row, "memory": f"m{row}", "version": 1, "text": text,
                    "sha256": hashlib.sha256(text.encode()).hexdigest(), "form": "raw", "sources": ["t"],
                    "lineage": "exact", "event_at": None, "valid_from": None, "valid_to": None, "stored_at": None,
                    "channel": "",
                }
                for row, text in enumerate(texts)
            ]  # fmt: skip
            file.write(encode([{"t": "case", **at, "number": number}, *memories, {"t": "end", **at, "failed": 0}]))
    script = (
        "import sys; from pathlib import Path; from memgauge.runs.record.seal import seal; seal(Path(sys.argv[1]))"
    )
    _, peak = measured(script, str(tmp_path))
    assert peak < 315 * 1024
