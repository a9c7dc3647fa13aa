"""Answers that were judged several times: every run of the judge counts, by conversation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY, expect
from memgauge.submissions.claims.importers.building import at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.exchange.trace import FileLocation


@dataclass
class RepeatedVerdicts:
    """Verdicts by conversation; each answer has as many as there were runs of the judge."""

    repeats: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)

    def add(self, group: str, row: Mapping[str, Any], place: FileLocation) -> None:
        """Count a question.

        Raises:
            MalformedDataError: It was judged more or less often than the one before.
        """
        verdicts = row.get("llm_judgments") or {}
        inner = at(place, "llm_judgments")
        if row.get("status", "success") != "success" or not expect(verdicts, dict, inner):
            self.unscored[group] += 1
            return
        self.repeats = self.repeats or len(verdicts)
        if len(verdicts) != self.repeats:
            raise MalformedDataError(
                f"{inner}: {len(verdicts)} verdicts where others have {self.repeats}.", REMEDY
            )
        self.asked[group] += 1
        self.right[group] += sum(expect(each, bool, at(inner, name)) for name, each in verdicts.items())

    def rows(self, place: FileLocation) -> list[dict[str, Any]]:
        """Return rows of a sheet.

        Raises:
            MalformedDataError: Nothing was judged.
        """
        if not self.asked:
            raise MalformedDataError(f"{place}: no question has a verdict.", REMEDY)
        first = min(self.asked)
        spare = sum(count for group, count in self.unscored.items() if group not in self.asked)
        return [
            {
                "name": group,
                "questions": asked,
                "share": f"{self.right[group] / (asked * self.repeats):.15f}",
                "unscored": self.unscored[group] + (spare if group == first else 0),
            }
            for group, asked in sorted(self.asked.items())
        ]
