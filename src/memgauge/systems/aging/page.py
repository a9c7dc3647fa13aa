"""The page "as of": of every product, what is pinned, since when, what newest version was seen, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError
from memgauge.results import ReadyData, plain
from memgauge.show import Column, Document, Kind, Table
from memgauge.show.numbers import plural
from memgauge.systems.aging.names import locked_on
from memgauge.systems.aging.report import AGING, AgingOutcome
from memgauge.systems.aging.show import SENTENCES, counts
from memgauge.text.jsons import json_file
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.systems.aging.report import AgedProduct, AgingReport
    from memgauge.systems.environments.products import Product


def read_report(path: Path) -> AgingReport:
    """Read what `memgauge systems aged` wrote.

    Raises:
        MalformedDataError: It is something else, or not there.
    """
    remedy = "`memgauge systems aged NAME --out FILE.json` writes one."
    try:
        return AGING.read(json_file(path, remedy), str(path))
    except OSError as error:
        raise MalformedDataError(f"Cannot read {path}: {error.strerror}.", remedy) from error


def latest(reports: Iterable[AgingReport]) -> dict[str, AgedProduct]:
    """Return what was seen last of each product; of one day, what was read last."""
    seen: dict[str, AgedProduct] = {}
    for each in (aged for report in reports for aged in report.products):
        if each.product not in seen or each.looked_on >= seen[each.product].looked_on:
            seen[each.product] = each
    return seen


def page(products: Sequence[Product], reports: Iterable[AgingReport]) -> Document:
    """List *products* with what *reports* saw of them, and whatever else these looked at."""
    seen = latest(reports)
    rows = [_row(each, seen.get(each.name)) for each in products]
    names = {each.name for each in products}
    rows += [
        (aged.product, aged.pinned, aged.locked_on, aged.newest, aged.looked_on, _said(aged))
        for name, aged in seen.items()
        if name not in names
    ]
    columns = (
        *Column.each(Kind.TEXT, "product", "pinned", "locked on", "newest seen", "looked at"),
        Column("what changed", Kind.PROSE),
    )
    looked_at = sum(each in seen for each in names)
    days = sorted(each.looked_on for each in seen.values())
    as_of = f", as of {days[-1]}" if days else ""
    heads = [column.head for column in columns]
    return Document(
        title=f"Products and their versions{as_of}",
        lead=f"{looked_at} of {plural(len(products), 'product')} {'was' if looked_at == 1 else 'were'} looked at.",
        blocks=(Table.of("as-of", "", columns, rows),),
        next="Look at one: memgauge systems aged NAME --out FILE.json",
        origin="descriptions of products, and saved looks at newest versions",
        identity={"memgauge": __version__},
        data=ReadyData([dict(zip(heads, row, strict=True)) for row in plain(rows)]),
    )


def _row(product: Product, aged: AgedProduct | None) -> tuple[str, ...]:
    lock = locked_on(product)
    if aged is None:
        return product.name, product.version, lock, "", "", "not looked at"
    former = "" if aged.pinned == product.version else f" (beside {aged.pinned}, which was pinned then)"
    return product.name, product.version, lock, aged.newest, aged.looked_on, f"{_said(aged)}{former}"


def _said(aged: AgedProduct) -> str:
    if aged.outcome in {AgingOutcome.CURRENT, AgingOutcome.UNPACKAGED}:
        return SENTENCES[aged.outcome]
    return f"{SENTENCES[aged.outcome]}: {aged.problem or counts(aged)}"
