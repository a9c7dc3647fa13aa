"""Titles and labels that readers take for another's: the same letters, or letters of two alphabets in one word."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from memgauge.submissions.checks.rulings import refuse
from memgauge.submissions.layout import SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

_WORD: Final = re.compile(r"[^\W\d_]+")
_FIRST: Final = re.compile(r"[\s,:]")
"""What ends the first name of a label."""
_ALPHABETS: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")
"""Those whose letters are drawn alike."""


def titles_of_their_own(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse a product whose title, or rows whose label, reads as that of another one."""
    product = subject.product
    if product is None:
        return
    file = f"registry/products/{product.name}.toml"
    for field, text in (("title", product.title), ("vendor", product.vendor)):
        mixed = next((word for word in _WORD.findall(text) if len(_alphabets(word)) > 1), None)
        if mixed is not None:
            alphabets = " and ".join(sorted(_alphabets(mixed))).lower()
            yield refuse(
                file, f"{mixed!r} mixes {alphabets} letters.", "Write it in letters of one alphabet.", field
            )
    others = (each for each in subject.repository.products.values() if each.name != product.name)
    namesake = next((each for each in others if _letters(each.title) == _letters(product.title)), None)
    if namesake is not None:
        yield refuse(file, f"is the title of {namesake.name}.", "Choose one that tells them apart.", "title")
    first = _FIRST.split(subject.sheet.label, maxsplit=1)[0].casefold()
    if first != product.name and first in subject.repository.products:
        yield refuse(
            SHEET, f"begins with {first!r}, which is another product.", f"Call it {product.name}.", "label"
        )


def _alphabets(word: str) -> set[str]:
    names = (unicodedata.name(letter, "").partition(" ")[0] for letter in unicodedata.normalize("NFKC", word))
    return {name for name in names if name in _ALPHABETS}


def _letters(title: str) -> str:
    """Return what a reader tells titles apart by: letters and digits, without case, accents and width."""
    bare = unicodedata.normalize("NFKD", title).casefold()
    return "".join(letter for letter in bare if letter.isalnum())
