"""Texts of a dataset that belong to others, wherever they stand in a submission, and however they are spelt."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final

from memgauge.errors import UserError
from memgauge.submissions.checks.rulings import cannot, refuse
from memgauge.submissions.layout import SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

WORDS: Final = 8
"""So many words in a row are a sentence of somebody, and no name."""
_WordsInARow = tuple[str, ...]
_WORD: Final = re.compile(r"[^\W_]+")
_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})+")


def is_sentence(text: str) -> bool:
    """Whether a string is words of somebody, written out, in base 64 or in base 16."""
    return _sentence(text) or any(map(_sentence, _decoded(text)))


def others_texts(subject: Subject, texts: Mapping[str, str]) -> Iterator[CheckFinding]:
    """Refuse texts beside the bundles, by file, that quote a dataset whose texts are not passed on."""
    rows_by_file = {name: _rows_of(text) for name, text in texts.items()}
    everything = frozenset[_WordsInARow]().union(*rows_by_file.values())
    for dataset in _kept_back(subject):
        if isinstance(dataset, UserError):
            yield cannot(SHEET, f"whether it quotes its dataset was not looked at: {dataset.what}", field="runs")
            continue
        # A submission has few words and a dataset may have millions, so that only the former are held.
        quoted = frozenset(row for row in _of_dataset(dataset) if row in everything)
        for name in sorted(name for name, rows in rows_by_file.items() if not rows.isdisjoint(quoted)):
            yield refuse(
                name, "quotes the dataset, which its licence forbids.", "Say it in words of your own.", "text"
            )


def _kept_back(subject: Subject) -> Iterator[Dataset | UserError]:
    """Yield every dataset of the runs whose texts are not passed on, or why it is not at hand."""
    named = {run.dataset_ref: run for run in subject.sheet.runs}
    for run in named.values():
        registered = subject.registered(run)
        if registered is not None and not registered.texts_public:
            yield subject.dataset(run)


def _rows_of(text: str) -> frozenset[_WordsInARow]:
    return frozenset(row for each in (text, *_decoded(text)) for row in _in_a_row(each))


def _of_dataset(dataset: Dataset) -> Iterator[_WordsInARow]:
    for case in dataset.cases():
        for turn in case.conversation.turns():
            yield from _in_a_row(turn.text)


def _in_a_row(text: str) -> Iterator[_WordsInARow]:
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
