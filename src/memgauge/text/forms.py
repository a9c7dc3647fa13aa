"""Forms: every way in which a value can be written so that who looks for it plainly does not see it.

What a text or a file may hide is unpacked once, whatever is then looked for in it; so the cost does not grow with
the number of values.
"""

from __future__ import annotations

import base64
import bz2
import codecs
import html
import io
import lzma
import quopri
import re
import zipfile
import zlib
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from memgauge.text.disguises import unfolded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

DEPTH = 4
"""How many forms may lie in each other: compressed, in base64, in JSON, in a URL."""
_LEAST = 4
"""Bytes that say something."""
_SHORTEST = 8
"""Characters that it takes to hide a value in them."""
LARGEST = 1 << 26
"""Bytes that one packed run may become."""
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
_ESCAPE = re.compile(
    r"\\u(?:\{(?P<any>[0-9a-fA-F]{1,6})\}|(?P<four>[0-9a-fA-F]{4}))|\\x(?P<two>[0-9a-fA-F]{2})|"
    r"\\(?P<eight>[0-7]{3})|\\+(?P<quote>\")"
)
_RTF = re.compile(rb"\\u(?P<point>-?\d{3,5}) ?\?|\\'(?P<byte>[0-9a-fA-F]{2})")
"""Letters of RTF: by their number in Unicode, or a byte of a character set that it names elsewhere."""
_HALVES = re.compile("[\ud800-\udfff]")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_]([^\w]{1,3}|_)(?:[^\W_]\1){4,}[^\W_])(?![^\W_])")
_LETTERS = re.compile(rb"[A-Za-z]{5,}")
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
_CHECKED = frozenset({"gzip", "bzip2", "xz", "zip"})
"""What is known to be whole by sums of its own, so that it need not read as UTF-8."""
_PACKED = re.compile(b"|".join(map(re.escape, _MAGIC)))
_FAILURES = (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError, zipfile.BadZipFile, NotImplementedError)


def _unzipped(data: bytes) -> bytes:
    parts: list[bytes] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                parts.append(member.read(LARGEST - sum(map(len, parts))))
    return b"\n".join(parts)


@dataclass(frozen=True)
class HiddenForms:
    """What a text may say in another form than its own."""

    turned: tuple[str, ...]
    """The same letters, turned round, spaced out or folded."""
    decoded: tuple[str, ...]


@lru_cache(maxsize=65_536)
def hidden(text: str) -> HiddenForms:
    """Return what *text* may say in another form than its own: unpacked, decoded, unfolded, turned round."""
    if len(text) < _SHORTEST:
        return HiddenForms((), ())
    inner = decoded(text.encode("utf-8", "replace"))
    return HiddenForms(
        tuple(dict.fromkeys(form for spelling in (text, *inner) for form in turned(spelling))), inner
    )


def decoded(data: bytes) -> tuple[str, ...]:
    """Return as text what lies packed or encoded in *data*; of what is short it is kept."""
    return (_decoded_short if len(data) <= _SHORT_RUN else _decoded_short.__wrapped__)(data)


@lru_cache(maxsize=65_536)
def _decoded_short(data: bytes) -> tuple[str, ...]:
    return tuple(dict.fromkeys(as_text(packed.data) for packed in unpacked(data)))


def as_text(data: bytes) -> str:
    """Read bytes as text; what is UTF-16 or UTF-32 is read as its letters."""
    if b"\0" in data:
        return " ".join((data.decode("utf-8", "replace"), data.replace(b"\0", b"").decode("utf-8", "replace")))
    return data.decode("utf-8", "replace")


@dataclass(frozen=True)
class PackedData:
    """What lay packed or encoded in other bytes."""

    codecs: tuple[str, ...]
    """By which it was, the outermost first."""
    data: bytes


def unpacked(data: bytes) -> Iterator[PackedData]:
    """Yield what lies packed or encoded in *data*, and in that, to a depth; each once, by its shortest way."""
    depth_left, waiting = {data: DEPTH}, deque([PackedData((), data)])
    while waiting:
        outer = waiting.popleft()
        depth = depth_left[outer.data] - 1
        for codec, inner in _decodings(outer.data, deep=depth + 1 < DEPTH):
            if inner in depth_left or not (codec in _CHANGES or codec in _CHECKED or _says_something(inner)):
                continue
            packed = PackedData((*outer.codecs, codec), inner)
            yield packed
            depth_left[inner] = depth
            if depth and len(inner) >= _SHORTEST:
                waiting.append(packed)


def _says_something(data: bytes) -> bool:
    """Whether bytes can be text, or packed once more; most of what decodes is neither."""
    if len(data) < _LEAST:
        return False
    if _PACKED.match(data):
        return True
    return _is_text(data[:512])


def _is_text(data: bytes) -> bool:
    """Whether more than half of *data* can be read: noise has letters of several bytes too, few in a row."""
    head = data.replace(b"\0", b"")
    text = head.decode("utf-8", "ignore")
    legible = sum(map(str.isprintable, text))
    if legible * 2 > len(head) or text.isascii():
        return legible * 2 > len(head)
    return len(text.encode()) * 8 > len(head) * 7 and legible * 2 > len(text)


def _decodings(data: bytes, *, deep: bool) -> Iterator[tuple[str, bytes]]:
    yield from _decompressed(data)
    for codec, (mark, change) in _CHANGES.items():
        if mark.search(data) and not (deep and codec == "quoted-printable"):
            yield from ((codec, changed) for part in _marked(data, mark) for changed in change(part))
    if not deep and b"=" in data and b"_" in data and _says_something(data):
        yield from (("quoted-printable", _spaced_words(part)) for part in _written_parts(data) if b"_" in part)
    for codec, (pattern, decode) in _RUNS.items():
        for match in pattern.finditer(data):
            runs = (_decoded if len(match[0]) <= _SHORT_RUN else _decoded.__wrapped__)(decode, match[0])
            yield from ((codec, run) for run in runs)


def _marked(data: bytes, mark: re.Pattern[bytes]) -> Iterator[bytes]:
    """Yield the parts of *data* in which *mark* stands: among letters, or anywhere in what begins as text."""
    readable = _says_something(data)
    for part in _written_parts(data):
        spans = (match.span() for match in mark.finditer(part))
        if any(readable or _is_text(part[max(0, start - _AROUND) : end + _AROUND]) for start, end in spans):
            yield part


def _written_parts(data: bytes) -> Iterable[bytes]:
    """Return what stands in *data* between what was never written."""
    return _UNWRITTEN.split(data) if _EMPTY in data else (data,)


def _spaced_words(data: bytes) -> bytes:
    """Read the underscores of a header as the spaces that they are: a number or a day may stand between them."""
    return quopri.decodestring(data, header=True)


@lru_cache(maxsize=65_536)
def _decoded(decode: Callable[[bytes], Iterator[bytes]], run: bytes) -> tuple[bytes, ...]:
    """Return what a run may say; in a store that grows it is met again and again."""
    return tuple(filter(_says_something, decode(run)))


def _decompressed(data: bytes) -> Iterator[tuple[str, bytes]]:
    for match in _PACKED.finditer(data):
        codec, decode = _MAGIC[match[0]]
        yield from ((codec, run) for run in _tried(decode, data[match.start() :]))
    if data[:1] and not data[:64].isascii():
        yield from (("deflate", run) for run in _tried(_inflated, data))


def _inflated(data: bytes) -> bytes:
    return zlib.decompressobj(-15).decompress(data, LARGEST)


def _from_base64(run: bytes) -> Iterator[bytes]:
    standard = _NO_BASE64.sub(b"", run).translate(bytes.maketrans(b"-_", b"+/"))
    if standard[1:] == standard[1:].lower():
        return  # a word, a number or an id: what is encoded has capitals somewhere
    yield from _tried(_inflated, base64.b64decode(standard[: len(standard) // 4 * 4]))
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
    yield from _tried(base64.b32decode, cut + b"=" * (-len(cut) % 8))


def _from_base85(run: bytes) -> Iterator[bytes]:
    if len(_MARKS.findall(run)) >= _FEWEST_MARKS:
        for decode in (base64.a85decode, base64.b85decode):
            yield from _tried(decode, run)


_RUNS: Mapping[str, tuple[re.Pattern[bytes], Callable[[bytes], Iterator[bytes]]]] = {
    "base64": (_BASE64, _from_base64),
    "hex": (_HEX, _from_hex),
    "a hex dump": (_DUMP, _from_dump),
    "bytes in decimal": (_DIGITS, _from_digits),
    "bits": (_BITS, _from_bits),
    "base32": (_BASE32, _from_base32),
    "base85": (_BASE85, _from_base85),
}
_CHANGES: Mapping[str, tuple[re.Pattern[bytes], Callable[[bytes], Iterable[bytes]]]] = {
    "percent signs": (re.compile(rb"%[0-9A-Fa-f]{2}"), lambda part: [unquote_to_bytes(part)]),
    "quoted-printable": (
        re.compile(rb"=(?:[0-9A-Fa-f]{2}|[ \t]*\r?\n|[\r?=])"),
        lambda part: [quopri.decodestring(part), _spaced_words(part)],
    ),
    "RTF": (
        _RTF,
        lambda part: [_RTF.sub(lambda match: _rtf_character(match), part)],  # noqa: PLW0108 - it stands further down
    ),
    "escapes": (
        re.compile(rb"&[#A-Za-z]|\\(?:[ux]|[0-7]{3}|\\*\")"),
        lambda part: [unescaped(part.decode("utf-8", "replace")).encode("utf-8", "replace")],
    ),
}
"""What changes single characters: by what it is seen, and what the text around it then says."""
_EMPTY = bytes(16)
_UNWRITTEN = re.compile(rb"\0{16,}")
_AROUND = 32
"""Bytes beside a mark that say whether it stands in a text."""
_SHORT_RUN = 1 << 12
"""Bytes of a run of which is kept what it says."""
_MARKS = re.compile(rb"[^\w\s.,'-]")
_FEWEST_MARKS = 2
"""Marks among the characters of a run that may be base85; prose and ids have fewer."""


def _tried(decode: Callable[[bytes], bytes], data: bytes) -> Iterator[bytes]:
    try:
        yield decode(data)
    except _FAILURES:
        return


def unescaped(text: str) -> str:
    """Return *text* with the characters that HTML and JSON write by their numbers."""
    if "&" in text:
        text = html.unescape(text)
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_character, text)  # JSON writes what lies beyond the first plane as two halves
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALVES.search(text) else text


def _rtf_character(match: re.Match[bytes]) -> bytes:
    if match["byte"]:
        return bytes.fromhex(match["byte"].decode())
    return chr(int(match["point"]) % 0x10000).encode("utf-8", "replace")


def _character(match: re.Match[str]) -> str:
    if match["quote"]:
        return match["quote"]
    hexadecimal = match["any"] or match["four"] or match["two"]
    point = int(hexadecimal, 16) if hexadecimal else int(match["eight"], 8)
    return chr(point) if point < 0x110000 else match[0]


def turned(text: str) -> Iterator[str]:
    """Yield *text* as it reads when what hides its letters is taken away."""
    plain = text if text.isascii() else unfolded(text)
    if plain != text:
        yield plain
    yield plain[::-1]
    yield codecs.encode(plain, "rot13")
    closed_up = _SPACED.sub(lambda run: run[0].replace(run[1], ""), plain)
    if closed_up != plain:
        yield closed_up
