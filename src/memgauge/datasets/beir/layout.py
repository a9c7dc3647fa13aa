"""Which files of a folder hold corpus, queries, judgments and candidate lists, in any of three layouts.

BEIR: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``. MTEB on the hub: a folder or file for each of
``<subset>-corpus``, ``<subset>-queries``, ``<subset>-qrels``, ``<subset>-top_ranked``; without subsets ``corpus``,
``queries``, ``default`` or ``qrels``, ``top_ranked``. LMEB as its makers have it: ``<subset>/queries.jsonl`` and
``<subset>/qrels.tsv``, with ``corpus.jsonl`` and ``candidates.jsonl`` beside them or in a folder above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import DataNotFoundError
from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CORPUS: Final = ("corpus",)
QUERIES: Final = ("queries",)
JUDGMENTS: Final = ("qrels", "default")
CANDIDATES: Final = ("top_ranked", "candidates")
"""The names that each role has."""
_SPLIT: Final = re.compile(r"(?P<split>[a-z_]+)(?:-\d{5}-of-\d{5})?\.(?:jsonl|parquet|tsv)")
_ENDINGS: Final = ("jsonl", "parquet", "tsv")
_TEST: Final = "test"
_DEEP: Final = ("*", "*/*")
"""How far below a folder its subsets lie."""


@dataclass(frozen=True)
class SubsetFiles:
    """The files of one subset; several subsets may share a corpus."""

    subset: str
    """Empty where there are none."""
    corpus: tuple[Path, ...]
    queries: tuple[Path, ...]
    judgments: tuple[Path, ...]
    candidates: tuple[Path, ...]
    """Empty where every query is searched in everything."""

    def files(self) -> Iterator[Path]:
        """Yield every file."""
        return (path for role in (self.corpus, self.queries, self.judgments, self.candidates) for path in role)


def parts_of(folder: Path, subset: str = "") -> tuple[SubsetFiles, ...]:
    """Find the files of *folder*: of one *subset*, or of all.

    Raises:
        DataNotFoundError: A role has no file.
        UnknownNameError: There is no such subset.
    """
    known = tuple(_subsets(folder))
    if subset and subset not in known:
        raise unknown_name("subset", subset, known or ("none",))
    return tuple(_part(folder, name) for name in ((subset,) if subset else known or ("",)))


def _subsets(folder: Path) -> Iterator[str]:
    """Yield the subsets, if there are any, in alphabetical order."""
    if _files(folder, QUERIES):
        return
    marked = {
        path.name.partition(".")[0].removesuffix("-queries") for path in folder.glob("*-queries*") if path.name
    }
    below = {
        place.relative_to(folder).as_posix()
        for pattern in _DEEP
        for place in folder.glob(pattern)
        if place.is_dir() and not place.name.endswith("-queries") and _files(place, QUERIES)
    }
    yield from sorted(marked | below)


def _part(folder: Path, subset: str) -> SubsetFiles:
    places = [(folder, f"{subset}-" if subset else "")]
    home = folder / subset
    while subset and home != folder:
        places.append((home, ""))
        home = home.parent
    places.append((folder, ""))

    def role(names: Sequence[str], *, needed: bool = True) -> tuple[Path, ...]:
        for place, prefix in places:
            if files := _files(place, [prefix + name for name in names]):
                return files
        if needed:
            named = " or ".join(f"{places[0][1]}{name}" for name in names)
            raise DataNotFoundError(
                f"There is no {named} in {folder}.",
                "Name a folder: beir:./path, with corpus, queries and qrels, as files or folders of that name.",
            )
        return ()

    return SubsetFiles(subset, role(CORPUS), role(QUERIES), role(JUDGMENTS), role(CANDIDATES, needed=False))


def _files(place: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Return the files of the first of *names* that has any: one, or the pieces of a split."""
    for name in names:
        for ending in _ENDINGS:
            if (path := place / f"{name}.{ending}").is_file():
                return (path,)
        pieces: dict[str, list[Path]] = {}
        for path in sorted((place / name).glob("*")):
            if match := _SPLIT.fullmatch(path.name):
                pieces.setdefault(match["split"], []).append(path)
        if _TEST in pieces or len(pieces) == 1:
            return tuple(pieces.get(_TEST) or next(iter(pieces.values())))
    return ()
