"""The page of a product: what is claimed, what is observed, what it could not do, its failures, its reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Document, Kind, Note, Notes, Prose, Section, Table, Tone
from memgauge.show.numbers import plural
from memgauge.submissions.boards.checked import ISOLATION
from memgauge.submissions.claims.show import claims_document
from memgauge.submissions.site.checked_page import named_failures
from memgauge.submissions.site.places import board_place, product_place, submission_place
from memgauge.submissions.site.words import NOT_VERIFIED, level_cell, worth
from memgauge.systems.conformance.aspects import ClaimState, aspects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show import Block
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.sheets.registry import ProductSheet
    from memgauge.submissions.site.registry_view import RegistryView


def product_document(view: RegistryView, product: ProductSheet) -> Document:
    """Say everything that is known of a product."""
    submitted = view.of_product.get(product.name, ())
    standing = [each for each in submitted if not each.gone]
    return Document(
        title=product.title,
        beside=f"{product.vendor}; {product.licence}; {product.category}",
        lead=_lead(product, standing),
        facts=tuple(_facts(product)),
        blocks=tuple(_blocks(view, product, submitted, standing)),
        origin="submitted bundles and sheets",
        identity={"product": product.name, "home": product.home},
    )


def _lead(product: ProductSheet, standing: Sequence[Entrant]) -> str:
    if not standing:
        return "Nothing of it stands on a board."
    best = max(int(each.level.level) for each in standing)
    caution = f" Its numbers are {NOT_VERIFIED}." if best < 3 else ""
    kind = "A baseline, which stands beside products" if product.role == "baseline" else "A memory product"
    return f"{kind}: {plural(len(standing), 'submission')}, the highest at level {best}.{caution}"


def _facts(product: ProductSheet) -> Iterator[str]:
    if product.own:
        yield "Memgauge's authors make it: it enters last, and levels 3 and 5 can be given to it by others alone."


def _blocks(
    view: RegistryView, product: ProductSheet, submitted: Sequence[Entrant], standing: Sequence[Entrant]
) -> Iterator[Block]:
    if claimed := [claim for claim in view.claims if claim.sheet.product == product.name]:
        shown = claims_document(claimed)
        yield Section("claimed", "What is claimed", (Prose(shown.lead), *shown.blocks))
    if observed := _observed(view, standing):
        yield observed
    if unable := list(dict.fromkeys(_unable(standing))):
        yield Section("unable", "What it could not do", (Notes(tuple(map(Note, unable))),))
    looked = [row for board, row in view.looked_at.get(product.name, ()) if board.kind == "golden" and row.named]
    if looked:
        yield named_failures(looked)
    if lost := _failures(standing):
        yield lost
    yield Section("reply", "Right of reply", tuple(_reply(product)))
    if submitted:
        yield submissions_table(submitted)


def _observed(view: RegistryView, standing: Sequence[Entrant]) -> Table | None:
    columns = (
        Column("board", Kind.PROSE),
        *Column.each(Kind.TEXT, "setting", "group"),
        Column("value", Kind.NUMBER),
        Column("takes", Kind.COUNT),
        Column("beside BM25", Kind.PROSE),
        Column("verified", Kind.TEXT),
    )
    rows = [
        (
            Cell(board.title, board.measure, leads=board_place(board.name)),
            Cell(row.head.label, leads=submission_place(row.head.submission, row.head.product, row.head.version)),
            "not ranked" if row.group is None else str(row.group),
            *worth(board, row),
            row.beside.verdict if row.beside else "",
            level_cell(row.head),
        )
        for each in standing
        for board, row in view.stands_on.get(each.id, ())
        if row.head.division == board.division and row.head.lane == board.lane
    ]
    return Table.of("observed", "What is observed", columns, rows) if rows else None


def _unable(standing: Sequence[Entrant]) -> Iterator[str]:
    """Yield what runs and cards say against it."""
    for each in standing:
        for row in each.rows.values():
            yield from row.bars
            yield from row.marks
        for aspect in aspects(each.card) if each.card else ():
            if aspect.state is ClaimState.BROKEN:
                grave = "FAILS: " if aspect.name in ISOLATION else ""
                claimed = aspect.claimed or "nothing"
                yield f"{grave}{aspect.name}: claimed {claimed}, observed {aspect.observed[:300]}."


def _failures(standing: Sequence[Entrant]) -> Table | None:
    rows = [
        (each.sheet.label, name, row.unanswered, row.asked, row.lost)
        for each in standing
        for name, row in each.rows.items()
        if row.unanswered or row.lost
    ]
    columns = (
        Column("setting"),
        Column("dataset"),
        Column("unanswered", Kind.COUNT, means="Questions without a valid result; each counts 0."),
        *Column.each(Kind.COUNT, "asked", "writes lost"),
    )
    return Table.of("failures", "Calls that failed", columns, rows) if rows else None


def _reply(product: ProductSheet) -> Iterator[Block]:
    consents = {
        "own-submission": "Its vendor submitted it.",
        "informed": "Its vendor was told of these rows.",
        "not-asked-yet": "Its vendor was not told yet of these rows; a reply is printed here when it comes.",
        "not-needed": "A baseline has no vendor to be told.",
    }
    reply = product.reply
    yield Prose(consents[product.consent] + (f" Told on {reply.informed_on}." if reply.informed_on else ""))
    if reply.reply:
        yield Prose(f"Reply of {reply.replied_on or 'its vendor'}: {reply.reply}", Tone.LEAD)


def submissions_table(submitted: Sequence[Entrant]) -> Table:
    """List submissions; what left the boards stays here."""
    columns = (
        *Column.each(Kind.TEXT, "submission", "day", "division", "lane", "verified"),
        Column("standing", Kind.PROSE),
    )
    rows = [
        (
            Cell(
                each.sheet.label, each.id, leads=submission_place(each.id, each.sheet.product, each.sheet.version)
            ),
            each.sheet.day,
            each.division,
            each.sheet.lane,
            Cell(f"L{int(each.level.level)}", each.level.caution or each.level.name),
            each.gone or ("; ".join(each.problems) or "stands"),
        )
        for each in submitted
    ]
    return Table.of("submissions", "Submissions", columns, rows)


def products_document(view: RegistryView) -> Document:
    """List all products."""
    rows = [
        (
            Cell(product.title, leads=product_place(name), badges=("our own",) if product.own else ()),
            product.role,
            product.vendor,
            len([each for each in view.of_product.get(name, ()) if not each.gone]),
            Cell(_highest(view.of_product.get(name, ()))),
        )
        for name, product in sorted(
            view.repository.products.items(),
            key=lambda item: (item[1].role, item[1].own, item[1].title.casefold()),
        )
    ]
    columns = ("product", "role", "vendor", Column("submissions", Kind.COUNT), Column("verified", Kind.TEXT))
    products = sum(product.role == "product" for product in view.repository.products.values())
    return Document(
        title="Products",
        lead=f"{plural(products, 'product')}, and the baselines that stand beside them.",
        blocks=(Table.of("products", "Products and baselines", columns, rows),),
        origin="submitted bundles and sheets",
    )


def _highest(submitted: Sequence[Entrant]) -> str:
    levels = [int(each.level.level) for each in submitted if not each.gone]
    return f"L{max(levels)}" if levels else ""
