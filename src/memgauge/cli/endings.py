"""How runs ended: what failed, how often, why most often, and what to do now."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.frame.console import program
from memgauge.records import Outcome
from memgauge.runs.record.retried import RetriedSearches
from memgauge.runs.record.store import load
from memgauge.show import Document, Prose, Tone
from memgauge.show.numbers import plural
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Columns

_PASSED_ON: Final = re.compile(r"^(?:not (?:asked|written|called): )+")
_PLACE: Final = re.compile(r"^(?P<call>.*? raised [\w.]+)\b.*(?P<place> \([^()]+:\d+[^()]*\))$", re.DOTALL)
_PARTICULAR: Final = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
_REASONS: Final = 3
"""Reasons that are named."""


@dataclass(frozen=True)
class FailedCalls:
    """The calls of a kind that failed, of all."""

    total: int
    reasons: Mapping[str, int]
    """How many failed for which, the commonest first; what differs only in names and numbers is one reason."""

    @property
    def failed(self) -> int:
        """Count them."""
        return sum(self.reasons.values())

    @property
    def everything(self) -> bool:
        """Whether not one call succeeded."""
        return 0 < self.total == self.failed


@dataclass(frozen=True)
class RunEnding:
    """How one run ended."""

    folder: Path
    system: str
    """As commands name it."""
    outcomes: Mapping[str, int]
    """Questions by how they ended."""
    searches: FailedCalls
    writes: FailedCalls
    retried: RetriedSearches
    useless: bool
    """Whether nothing was stored, or nothing could be searched."""
    was_there: bool
    """Whether it was there already, and nothing was played."""

    @classmethod
    def read(cls, folder: Path, *, was_there: bool = False) -> RunEnding:
        """Read how a sealed run ended."""
        run = load(folder)
        counted = dict(sorted(Counter(run.questions["outcome"].tolist()).items()))
        asked, written = failed_calls(run.questions), failed_calls(run.writes)
        stores = set(run.writes["outcome"][run.writes["kind"] == "write"].tolist())
        unstored = bool(stores) and not any(Outcome(outcome).valid for outcome in stores)
        retried, useless = RetriedSearches.of(run.questions), asked.everything or unstored
        return cls(folder, run.manifest.system.ref, counted, asked, written, retried, useless, was_there)

    @property
    def data(self) -> Mapping[str, Any]:
        """Return it for programs."""
        return {
            "folder": str(self.folder),
            "outcomes": self.outcomes,
            "lost_writes": self.writes.failed,
            "reasons": self.writes.reasons,
            "failed_searches": self.searches.failed,
            "search_reasons": self.searches.reasons,
            "retried_searches": self.retried.again,
            "was_there": self.was_there,
        }

    @property
    def lines(self) -> Iterator[Prose]:
        """Say it: the run, then what failed and why most often."""
        ended = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.items())
        yield Prose(f"{self.folder}: {ended}{' (kept, not played again)' if self.was_there else ''}")
        for calls, noun in ((self.writes, "write"), (self.searches, "search")):
            if calls.failed:
                yield Prose(_why(calls, noun), Tone.WARN)
        if self.retried.again:
            yield Prose(f"  {self.retried.sentence}", Tone.WARN)


def document(endings: Sequence[RunEnding], out: Path) -> Document:
    """Say how runs ended, and what comes next: a look at what works nowhere before any score."""
    from memgauge.results import ReadyData

    useless = list(dict.fromkeys(each.system for each in endings if each.useless))
    checks = [f"{program()} systems check {typed(system)}" for system in useless]
    following = [f"Next: {command}" for command in checks] or [f"Next: {program()} score {typed(out)}"]
    if useless and any(not each.useless for each in endings):
        following.append(f"The other runs can be scored: {program()} score {typed(out)}")
    return Document(
        title="",
        blocks=tuple(line for each in endings for line in each.lines),
        next="\n".join(following),
        data=ReadyData({"runs": [each.data for each in endings], "check": useless}),
    )


def failed_calls(rows: Columns) -> FailedCalls:
    """Count the calls of a table that failed, by their reasons."""
    outcomes = rows["outcome"].tolist()
    invalid = {outcome for outcome in set(outcomes) if not Outcome(outcome).valid}  # of all writes there are few
    ends = zip(outcomes, rows["reason"].tolist(), strict=True) if invalid else ()
    return FailedCalls(len(outcomes), alike(str(why) for end, why in ends if end in invalid))


def alike(reasons: Iterable[str]) -> Mapping[str, int]:
    """Count reasons, the commonest first; each is told as it was first met."""
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for reason in reasons:
        cause = _PASSED_ON.sub("", reason)
        place = _PLACE.match(cause)
        key = place["call"] + place["place"] if place else _PARTICULAR.sub("", cause)
        first.setdefault(key, cause)
        counts[key] += 1
    return {
        first[key]: count for key, count in sorted(counts.items(), key=lambda each: (-each[1], first[each[0]]))
    }


def _why(calls: FailedCalls, noun: str) -> str:
    them = f"{noun}es" if noun.endswith("h") else f"{noun}s"
    many = (
        f"all {calls.total:,} {them} failed"
        if calls.everything
        else f"{calls.failed:,} of {calls.total:,} {them} failed"
    )
    named = list(calls.reasons.items())[:_REASONS]
    each = "; ".join(f"{reason} ({plural(count, 'time')})" for reason, count in named)
    return f"  {many}: {each}"
