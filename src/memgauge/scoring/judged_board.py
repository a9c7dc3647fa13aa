"""The board of judged answers: who is ranked, by what, and what must be known before it is believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.llm.judges.fitness import Fitness
from memgauge.scoring.correction import correct
from memgauge.scoring.judged import columns_of, judged_entry
from memgauge.scoring.standing import bars_of
from memgauge.scoring.undecided import OPEN_MOST
from memgauge.show.numbers import listed
from memgauge.stats import Clusters, RankSet, rank_sets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.llm.judges.certify import Certificate
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Score
    from memgauge.scoring.correction import Correction
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.judged import JudgedEntry
    from memgauge.scoring.score import MeasureColumn

KAPPA_LEAST = 0.6
"""Fleiss' kappa of a panel, below which a board depends on who judges (Landis & Koch: less than substantial)."""
DECIDED_LEAST = 0.9
"""The share of its answers on which the panel must decide, so that a system is ranked."""
UNCERTIFIED = "uncertified"


@dataclass(frozen=True, eq=False)
class JudgedAnswers:
    """One layer of answers with the verdicts on it."""

    run: Run
    answers: Layer
    verdicts: Layer
    gold: GoldTable
    labels: Mapping[str, bool]
    """Whether answers are right, by question, as people say; may be empty."""


@dataclass(frozen=True)
class JudgedPlace:
    """Where one system stands."""

    entry: JudgedEntry
    corrected: Correction
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    """95 % confidence set of the rank, simultaneous over all ranked systems."""
    marks: tuple[str, ...]
    """Why it is unranked, and what else must be known of it; sentences."""


@dataclass(frozen=True)
class JudgedBoard:
    """Every system as one panel sees it."""

    verdict: str
    """What the certificate says of the panel; ``uncertified`` without one."""
    bars: tuple[str, ...]
    """Why nobody is ranked; sentences, none where somebody may be."""
    marks: tuple[str, ...]
    """What else must be known; sentences."""
    places: tuple[JudgedPlace, ...]
    """Best first where they are ranked, else as they came."""

    @property
    def ranked(self) -> bool:
        """Whether anybody has a rank."""
        return not self.bars

    @property
    def left_open(self) -> bool:
        """Whether judges left too many answers of anybody open."""
        return any(is_left_open(place.entry) for place in self.places)


def judged_board(
    parts: Sequence[JudgedAnswers],
    certificate: Certificate | None,
    untested: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> JudgedBoard:
    """Lay judged answers side by side, and rank them if the panel may judge.

    Args:
        parts: What was judged, all by one panel.
        certificate: What is known of the panel.
        untested: Prompts that it was asked with and that the certificate says nothing of.
        notes: What else must be known, sentences.

    Raises:
        IdentityError: Verdicts stand on other answers.
    """
    entries = [judged_entry(part.run, part.answers, part.verdicts, part.gold) for part in parts]
    rows = [part.verdicts.rows() for part in parts]
    columns = [columns_of(part.answers, part.verdicts, part.gold)[0] for part in parts]
    corrected = [
        correct(entry.score, column, verdicts, part.gold, certificate, part.labels, entry.open_share)
        for part, entry, column, verdicts in zip(parts, entries, columns, rows, strict=True)
    ]
    bars = tuple(_bars(parts, certificate, untested))
    marks = (*_marks(entries, certificate), *notes)
    own = [(*_of_run(part.run), *_of_entry(entry)) for part, entry in zip(parts, entries, strict=True)]
    able = [n for n, reasons in enumerate(own) if not reasons] if not bars else []
    ranks, shares = _ranks([columns[n] for n in able], able, parts)
    if certificate is not None and certificate.verdict is Fitness.CORRECTED:
        ranks = _widened(ranks, corrected)
    elif any(entries[n].open_share > OPEN_MOST for n in able):
        ranks = _widened(ranks, [entry.score for entry in entries])
    order = sorted(ranks, key=lambda n: (-_level(shares[n], corrected[n], certificate), entries[n].system))
    places = [
        _place(entries[n], corrected[n], order.index(n) + 1 if n in ranks else None, ranks.get(n), own[n])
        for n in (*order, *(n for n in range(len(parts)) if n not in ranks))
    ]
    verdict = UNCERTIFIED if certificate is None else str(certificate.verdict)
    return JudgedBoard(verdict, bars, marks, tuple(places))


def unfit_sentence(certificate: Certificate) -> str:
    """Say that a judge gives no board, and why."""
    return f"{certificate.panel} is unfit to judge: {'; '.join(certificate.reasons)}. It gives no board."


def _bars(
    parts: Sequence[JudgedAnswers], certificate: Certificate | None, untested: Sequence[str]
) -> Iterator[str]:
    if certificate is None:
        asked = _options(parts[0].verdicts.manifest.maker["panel"])
        yield (
            f"This judge was never certified: `memgauge models certify {asked} --out certificate.json`, then "
            "`--certificate certificate.json`."
        )
    elif certificate.verdict is Fitness.UNFIT:
        yield unfit_sentence(certificate)
    elif untested:
        yield (
            f"The certificate says nothing of {', '.join(untested)}, which this judge was asked with: "
            "`--rules neutral` asks only what a certificate tests."
        )
    if len({(part.gold.identity.sha256, str(part.gold.identity.options)) for part in parts}) > 1:
        yield "These answers are to several datasets."


def _options(panel: Mapping[str, Any]) -> str:
    """Spell the options that open the same panel."""
    names = [str(name).partition("#")[0] for name in panel["judges"]]
    repeats = max(map(names.count, names))
    options = [f"-p {name}" for name in dict.fromkeys(names)]
    options += [f"--repeats {repeats}"] if repeats > 1 else []
    return " ".join(options + ([f"--quorum {panel['quorum']}"] if panel["quorum"] > 1 else []))


def is_left_open(entry: JudgedEntry) -> bool:
    """Whether too many answers were left open for a rank."""
    return entry.open > (1.0 - DECIDED_LEAST) * entry.asked


def _marks(entries: Sequence[JudgedEntry], certificate: Certificate | None) -> Iterator[str]:
    left_open = [f"{entry.open:,} answers of {entry.system}" for entry in entries if entry.open]
    if left_open:
        yield f"The judge decided nothing on {listed(left_open)}: intervals hold them both right and wrong."
    if certificate is not None and certificate.verdict is Fitness.CORRECTED:
        yield f"Read the corrected shares: {'; '.join(certificate.reasons)}."
    known = [(entry.fleiss.mean, entry.system) for entry in entries if entry.fleiss.mean is not None]
    apart = sorted(pair for pair in known if pair[0] < KAPPA_LEAST)
    if apart:
        names = ", ".join(f"{kappa:.2f} on {system}" for kappa, system in apart)
        yield f"Its judges disagree (Fleiss' kappa {names}; below {KAPPA_LEAST:.2f}): it depends on who judges."


def _of_run(run: Run) -> Iterator[str]:
    """Say why a run has no rank whatever was judged."""
    role = str(run.manifest.system.capabilities.get("role", "system"))
    if role != "system":
        yield f"It is a {role}, which is never ranked."
    else:
        yield from bars_of(run)


def _of_entry(entry: JudgedEntry) -> Iterator[str]:
    """Say why one system has no rank."""
    if entry.score.value is None:
        yield f"No mean is given: {entry.score.reason}."
    elif is_left_open(entry):
        yield (
            f"The judge decided nothing on {entry.open:,} of {entry.asked:,} answers, more than "
            f"{1.0 - DECIDED_LEAST:.0%}."
        )


def _ranks(
    columns: Sequence[MeasureColumn], numbers: Sequence[int], parts: Sequence[JudgedAnswers]
) -> tuple[dict[int, RankSet], dict[int, float]]:
    """Return the rank set of every system and its share as judged, under the number of its part.

    Both are over the questions on which everybody was judged: who leaves out what is hard gains no place by it.
    """
    if not columns:
        return {}, {}
    clusters = Clusters.of(np.array([question.conversation for question in parts[numbers[0]].gold.questions]))
    values = np.stack([column.rows.values for column in columns], axis=1)
    defined = np.stack([column.rows.defined for column in columns], axis=1)
    common = np.logical_and.reduce(defined, axis=1)
    if not common.any():
        return {}, {}
    sets = rank_sets([str(n) for n in numbers], values, clusters, np.broadcast_to(common[:, None], defined.shape))
    means = values[common].mean(axis=0).tolist()
    return {int(name): ranks for name, ranks in sets.items()}, dict(zip(numbers, means, strict=True))


def _widened(ranks: Mapping[int, RankSet], ended: Sequence[Correction] | Sequence[Score]) -> dict[int, RankSet]:
    """Let only those systems be apart whose intervals are, which hold however a system is wrong, or left open."""
    wide = {}
    for n, tested in ranks.items():
        better = sum(_below(ended[n], ended[other]) for other in ranks)
        worse = sum(_below(ended[other], ended[n]) for other in ranks)
        wide[n] = RankSet(min(tested.low, 1 + better), max(tested.high, len(ranks) - worse), tested.reason)
    return wide


def _below(lesser: Correction | Score, greater: Correction | Score) -> bool:
    return lesser.high is not None and greater.low is not None and lesser.high < greater.low


def _level(share: float, corrected: Correction, certificate: Certificate | None) -> float:
    """Return what a system is ordered by."""
    fit = certificate is not None and certificate.verdict is Fitness.FIT
    return share if fit or corrected.value is None else corrected.value


def _place(
    entry: JudgedEntry, corrected: Correction, rank: int | None, ranks: RankSet | None, reasons: tuple[str, ...]
) -> JudgedPlace:
    if ranks is None:
        return JudgedPlace(entry, corrected, None, None, None, reasons)
    untested = (f"Its rank is open: {ranks.reason}.",) if ranks.reason else ()
    return JudgedPlace(entry, corrected, rank, ranks.low, ranks.high, (*reasons, *untested))
