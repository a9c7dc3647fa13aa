"""The objects of a long JSON list one by one, cut out of the file as they come: faster than from events.

What is not plainly such a list is left to a strict reader, which says what is wrong with a file, and where.
"""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_PIECE: Final = 4 << 20
_LONGEST: Final = 256 << 20
"""Characters of an object that is read here."""
_TAIL: Final = 12
"""Characters before the end of a text within which a value may be cut short: ``-Infinit``, ``\\\\u00e``."""
_SPACE: Final = " \t\n\r"
_HALVES: Final = "\\ud", "\\uD"
"""How an escape begins that may be half of a pair, which readers understand differently."""


class UnsureError(ValueError):
    """A list that is left to another reader."""


def objects_of(handle: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; only one is held at a time, beside some MB of the file.

    Raises:
        UnsureError: What follows is not plainly an object of a list of objects, or the list's end.
    """
    source = _Cutter(handle)
    source.expect("[")
    if source.next() != "]":
        yield source.object()
        while source.next() == ",":
            source.expect(",")
            yield source.object()
    source.expect("]")
    if source.next():
        raise UnsureError


class _Cutter:
    """The text of a file, from the place on that is being read."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self._decode = codecs.getincrementaldecoder("utf-8")("strict").decode
        self._text = ""
        self._place = 0
        self._usual = 0
        """Letters that may be needed for the next object: to try with fewer would be to read it twice."""
        self._ended = False

    def next(self) -> str:
        """Go to the next character that is no space, and return it; an empty text is the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _SPACE:
                self._place += 1
            if self._place < len(self._text) or not self._more(_PIECE):
                return self._text[self._place : self._place + 1]

    def expect(self, mark: str) -> None:
        """Go past *mark*."""
        if self.next() != mark:
            raise UnsureError
        self._place += 1

    def object(self) -> dict[str, Any]:
        """Read one object."""
        if self.next() != "{":
            raise UnsureError
        piece_size = _PIECE
        if len(self._text) - self._place < self._usual:
            self._more(_PIECE)
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
                break
            except json.JSONDecodeError as error:
                is_cut = error.pos >= len(self._text) - _TAIL or error.msg.startswith("Unterminated string")
                if not is_cut or len(self._text) > _LONGEST or not self._more(piece_size):
                    raise UnsureError from None
                piece_size *= 2  # so that what is read again is at most as much as what is new
            except (RecursionError, ValueError):  # the latter is the limit of the interpreter on digits
                raise UnsureError from None
        if self._escaped(end) and _halved(value):
            raise UnsureError
        self._usual = min(2 * (end - self._place), _PIECE)
        self._place = end
        return dict(value)

    def _escaped(self, end: int) -> bool:
        """Whether what lies before *end* may spell half a surrogate pair; most objects have no escape at all."""
        escape = self._text.find("\\", self._place, end)
        return escape >= 0 and any(self._text.find(half, escape, end) >= 0 for half in _HALVES)

    def _more(self, size: int) -> bool:
        """Read on; say whether there was more."""
        if self._ended:
            return False
        piece = self._handle.read(size)
        self._ended = not piece
        try:
            self._text = self._text[self._place :] + self._decode(piece, self._ended)
        except UnicodeDecodeError:
            raise UnsureError from None
        self._place = 0
        return bool(piece)


def _refuse(_: str) -> NoReturn:
    raise UnsureError


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def _halved(value: object) -> bool:
    """Whether any text holds half a surrogate pair."""
    return any("\ud800" <= mark <= "\udfff" for mark in json.dumps(value, ensure_ascii=False))
