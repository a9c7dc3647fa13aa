"""Two runs side by side: how far apart, how sure, and who gains and loses on which questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import ConfigError
from memgauge.report.compared import document
from memgauge.report.words import contract_sentence
from memgauge.scoring.align import align
from memgauge.scoring.compare import compare
from memgauge.scoring.factors import FACTORS, require_comparable
from memgauge.scoring.score import DatasetSampling, fitted
from memgauge.show import Cell, Column, Figure, Kind, Table
from memgauge.show.drawing import ACCENT, INK, inline, labels, layered, specification
from memgauge.show.figures import Drawing
from memgauge.stats import Interval, estimates
from memgauge.stats.clusters import reach_of
from memgauge.web.address import Address
from memgauge.web.contracts import asked_of, picker, settings_of
from memgauge.web.groups import group_of
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memgauge.scoring.compare import Comparison, Difference
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings
    from memgauge.web.library import Item, Library

EACH = 60
"""Questions listed on each side."""


@dataclass(frozen=True, eq=False)
class Part:
    """The questions of one category."""

    name: str
    n: int
    wins: int
    losses: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Compared:
    """Two runs, their comparison, and the first measure question by question."""

    made: Comparison
    parts: tuple[Part, ...]
    gained: tuple[tuple[str, float, float], ...]
    """Question, value of the first run, value of the second; the largest gains first."""
    lost: tuple[tuple[str, float, float], ...]
    moved: int


def page(library: Library, address: Address) -> View:
    """Compare the two runs that were asked for."""
    finished = library.finished()
    if len(finished) < 2:
        raise ConfigError("A comparison needs two finished runs.", "Make another with `memgauge run`.")
    a = library.item(address.get("a") or finished[0].key)
    b = library.item(address.get("b") or next(item.key for item in finished if item.key != a.key))
    settings, factor = settings_of(address), address.get("factor", "system")
    compared = library.made(
        ("compare", a.key, b.key, settings, factor), [a, b], lambda: _compared(library, a, b, settings, factor)
    )
    first, contract = compared.made.differences[0], asked_of(address)
    texts = {question.id: question.text for question in library.gold(_ref(a)).questions}
    listed = partial(_questions, a=a, b=b, contract=contract, texts=texts)
    gained, lost = compared.gained, compared.lost
    shown = document(
        compared.made,
        blocks=(
            _parts(compared.parts, first),
            Figure(
                "by-part",
                f"{first.measure}, {b.label} less {a.label}, by category",
                f"Bars: paired 95 % intervals over conversations.{_of_k(first)}",
                partial(_drawn, compared.parts, first.measure),
            ),
            listed("gained", f"Where {b.label} gains: {len(gained):,} of {first.wins:,}", gained),
            listed("lost", f"Where {b.label} loses: {len(lost):,} of {first.losses:,}", lost),
        ),
    )
    return View(
        document=replace(
            shown,
            facts=(f"{contract_sentence(settings.contract).capitalize()}.",),
            identity={"a": a.key, "b": b.key, "contract": str(settings.contract)},
        ),
        form=(*_chosen(library, a, b, factor), *picker(address, first.measure)),
        trail=(("Runs", Address.of("runs")), *_board(library, a, contract)),
        more=(("The other way round", address.but(a=b.key, b=a.key)),),
    )


def _compared(library: Library, a: Item, b: Item, settings: Settings, factor: str) -> Compared:
    left, right = library.run(a), library.run(b)
    require_comparable(left.manifest, right.manifest, factor)
    gold = library.gold(_ref(a))
    settings = fitted(settings, gold)
    before, after = (align(run, gold, settings.contract, settings.depth) for run in (left, right))
    made = compare(before, after, gold, settings, factor)
    rows_a, rows_b = (side.rows(settings.parsed[0]) for side in (before, after))
    both = rows_a.defined & rows_b.defined
    change = np.where(both, rows_b.values - rows_a.values, 0.0)
    gain = -change if settings.parsed[0].formula.lower else change
    order = np.argsort(-np.abs(change), kind="stable")

    def largest(wanted: NDArray[np.bool_]) -> tuple[tuple[str, float, float], ...]:
        places = [place for place in order.tolist() if wanted[place]][:EACH]
        return tuple((gold.questions[p].id, float(rows_a.values[p]), float(rows_b.values[p])) for p in places)

    return Compared(
        made,
        _by_category(gold, change, both, reach_of(side.values[both] for side in (rows_a, rows_b))),
        largest(gain > 0),
        largest(gain < 0),
        int((change != 0).sum()),
    )


def _by_category(
    gold: GoldTable, change: NDArray[np.float64], both: NDArray[np.bool_], reach: float
) -> tuple[Part, ...]:
    categories = np.array([question.category for question in gold.questions])
    sampling, parts = DatasetSampling.of(gold), []
    for name in sorted(set(categories[both].tolist())):
        here = both & (categories == name)
        mean = estimates(change[:, None], sampling.clusters, here[:, None])[0].interval.within(-reach, reach)
        wins, losses = int((change[here] > 0).sum()), int((change[here] < 0).sum())
        parts.append(Part(name, int(here.sum()), wins, losses, mean.mean or 0.0, mean.low, mean.high))
    return tuple(parts)


def _of_k(first: Difference) -> str:
    """Say that what is shown is of lists that end at k, where it is."""
    return "" if first.ended is None else " Of lists that end at k: more may lie below."


def _parts(parts: Sequence[Part], first: Difference) -> Table:
    return Table.of(
        "parts",
        f"{first.measure} by category",
        (
            "category",
            *(Column(head, Kind.COUNT) for head in ("n", "gains", "losses", "equal")),
            Column("mean difference", Kind.SIGNED),
        ),
        [
            (
                part.name,
                part.n,
                part.wins,
                part.losses,
                part.n - part.wins - part.losses,
                Interval(part.mean, part.low, part.high, part.n),
            )
            for part in parts
        ],
        f"Not corrected for the number of categories.{_of_k(first)}",
    )


def _questions(
    key: str,
    title: str,
    changes: Sequence[tuple[str, float, float]],
    *,
    a: Item,
    b: Item,
    contract: dict[str, str],
    texts: dict[str, str],
) -> Table:
    return Table.of(
        key,
        title,
        (
            "question",
            Column("text", Kind.PROSE),
            Column(a.label, Kind.NUMBER),
            Column(b.label if b.label != a.label else f"{b.label} (b)", Kind.NUMBER),
        ),
        [
            (
                Cell(question, leads=Address.of("question", b.key, id=question, beside=a.key, **contract)),
                Cell(texts.get(question, ""), mark="text"),
                left,
                right,
            )
            for question, left, right in changes
        ],
        "The largest changes first.",
    )


def _chosen(library: Library, a: Item, b: Item, factor: str) -> tuple[Choice, ...]:
    runs = tuple((item.key, item.key) for item in library.finished())
    return (
        Choice("a", "Baseline", a.key, runs),
        Choice("b", "Beside it", b.key, runs),
        Choice("factor", "What may differ", factor, tuple((name, name) for name in FACTORS)),
    )


def _board(library: Library, item: Item, contract: dict[str, str]) -> list[tuple[str, Address]]:
    own = group_of(library, item)
    return [(own.title, Address.of("board", own.key, **contract))] if own else []


def _drawn(parts: Sequence[Part], measure: str) -> Drawing | None:
    import altair as alt

    rows: list[dict[str, Any]] = [
        {
            "name": part.name,
            "mean": part.mean,
            "low": part.mean if part.low is None else part.low,
            "high": part.mean if part.high is None else part.high,
        }
        for part in parts
    ]
    if not rows:
        return None
    named = labels(part.name for part in parts)
    reach = max(0.05, *(abs(row[end]) for row in rows for end in ("low", "high"))) * 1.05
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelPadding=10, labelExpr=named))
    )
    x = alt.X("mean:Q", title=f"difference in {measure}", scale=alt.Scale(domain=[-reach, reach], nice=False))
    layers = layered(
        alt.Chart(inline([{"zero": 0}])).mark_rule(color=INK, opacity=0.5).encode(x=alt.X("zero:Q")),
        base.mark_rule(strokeWidth=6, opacity=0.45, color=ACCENT).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=42, opacity=1, color=ACCENT).encode(x=x),
    )
    spoken = "; ".join(f"{part.name} {part.mean:+.3f}" for part in parts)
    return Drawing(
        specification(layers, height=28 * len(rows)),
        f"Right of 0 the value of the second run is higher. {spoken}.",
    )


def _ref(item: Item) -> str:
    assert item.manifest is not None  # noqa: S101 - both have been opened as runs
    return item.manifest.dataset.ref
