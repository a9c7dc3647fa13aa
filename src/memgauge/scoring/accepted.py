"""A baseline that is kept between builds without measuring again: a small file for git, without texts.

It holds what every question was worth under one contract and for the quality gate, who the run is, and the digest
of its seal. Comparing with it gives the same numbers as comparing with the run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.errors import ConfigError, MalformedDataError
from memgauge.measures import Rows, parse
from memgauge.records import Contract
from memgauge.results import ResultKind, plain, result
from memgauge.runs.record.manifest import Manifest
from memgauge.scoring.align import align
from memgauge.scoring.ended import ShortLists, short_lists
from memgauge.scoring.quality import quality_judged
from memgauge.scoring.score import Settings, column, fitted
from memgauge.text.jsons import json_of
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import MeasureColumn

OWN_DEPTH: Final = 0
"""The ranks of measures that each say for themselves how many they read."""
_VALUE: Final = ', "value": '


@result
@dataclass(frozen=True)
class AcceptedMeasures:
    """Measures under one contract, in the order of the values."""

    contract: str
    k: int
    measures: tuple[str, ...]
    short: Mapping[str, ShortLists] | None = None
    """Those within budgets that k leaves too empty; ``None``: an earlier version did not write it down."""


@result
@dataclass(frozen=True)
class AcceptedRun:
    """What a later build needs to know of one run."""

    name: str
    """What it was accepted as."""
    manifest: Manifest
    content: str
    """Digest of what was sealed."""
    scored: AcceptedMeasures
    """For comparisons."""
    gated: AcceptedMeasures
    """For the quality gate."""
    questions: Mapping[str, tuple[str | float | None, ...]]
    """How each question ended, then what it is worth by each of the measures; ``None`` where it is not scored."""

    @property
    def label(self) -> str:
        """Return the name of the system in tables."""
        return self.manifest.system.label

    def rows(self, gold: GoldTable, settings: Settings) -> Mapping[str, Rows]:
        """Return what every question is worth under *settings*.

        Raises:
            ConfigError: It was accepted under another contract, another k, or without one of the measures.
        """
        contract, k = str(settings.contract), settings.k
        for what, here, asked, option in (
            ("the contract", self.scored.contract, contract, "--contract"),
            ("k", str(self.scored.k), str(k), "--k"),
        ):
            if here != asked:
                raise ConfigError(
                    f"The baseline {self.name} was accepted under {what} {here}, not {asked}.",
                    f"Compare with {option} {here}, or accept its run again with {option} {asked}.",
                )
        return self._columns(gold, self.scored, [str(measure) for measure in settings.parsed], 1)

    def gate_rows(self, gold: GoldTable, measures: Sequence[str]) -> Mapping[str, Rows]:
        """Return what every question is worth by the gate's *measures*.

        Raises:
            ConfigError: It was accepted without one of them, or by a version that read it from the first hits.
        """
        whole = [name for name in measures if parse(name).reads_whole_lists]
        if whole and self.gated.short is None:
            raise ConfigError(
                f"The baseline {self.name} was accepted by a version whose gate read {', '.join(whole)} from the "
                "first hits alone.",
                "Accept its run again.",
            )
        return self._columns(gold, self.gated, measures, 1 + len(self.scored.measures))

    @property
    def outcomes(self) -> Mapping[str, str]:
        """Return how each question ended."""
        return {question: str(values[0]) for question, values in self.questions.items()}

    def _columns(
        self, gold: GoldTable, part: AcceptedMeasures, wanted: Sequence[str], first: int
    ) -> dict[str, Rows]:
        if lacking := [name for name in wanted if name not in part.measures]:
            raise ConfigError(
                f"The baseline {self.name} has no {', '.join(lacking)}; it has {', '.join(part.measures)}.",
                f"Accept its run again with {' '.join(f'-m {name}' for name in lacking)}.",
            )
        return {name: self._rows(gold, first + part.measures.index(name)) for name in wanted}

    def _rows(self, gold: GoldTable, place: int) -> Rows:
        values, defined = np.zeros(len(gold.questions)), np.zeros(len(gold.questions), dtype=np.bool_)
        for question, cells in self.questions.items():
            value = cells[place]
            if question in gold.number and isinstance(value, float | int):
                values[gold.number[question]], defined[gold.number[question]] = value, True
        return Rows(values, defined)


@result
@dataclass(frozen=True)
class AcceptedRuns:
    """A file of accepted runs."""

    runs: tuple[AcceptedRun, ...]


ACCEPTED = ResultKind("accepted runs", 1, AcceptedRuns, "memgauge runs accept RUN --as NAME")


def accept(run: Run, gold: GoldTable, settings: Settings, gate_measures: Sequence[str], name: str) -> AcceptedRun:
    """Keep of *run* what comparisons under *settings* and the quality gate need.

    Raises:
        IdentityError: The run was made on other data.
    """
    gold.require(run)
    settings = fitted(settings, gold)
    judged = align(run, gold, settings.contract, settings.depth)
    scored = [column(judged, measure) for measure in settings.parsed]
    by_gate = quality_judged(run, gold, gate_measures)
    gated = [column(by_gate, parse(name)) for name in gate_measures]
    return AcceptedRun(
        name,
        run.manifest,
        run.seal.content,
        _accepted(str(settings.contract), settings.k, scored, judged),
        _accepted(str(Contract()), OWN_DEPTH, gated, by_gate),
        dict(_questions(run, gold, [*scored, *gated])),
    )


def _accepted(contract: str, k: int, columns: Sequence[MeasureColumn], judged: JudgedRun) -> AcceptedMeasures:
    names = tuple(each.name for each in columns)
    return AcceptedMeasures(contract, k, names, short_lists(judged, map(parse, names)))


def _questions(
    run: Run, gold: GoldTable, columns: Sequence[MeasureColumn]
) -> Iterable[tuple[str, tuple[str | float | None, ...]]]:
    """Yield the questions of a run in the order of the dataset."""
    outcomes = dict(zip(*(run.questions[name].tolist() for name in ("question", "outcome")), strict=True))
    for place, question in enumerate(gold.questions):
        if question.id in outcomes:
            values = (float(each.rows.values[place]) if each.rows.defined[place] else None for each in columns)
            yield question.id, (outcomes[question.id], *values)


def accepted_text(accepted: AcceptedRuns) -> str:
    """Return the file of accepted runs: a line for every question, so that a change reads well in git."""
    runs = ",\n".join(_run_text(run) for run in accepted.runs)
    value = f'{{"runs": [\n{runs}\n]}}}}\n'
    return (
        f'{{"kind": "{ACCEPTED.name}", "version": {ACCEPTED.version}, "sha256": "{_digest(value)}"{_VALUE}{value}'
    )


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _run_text(run: AcceptedRun) -> str:
    parts: dict[str, Any] = {
        "name": run.name,
        "manifest": run.manifest.model_dump(mode="json"),
        "content": run.content,
        "scored": _measures_data(run.scored),
        "gated": _measures_data(run.gated),
    }
    heads = ",\n".join(f" {_json(name)}: {_json(part)}" for name, part in parts.items())
    rows = ",\n".join(
        f"  {_json(name)}: {_json([*map(_short, values)])}" for name, values in run.questions.items()
    )
    return f'{{\n{heads},\n "questions": {{\n{rows}\n }}\n}}'


def _measures_data(measures: AcceptedMeasures) -> dict[str, Any]:
    """Lower measures to JSON; what nobody wrote down is left out."""
    return {name: plain(value) for name, value in vars(measures).items() if value is not None}


def _short(value: str | float | None) -> str | float | None:
    """Write 0 and 1 without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_accepted(path: Path) -> AcceptedRuns:
    """Read a file of accepted runs.

    Raises:
        DataNotFoundError: There is no file.
        MalformedDataError: It is none, or it was changed after it was written.
    """
    remedy = "Name a run, or a file that `memgauge runs accept` wrote."
    text = text_file(path, remedy)
    try:
        data = json_of(text)
    except ValueError as error:
        raise MalformedDataError(f"{path} is no file of accepted runs: {error}.", remedy) from error
    accepted = ACCEPTED.read(data, str(path))
    if not accepted.runs or data.get("sha256") != _digest(text.partition(_VALUE)[2]):
        raise MalformedDataError(f"{path} was changed after it was accepted.", "Restore it, or accept runs again.")
    return accepted
