"""Values in bytes: which of them stand there, and in which form each is written."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.text.archives import LARGEST
from memgauge.text.encodings import COMPOSED, FOLDED, PLAIN, encodings, national
from memgauge.text.forms import as_text, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.studies.erasure.values import Sought

UNPACKED: Final = 1 << 24
"""Bytes in which is looked for what lies packed, or in a character set of one script."""
CLOSED: Final = "letters alone"
"""The form of a value of which spaces, marks or case were changed."""
_JOINTS = re.compile(r"[\W_]+")
_LEAST_CLOSED: Final = 8
_SHIFTS = re.compile(rb"[+\x1b]")
"""What leads from ASCII to other letters in sets of seven bits."""
_WHOLE: Final = frozenset({"percent signs", "quoted-printable", "escapes", "RTF"})
"""Codecs that write most of a text as it is: what stands there already is not met again."""


@dataclass(frozen=True)
class MetForm:
    """A value in the form in which it was met, and where its bytes begin; nowhere where it lay packed."""

    label: str
    form: str
    at: tuple[int, ...] = ()


@dataclass(frozen=True)
class FormsMet:
    """What was met in some bytes."""

    forms: tuple[MetForm, ...]
    cut: tuple[str, ...]
    """How that is packed of which only the beginning was unpacked, since all of it is too large."""


class SpelledValues:
    """Looks for the same values in bytes again and again."""

    def __init__(self, sought: Sequence[Sought]) -> None:
        self._sought = tuple(sought)
        self._codes = {each.label: encodings(each.text) for each in sought}
        self._national = {each.label: forms for each in sought if (forms := national(each.text))}
        self._closed = {
            each.label: closed for each in sought if len(closed := _letters(each.text)) >= _LEAST_CLOSED
        }
        others = {each.label: each.within for each in sought if each.within}
        self._others = {label: tuple(map(encodings, within)) for label, within in others.items()}
        self._national_others = {
            label: frozenset(code for other in within for codes in national(other).values() for code in codes)
            for label, within in others.items()
        }
        self._closed_others = {label: tuple(map(_letters, within)) for label, within in others.items()}

    def met_in(self, data: bytes) -> FormsMet:
        """Return each value in each form in which it stands in *data*."""
        direct = [*self._spelt(data), *self._in_scripts(data[:UNPACKED])]
        direct_labels = {form.label for form in direct}
        closed = sorted(self._closed_in(data) - direct_labels)
        met = {(form.label, form.form): form for form in (*direct, *(MetForm(label, CLOSED) for label in closed))}
        seen: set[tuple[tuple[str, ...], str]] = {((), label) for label in (*closed, *direct_labels)}
        cut: dict[str, None] = {}
        for packed in unpacked(data[:UNPACKED]):
            if len(packed.data) >= LARGEST:
                cut[packed.codecs[-1]] = None
            labels = self.labels_in(packed.data)
            seen |= {(packed.codecs, label) for label in labels}
            for label in sorted(labels):
                form = " in ".join(reversed(packed.codecs))
                if packed.codecs[-1] not in _WHOLE or (packed.codecs[:-1], label) not in seen:
                    met.setdefault((label, form), MetForm(label, form))
        return FormsMet(tuple(met.values()), tuple(cut))

    def labels_in(self, data: bytes) -> set[str]:
        """Return the values of which the letters stand in *data*, and of short ones the whole."""
        met = self._closed_in(data) | {form.label for form in self._in_scripts(data[:UNPACKED])}
        for each in self._sought:
            if each.label not in self._closed:
                plain = _blanked(data, [other.encode() for other in each.within])
                codes = self._codes[each.label].get(COMPOSED, frozenset()) | {each.text.encode()}
                met |= {each.label} if any(code in plain for code in codes) else set()
        return met

    def _spelt(self, data: bytes) -> Iterator[MetForm]:
        folded = data.lower()
        for label, codes in self._codes.items():
            tried: set[bytes] = set()
            for form, spelt in codes.items():
                where = folded if form == FOLDED else data
                for others in self._others.get(label, ()):
                    where = _blanked(where, others.get(form, ()))
                at = tuple(place for code in sorted(spelt - tried) for place in _places(where, code))
                if at:
                    yield MetForm(label, form, at)
                # What stands as it is, stands in any case too.
                tried |= spelt | (codes[FOLDED] if form == PLAIN and at else set())

    def _in_scripts(self, data: bytes) -> Iterator[MetForm]:
        """Yield what stands in a character set of one script, by the first that has its bytes."""
        for label, forms in ({} if data.isascii() and not _SHIFTS.search(data) else self._national).items():
            where = _blanked(data, self._national_others.get(label, ()))
            tried: set[bytes] = set()
            for form, codes in forms.items():
                at = tuple(place for code in sorted(codes - tried) for place in _places(where, code))
                tried |= codes
                if at:
                    yield MetForm(label, form, at)

    def _closed_in(self, data: bytes) -> set[str]:
        text = _letters(as_text(data))
        return {label for label, closed in self._closed.items() if closed in self._own(label, text)}

    def _own(self, label: str, letters: str) -> str:
        """Take out of *letters* what holds the value of *label* and is somebody else's."""
        for other in self._closed_others.get(label, ()):
            letters = letters.replace(other, " ")
        return letters


def _blanked(data: bytes, codes: Iterable[bytes]) -> bytes:
    """Write zeros over *codes*, so that all else stands where it stood."""
    for code in codes:
        data = data.replace(code, bytes(len(code)))
    return data


def _letters(text: str) -> str:
    """Return the letters and digits of *text* alone, in one case, however they are composed."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _JOINTS.sub("", text.casefold())


def _places(data: bytes, code: bytes) -> Iterator[int]:
    place = data.find(code)
    while place >= 0:
        yield place
        place = data.find(code, place + 1)
