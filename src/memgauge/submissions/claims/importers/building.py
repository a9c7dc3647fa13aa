"""What importers share: names, printed numbers, counts by group, and the sheet that they become."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY, expect
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.sheets.base import sheet_of
from memgauge.submissions.sheets.claim import MOST, NOT_STATED, WORDS, ClaimSheet

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from pathlib import Path

_LONGEST: Final = 80
_OTHERS: Final = re.compile(r"[^a-z0-9.]+")
_LINE: Final = 500


@dataclass(frozen=True)
class ClaimOrigin:
    """Where a file was published, which the file itself does not say."""

    where: str = ""
    """``owner/repository@commit: path``; the file's name where nothing is said."""
    on: str = NOT_STATED

    def at(self, path: Path) -> str:
        """Return it, or the name of the file."""
        return self.where or path.name


@dataclass
class ClaimTally:
    """Questions by group: how many were scored, how many of them right, and how many never scored."""

    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)
    seen: set[Hashable] = field(default_factory=set)

    def add(self, group: str, verdict: bool | None) -> None:
        """Count one question; ``None`` is one without a verdict."""
        if verdict is None:
            self.unscored[group] += 1
        else:
            self.asked[group] += 1
            self.right[group] += verdict

    def once(self, key: Hashable, place: FileLocation) -> None:
        """Refuse a question that stands twice: it would count twice.

        Raises:
            MalformedDataError: It was seen before.
        """
        if key in self.seen:
            raise MalformedDataError(f"{place}: question {key!r} stands twice.", "Keep its first answer.")
        self.seen.add(key)

    def rows(self, place: FileLocation) -> list[dict[str, Any]]:
        """Return rows of a sheet; a group without any scored question joins the first that has one.

        Raises:
            MalformedDataError: Nothing was scored.
        """
        groups = sorted(self.asked)
        if not groups:
            raise MalformedDataError(f"{place}: no question has a verdict.", REMEDY)
        spare = sum(count for group, count in self.unscored.items() if group not in self.asked)
        return [
            {
                "name": group,
                "questions": self.asked[group],
                **self._worth(group),
                "unscored": self.unscored[group] + (spare if group == groups[0] else 0),
            }
            for group in groups
        ]

    def _worth(self, group: str) -> dict[str, Any]:
        return {"right": self.right[group]}


def slug(text: str) -> str:
    """Return a name that can be a folder."""
    return _OTHERS.sub("-", text.casefold()).strip("-.")[:_LONGEST].rstrip("-.") or "unnamed"


def figure(value: Any, place: FileLocation) -> str:
    """Write a number of a file as it would be printed, without an exponent.

    Raises:
        MalformedDataError: It is none.
    """
    number = expect(value, (int, float), place)
    if isinstance(number, bool) or not -1e12 < number < 1e12:
        raise MalformedDataError(f"{place}: {str(value)[:40]} is no figure.", REMEDY)
    text = f"{Decimal(repr(number)):f}"
    whole, _, part = text.partition(".")
    return f"{whole}.{part[:17]}" if part else whole


def count_at(row: Mapping[str, Any], key: str, place: FileLocation) -> int:
    """Return a count of a row.

    Raises:
        MalformedDataError: It is no whole number from 0 to a thousand millions.
    """
    count: int = expect(row.get(key), int, at(place, key))
    if not 0 <= count <= MOST:
        raise MalformedDataError(f"{at(place, key)}: it is no count of questions.", REMEDY)
    return count


def text_at(row: Mapping[str, Any], key: str, place: FileLocation) -> str:
    """Return a text of a row, on one line; what is not there is not stated.

    Raises:
        MalformedDataError: It is there and no text.
    """
    value = row.get(key)
    if value is None or value == "":
        return NOT_STATED
    return " ".join(expect(value, str, at(place, key)).split())[:_LINE] or NOT_STATED


def at(place: FileLocation, key: str) -> FileLocation:
    """Return the place of a key below a place."""
    return FileLocation(place.path, place.line, f"{place.field}.{key}" if place.field else key)


def quotation(text: str) -> str:
    """Return the first words of a text, as many as may be quoted."""
    return " ".join(text.split()[:WORDS])


def built(path: Path, sheet: Mapping[str, Any]) -> ClaimSheet:
    """Make a sheet of what an importer read.

    Raises:
        MalformedDataError: What the file says fits no sheet; the first problem is named.
    """
    made = sheet_of(ClaimSheet, {"schema": ClaimSheet.SCHEMA, **sheet}, str(path))
    if isinstance(made, tuple):
        raise MalformedDataError(f"{path}: {made[0].field}: {made[0].what}", REMEDY)
    return made


def claimed(
    path: Path,
    origin: ClaimOrigin,
    title: str,
    by: str,
    settings: Mapping[str, Any],
    *numbers: Mapping[str, Any],
    version: str = NOT_STATED,
) -> ClaimSheet:
    """Make the sheet of a product out of a file in which whoever measured it says so.

    Raises:
        MalformedDataError: What the file says fits no sheet; the first problem is named.
    """
    source = {"by": by, "relation": NOT_STATED, "where": origin.at(path), "on": origin.on, "seen": "source"}
    product = {"product": slug(title), "title": title, "version": version, "source": source}
    return built(path, {**product, "settings": settings, "numbers": numbers})


def judged(name: str, setting: str, value: str, rows: Mapping[str, Any] | None, **other: str) -> dict[str, Any]:
    """Return a share of judged answers, unless something *other* is said, with its rows."""
    of = {"measure": "accuracy", "counts": "judged-answers", "unit": "share", **other}
    return {"name": name, "setting": setting, "value": value, "rows": rows, **of}


def distinct(names: Iterable[str]) -> list[str]:
    """Tell equal names apart by a number."""
    count: Counter[str] = Counter()
    made = []
    for name in names:
        count[name] += 1
        made.append(name if count[name] == 1 else f"{name}-{count[name]}")
    return made
