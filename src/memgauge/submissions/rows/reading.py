"""A bundle → a row of the ledger: verified, scored by the one scorer, and nothing of the statistics anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures import Rows
from memgauge.records import Contract, Outcome, Verdict
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.files import small
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.ended import short_lists
from memgauge.scoring.entries import latency_of, mean_of
from memgauge.scoring.score import DatasetSampling, MeasureColumn, Settings, column, summarise
from memgauge.scoring.standing import borne_of, standing
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.submissions.layout import COST
from memgauge.submissions.rows.run_row import RunRow, SpentAmount, ValuedRow
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.verification import Verification
    from memgauge.submissions.sheets.registry import ContractSheet

CHECKSUMS: Final = "journal checksums"
PHASES: Final = ("ingest", "query", "rest")


def measures_of(contract: ContractSheet) -> tuple[str, ...]:
    """Name what is scored: the contract's measures, and the recall of all that a reader is handed."""
    return tuple(dict.fromkeys([*contract.measures, whole_recall(contract)]))


def whole_recall(contract: ContractSheet) -> str:
    """Name the measure that stands against tokens: of everything returned."""
    return f"Recall@{contract.k}"


def read_bundle(path: Path, gold: GoldTable, contract: ContractSheet, first: int | None) -> ValuedRow:
    """Verify the bundle at *path* and derive its row.

    A run is asked about the *first* conversations of the dataset, or about all.

    Raises:
        RunError: The bundle is broken.
        UserError: The run is of other data, or spoilt in a way that leaves no row.
    """
    with unbundled(path) as folder:
        checked = verify(folder, VerificationRequest(Assurance.RECOMPUTED))
        return _row(load(folder, altered=True), gold, contract, first, checked)


def _row(
    run: Run, gold: GoldTable, contract: ContractSheet, first: int | None, checked: Verification
) -> ValuedRow:
    settings = Settings(Contract.parse(contract.contract), measures_of(contract), contract.k)
    judged = align(run, gold, settings.contract, settings.depth)
    asked = _asked(gold, settings.contract, first)
    stands = standing(judged, asked, borne_of(judged, settings.parsed[0].budget))
    unsupported = _unsupported(run)
    columns = [_whole(column(judged, measure), judged, asked) for measure in settings.parsed]
    if void := unsupported or stands.incomplete:
        columns = [_void(each, void) for each in columns]
    scores = summarise(columns, DatasetSampling.of(gold), by_question=0)
    writes, outcomes = run.counted_writes["outcome"], Counter(map(str, run.questions["outcome"].tolist()))
    row = RunRow(
        version=run.manifest.system.version,
        role=str(run.manifest.system.capabilities.get("role", "system")),
        scores={
            score.measure: replace(score, reason=unsupported or stands.incomplete or score.reason)
            for score in scores
        },
        tokens=mean_of(run.questions["tokens"]),
        latency=latency_of(run),
        writing_s=_writing(judged),
        asked=int(asked.sum()),
        outcomes=dict(sorted(outcomes.items())),
        unanswered=_unanswered(outcomes) + int((asked & ~judged.run_mask).sum()),
        writes=len(writes),
        lost=int((writes != str(Outcome.OK)).sum()),
        bars=stands.bars,
        marks=stands.marks,
        isolation=run.manifest.isolation.sentence,
        unsupported=unsupported,
        verified=str(checked.level),
        problems=tuple(_problems(checked)),
        holds=holds(checked),
        cost=dict(_costs(run.folder)),
        short={} if void else short_lists(judged, settings.parsed),
    )
    return ValuedRow(row, {each.name: np.where(each.rows.defined, each.rows.values, np.nan) for each in columns})


def _asked(gold: GoldTable, contract: Contract, first: int | None) -> NDArray[np.bool_]:
    """(Q,) mark what everybody is asked: nobody chooses their own questions."""
    homes = list(dict.fromkeys(question.conversation for question in gold.questions))[:first]
    inside = np.array([question.conversation in set(homes) for question in gold.questions])
    asked: NDArray[np.bool_] = inside & np.array([not reason for reason in gold.exclusions(contract)])
    return asked


def _whole(made: MeasureColumn, judged: JudgedRun, asked: NDArray[np.bool_]) -> MeasureColumn:
    """Count what was never asked as a miss."""
    left = asked & ~judged.run_mask
    if not left.any():
        return made
    rows, counted = made.rows, made.denominator
    total = counted.total + int(left.sum())
    return MeasureColumn(
        made.name,
        Rows(np.where(left, 0.0, rows.values), rows.defined | left, rows.why, rows.reasons),
        replace(counted, total=total, scored=counted.scored + int(left.sum())),
    )


def _void(made: MeasureColumn, why: str) -> MeasureColumn:
    n = made.denominator.total
    nothing = np.zeros_like(made.rows.defined)
    return MeasureColumn(
        made.name,
        Rows(np.zeros_like(made.rows.values), nothing),
        replace(made.denominator, scored=0, excluded={why: n}),
    )


def _unsupported(run: Run) -> str:
    """Say that nothing it stores names where it comes from; empty where something does."""
    if run.stored and not len(run.sources["turn"]):
        return "it names no source of what it stores, so nothing can be credited"
    return ""


def _unanswered(outcomes: Counter[str]) -> int:
    return sum(n for outcome, n in outcomes.items() if not Outcome(outcome).valid)


def _writing(judged: JudgedRun) -> float | None:
    """Return the seconds that writing and settling a thousand turns took; milliseconds a turn are the same."""
    sizes = judged.spending.gold.conversations.sizes
    turns = sum(sizes[name].turns for name in set(judged.run.questions["conversation"].tolist()))
    ms = judged.run.writes["ms"]
    known = ms[~np.isnan(ms)]
    return float(known.sum()) / turns if len(known) and turns else None


def holds(checked: Verification) -> bool:
    """Whether nothing contradicts, and all was checked but what an older record never had beside its seal."""
    verdicts = {finding.verdict for finding in checked.findings if finding.subject != CHECKSUMS}
    return not verdicts & {Verdict.FAIL, Verdict.UNSUPPORTED}


def _costs(folder: Path) -> Iterator[tuple[str, SpentAmount]]:
    """Read the amounts of a record of costs; a file that is none says nothing."""
    path = folder / COST
    data = object_of(small(path)) if path.is_file() else None
    for phase in PHASES:
        amounts = (data or {}).get(phase)
        for kind, amount in sorted(amounts.items()) if isinstance(amounts, dict) else ():
            value = amount.get("value") if isinstance(amount, dict) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield f"{phase}.{kind}", SpentAmount(float(value), str(amount.get("source", "")))


def _problems(checked: Verification) -> Iterator[str]:
    for finding in checked.findings:
        if finding.verdict in {Verdict.FAIL, Verdict.UNSUPPORTED}:
            yield f"{finding.subject}: {finding.detail}" if finding.detail else finding.subject
