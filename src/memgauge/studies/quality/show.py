"""What the quality study says: its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Document, Fold, Section
from memgauge.show.numbers import listed, plural
from memgauge.studies.quality import tables
from memgauge.studies.quality.published import PUBLISHED
from memgauge.studies.quality.study import HOLDS, OPEN, PUBLISHED_AS, QUALITY, REVERSED
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.show import Block, Table
    from memgauge.studies.quality.published import PublishedAudit
    from memgauge.studies.quality.study import Quality

HARM = "Contradiction rate"
"""The one column of which less is better."""


def document(quality: Quality) -> Document:
    """Say everything that was measured on one dataset."""
    dataset = quality.dataset
    return Document(
        title=f"Quality of memory on {dataset.ref}",
        lead=" ".join(filter(None, (_failed(quality), verdict(quality)))),
        facts=(_measured(quality),),
        blocks=tuple(_blocks(quality)),
        identity={"dataset": dataset.ref, "sha256": dataset.sha256, "memgauge": __version__},
        data=QUALITY.of(quality),
    )


def _measured(quality: Quality) -> str:
    questions = plural(quality.questions, "question")
    conversations = plural(quality.conversations, "conversation")
    return f"{quality.dataset.ref} (sha256 {quality.dataset.sha256[:12]}): {questions} in {conversations}"


def audit(audited: PublishedAudit) -> Document:
    """Say which published figures no system can reach."""
    systems = {doubt.system for doubt in audited.doubts if doubt.verdict == "impossible"}
    return Document(
        title="What cannot be reproduced of the published table",
        lead=f"By the document's own definitions figures of {plural(len(systems), 'system')} are impossible.",
        blocks=(tables.doubts(audited.doubts),),
        origin="the document's own definitions and its own suite of cases",
        identity={"memgauge": __version__},
        data=PUBLISHED.of(audited),
    )


def _failed(quality: Quality) -> str:
    """Say whose searches failed: those found nothing, and nobody knows what they would have found."""
    failed = [f"{row.failed:,} of {row.name}" for row in quality.rows if row.failed]
    return f"Searches failed: {listed(failed)}; `memgauge runs show` says why." if failed else ""


def verdict(quality: Quality) -> str:
    """Say how far the document's order holds, or who has the best value where its systems are not."""
    order_counts = [quality.order(column) for column in PUBLISHED_AS]
    total = {name: sum(counts[name] for counts in order_counts) for name in (HOLDS, REVERSED, OPEN)}
    if sum(total.values()):
        return (
            f"Of {sum(total.values()):,} pairs of the document's systems and columns {total[HOLDS]} are ordered "
            f"as claimed, {total[REVERSED]} reversed, {total[OPEN]} not confirmed."
        )
    best_names = {column: names for column in PUBLISHED_AS if (names := _best(quality, column))}
    if not best_names:
        return "No measure of the document is defined on this data."
    if len(quality.rows) == 1:
        return f"{quality.rows[0].name} was measured alone."
    return f"Best value, real or not: {'; '.join(_leaders(best_names))}."


def _leaders(best_names: Mapping[str, str]) -> Iterator[str]:
    for names in dict.fromkeys(best_names.values()):
        yield f"{names} in {listed([column for column, leaders in best_names.items() if leaders == names])}"


def _best(quality: Quality, column: str) -> str:
    """Name who has the best value of a column; nothing where nobody has one."""
    value_by_name = {row.name: row.scores[PUBLISHED_AS[column]].value for row in quality.rows}
    values = {name: value for name, value in value_by_name.items() if value is not None}
    if not values:
        return ""
    best_value = min(values.values()) if column == HARM else max(values.values())
    return listed([name for name, value in values.items() if value == best_value])


def _blocks(quality: Quality) -> Iterator[Block]:
    yield tables.main(quality)
    if quality.orders:
        yield tables.orders(quality)
        yield _folded(tables.pairs(quality))
    yield tables.more(quality)
    if quality.doubts:
        yield tables.doubts(quality.doubts)
    yield _folded(tables.measured_runs(quality))


def _folded(table: Table) -> Section:
    return Section(f"folded-{table.key}", table.title, (table,), Fold.CLOSED)
