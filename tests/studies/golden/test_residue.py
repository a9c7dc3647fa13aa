"""Residue: an erased value is found in a file however it is written."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import tracemalloc
import zipfile
import zlib
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden.residue import contents, residues, spellings
from memgauge.studies.golden.tokens import KINDS, token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

VALUE = "Zqkapakuvo"


def residue(file: Path, values: Iterable[str]) -> set[str]:
    """Look through one file."""
    return set(residues([file], values))


def zipped(text: str) -> bytes:
    """Put a text into an archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("notes.txt", text)
    return packed.getvalue()


WRITTEN: dict[str, Callable[[str], bytes]] = {
    "plain": lambda text: text.encode(),
    "upper case": lambda text: text.upper().encode(),
    "lower case": lambda text: text.lower().encode(),
    "utf-16": lambda text: text.encode("utf-16-le"),
    "utf-16 big end first": lambda text: text.encode("utf-16-be"),
    "json": lambda text: json.dumps({"text": text}).encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64 of a sentence": lambda text: base64.b64encode(f"My bank is {text}, remember?".encode()),
    "base64 one further": lambda text: base64.b64encode(f"My banks: {text}, remember?".encode()),
    "base64 two further": lambda text: base64.b64encode(f"All my banks: {text}!".encode()),
    "utf-32": lambda text: text.encode("utf-32-le"),
    "masked by one byte": lambda text: bytes(byte ^ 0xA7 for byte in f"My bank is {text}.".encode()),
    "masked bit by bit": lambda text: bytes(byte ^ 0xFF for byte in text.encode()),
    "hex": lambda text: text.encode().hex().encode(),
    "zlib": lambda text: zlib.compress(f"My bank is {text}.".encode()),
    "gzip": lambda text: gzip.compress(f"My bank is {text}.".encode(), mtime=0),
    "bz2": lambda text: bz2.compress(f"My bank is {text}.".encode()),
    "xz": lambda text: lzma.compress(f"My bank is {text}.".encode()),
    "zip": lambda text: zipped(f"My bank is {text}."),
    "pickle": lambda text: pickle.dumps({"text": text}),
    "zlib in base64 in json": lambda text: json.dumps(
        {"blob": base64.b64encode(zlib.compress(text.encode())).decode()}
    ).encode(),
    "glued to its neighbours": lambda text: f"alice{text}user".encode(),
    "backwards": lambda text: text[::-1].encode(),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_value_is_found_however_it_is_written(how: str, tmp_path: Path) -> None:
    """Encodings, cases and what stands around it hide nothing."""
    file = tmp_path / "store"
    file.write_bytes(b"\x00\x01" + WRITTEN[how](VALUE) + b"\xff")
    assert residue(file, [VALUE, "Zqlomirake"]) == {VALUE}


def test_a_clean_file_holds_nothing(tmp_path: Path) -> None:
    """Parts of a value and other values are no residue."""
    file = tmp_path / "store"
    file.write_bytes(b"Zqkapaku Zqlomirako nothing else " * 100)
    assert residue(file, [VALUE, "Zqlomirake"]) == set()


def test_a_row_that_was_deleted_is_found_in_its_free_page(tmp_path: Path) -> None:
    """SQLite leaves the bytes of a deleted row where they were until they are wiped."""
    file = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(file)) as store, store:
        store.execute("PRAGMA secure_delete = OFF")
        store.execute("CREATE TABLE memories (text)")
        store.execute("INSERT INTO memories VALUES (?)", (f"My bank is {VALUE}.",))
        store.commit()
        store.execute("DELETE FROM memories")
        store.commit()
    store.close()
    assert residue(file, [VALUE]) == {VALUE}


def test_the_name_of_a_file_is_part_of_it(tmp_path: Path) -> None:
    """What is stored under its own name lies there."""
    file = tmp_path / f"{VALUE}.md"
    file.write_text("nothing", "utf-8")
    assert residue(file, [VALUE]) == {VALUE}
    assert residue(file, []) == set()


def test_a_spelling_is_long_enough_to_mean_something() -> None:
    """Nothing shorter than six bytes is looked for."""
    assert all(len(form) >= 6 for form in spellings("123456"))


def test_a_number_is_not_another_that_is_masked(tmp_path: Path) -> None:
    """Masked by one byte, a number is a number again: one that stands in a file is no residue of the other."""
    file = tmp_path / "store"
    file.write_bytes(b'{"count": 10325476}')
    assert residue(file, {"01234567"[::-1], "01234567", "12345678"}) == set()
    assert residue(file, {"10325476"}) == {"10325476"}


def test_a_file_that_has_gone_holds_nothing(tmp_path: Path) -> None:
    """A database that is open removes files between the list and the look."""
    assert residue(tmp_path / f"{VALUE}.init", [VALUE]) == set()


AFTER = 4_000
"""Characters behind a value, so that the piece that it lies in ends behind it, or cuts it."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", [65_380, 65_530, 65_536, 131_000])
def test_a_value_is_found_wherever_it_lies_in_much_that_is_packed(kind: str, before: int, tmp_path: Path) -> None:
    """What is unpacked is looked through in pieces, and no value falls between two of them."""
    value, file = token("seed", "value", kind), tmp_path / "store"
    words = "there was nothing to say of it " * (before // 31 + 1)
    file.write_bytes(zlib.compress(f"{words[:before]} {value} {words[:AFTER]}".encode()))
    assert residue(file, {value}) == {value}


def test_files_of_the_same_bytes_are_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database holds its templates several times; each file is judged by its own name beside that."""
    looked = list[bytes]()

    def look(data: bytes, _: frozenset[str]) -> set[str]:
        looked.append(data)
        return set()

    monkeypatch.setattr("memgauge.studies.golden.residue._inside", look)
    files = [tmp_path / name for name in ("a", "b", f"{VALUE}.c", "gone")]
    for file in files[:3]:
        file.write_bytes(b"the same")
    assert residues(files, [VALUE]) == {VALUE: f"{VALUE}.c"}
    assert looked == [b"the same"]


def test_what_was_there_before_a_value_was_told_is_not_looked_through(tmp_path: Path) -> None:
    """A file that has not changed holds nothing of it, whatever it seems to say; its name is looked at."""
    before, after = tmp_path / "template.db", tmp_path / f"{VALUE}.db"
    before.write_text(f"My bank is {VALUE}.")
    untold = contents([before, tmp_path / "gone"])
    assert residues([before], [VALUE], untold) == {}
    after.write_bytes(before.read_bytes())
    assert residues([before, after], [VALUE], untold) == {VALUE: after.name}
    before.write_text(f"My bank is {VALUE}!")
    assert residues([before], [VALUE], untold) == {VALUE: before.name}


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("seed", range(3))
def test_a_value_is_found_in_a_page_that_is_nearly_empty(how: str, seed: int, tmp_path: Path) -> None:
    """What was never written hides nothing that stands behind it, between signs that are no text."""
    noise, file = Random(seed).randbytes(300), tmp_path / "page"  # noqa: S311 - bytes of a page, no secret
    file.write_bytes(noise + bytes(4_000) + b"|" + WRITTEN[how](VALUE) + b"|" + bytes(4_000) + noise)
    assert residue(file, [VALUE, "Zqlomirake"]) == {VALUE}


def test_a_day_is_found_in_a_large_file(tmp_path: Path) -> None:
    """Whatever its size, and however the day is spelled."""
    file, day = tmp_path / "store", token("seed", "value", "date")
    file.write_bytes(bytes(200_000).replace(b"\0", b"\x01") + f" on {day}, ".encode() + b"\x02" * 100)
    assert residue(file, [day]) == {day}


@pytest.mark.parametrize(
    "written",
    [
        b"%5Aqkapak%75vo",
        b"Zqkapak=75vo",
        b"Zqkapak=\nuvo",
        b"&#90;qkapakuvo",
        rb"\u005aqkapakuvo",
        rb"Zq\x6bapakuvo",
    ],
)
def test_single_characters_that_were_changed_are_changed_back(written: bytes, tmp_path: Path) -> None:
    """In a page of a database too, whose head nobody can read."""
    file = tmp_path / "page"
    file.write_bytes(bytes(range(128, 256)) * 8 + bytes(64) + b"My bank is " + written + b". " + bytes(200))
    assert residue(file, [VALUE]) == {VALUE}


def test_what_was_looked_through_is_not_kept(tmp_path: Path) -> None:
    """A store of many megabytes that grows is read again and again, and must not fill the memory."""
    file, value = tmp_path / "store", token("seed", "value", "number")

    def look(number: int) -> None:
        words = " ".join(f"word{place}" for place in range(number, number + 2_000))
        file.write_bytes(zlib.compress(words.encode()))
        assert residue(file, {value}) == set()

    look(0)
    tracemalloc.start()
    try:
        for number in range(1, 4):
            look(number)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 500_000


@pytest.mark.parametrize("written", ["on_26_November_2045, a=b", "<b title='id_6&#52;7348'>"])
def test_what_stands_between_underscores_is_found(written: str, tmp_path: Path) -> None:
    """As in the names and addresses that programs write."""
    file, wanted = tmp_path / "log", {"26 November 2045"} if "Nov" in written else {"647348"}
    file.write_text(written)
    assert residue(file, [*wanted, "Zqlomirake"]) == wanted


def test_what_was_changed_among_numbers_is_found_in_what_begins_as_text(tmp_path: Path) -> None:
    """A short text between vectors, which is not seen to be text by what stands around it."""
    file, vector = tmp_path / "store", bytes([0x3C, 0x92, 0xFF, 0xBE, 1, 0x80]) * 40
    file.write_bytes(b"a store of notes " * 40 + vector + b"Gubulufo%0ALemabera" + vector)
    assert residue(file, ["Gubulufo Lemabera"]) == {"Gubulufo Lemabera"}
