"""What cards say: one system with all that is known of it, or many beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, CheckOutcome, Column, CountedCheck, Document, Kind, Note, Table
from memgauge.show.numbers import plural
from memgauge.systems.conformance.aspects import ClaimState
from memgauge.systems.conformance.kinds import MATRIX
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.systems.conformance.card import SystemCard
    from memgauge.systems.conformance.matrix import CardReading, SystemsMatrix

SIGNS = {
    ClaimState.KEPT: "✓",
    ClaimState.BROKEN: "✗",
    ClaimState.NOTED: "!",
    ClaimState.ABSENT: "·",
    ClaimState.UNKNOWN: "?",
}
LEGEND = "✓ kept; ✗ broken; ! not promised, and worth knowing; · neither claimed nor there; ? not looked at"
_ENDED = {ClaimState.KEPT: CheckOutcome.PASS, ClaimState.BROKEN: CheckOutcome.FAIL}
_TELLING = {ClaimState.BROKEN, ClaimState.NOTED}


def document(matrix: SystemsMatrix) -> Document:
    """Say everything that is known of one system, or put several beside each other."""
    titles = [card_title(reading.card) for reading in matrix.systems]
    alone = len(matrix.systems) == 1
    return Document(
        title=titles[0] if alone else "Memory systems beside each other",
        lead=_lead(matrix),
        facts=tuple(_facts(matrix.systems[0])) if alone else ("; ".join(_numbered(titles)),),
        blocks=_of_one(matrix) if alone else _of_many(matrix),
        notes=tuple(_notes(matrix.systems[0].card)) if alone else (),
        origin="saved conformance cards",
        identity={"memgauge": __version__},
        data=MATRIX.of(matrix),
        checks=tuple(_checks(matrix.systems[0])) if alone else (),
    )


def _checks(reading: CardReading) -> Iterator[CountedCheck]:
    """Count the promises of a system: those that are broken fail, what nobody promised or looked at is skipped."""
    for aspect in reading.aspects:
        ended = _ENDED.get(aspect.state, CheckOutcome.SKIP)
        message = "" if ended is CheckOutcome.PASS else aspect.observed or str(aspect.state)
        yield CountedCheck("card", card_title(reading.card), aspect.name, ended, message, str(aspect.state))


def card_title(card: SystemCard) -> str:
    """Name a system as it was asked for, and its version."""
    return f"{card.ref} {card.version}"


def _numbered(titles: Sequence[str]) -> list[str]:
    return [f"{number} {title}" for number, title in enumerate(titles, 1)]


def _lead(matrix: SystemsMatrix) -> str:
    shown = sum(bool(failure.found) for failure in matrix.failures)
    known = f"{plural(shown, 'known failure')} found."
    if len(matrix.systems) != 1:
        return f"{plural(len(matrix.systems), 'system')}; {known}"
    states = [aspect.state for aspect in matrix.systems[0].aspects]
    broken = plural(states.count(ClaimState.BROKEN), "promise")
    noted = states.count(ClaimState.NOTED)
    return f"{broken} broken; {noted} not promised, and worth knowing; {known}"


def _facts(reading: CardReading) -> Iterator[str]:
    for name, fact in (
        ("Installed", _installed(reading.card)),
        ("Run", _ran(reading.card)),
        ("Costs", _costs(reading)),
        ("Golden suite", _golden(reading.card)),
    ):
        if fact:
            yield f"{name}: {fact}"


def _notes(card: SystemCard) -> Iterator[Note]:
    yield from (Note(what, "Interventions") for what in _joined(card.interventions))
    yield from (Note(what, "Not measured") for what in _joined(card.problems))


def _joined(parts: Sequence[str]) -> tuple[str, ...]:
    return ("; ".join(parts),) if parts else ()


def _of_one(matrix: SystemsMatrix) -> tuple[Table, ...]:
    rows = [
        (_sign(aspect.state), aspect.name, aspect.claimed, aspect.observed) for aspect in matrix.systems[0].aspects
    ]
    columns = (*Column.each(Kind.TEXT, "", "aspect", "claimed"), Column("observed", Kind.PROSE))
    tables = (Table.of("card", "What it claims and does", columns, rows, f"{LEGEND}."), _failures(matrix))
    return tuple(table for table in tables if table.rows)


def _of_many(matrix: SystemsMatrix) -> tuple[Table, ...]:
    titles = _numbered([card_title(reading.card) for reading in matrix.systems])
    systems = dict(zip(titles, matrix.systems, strict=True))
    tables = (_signs(systems), _findings(systems), _made(systems), _interventions(systems), _failures(matrix))
    return tuple(table for table in tables if table.rows)


def _signs(systems: Mapping[str, CardReading]) -> Table:
    """Put systems beside each other: a row an aspect, a column a system, a sign in each cell."""
    across = zip(*(reading.aspects for reading in systems.values()), strict=True)
    rows = [(aspects[0].name, *(_sign(aspect.state) for aspect in aspects)) for aspects in across]
    heads = (Column(title.partition(" ")[0], Kind.TEXT, means=title.partition(" ")[2]) for title in systems)
    return Table.of(
        "matrix", "What systems claim and do", (Column("aspect", Kind.TEXT), *heads), rows, f"{LEGEND}."
    )


def _sign(state: ClaimState) -> Cell:
    return Cell(SIGNS[state], value=str(state), mark="warn" if state is ClaimState.BROKEN else "text")


def _findings(systems: Mapping[str, CardReading]) -> Table:
    """Say in words what is broken, and what nobody promised and is worth knowing."""
    rows = [
        (title, f"{SIGNS[aspect.state]} {aspect.name}", aspect.claimed, aspect.observed)
        for title, reading in systems.items()
        for aspect in reading.aspects
        if aspect.state in _TELLING
    ]
    columns = (
        *Column.each(Kind.PROSE, "system", "aspect"),
        Column("claimed", Kind.TEXT, yields=1),
        Column("observed", Kind.PROSE),
    )
    return Table.of("findings", "What each was not able to do", columns, rows)


def _made(systems: Mapping[str, CardReading]) -> Table:
    """Say of each system how it was installed, run and scored, and what writing costs."""
    rows = [
        (title, _installed(reading.card), _ran(reading.card), _costs(reading), _golden(reading.card))
        for title, reading in systems.items()
    ]
    title = "How they were installed, run and scored"
    return Table.of("facts", title, _prose("installed", "run", "costs", "golden"), rows, brief=False)


def _interventions(systems: Mapping[str, CardReading]) -> Table:
    """Say everything that adapters patched or overrode, and what could not be measured."""
    rows = [
        (title, "; ".join(reading.card.interventions), "; ".join(reading.card.problems))
        for title, reading in systems.items()
    ]
    columns = _prose("patched or overridden by the adapter", "not measured")
    return Table.of("interventions", "Interventions", columns, rows, brief=False)


def _failures(matrix: SystemsMatrix) -> Table:
    """List the failures that are known of these products, and whether they were found."""
    names = {reading.card.name for reading in matrix.systems}
    rows = [
        (
            failure.number,
            failure.name,
            ", ".join(failure.products),
            "; ".join(f"{ref}: {evidence}" for ref, evidence in failure.found) or "not found",
        )
        for failure in matrix.failures
        if names & set(failure.products)
    ]
    columns = (
        Column("number", Kind.COUNT),
        *(Column(head, Kind.PROSE) for head in ("failure", "products", "found by")),
    )
    return Table.of("failures", "Known failures", columns, rows, brief=False)


def _prose(*heads: str) -> tuple[Column, ...]:
    return Column("system", Kind.TEXT), *(Column(head, Kind.PROSE) for head in heads)


def _installed(card: SystemCard) -> str:
    made = card.installed
    return f"{made.seconds:.0f} s, {made.megabytes:.0f} MB, Python {made.python}" if made else ""


def _ran(card: SystemCard) -> str:
    return "; ".join(
        f"{ran.dataset} x{ran.conversations} in {ran.seconds:.0f} s: "
        + ", ".join(f"{name} {value:.3f}" for name, value in sorted(ran.scores.items()))
        + _unlucky(ran.outcomes)
        for ran in card.ran
    )


def _unlucky(outcomes: Mapping[str, int]) -> str:
    others = ", ".join(f"{number} {name}" for name, number in sorted(outcomes.items()) if name != "ok")
    return f" ({others})" if others else ""


def _costs(reading: CardReading) -> str:
    return ", ".join(f"{value} {name}" for name, value in reading.costs.items())


def _golden(card: SystemCard) -> str:
    if card.golden is None:
        return ""
    verdicts = ", ".join(f"{number} {name}" for name, number in sorted(card.golden.verdicts.items()) if number)
    return f"{card.golden.played} of {card.golden.of} played: {verdicts}"
