"""A history of cards: one line each, appended, so that a reason that changes between builds is seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memgauge.errors import MalformedDataError, RunError
from memgauge.results import result
from memgauge.text.jsons import json_of, object_of

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.attribution.share import CountedShare
    from memgauge.studies.attribution.study import Attribution

Point: TypeAlias = tuple[float | None, float | None, float | None, int]
"""A share, its interval and its count."""
RATES: Final = (
    "right where all agree",
    "right and dependent on memory",
    "right for the wrong reason",
    "follows a changed memory",
    "guesses where nothing is held",
    "guesses against memory",
    "citations that move the answer",
)
"""What a history keeps of a card."""


@result
@dataclass(frozen=True, slots=True)
class CardRecord:
    """One card."""

    at: str
    """When, as the caller says."""
    reader: str
    build: str
    """What its maker calls it: a commit, a model, a prompt."""
    design: str
    """What was asked: entries of unlike designs are no trend."""
    rates: Mapping[str, Point]
    broken: tuple[str, ...]

    @property
    def label(self) -> str:
        """Name it on an axis."""
        return self.build or self.at


def entry(card: Attribution, at: str, build: str = "", seed: int = 0) -> CardRecord:
    """Return what a history keeps of a card."""
    rates = card.rates
    shares: tuple[CountedShare, ...] = (
        rates.accuracy,
        rates.attributed_accuracy,
        rates.right_for_wrong_reason,
        rates.follows["memory"],
        rates.parametric,
        rates.lure,
        card.citations.faithfulness,
    )
    layer = card.details.get("layer", "")
    design = f"{card.questions} questions, {card.repeats} repeats, seed {seed}{f', {layer}' if layer else ''}"
    points = {
        name: (rate.share.mean, rate.share.low, rate.share.high, rate.share.n)
        for name, rate in zip(RATES, shares, strict=True)
    }
    broken = tuple(fault.partition(":")[0] for fault in card.broken)
    return CardRecord(at, card.reader, build, design, points, broken)


def append(path: Path, entries: list[CardRecord]) -> None:
    """Append to a history; the file is made where there is none.

    Raises:
        RunError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(card), ensure_ascii=False) + "\n" for card in entries)
    except OSError as error:
        raise RunError(f"Cannot write {path}: {error.strerror}.", "Choose another path.") from error


def read(path: Path) -> tuple[CardRecord, ...]:
    """Read a history, oldest first; no file is an empty one.

    Raises:
        MalformedDataError: A line is no entry, at a named place.
    """
    if not path.exists():
        return ()
    lines = enumerate(path.read_text("utf-8").splitlines(), 1)
    return tuple(_entry(line, f"{path}:{number}") for number, line in lines if line.strip())


def is_history(path: Path) -> bool:
    """Whether the first line of a file is one of such a history."""
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        line = object_of(file.readline(1_000_000))
    return line is not None and {"reader", "design", "rates"} <= line.keys()


def of(history: tuple[CardRecord, ...], last: CardRecord) -> tuple[CardRecord, ...]:
    """Return the entries of one reader under one design."""
    return tuple(card for card in history if (card.reader, card.design) == (last.reader, last.design))


def _entry(line: str, where: str) -> CardRecord:
    try:
        data: Any = json_of(line)
    except ValueError:
        data = None
    if isinstance(data, dict) and set(data) == {field.name for field in fields(CardRecord)}:
        rates, broken = data.pop("rates"), data.pop("broken")
        if (
            all(isinstance(value, str) for value in data.values())
            and isinstance(rates, dict)
            and all(_is_point(point) for point in rates.values())
            and isinstance(broken, list)
        ):
            points: dict[str, Point] = {name: tuple(point) for name, point in rates.items()}
            return CardRecord(**data, rates=points, broken=tuple(map(str, broken)))
    raise MalformedDataError(f"{where}: this is no line of such a history.", "Restore the file.")


def _is_point(point: object) -> bool:
    return isinstance(point, list) and len(point) == 4 and all(isinstance(n, int | float | None) for n in point)
