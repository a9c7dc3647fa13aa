"""Answers that were judged several times: every run of the judge counts, by conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY, expect
from memgauge.submissions.claims.importers.building import ClaimTally, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.exchange.trace import FileLocation


@dataclass
class RepeatedVerdicts(ClaimTally):
    """Verdicts by conversation; each answer has as many as there were runs of the judge."""

    repeats: int = 0

    def add_all(self, group: str, row: Mapping[str, Any], place: FileLocation) -> None:
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

    def _worth(self, group: str) -> dict[str, Any]:
        return {"share": f"{self.right[group] / (self.asked[group] * self.repeats):.15f}"}
