"""Runs: values written as digits and letters of an encoding, of which a text or a file holds whole runs."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from memgauge.text.archives import inflated, tried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_BREAK = rb"(?:\\[rn]|[\r\n]){0,2}(?:\\(?=/))?"
"""What may stand between two characters of base64: a new line, and in JSON the escapes of one and of a slash."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-](?:" + _BREAK + rb"[A-Za-z0-9+/_-]){7,}={0,2}")
_NO_BASE64 = re.compile(rb"\\[rn]|[\r\n=\\]")
_BASE32 = re.compile(rb"(?<![A-Z2-7])[A-Z2-7]{8,}={0,6}", re.IGNORECASE)
_BASE85 = re.compile(rb"[!-u]{8,}|[0-9A-Za-z!#$%&()*+\-;<=>?@^_`{|}~]{8,}")
_HEX = re.compile(rb"(?:[0-9a-f]{2}[ :,-]?|(?:\\x|0x|%)[0-9a-f]{2},? ?){6,}", re.IGNORECASE)
_NOT_HEX = re.compile(rb"\\x|0x|[^0-9a-f]", re.IGNORECASE)
_DUMP_LINE = re.compile(
    rb"^ *[0-9a-f]{6,8}:? +((?:[0-9a-f]{2}){1,2}(?: {1,2}(?:[0-9a-f]{2}){1,2}){0,15})",
    re.IGNORECASE | re.MULTILINE,
)
_DUMP = re.compile(
    rb"(?:^ *[0-9a-f]{6,8}:? +(?:[0-9a-f]{2}){1,2} [^\r\n]*(?:\r?\n|\Z)){2,}", re.IGNORECASE | re.MULTILINE
)
"""Lines of `xxd` or `hexdump`: a place, up to sixteen bytes, and often the same as letters."""
_DIGITS = re.compile(rb"(?:\d{2,3}[ ,;]+ ?){5,}\d{2,3}")
_BITS = re.compile(rb"(?:[01]{8}[ ,]?){6,}")
_MARKS = re.compile(rb"[^\w\s.,'-]")
_FEWEST_MARKS = 2
"""Marks among the characters of a run that may be base85; prose and ids have fewer."""


def _from_base64(run: bytes) -> Iterator[bytes]:
    standard = _NO_BASE64.sub(b"", run).translate(bytes.maketrans(b"-_", b"+/"))
    if standard[1:] == standard[1:].lower():
        return  # a word, a number or an id: what is encoded has capitals somewhere
    yield from tried(inflated, base64.b64decode(standard[: len(standard) // 4 * 4]))
    for start in range(4):
        cut = standard[start:]
        cut = cut[:-1] if len(cut) % 4 == 1 else cut
        yield base64.b64decode(cut + b"=" * (-len(cut) % 4))


def _from_hex(run: bytes) -> Iterator[bytes]:
    digits = _NOT_HEX.sub(b"", run)
    yield bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
    yield bytes.fromhex(digits[1 : (len(digits) - 1) // 2 * 2 + 1].decode())


def _from_dump(run: bytes) -> Iterator[bytes]:
    lines = (_NOT_HEX.sub(b"", match[1])[:32] for match in _DUMP_LINE.finditer(run))
    yield b"".join(bytes.fromhex(digits[: len(digits) // 2 * 2].decode()) for digits in lines)


def _from_digits(run: bytes) -> Iterator[bytes]:
    yield bytes(int(part) % 256 for part in re.findall(rb"\d+", run))


def _from_bits(run: bytes) -> Iterator[bytes]:
    yield bytes(int(part, 2) for part in re.findall(rb"[01]{8}", run))


def _from_base32(run: bytes) -> Iterator[bytes]:
    cut = run.rstrip(b"=").upper()
    cut = cut[: len(cut) - {1: 1, 3: 1, 6: 1}.get(len(cut) % 8, 0)]
    yield from tried(base64.b32decode, cut + b"=" * (-len(cut) % 8))


def _from_base85(run: bytes) -> Iterator[bytes]:
    if len(_MARKS.findall(run)) >= _FEWEST_MARKS:
        for decode in (base64.a85decode, base64.b85decode):
            yield from tried(decode, run)


RUNS: Mapping[str, tuple[re.Pattern[bytes], Callable[[bytes], Iterator[bytes]]]] = {
    "base64": (_BASE64, _from_base64),
    "hex": (_HEX, _from_hex),
    "a hex dump": (_DUMP, _from_dump),
    "bytes in decimal": (_DIGITS, _from_digits),
    "bits": (_BITS, _from_bits),
    "base32": (_BASE32, _from_base32),
    "base85": (_BASE85, _from_base85),
}
"""By the name of each encoding, how a run of it looks, and what it may say: each reading of it."""
