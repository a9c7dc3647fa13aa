"""Archives: what compressed data says, by how it begins, within bounds."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zipfile
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LARGEST = 1 << 26
"""Bytes that one packed run may become."""
_MAGIC: Mapping[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", lambda data: zlib.decompressobj(31).decompress(data, LARGEST)),
    b"BZh": ("bzip2", lambda data: bz2.BZ2Decompressor().decompress(data, LARGEST)),
    b"\xfd7zXZ": ("xz", lambda data: lzma.LZMADecompressor().decompress(data, LARGEST)),
    b"]\0\0": ("lzma", lambda data: lzma.LZMADecompressor().decompress(data, LARGEST)),
    b"PK\x03\x04": ("zip", lambda data: _unzipped(data)),  # noqa: PLW0108 - it stands further down
    **dict.fromkeys(
        (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda"),
        ("zlib", lambda data: zlib.decompressobj().decompress(data, LARGEST)),
    ),
}
"""By how packed data begins, what packed it, and what unpacks it."""
CHECKED = frozenset({"gzip", "bzip2", "xz", "zip"})
"""What is known to be whole by sums of its own, so that it need not read as UTF-8."""
PACKED = re.compile(b"|".join(map(re.escape, _MAGIC)))
"""How packed data begins."""
_FAILURES = (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError, zipfile.BadZipFile, NotImplementedError)


def decompressed(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what lies compressed anywhere in *data*, or makes up all of it, with the name of what packed it."""
    for match in PACKED.finditer(data):
        codec, decode = _MAGIC[match[0]]
        yield from ((codec, run) for run in tried(decode, data[match.start() :]))
    if data[:1] and not data[:64].isascii():
        yield from (("deflate", run) for run in tried(inflated, data))


def inflated(data: bytes) -> bytes:
    """Unpack a bare deflate stream, which nothing announces."""
    return zlib.decompressobj(-15).decompress(data, LARGEST)


def tried(decode: Callable[[bytes], bytes], data: bytes) -> Iterator[bytes]:
    """Yield what *decode* makes of *data*, or nothing where it cannot."""
    try:
        yield decode(data)
    except _FAILURES:
        return


def _unzipped(data: bytes) -> bytes:
    parts: list[bytes] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                parts.append(member.read(LARGEST - sum(map(len, parts))))
    return b"\n".join(parts)
