"""Forms: every way in which a value can be written so that who looks for it plainly does not see it.

What a text or a file may hide is unpacked once, whatever is then looked for in it; so the cost does not grow with
the number of values.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.text.archives import CHECKED, PACKED, decompressed
from memgauge.text.disguises import unfolded
from memgauge.text.encoded_runs import RUNS
from memgauge.text.escapes import CHANGES, spaced_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DEPTH = 4
"""How many forms may lie in each other: compressed, in base64, in JSON, in a URL."""
_LEAST = 4
"""Bytes that say something."""
_SHORTEST = 8
"""Characters that it takes to hide a value in them."""
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_]([^\w]{1,3}|_)(?:[^\W_]\1){4,}[^\W_])(?![^\W_])")
_EMPTY = bytes(16)
_UNWRITTEN = re.compile(rb"\0{16,}")
_AROUND = 32
"""Bytes beside a mark that say whether it stands in a text."""
_SHORT_RUN = 1 << 12
"""Bytes of a run of which is kept what it says."""


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
            if inner in depth_left or not (codec in CHANGES or codec in CHECKED or _says_something(inner)):
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
    if PACKED.match(data):
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
    yield from decompressed(data)
    for codec, (mark, change) in CHANGES.items():
        if mark.search(data) and not (deep and codec == "quoted-printable"):
            yield from ((codec, changed) for part in _marked(data, mark) for changed in change(part))
    if not deep and b"=" in data and b"_" in data and _says_something(data):
        yield from (("quoted-printable", spaced_words(part)) for part in _written_parts(data) if b"_" in part)
    for codec, (pattern, decode) in RUNS.items():
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


@lru_cache(maxsize=65_536)
def _decoded(decode: Callable[[bytes], Iterator[bytes]], run: bytes) -> tuple[bytes, ...]:
    """Return what a run may say; in a store that grows it is met again and again."""
    return tuple(filter(_says_something, decode(run)))


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
