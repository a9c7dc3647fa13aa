"""Bounds on measured difficulty: what is measured while a world is written, and which questions stay."""

from __future__ import annotations

import operator
import re
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.records import Case
from memgauge.registry import unknown_name
from memgauge.studies.quality.difficulty import Aggregate, measure_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.datasets.synthetic.world import UserHistory
    from memgauge.studies.quality.difficulty import Difficulty

    Seen = tuple[list[Difficulty], Counter[str]]
    """What was kept, and how many questions of each kind were not."""

NAMES = ("overlap", "jaccard", "rank", "near_misses", "sessions", "turns", "days", "hops")
_OPERATORS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq}
_FORM = re.compile(
    r"\s*(?:(?P<kind>[\w-]+)\s*:)?\s*(?P<name>\w+)\s*(?P<sign>[<>]=?|=)\s*(?P<limit>\d+(?:\.\d+)?)\s*"
)


@dataclass(frozen=True)
class Requirement:
    """What questions of a kind, or of every kind, have to measure; what is undefined is not asked for."""

    name: str
    sign: str
    limit: float
    kind: str = ""

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read ``overlap<=0.3`` or ``current: rank>5``.

        Raises:
            ConfigError: It has another form.
            UnknownNameError: No such difficulty is measured.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ConfigError(f"{text!r} is no requirement.", "Write one as overlap<=0.3 or current:overlap<=0.3.")
        if match["name"] not in NAMES:
            raise unknown_name("difficulty", match["name"], NAMES)
        return cls(match["name"], match["sign"], float(match["limit"]), match["kind"] or "")

    def __str__(self) -> str:
        kind_prefix = f"{self.kind}:" if self.kind else ""
        return f"{kind_prefix}{self.name}{self.sign}{self.limit:g}"

    def allows(self, measured: Difficulty) -> bool:
        """Whether a question meets it."""
        value = getattr(measured, self.name)
        if value is None or self.kind not in {"", measured.kind}:
            return True
        return bool(_OPERATORS[self.sign](value, self.limit))


@dataclass
class Measuring:
    """Measures every question while a world is written, and drops those that miss a requirement."""

    requirements: tuple[Requirement, ...] = ()
    measured: bool = True
    """Whether the manifest tells the figures."""
    figures: Aggregate = field(default_factory=Aggregate)
    dropped: Counter[str] = field(default_factory=Counter)

    def look(self, entry: UserHistory) -> tuple[UserHistory, Seen]:
        """Measure one user; return what is left of the questions, and what was seen."""
        difficulties = list(measure_case(entry.case, entry.golds, entry.facts))
        fits = [
            all(requirement.allows(difficulty) for requirement in self.requirements) for difficulty in difficulties
        ]
        case = Case(entry.case.conversation, _those(entry.case.questions, fits))
        fitting = replace(entry, case=case, golds=_those(entry.golds, fits))
        missed_kinds = Counter(
            difficulty.kind for difficulty, fit in zip(difficulties, fits, strict=True) if not fit
        )
        return fitting, (list(_those(difficulties, fits)), missed_kinds)

    def keep(self, seen: Seen) -> None:
        """Add what was seen of the next user."""
        difficulties, missed_kinds = seen
        self.figures.add(difficulties)
        self.dropped.update(missed_kinds)

    def manifest(self) -> dict[str, Any]:
        """Return the figures of what was kept, and what was not."""
        entries: dict[str, Any] = {}
        if self.measured:
            entries["measured"] = {kind: asdict(figures) for kind, figures in self.figures.figures().items()}
        if self.requirements:
            dropped_counts = dict(sorted(self.dropped.items()))
            entries["required"] = {
                "bounds": [str(requirement) for requirement in self.requirements],
                "dropped": dropped_counts,
            }
        return entries


def _those(items: Iterable[Any], fits: list[bool]) -> tuple[Any, ...]:
    return tuple(item for item, fit in zip(items, fits, strict=True) if fit)
