"""What the study says: its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ReadyData, plain
from memgauge.show import Code, Document, Fold, Note, Section
from memgauge.show.numbers import count, plural
from memgauge.studies.weak.record import PRODUCT, USER
from memgauge.studies.weak.study import WEAK
from memgauge.studies.weak.tables import lost, played, reasons, requests, steps, unplayed, writes
from memgauge.studies.weak.verdicts import ReplyVerdict, WriteFate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.weak.study import WeakRow, WeakStudy


def document(study: WeakStudy) -> Document:
    """Say everything that the study says, for terminals, pages and Markdown."""
    products = tuple(row for row in study.rows if row.kind == PRODUCT)
    users = tuple(row for row in study.rows if row.kind == USER)
    blocks = (
        writes(products),
        lost(products),
        requests(products),
        steps(users) if users else None,
        unplayed(products),
        played(study.rows),
        Section("commands", "Commands", (Code(_commands(study)),), Fold.CLOSED),
    )
    return Document(
        title=study.title,
        beside=f"{study.model}; the first {plural(study.turns, 'turn')} of {study.dataset}",
        lead=_lead(products),
        facts=tuple(_facts(study, products, users)),
        blocks=tuple(block for block in blocks if block is not None),
        notes=tuple(_notes(study)),
        origin="recorded requests and replies",
        identity={"model": study.model, "dataset": study.dataset},
        data=ReadyData(plain(WEAK.of(study))),
    )


def _lead(products: tuple[WeakRow, ...]) -> str:
    rows = [row for row in products if not row.problem]
    turns, n_lost = sum(row.asked for row in rows), sum(len(row.lost) for row in rows)
    silent = sum(row.fates[str(WriteFate.SILENT)] for row in rows)
    asked = sum(row.spent.requests for row in rows)
    became = {verdict: count(sum(row.spent.verdicts[str(verdict)] for row in rows)) for verdict in ReplyVerdict}
    return (
        f"{plural(turns, 'turn')} were handed to {plural(len(rows), 'product')}: {count(n_lost)} are lost, "
        f"{count(silent)} of them counted as written. Of {plural(asked, 'request')} of the model, "
        f"{became[ReplyVerdict.FITS]} got a reply that fits, {became[ReplyVerdict.UNFIT]} one of another shape, "
        f"{became[ReplyVerdict.CAPPED]} one that ran into its cap, {became[ReplyVerdict.LATE]} one that ran out "
        f"of time; {became[ReplyVerdict.REFUSED]} were refused, {became[ReplyVerdict.UNANSWERED]} were "
        "left without one. "
        "This is behaviour, and no measure of quality: nobody is ranked."
    )


def _facts(study: WeakStudy, products: tuple[WeakRow, ...], users: tuple[WeakRow, ...]) -> Iterator[str]:
    days = sorted({row.played for row in study.rows})
    days_text = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = dict.fromkeys(str(row.machine) for row in study.rows)
    yield f"Played {days_text} on {'; '.join(machines)}."
    yield (
        f"A reply may have {count(study.cap)} tokens and take {study.limit_s:g} s, a write {study.timeout_s:g} s. "
        "Temperature and retries are the products' own."
    )
    seconds, asked = sum(row.seconds for row in study.rows), sum(row.spent.requests for row in study.rows)
    tokens = sum(row.spent.tokens for row in study.rows)
    yield (
        f"Total cost: {seconds / 60:,.0f} minutes, {plural(asked, 'request')}, {count(tokens)} tokens; no key and "
        "no money. memgauge reproduce weak computes every count again from what is recorded, without a model and "
        "without the products."
    )
    yield from reasons(products)
    if users:
        yield f"Our own users of a model: {', '.join(row.key for row in users)}."


def _notes(study: WeakStudy) -> Iterator[Note]:
    yield Note("135 million parameters show what happens, and not how well: no figure of quality rests on it.")
    yield Note(
        "Vectors are hashed words: what a product looks for while it writes is found by shared words alone."
    )
    yield from (Note(row.note, row.key) for row in study.rows if row.note)
    loads = [row.load for row in study.rows]
    if max(loads) > 1:
        yield Note(
            f"The machine was busy when a lane began: up to a load of {max(loads):.1f}. Times suffer from it, and "
            "so does what is late."
        )
    yield Note(
        "Prompts are the products' and not recorded, only their keys, and replies are recorded without what they "
        f"quote of them, which {count(sum(row.spent.quoting for row in study.rows))} do. "
        "memgauge study weak replay plays lanes again without a model, from recorded replies, and says "
        "which requests are not in the record: after a reply that lacks its quotes, a product may ask otherwise."
    )
    if study.unplayed:
        yield Note(f"Not played yet: {', '.join(study.unplayed)}.")


def _commands(study: WeakStudy) -> str:
    products = [row.ref.partition(":")[0] for row in study.rows if row.kind == PRODUCT]
    return "\n".join(
        [
            "memgauge models install smollm2",
            f"memgauge systems install {' '.join(products)}",
            "memgauge study weak play --checkouts FOLDER",
            *(step.command for row in study.rows for step in row.steps),
            "memgauge study weak page --write --as-page docs/weak-models.md",
            "memgauge reproduce weak",
        ]
    )
