"""Forms: a value is found however it was written, and nothing is found where none stands."""

from __future__ import annotations

import base64
import binascii
import bz2
import codecs
import gzip
import html
import json
import lzma
import quopri
import zlib
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from memgauge.studies.golden.tokens import index_of
from memgauge.text import disguises
from memgauge.text.escapes import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable

WORD, CODE = "Zqkapakuvo", "BQ-534526"
OTHERS = ("Zqlomirake", "KD-118276")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


SENTENCES = ("{}", "My bank is {}.", "All my banks: {}, remember?", "bank={};id=77")
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "zlib": zlib.compress,
    "zlib fast": lambda data: zlib.compress(data, 1),
    "zlib best": lambda data: zlib.compress(data, 9),
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
    "deflate": _deflated,
}
WRITTEN: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper case": str.upper,
    "lower case": str.casefold,
    "full width": disguises.fullwidth,
    "homoglyphs": disguises.homoglyphs,
    "tag characters": disguises.tags,
    "mirrored": disguises.mirrored,
    "zero width": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "joiners": "\u200d".join,
    "selectors": "\ufe0f".join,
    "spaced": " ".join,
    "dotted": ".".join,
    "dashed": "-".join,
    "underscored": "_".join,
    "comma separated": ", ".join,
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "hex": lambda text: text.encode().hex(),
    "hex upper": lambda text: text.encode().hex().upper(),
    "hex spaced": lambda text: text.encode().hex(" "),
    "hex colons": lambda text: text.encode().hex(":"),
    "hex 0x": lambda text: "0x" + text.encode().hex(),
    "hex \\x": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "hex utf-16": lambda text: text.encode("utf-16-le").hex(),
    "decimal": lambda text: " ".join(str(byte) for byte in text.encode()),
    "decimal list": lambda text: json.dumps(list(text.encode())),
    "binary": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()),
    "octal": lambda text: "".join(f"\\{byte:03o}" for byte in text.encode()),
    "base64": lambda text: _b64(text.encode()),
    "base64 url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 lines": lambda text: base64.encodebytes((text + " " * 70).encode()).decode(),
    "base64 twice": lambda text: _b64(_b64(text.encode()).encode()),
    "base64 utf-16": lambda text: _b64(text.encode("utf-16-le")),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base85": lambda text: base64.b85encode(text.encode()).decode(),
    "ascii85": lambda text: base64.a85encode(text.encode()).decode(),
    "url": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "url ordinary": quote,
    "url twice": lambda text: quote("".join(f"%{byte:02X}" for byte in text.encode())),
    "entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "entities hex": lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    "html": html.escape,
    "json escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "json in json": lambda text: json.dumps(json.dumps({"text": text})),
    "quoted printable": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    "quoted printable ordinary": lambda text: quopri.encodestring(text.encode()).decode(),
    "uuencoded hex": lambda text: binascii.hexlify(text.encode()).decode(),
    "base64 of hex": lambda text: _b64(text.encode().hex().encode()),
    "hex of base64": lambda text: _b64(text.encode()).encode().hex(),
    "json of base64": lambda text: json.dumps({"blob": _b64(text.encode())}),
    "base64 of json": lambda text: _b64(json.dumps({"text": text}).encode()),
    "reversed base64": lambda text: _b64(text[::-1].encode()),
    "rot13 base64": lambda text: _b64(codecs.encode(text, "rot13").encode()),
    "url of base64": lambda text: quote(_b64(text.encode()), safe=""),
    **{f"{how} in base64": lambda text, pack=pack: _b64(pack(text.encode())) for how, pack in PACKED.items()},  # type: ignore[misc]
    **{f"{how} in hex": lambda text, pack=pack: pack(text.encode()).hex() for how, pack in PACKED.items()},  # type: ignore[misc]
}
SPELLED_OUT = {"spaced", "dotted", "dashed", "underscored", "comma separated"}
"""What is told from ordinary words only where the value stands alone."""


@pytest.mark.parametrize("value", [WORD, CODE])
@pytest.mark.parametrize("how", WRITTEN)
def test_a_value_is_found_however_it_was_written(how: str, value: str) -> None:
    """No form hides it, and no other value is seen in its place."""
    for sentence in SENTENCES if how not in SPELLED_OUT else SENTENCES[:1]:
        said = "Note: " + WRITTEN[how](sentence.format(value)) + " (end)"
        assert index_of(frozenset({value, *OTHERS})).shown(said).keys() == {value}, said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Zqkapaku Zqlomirako nothing else BQ-534527 " * 20,
        json.dumps([number / 7 for number in range(500)]),
        "a" * 5000,
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=" * 40,
        "\x1f\x8b\x08 is how gzip begins, and x\x9c zlib",
        "%%%&&&\\u\\x\\ =3 =ZZ &#xZZ; &#999999999; \\u{110000}",
        "5345 26 BQ of 534 and 526",
    ],
)
def test_nothing_is_found_where_nothing_stands(text: str) -> None:
    """Neither parts nor noise are values, and nothing that is malformed is an error."""
    assert index_of(frozenset({WORD, CODE, "534526"})).shown(text) == {}


def test_a_form_says_that_it_is_another() -> None:
    """What stands there plainly as well is no hidden value."""
    index = index_of(frozenset({WORD}))
    assert index.shown(f"{WORD} {WORD[::-1]}") == {WORD: False}
    assert index.shown(WORD[::-1]) == {WORD: True}


def test_what_json_escapes_is_read_by_its_four_digits() -> None:
    """Letters behind an escape are letters, hexadecimal or not; a quote is one however often it was escaped."""
    assert unescaped(json.dumps("Zqg\u00eddodide")) == '"Zqg\u00eddodide"'
    assert unescaped("\\u{1f483}face") == "\U0001f483face"
    assert unescaped(json.dumps(json.dumps('O\'Hara "Bo"'))) == '""O\'Hara "Bo"""'
