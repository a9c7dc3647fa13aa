"""What a look at newest versions says: one product a row, then every change, then what was not compared."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.document import CheckOutcome, CountedCheck
from memgauge.show.numbers import plural
from memgauge.systems.aging.report import AGING, OUTCOMES_OPEN, AgingOutcome, AgingTopic
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.systems.aging.report import AgedProduct, AgingChange, AgingReport

SHOWN: Final = 12
"""Changes of one topic of one product that are shown unasked where none of them breaks a promise."""
SENTENCES: Final = {
    AgingOutcome.CURRENT: "nothing is newer",
    AgingOutcome.HOLDS: "newer packages, and nothing else changed",
    AgingOutcome.CHANGED: "something changed, and no promise broke",
    AgingOutcome.BROKEN: "a promise broke",
    AgingOutcome.UNOPENED: "the newest does not open",
    AgingOutcome.UNIMPORTED: "the newest does not import",
    AgingOutcome.UNINSTALLED: "the newest cannot be installed here",
    AgingOutcome.UNCOMPARED: "looked at, and nothing is known of the pinned one",
    AgingOutcome.UNPACKAGED: "no package of an index, so nothing to look for",
}
_WORDS: Final = {
    AgingTopic.API: "public names and parameters",
    AgingTopic.PYTHON: "Pythons it runs on",
    AgingTopic.CLAIMS: "what it claims",
    AgingTopic.GOLDEN: "golden scenarios",
}


def aging_document(report: AgingReport) -> Document:
    """Draw a look at the newest versions of products."""
    return Document(
        title="Newest versions beside the pinned ones",
        lead=_lead(report),
        blocks=tuple(table for table in (_products(report), _changes(report), _uncompared(report)) if table.rows),
        notes=tuple(Note(remark, each.product) for each in report.products for remark in each.remarks),
        origin="environments made from the newest packages, and the pinned ones or their cards",
        identity={"memgauge": __version__},
        data=AGING.of(report),
        checks=tuple(check for each in report.products for check in _counted(each)),
        suites={"aging": {"products": str(len(report.products))}},
    )


def words_of(topic: AgingTopic) -> str:
    """Call a topic as people do."""
    return _WORDS.get(topic, str(topic))


def counts(aged: AgedProduct) -> str:
    """Count what changed, by topic."""
    numbers = {topic: sum(change.topic is topic for change in aged.changes) for topic in AgingTopic}
    return ", ".join(f"{words_of(topic)} {number}" for topic, number in numbers.items() if number)


def _lead(report: AgingReport) -> str:
    broken = [each.product for each in report.products if each.broken]
    left = [each.product for each in report.products if each.outcome in OUTCOMES_OPEN]
    rest = f" Not compared: {', '.join(left)}." if left else ""
    if broken:
        return f"A promise is broken in the newest version of {', '.join(broken)}.{rest}"
    looked_at = len(report.products) - len(left)
    return f"No promise is broken in the newest versions of {plural(looked_at, 'product')}.{rest}"


def _products(report: AgingReport) -> Table:
    columns = (
        *Column.each(Kind.TEXT, "product", "pinned", "newest"),
        *Column.each(Kind.PROSE, "outcome", "changes"),
    )
    rows = [
        (each.product, each.pinned, each.newest or "not seen", _outcome(each), each.problem or counts(each))
        for each in report.products
    ]
    return Table.of("products", "How each fares", columns, rows)


def _outcome(aged: AgedProduct) -> Cell:
    return Cell(SENTENCES[aged.outcome], value=str(aged.outcome), mark="warn" if aged.broken else "text")


def _changes(report: AgingReport) -> Table:
    columns = (*Column.each(Kind.TEXT, "product", "of"), *Column.each(Kind.PROSE, "what", "pinned", "newest"))
    rows = [row for each in report.products for row in _rows(each)]
    return Table.of("changes", "What changed", columns, rows, "✗ was promised and is not kept any more.")


def _rows(aged: AgedProduct) -> Iterator[tuple[str | Cell, ...]]:
    by_topic = sorted(aged.changes, key=lambda change: (not change.broken, list(AgingTopic).index(change.topic)))
    for (broken, topic), changes in groupby(by_topic, key=lambda change: (change.broken, change.topic)):
        listed = list(changes)
        shown = listed if broken or len(listed) <= SHOWN else listed[: SHOWN - 1]
        yield from (_row(aged.product, change) for change in shown)
        if left := len(listed) - len(shown):
            yield aged.product, words_of(topic), f"and {left:,} more; --json has all", "", ""


def _row(product: str, change: AgingChange) -> tuple[str | Cell, ...]:
    sign = "✗ " if change.broken else ""
    what = Cell(f"{sign}{change.name}", value=change.name, mark="warn" if change.broken else "text")
    return product, words_of(change.topic), what, change.pinned or "not there", change.newest or "gone"


def _uncompared(report: AgingReport) -> Table:
    columns = (*Column.each(Kind.TEXT, "product", "of"), Column("why", Kind.PROSE))
    rows = [
        (each.product, words_of(topic), why)
        for each in report.products
        for topic, why in (each.uncompared or {}).items()
    ]
    return Table.of("uncompared", "Not compared, or not in all", columns, rows)


def _counted(aged: AgedProduct) -> Iterator[CountedCheck]:
    """Count whether it installs, imports and opens, and then a check a topic."""
    stopped = CheckOutcome.FAIL if aged.broken else CheckOutcome.SKIP
    usable = not aged.problem and aged.outcome is not AgingOutcome.UNPACKAGED
    yield CountedCheck(
        "aging",
        aged.product,
        "installs, imports, opens",
        CheckOutcome.PASS if usable else stopped,
        message=aged.problem or SENTENCES[aged.outcome],
        kind=str(aged.outcome),
        facts={"pinned": aged.pinned, "newest": aged.newest},
    )
    for topic in AgingTopic if usable else ():
        yield _of_topic(aged, topic, [change for change in aged.changes if change.topic is topic])


def _of_topic(aged: AgedProduct, topic: AgingTopic, listed: Sequence[AgingChange]) -> CountedCheck:
    broken = [change for change in listed if change.broken]
    why = (aged.uncompared or {}).get(topic, "")
    outcome = CheckOutcome.FAIL if broken else CheckOutcome.SKIP if why and not listed else CheckOutcome.PASS
    lines = [f"{change.name}: {change.pinned or 'not there'} → {change.newest or 'gone'}" for change in listed]
    message = (
        f"{plural(len(broken), 'promise')} broken: {', '.join(each.name for each in broken)}" if broken else why
    )
    return CountedCheck("aging", aged.product, words_of(topic), outcome, message, str(topic), "\n".join(lines))
