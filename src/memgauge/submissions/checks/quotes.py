"""Texts of a dataset that belong to others, wherever they stand in a submission, and however they are spelt."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final

from memgauge.errors import UserError
from memgauge.submissions.checks.rulings import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

WORDS: Final = 8
"""So many words in a row are a sentence of somebody, and no name."""
_WORD: Final = re.compile(r"[^\W_]+")
_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})+")


def is_sentence(text: str) -> bool:
    """Whether a string is words of somebody, written out, in base 64 or in base 16."""
    return _sentence(text) or any(map(_sentence, _decoded(text)))


def others_texts(subject: Subject, files: Iterable[Path]) -> Iterator[CheckFinding]:
    """Refuse files beside the bundles that quote a dataset whose texts are not passed on."""
    quoted = _turns(subject)
    if not quoted:
        return
    for path in files:
        text = path.read_text("utf-8", "replace")
        name = path.relative_to(subject.submission.folder).as_posix()
        if any(not quoted.isdisjoint(_in_a_row(each)) for each in (text, *_decoded(text))):
            yield refuse(
                name, "quotes the dataset, which its licence forbids.", "Say it in words of your own.", "text"
            )


def _turns(subject: Subject) -> frozenset[tuple[str, ...]]:
    """Return all words in a row of the turns of datasets that keep their texts, as far as these are at hand."""
    rows = set[tuple[str, ...]]()
    refs = set[str]()
    for named in subject.sheet.runs:
        registered = subject.registered(named)
        dataset = subject.dataset(named)
        if named.dataset_ref in refs or registered is None or registered.texts_public:
            continue
        refs.add(named.dataset_ref)
        if not isinstance(dataset, UserError):
            rows.update(_of_dataset(dataset))
    return frozenset(rows)


def _of_dataset(dataset: Dataset) -> Iterator[tuple[str, ...]]:
    for case in dataset.cases():
        for turn in case.conversation.turns():
            yield from _in_a_row(turn.text)


def _in_a_row(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return zip(*(words[start:] for start in range(WORDS)), strict=False)


def _sentence(text: str) -> bool:
    return len(_WORD.findall(text)) >= WORDS


def _decoded(text: str) -> Iterator[str]:
    """Yield what long runs of letters and digits mean, where they mean letters at all."""
    for coded in _CODED.findall(text):
        raw = bytes.fromhex(coded) if _HEX.fullmatch(coded) else _bytes_of(coded)
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError:  # a digest, or a name
            continue


def _bytes_of(coded: str) -> bytes:
    bare = coded.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4))
    except ValueError:
        return b""
