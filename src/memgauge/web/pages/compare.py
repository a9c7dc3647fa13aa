"""Two runs side by side: how far apart, how sure, and who gains and loses on which questions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import ConfigError
from memgauge.report.compared import around, notes, p_value, verdict_sentence
from memgauge.report.sheet import Cell, Sheet
from memgauge.report.svg import Figure, draw
from memgauge.report.words import contract_sentence
from memgauge.scoring.align import align
from memgauge.scoring.compare import FACTORS, NO_VERDICT, OPEN, Comparison, differences_of, require_comparable
from memgauge.scoring.score import DatasetSampling, fitted
from memgauge.show.drawing import ACCENT, INK, SHORT, specification
from memgauge.show.numbers import number
from memgauge.stats import estimates
from memgauge.web.address import Address
from memgauge.web.contracts import asked_of, picker, settings_of
from memgauge.web.groups import group_of
from memgauge.web.view import Chart, Choice, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
    b = library.item(address.get("b") or next(one.key for one in finished if one.key != a.key))
    settings, factor = settings_of(address), address.get("factor", "system")
    found = library.made(
        ("compare", a.key, b.key, settings, factor), [a, b], lambda: _compared(library, a, b, settings, factor)
    )
    first, contract = found.made.differences[0], asked_of(address)
    texts = {one.id: one.text for one in library.gold(_ref(a)).questions}
    listed = partial(_questions, a=a, b=b, contract=contract, texts=texts)
    return View(
        title=f"{b.label} beside {a.label}",
        lead=verdict_sentence(first, a.label, b.label),
        facts=(f"{contract_sentence(settings.contract).capitalize()}.", f"Contract: {settings.contract}"),
        notes=tuple(_notes(found.made)),
        form=(*_chosen(library, a, b, factor), *picker(address)),
        sheets=(
            _differences(found.made, a, b),
            _parts(found.parts, first.measure),
            listed("gained", f"Where {b.label} gains: {len(found.gained):,} of {first.wins:,}", found.gained),
            listed("lost", f"Where {b.label} loses: {len(found.lost):,} of {first.losses:,}", found.lost),
        ),
        charts=(
            Chart(
                "parts",
                f"{first.measure}, {b.label} less {a.label}, by category",
                "Bars: paired 95 % intervals over conversations.",
                partial(_drawn, found.parts, first.measure),
            ),
        ),
        trail=(("Runs", Address.of("runs")), *_board(library, a, contract)),
        more=(("The other way round", address.but(a=b.key, b=a.key)),),
        identity={"a": a.key, "b": b.key, "contract": str(settings.contract)},
    )


def _compared(library: Library, a: Item, b: Item, settings: Settings, factor: str) -> Compared:
    left, right = library.run(a), library.run(b)
    require_comparable(left.manifest, right.manifest, factor)
    gold = library.gold(_ref(a))
    settings = fitted(settings, gold)
    sides = [align(run, gold, settings.contract, settings.depth) for run in (left, right)]
    named = [(str(measure), sides[0].rows(measure), sides[1].rows(measure)) for measure in settings.parsed]
    differences, unpaired = differences_of(named, DatasetSampling.of(gold))
    if not differences:
        raise ConfigError("The two runs share no scored question.", "Check that both are complete.")
    made = Comparison(a.label, b.label, factor, str(settings.contract), tuple(differences), unpaired)
    _, one, other = named[0]
    both = one.defined & other.defined
    change = np.where(both, other.values - one.values, 0.0)
    order = np.argsort(-np.abs(change), kind="stable")

    def told(wanted: NDArray[np.bool_]) -> tuple[tuple[str, float, float], ...]:
        places = [place for place in order.tolist() if wanted[place]][:EACH]
        return tuple((gold.questions[p].id, float(one.values[p]), float(other.values[p])) for p in places)

    return Compared(
        made, _by_category(gold, change, both), told(change > 0), told(change < 0), int((change != 0).sum())
    )


def _by_category(gold: GoldTable, change: NDArray[np.float64], both: NDArray[np.bool_]) -> tuple[Part, ...]:
    categories = np.array([question.category for question in gold.questions])
    sampling, found = DatasetSampling.of(gold), []
    for name in sorted(set(categories[both].tolist())):
        here = both & (categories == name)
        mean = estimates(change[:, None], sampling.clusters, here[:, None])[0]
        wins, losses = int((change[here] > 0).sum()), int((change[here] < 0).sum())
        found.append(Part(name, int(here.sum()), wins, losses, mean.mean or 0.0, mean.low, mean.high))
    return tuple(found)


def _notes(made: Comparison) -> list[str]:
    left = [f"{made.unpaired:,} questions are scored on one side only and left out."] if made.unpaired else []
    return [*notes(made), *left]


def _differences(made: Comparison, a: Item, b: Item) -> Sheet:
    return Sheet.of(
        "differences",
        "Differences",
        (
            "measure",
            a.label,
            b.label if b.label != a.label else f"{b.label} (b)",
            "difference",
            "over questions",
            "n",
            "gains / losses",
            "p (Holm)",
            "detectable",
            "verdict",
        ),
        [
            (
                one.measure,
                one.a,
                one.b,
                Cell(f"{one.difference:+.3f}", around(one.low, one.high), one.difference),
                Cell(around(one.question_low, one.question_high) or "undefined"),
                one.n,
                Cell(f"{one.wins:,} / {one.losses:,}"),
                Cell(
                    p_value(one.p_adjusted), one.test if one.p_adjusted is not None else one.reason, one.p_adjusted
                ),
                Cell(number(one.minimum_detectable), value=one.minimum_detectable),
                Cell(one.verdict, mark="" if one.verdict in {OPEN, NO_VERDICT} else "told"),
            )
            for one in made.differences
        ],
        "In brackets: paired 95 % intervals over conversations; over questions: percentile bootstrap, where "
        "questions are independent. Detectable: a true difference that gets a verdict with a chance of 80 %.",
    )


def _parts(parts: Sequence[Part], measure: str) -> Sheet:
    return Sheet.of(
        "parts",
        f"{measure} by category",
        ("category", "n", "gains", "losses", "equal", "mean difference"),
        [
            (
                one.name,
                one.n,
                one.wins,
                one.losses,
                one.n - one.wins - one.losses,
                Cell(f"{one.mean:+.3f}", around(one.low, one.high), one.mean),
            )
            for one in parts
        ],
        "Not corrected for the number of categories.",
    )


def _questions(
    key: str,
    title: str,
    found: Sequence[tuple[str, float, float]],
    *,
    a: Item,
    b: Item,
    contract: dict[str, str],
    texts: dict[str, str],
) -> Sheet:
    return Sheet.of(
        key,
        title,
        ("question", "text", a.label, b.label if b.label != a.label else f"{b.label} (b)"),
        [
            (
                Cell(question, leads=Address.of("question", b.key, id=question, beside=a.key, **contract)),
                Cell(texts.get(question, ""), mark="text"),
                left,
                right,
            )
            for question, left, right in found
        ],
        "The largest changes first.",
    )


def _chosen(library: Library, a: Item, b: Item, factor: str) -> tuple[Choice, ...]:
    runs = tuple((one.key, one.key) for one in library.finished())
    return (
        Choice("a", "Baseline", a.key, runs),
        Choice("b", "Beside it", b.key, runs),
        Choice("factor", "What may differ", factor, tuple((one, one) for one in FACTORS)),
    )


def _board(library: Library, item: Item, contract: dict[str, str]) -> list[tuple[str, Address]]:
    own = group_of(library, item)
    return [(own.title, Address.of("board", own.key, **contract))] if own else []


def _drawn(parts: Sequence[Part], measure: str) -> Figure | None:
    import altair as alt

    rows: list[dict[str, Any]] = [
        {
            "name": one.name,
            "mean": one.mean,
            "low": one.mean if one.low is None else one.low,
            "high": one.mean if one.high is None else one.high,
        }
        for one in parts
    ]
    if not rows:
        return None
    reach = max(0.05, *(abs(row[end]) for row in rows for end in ("low", "high"))) * 1.05
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelPadding=10, labelExpr=SHORT))
    )
    x = alt.X("mean:Q", title=f"difference in {measure}", scale=alt.Scale(domain=[-reach, reach], nice=False))
    layers = alt.layer(
        alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=INK, opacity=0.5).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=6, opacity=0.45, color=ACCENT).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=42, opacity=1, color=ACCENT).encode(x=x),
    )
    said = "; ".join(f"{one.name} {one.mean:+.3f}" for one in parts)
    return draw(
        specification(layers, height=28 * len(rows)),
        uid="chart-parts",
        title=f"Difference in {measure} by category",
        description=f"Right of 0 the second run is better. {said}.",
    )


def _ref(item: Item) -> str:
    assert item.manifest is not None  # noqa: S101 - both have been opened as runs
    return item.manifest.dataset.ref
