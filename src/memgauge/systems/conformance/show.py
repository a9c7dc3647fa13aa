"""Cards of systems, one by one and beside each other, for terminals, Markdown and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.report.sheet import Sheet
from memgauge.results import plain
from memgauge.show.safety import escape
from memgauge.systems.conformance.aspects import ClaimState, aspects, costs
from memgauge.systems.conformance.known import failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from memgauge.systems.conformance.card import SystemCard
    from memgauge.systems.conformance.known import FailureEvidence

SIGNS = {
    ClaimState.KEPT: "✓",
    ClaimState.BROKEN: "✗",
    ClaimState.NOTED: "!",
    ClaimState.ABSENT: "·",
    ClaimState.UNKNOWN: "?",
}
LEGEND = "✓ kept; ✗ broken; ! not promised, and worth knowing; · neither claimed nor there; ? not looked at"


def card_title(card: SystemCard) -> str:
    """Name a system as it was asked for, and its version."""
    return f"{card.ref} {card.version}"


def matrix_sheet(cards: Sequence[SystemCard]) -> Sheet:
    """Put cards beside each other: a row an aspect, a column a system, a sign in each cell."""
    rows = [(row[0].name, *(SIGNS[one.state] for one in row)) for row in zip(*map(aspects, cards), strict=True)]
    heads = ("", *(str(number) for number in range(1, len(cards) + 1)))
    return Sheet.of("matrix", "What systems claim and do", heads, rows, LEGEND)


def findings_sheet(cards: Sequence[SystemCard]) -> Sheet:
    """Say in words what is broken, and what nobody promised and is worth knowing."""
    rows = [
        (title, f"{SIGNS[one.state]} {one.name}", one.claimed, one.observed)
        for title, card in zip(_titles(cards), cards, strict=True)
        for one in aspects(card)
        if one.state in {ClaimState.BROKEN, ClaimState.NOTED}
    ]
    return Sheet.of("findings", "What each was not able to do", ("", "aspect", "claimed", "observed"), rows)


def _titles(cards: Sequence[SystemCard]) -> list[str]:
    return [f"{number} {card_title(card)}" for number, card in enumerate(cards, 1)]


def facts_sheet(cards: Sequence[SystemCard]) -> Sheet:
    """Say of each system how it was installed, run and scored, and what writing costs."""
    heads = ("", "installed", "run", "costs", "golden")
    rows = [
        (title, _installed(card), _ran(card), _costs(card), _golden(card))
        for title, card in zip(_titles(cards), cards, strict=True)
    ]
    return Sheet.of("facts", "How they were installed, run and scored", heads, rows)


def interventions_sheet(cards: Sequence[SystemCard]) -> Sheet:
    """Say everything that adapters patched or overrode, and what could not be measured."""
    rows = [
        (title, "; ".join(card.interventions), "; ".join(card.problems))
        for title, card in zip(_titles(cards), cards, strict=True)
    ]
    heads = ("", "patched or overridden by the adapter", "not measured")
    return Sheet.of("interventions", "Interventions", heads, rows)


def failures_sheet(found: Sequence[FailureEvidence]) -> Sheet:
    """List the failures that are known of these products, and whether they were found."""
    rows = [(str(one.number), one.name, ", ".join(one.products), _evidence(one) or "not found") for one in found]
    return Sheet.of("failures", "Known failures", ("", "failure", "products", "found by"), rows)


def _evidence(one: FailureEvidence) -> str:
    return "; ".join(f"{ref}: {said}" for ref, said in one.found)


def sheets(cards: Sequence[SystemCard]) -> list[Sheet]:
    """Return every table of a matrix."""
    names = {card.name for card in cards}
    known = [one for one in failures(cards) if names & set(one.products)]
    made = [matrix_sheet(cards), findings_sheet(cards), facts_sheet(cards), interventions_sheet(cards)]
    return [*made, failures_sheet(known)] if known else made


def _installed(card: SystemCard) -> str:
    one = card.installed
    return f"{one.seconds:.0f} s, {one.megabytes:.0f} MB, Python {one.python}" if one else ""


def _ran(card: SystemCard) -> str:
    return "; ".join(
        f"{one.dataset} x{one.conversations} in {one.seconds:.0f} s: "
        + ", ".join(f"{name} {value:.3f}" for name, value in sorted(one.scores.items()))
        + _unlucky(one.outcomes)
        for one in card.ran
    )


def _unlucky(outcomes: Any) -> str:
    others = ", ".join(f"{number} {name}" for name, number in sorted(outcomes.items()) if name != "ok")
    return f" ({others})" if others else ""


def _costs(card: SystemCard) -> str:
    return ", ".join(f"{value} {name}" for name, value in costs(card))


def _golden(card: SystemCard) -> str:
    if card.golden is None:
        return ""
    verdicts = ", ".join(f"{number} {name}" for name, number in sorted(card.golden.verdicts.items()) if number)
    return f"{card.golden.played} of {card.golden.of} played: {verdicts}"


def card_json(card: SystemCard) -> dict[str, Any]:
    """Return a card with its rows as JSON-ready data."""
    return {"card": plain(card), "aspects": plain(aspects(card)), "costs": dict(costs(card))}


def matrix_json(cards: Sequence[SystemCard]) -> dict[str, Any]:
    """Return a matrix as JSON-ready data."""
    return {"systems": [card_json(card) for card in cards], "failures": plain(failures(cards))}


def card_terminal(card: SystemCard) -> Iterator[RenderableType]:
    """Yield what is printed of one card."""
    from rich.table import Table
    from rich.text import Text

    yield Text(card_title(card), style="bold")
    table = Table("", "aspect", "claimed", "observed", box=None, pad_edge=False)
    for one in aspects(card):
        table.add_row(SIGNS[one.state], *map(Text, (one.name, one.claimed, one.observed)))
    yield table
    for name, said in (
        ("Installed", _installed(card)),
        ("Run", _ran(card)),
        ("Costs", _costs(card)),
        ("Golden suite", _golden(card)),
        ("Interventions", "; ".join(card.interventions)),
        ("Not measured", "; ".join(card.problems)),
    ):
        if said:
            yield Text(f"{name}: {said}")


def matrix_terminal(cards: Sequence[SystemCard]) -> Iterator[RenderableType]:
    """Yield what is printed of a matrix: signs alone, so that many systems fit, then what is broken in words."""
    from rich.table import Table
    from rich.text import Text

    table = Table("", *(str(number) for number in range(1, len(cards) + 1)), box=None, pad_edge=False)
    rows = [aspects(card) for card in cards]
    for across in zip(*rows, strict=True):
        table.add_row(Text(across[0].name), *(SIGNS[one.state] for one in across))
    yield table
    yield Text(LEGEND)
    for number, (card, row) in enumerate(zip(cards, rows, strict=True), 1):
        yield Text(f"\n{number} {card_title(card)}", style="bold")
        for one in row:
            if one.state in {ClaimState.BROKEN, ClaimState.NOTED}:
                yield Text(f"  {SIGNS[one.state]} {one.name}: {one.observed}")


def matrix_markdown(cards: Sequence[SystemCard]) -> str:
    """Render a matrix as Markdown tables."""
    return "\n".join(f"## {sheet.title}\n\n{_table(sheet)}\n" for sheet in sheets(cards))


def _table(sheet: Sheet) -> str:
    lines = [_row(sheet.heads), _row([":---"] * len(sheet.heads), raw=True)]
    lines += [_row([cell.text for cell in row]) for row in sheet.rows]
    return "\n".join([*lines, *(["", sheet.note] if sheet.note else [])])


def _row(cells: Iterable[str], *, raw: bool = False) -> str:
    return "| " + " | ".join(cells if raw else map(escape, cells)) + " |"
