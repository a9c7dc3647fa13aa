"""What labels say: their document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ReadyData, plain
from memgauge.show import Column, Document, Kind, Note, Table
from memgauge.show.numbers import between, percent, plural
from memgauge.studies.production.labelling import LABELLED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.production.labelling import LabelledRates
    from memgauge.studies.production.reported import ReportedRate


def labelled_document(rates: LabelledRates) -> Document:
    """Say the rate of everything, and what it rests on."""
    best_rate = rates.powered or rates.alone
    size = sum(stratum.size for stratum in rates.drawn.strata)
    ends = between(best_rate.low, best_rate.high, Kind.SHARE)
    rate = f"What was asked for came back in {percent(best_rate.mean)} {ends} of searches."
    return Document(
        title="Hit rate from labels",
        beside=f"{plural(rates.labelled, 'label')} for {size:,} {'search' if size == 1 else 'searches'}",
        lead=f"No rate yet: {best_rate.reason}." if best_rate.mean is None else rate,
        facts=(
            "Every number is about traced, sampled traffic: searches that succeeded, with query and records.",
            f"Drawn {rates.drawn.how} by strata, seed {rates.drawn.seed}; intervals are 95 %, clustered by scope.",
        ),
        blocks=tuple(_tables(rates)),
        notes=tuple(_notes(rates)),
        origin="traffic that was recorded, and labels",
        data=ReadyData(plain(LABELLED.of(rates))),
    )


def _tables(rates: LabelledRates) -> Iterator[Table]:
    rows = [("labels alone", rates.alone, rates.labelled)]
    if rates.powered is not None:
        rows.append((f"with {rates.judge}", rates.powered, rates.labelled))
    yield Table.of("rates", "Hit rate", ("from", Column("rate", Kind.SHARE), Column("labels", Kind.COUNT)), rows)
    columns = (Column("stratum"), *Column.each(Kind.COUNT, "searches", "drawn"), Column("probability", Kind.SHARE))
    strata = [(stratum.name, stratum.size, stratum.drawn, stratum.probability) for stratum in rates.drawn.strata]
    yield Table.of("strata", "What was drawn", columns, strata)
    if rates.raters:
        heads = ("raters", Column("kappa", Kind.COARSE), Column("both rated", Kind.COUNT))
        pairs = [(f"{pair.first}, {pair.second}", pair.kappa, pair.kappa.n) for pair in rates.raters]
        yield Table.of("raters", "Whether raters agree", heads, pairs)

    if rates.reported:
        yield _reported(rates.reported)


def _reported(rates: tuple[ReportedRate, ...]) -> Table:
    heads = (
        *map(Column, ("judge", "of what")),
        *Column.each(Kind.COUNT, "words", "searches"),
        *Column.each(Kind.COARSE, "mean value", "where people say hit", "miss"),
    )
    rows = [
        (rate.judge, rate.name, rate.words, rate.value.n, rate.value, rate.hits, rate.misses) for rate in rates
    ]
    return Table.of("reported", "What judges in the traces say, which is in no rate above", heads, rows)


def _notes(rates: LabelledRates) -> Iterator[Note]:
    unrated = len(rates.drawn.questions) - rates.labelled - rates.unclear
    if unrated:
        easy = "a rate of those that were easy is no rate of all"
        yield Note(f"{plural(unrated, 'drawn question')} not rated yet: {easy}.")
    if rates.unclear:
        yield Note(f"{plural(rates.unclear, 'drawn question')} could not be told and count for no rate.")
    if rates.disputed:
        share = "counts as the share of its raters who call it a hit, of two a half"
        yield Note(f"{plural(rates.disputed, 'question')} on which raters disagree: each {share}.")
    if rates.weight is not None:
        yield Note(f"The judge counts for {rates.weight:.2f}; labels correct what it gets wrong.")
