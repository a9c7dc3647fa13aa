"""A value is found in whatever form and at whichever spot it stands, and nowhere else."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import sqlite3
import unicodedata
import zipfile
import zlib
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgauge.studies.erasure.residue import ATTRIBUTE, NAME, ResidueSearch, unread_codecs
from memgauge.studies.erasure.values import Sought, sought_in
from support.disk import require_attributes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VALUE = Sought("v1", "word", "Vopikerama Z\u00fc")
OTHER = Sought("v2", "word", "nobodysaidthis")


def _zipped(data: bytes) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.txt", data)
    return whole.getvalue()


def _dumped(data: bytes, columns: Callable[[bytes], str]) -> bytes:
    """Write bytes as lines of sixteen, each behind its place, the same as letters behind it."""
    lines = [(place, data[place : place + 16]) for place in range(0, len(data), 16)]
    shown = ("".join(chr(byte) if 32 < byte < 127 else "." for byte in line) for _, line in lines)
    return "\n".join(
        f"{place:08x}: {columns(line)}  {text}" for (place, line), text in zip(lines, shown, strict=True)
    ).encode()


def _misread(value: str, coding: str) -> bytes:
    return value.encode().decode(coding).encode()


FORMS: dict[str, Callable[[str], bytes]] = {
    "plain text": str.encode,
    "letters composed otherwise": lambda value: unicodedata.normalize("NFD", value).encode(),
    "ISO8859-1": lambda value: value.encode("latin-1"),
    "MAC-ROMAN": lambda value: value.encode("mac-roman"),
    "UTF-7": lambda value: value.encode("utf-7"),
    "UTF-8 read as Latin-1": lambda value: _misread(value, "latin-1"),
    "a hex dump": lambda value: b"\n%b\n" % _dumped(b"x" * 12 + value.encode(), lambda line: line.hex(" ", 2)),
    "RTF": lambda value: "".join(c if c.isascii() else f"\\u{ord(c):03}?" for c in value).encode(),
    "percent signs": lambda value: quote(value, encoding="cp1252").encode(),
    "other case": lambda value: value.casefold().encode(),
    "escapes": lambda value: json.dumps(value).encode(),
    "UTF-16-LE": lambda value: value.encode("utf-16-le"),
    "base64": lambda value: base64.b64encode(value.encode()),
    "hex": lambda value: value.encode().hex().encode(),
    "gzip": lambda value: gzip.compress(value.encode(), mtime=0),
    "zlib": lambda value: zlib.compress(value.encode()),
    "zip": lambda value: _zipped(value.encode()),
    "base64 in gzip": lambda value: gzip.compress(base64.b64encode(value.encode()), mtime=0),
    "letters alone": lambda value: value.replace(" ", "_-_").encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_found_and_named(form: str, tmp_path: Path) -> None:
    """What stands beside it does not matter, and what does not stand there is not found."""
    file = tmp_path / "some.dat"
    file.write_bytes(b"before it: " + FORMS[form](VALUE.text) + b" ;behind it")
    spots = ResidueSearch([VALUE, OTHER]).in_file(file).spots
    assert form in {spot.form for spot in spots}
    assert {spot.label for spot in spots} == {"v1"}


SCRIPTS = {
    "CP1251": "\u0417\u0430\u0440\u043f\u043b\u0430\u0442\u0430 \u041c\u0430\u0440\u0438\u043d\u044b",
    "KOI8-R": "\u0417\u0430\u0440\u043f\u043b\u0430\u0442\u0430 \u041c\u0430\u0440\u0438\u043d\u044b",
    "SHIFT-JIS": "\u7d66\u6599\u306f\u5c71\u7530\u3055\u3093",
    "ISO2022-JP": "\u7d66\u6599\u306f\u5c71\u7530\u3055\u3093",
    "GB18030": "\u738b\u5c0f\u660e\u7684\u5de5\u8d44",
    "EUC-KR": "\uae40\ubbfc\uc218\uc758 \uc6d4\uae09",
    "ISO8859-7": "\u039c\u03b1\u03c1\u03af\u03b1 \u0396\u03ac\u03c7\u03bf\u03c5",
    "CP1255": "\u05d4\u05de\u05e9\u05db\u05d5\u05e8\u05ea \u05e9\u05dc\u05d9",
}


@pytest.mark.parametrize("coding", SCRIPTS)
def test_a_text_in_the_character_set_of_its_script_is_found(coding: str, tmp_path: Path) -> None:
    """As bytes, behind percent signs, and in an archive; another text in it is not."""
    value, other = SCRIPTS[coding], "\u0422\u0430\u043a \u0433\u043e\u0432\u043e\u0440\u044f\u0442 \u00e9\u4e2d"
    search = ResidueSearch([Sought("v1", "text", value), Sought("v2", "text", other)])
    data = value.encode(coding)
    file = tmp_path / "some.dat"
    for spelt in (data, quote(data).encode(), gzip.compress(data)):
        file.write_bytes(b"before it: " + spelt + b" ;behind it")
        assert {spot.label for spot in search.in_file(file).spots} == {"v1"}


@pytest.mark.parametrize("around", [lambda b64: json.dumps({"a": b64}), lambda b64: b64.replace("/", "\\/")])
def test_base64_in_lines_is_found_in_json_too(around: Callable[[str], str], tmp_path: Path) -> None:
    """Lines of 76 characters, whose ends JSON writes as escapes, and slashes as some write them."""
    value = Sought("v1", "text", "\u00ff\u00fe? ".join(f"word{n}" for n in range(30)))
    file = tmp_path / "some.json"
    file.write_text(around(base64.encodebytes(value.text.encode()).decode()))
    assert {spot.form for spot in ResidueSearch([value]).in_file(file).spots} == {"base64"}


def test_octal_escapes_of_bytes_are_read(tmp_path: Path) -> None:
    """As git and psql write names that are not ASCII."""
    file = tmp_path / "some.log"
    spelt = "".join(chr(byte) if byte < 128 else f"\\{byte:03o}" for byte in VALUE.text.encode())
    file.write_text(f'"a/{spelt}.txt"')
    assert {spot.label for spot in ResidueSearch([VALUE]).in_file(file).spots} == {"v1"}


def test_what_is_too_large_to_be_unpacked_is_named(tmp_path: Path) -> None:
    """A value behind the part that is unpacked is not met, and whoever reads is told."""
    file = tmp_path / "some.gz"
    file.write_bytes(gzip.compress(bytes(1 << 26) + VALUE.text.encode(), mtime=0))
    searched = ResidueSearch([VALUE]).in_file(file)
    assert (searched.spots, searched.cut) == ((), ("gzip",))
    file.write_bytes(gzip.compress(bytes(1 << 20) + VALUE.text.encode(), mtime=0))
    assert ResidueSearch([VALUE]).in_file(file).cut == ()


def test_a_value_that_stands_plainly_is_not_said_to_be_encoded(tmp_path: Path) -> None:
    """Percent signs and backslashes beside it change nothing."""
    file = tmp_path / "some.txt"
    file.write_text(f"100 % of \\n {VALUE.text} &amp; more=", "utf-8")
    spots = ResidueSearch([VALUE]).in_file(file).spots
    assert {spot.form for spot in spots} == {"plain text"}


def test_a_name_of_a_file_is_a_place_too(tmp_path: Path) -> None:
    """The file itself is empty."""
    file = tmp_path / "nobodysaidthis.txt"
    file.write_bytes(b"")
    spots = ResidueSearch([OTHER]).in_file(file).spots
    assert [spot.spot for spot in spots] == [NAME]


def test_an_extended_attribute_is_a_place_too(tmp_path: Path) -> None:
    """Its name is, and what it holds; the bytes of the file are others, and do not change."""
    file = tmp_path / "some.txt"
    file.write_text("something else", "utf-8")
    require_attributes(file)
    search = ResidueSearch([VALUE, OTHER])
    assert search.in_file(file).spots == ()
    os.setxattr(file, "user.text", VALUE.text.encode("utf-16-le"))
    os.setxattr(file, f"user.{OTHER.text}", b"")
    assert {(spot.label, spot.form, spot.spot) for spot in search.in_file(file).spots} == {
        ("v1", "UTF-16-LE", ATTRIBUTE),
        ("v2", "plain text", ATTRIBUTE),
    }


@pytest.mark.parametrize("form", FORMS)
def test_what_stands_in_a_longer_text_of_somebody_else_is_not_met(form: str, tmp_path: Path) -> None:
    """In no form; beside it, and by itself, it is."""
    file = tmp_path / "some.dat"
    longer = f"{VALUE.text}s Enkel"
    file.write_bytes(b"before it: " + FORMS[form](longer) + b" ;behind it")
    search = ResidueSearch([replace(VALUE, within=(longer,)), OTHER])
    assert search.in_file(file).spots == ()
    assert {spot.label for spot in ResidueSearch([VALUE]).in_file(file).spots} == {"v1"}
    file.write_bytes(b"before it: " + FORMS[form](longer) + b" between ; " + FORMS[form](VALUE.text))
    assert {spot.label for spot in search.in_file(file).spots} == {"v1"}


@given(data=st.binary(max_size=400))
def test_nothing_is_found_in_what_says_nothing(data: bytes) -> None:
    """Bytes by chance hold no canary."""
    assert not ResidueSearch([VALUE, OTHER]).in_text([data.decode("latin-1")])


def _database(file: Path, *, wal: bool = False) -> sqlite3.Connection:
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA secure_delete = OFF")
    if wal:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
    database.execute("CREATE TABLE facts (id, text)")
    return database


def test_a_row_of_sqlite_is_told_from_what_deleting_left(tmp_path: Path) -> None:
    """The same bytes lie in a row, then in freed space of a page that holds other rows."""
    file = tmp_path / "some.db"
    search = ResidueSearch([VALUE])
    with closing(_database(file)) as database:
        database.executemany("INSERT INTO facts VALUES (?, ?)", [(1, VALUE.text), (2, "stays")])
        assert {spot.spot for spot in search.in_file(file).spots} == {"a row of facts"}
        database.execute("DELETE FROM facts WHERE id = 1")
    assert {spot.spot for spot in search.in_file(file).spots} == {"freed space in a page, in no row"}


def test_a_free_page_is_named(tmp_path: Path) -> None:
    """A table that is dropped leaves whole pages."""
    file = tmp_path / "some.db"
    with closing(_database(file)) as database:
        rows = [(number, f"{VALUE.text} {'.' * 3000}") for number in range(4)]
        database.executemany("INSERT INTO facts VALUES (?, ?)", rows)
        database.execute("DROP TABLE facts")
    assert "a free page" in {spot.spot for spot in ResidueSearch([VALUE]).in_file(file).spots}


@pytest.mark.parametrize("before", [4000, 4030, 8150])
def test_a_row_that_lies_in_several_pages_is_read(before: int, tmp_path: Path) -> None:
    """Where the value is cut by the end of a page no byte of the file shows it whole."""
    file = tmp_path / "some.db"
    long_value = Sought("v1", "sentence", "what somebody said of somebody else, " * 3)
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE notes (text)")
        for shift in range(0, 120, 20):
            database.execute("INSERT INTO notes VALUES (?)", ("x" * (before + shift) + long_value.text,))
        database.commit()
    spots = ResidueSearch([long_value]).in_file(file).spots
    assert ("v1", "a row of notes") in {(spot.label, spot.spot) for spot in spots}


def test_a_log_is_read_with_its_database_and_by_itself(tmp_path: Path) -> None:
    """What is written and not checkpointed is a row; what is deleted then still stands in frames of the log."""
    file = tmp_path / "some.db"
    log = tmp_path / "some.db-wal"
    search = ResidueSearch([VALUE])
    with closing(_database(file, wal=True)) as database:
        database.execute("INSERT INTO facts VALUES (1, ?)", (VALUE.text,))
        assert {spot.spot for spot in search.in_file(file).spots} == {"a row of facts"}
        database.execute("DELETE FROM facts")
        assert search.in_file(file).spots == ()
        assert {spot.form for spot in search.in_file(log).spots} == {"plain text"}


@given(cut=st.integers(0, 8192), noise=st.binary(min_size=1, max_size=64))
@example(cut=4056, noise=b"\x80")
def test_a_broken_database_is_bytes(cut: int, noise: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Wherever a file is spoilt, it is looked through all the same."""
    folder = tmp_path_factory.mktemp("broken")
    with closing(_database(folder / "whole.db")) as database:
        database.execute("INSERT INTO facts VALUES (1, 'something else')")
    data = bytearray((folder / "whole.db").read_bytes())
    data[cut : cut + len(noise)] = noise
    broken = folder / "broken.db"
    broken.write_bytes(bytes(data) + OTHER.text.encode())
    assert {spot.label for spot in ResidueSearch([OTHER]).in_file(broken).spots} == {"v2"}


def test_what_is_packed_otherwise_is_named(tmp_path: Path) -> None:
    """Zstandard is not unpacked here, and whoever reads is told."""
    file = tmp_path / "some.zst"
    file.write_bytes(b"\x28\xb5\x2f\xfd and so on")
    assert unread_codecs(file) == ("Zstandard",)
    file.write_bytes(b"nothing of the kind")
    assert unread_codecs(file) == ()


def test_texts_are_looked_for_whole_and_by_sentence() -> None:
    """A chunker cuts texts; a short sentence may be anybody's."""
    sought = sought_in(["Ada lives in Veldrup since March. Yes. She rows on the lake there.", " "])
    assert [(each.label, each.kind) for each in sought] == [
        ("t1", "text"),
        ("t1.1", "sentence"),
        ("t1.2", "sentence"),
    ]
