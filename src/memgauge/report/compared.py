"""What a comparison of two runs says, the same on the terminal and in the viewer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.measures import parse
from memgauge.report.ended import OR_MORE, ended_notes, short_lists_sentence, verdict_cell
from memgauge.report.words import contract_named
from memgauge.scoring.conclusions import DIGITS, Conclusion
from memgauge.show import Cell, Column, Document, Kind, Note, Table, Tone, embedded
from memgauge.show.numbers import UNDEFINED, listed, plural
from memgauge.stats.clusters import DOMINATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.compare import Comparison, Difference
    from memgauge.show import Block

_MEANING = "In brackets: paired 95 % intervals over conversations."
_OVER_QUESTIONS = "Over questions: percentile bootstrap, where questions are independent."
_DETECTABLE = "Detectable: a true difference that gets a verdict with a chance of 80 %."


def p_value(value: float | None) -> str:
    """Write a p-value."""
    return "undefined" if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def around(low: float | None, high: float | None, digits: int = 3) -> str:
    """Write the interval of a difference, or nothing."""
    return "" if low is None or high is None else f"[{low:+.{digits}f}, {high:+.{digits}f}]"


def estimated(difference: Difference) -> Cell:
    """Write a difference with its interval; what is not 0 is never written as 0."""
    value, low, high = difference.difference, difference.low, difference.high
    digits = _digits(value, low, high)
    return Cell(f"{value:+.{digits}f}", around(low, high, digits), value, low, high)


def _digits(*figures: float | None) -> int:
    """Return how many digits show each of these figures on its side of 0."""
    seen = [each for each in figures if each is not None and round(each, DIGITS) != 0]
    return next((digits for digits in range(3, DIGITS) if all(round(each, digits) for each in seen)), DIGITS)


def verdict_sentence(first: Difference, a: str, b: str, margin: float | None = None) -> str:
    """Say what was shown of one measure."""
    on = f" on {first.measure}"
    ended = first.ended and short_lists_sentence(first.ended, a, b)
    shown = {
        Conclusion.BETTER: f"{b} is better than {a}{on}",
        Conclusion.WORSE: f"{b} is worse than {a}{on}",
        Conclusion.HIGHER: f"{b} is higher than {a}{on}, not confirmed after correction",
        Conclusion.LOWER: f"{b} is lower than {a}{on}, not confirmed after correction",
        Conclusion.OPEN: f"{b} and {a} cannot be told apart{on}",
        Conclusion.EQUAL: f"{b} and {a} are equal within {'the margin' if margin is None else f'{margin:g}'}{on}",
        Conclusion.SAME: f"{b} and {a} are the same on every question{on}",
        Conclusion.NONE: f"Nothing can be said of {b} beside {a}{on}, because {first.reason}",
        Conclusion.CUT: f"Whether {b} is better than {a}{on} is not told, because {ended}; of what was kept",
    }[first.verdict]
    if first.ended and first.verdict not in {Conclusion.NONE, Conclusion.CUT}:
        shown += f", as one of k ({ended})" if first.ended.of_k else f", by this {OR_MORE} ({ended})"
    seen = estimated(first)
    interval = f" {seen.under}" if seen.under else ""
    return f"{shown}: {seen.text}{interval} over {plural(first.n, 'shared question')}.{_alike(first)}"


def _alike(difference: Difference) -> str:
    """Say why nothing is shown where all conversations differ by the same: flipped signs are all that is left."""
    if difference.verdict is not Conclusion.OPEN or difference.se != 0 or not difference.difference:
        return ""
    return (
        f" All {difference.clusters:,} conversations differ by as much, which chance alone would bring about once "
        f"in {2 ** (difference.clusters - 1):,} times: measure more conversations."
    )


BOARDS: Final = (
    " A board tests its first measure alone, so that it may rank where this does not; `-m` with one measure "
    "compares as it does."
)


def notes(made: Comparison) -> Iterator[str]:
    """Yield what a reader has to know of tests, power and equality."""
    if made.unpaired:
        yield f"{plural(made.unpaired, 'question')} scored on one side only and left out."
    first = made.differences[0]
    if first.clusters < 2 or first.reason == DOMINATED:
        yield f"No interval and no test: {first.reason}."
        return
    yield (
        f"Intervals and tests are over {plural(first.clusters, 'conversation')}, paired by question "
        f"({first.test}); p after Holm over {_family(made)}, intervals of each alone."
    )
    yield from _power(made)
    yield from ended_notes(made)
    boards_differ = first.verdict.suspected and len(made.differences) > 1
    if any(difference.verdict.suspected for difference in made.differences):
        yield (
            "Not confirmed after correction: the interval of this measure alone leaves out 0; among "
            f"{_family(made)} one may do so by chance.{BOARDS if boards_differ else ''}"
        )
    if made.margin is not None:
        yield (
            f"Equal within the margin of {made.margin:g}: larger differences either way are rejected at 5 %, "
            "after Holm; where nothing differs at all, by how likely independent questions would show none."
        )
    elif any(difference.verdict is Conclusion.OPEN for difference in made.differences):
        yield "Cannot be told apart is not equal: that is tested within a margin, as in --equivalent 0.02."
    if lower := [each.measure for each in made.differences if parse(each.measure).formula.lower]:
        yield f"Less is better in {listed(lower)}."


def _power(made: Comparison) -> Iterator[str]:
    """Say how small a true difference of one measure would have been seen; where lists end at k, others say it."""
    first = made.differences[0]
    if first.p_wild is not None:
        yield "How small a difference would have been seen is said of the t-test alone: leave --wild out."
    elif first.minimum_detectable is None:
        if first.ended is None:
            yield f"What would have been seen is unknown: {first.reason}."
    elif _beyond_shares(first):
        yield (
            f"{plural(first.clusters, 'conversation')} would show no difference in {first.measure} with 80 % "
            f"chance{_corrected(made)}, however large: measure more conversations."
        )
    else:
        yield (
            f"A true difference of {first.minimum_detectable:.3f} in {first.measure} would get a verdict with a "
            f"chance of 80 %{_corrected(made)}."
        )


def _corrected(made: Comparison) -> str:
    """Say that a correction is in a figure; a board, which tests one measure, has a smaller one."""
    alone = made.together == 1 and len(made.differences) == 1
    return "" if alone else f", corrected for {_family(made)}"


def _family(made: Comparison) -> str:
    """Say what p-values were corrected over."""
    measures = plural(len(made.differences), "measure")
    return measures if made.together == 1 else f"{measures} of {made.together:,} comparisons"


def document(made: Comparison, *, blocks: tuple[Block, ...] = ()) -> Document:
    """Say everything that a comparison of two runs holds, with *blocks* below its differences."""
    return Document(
        title=f"{made.b} beside {made.a}",
        lead=verdict_sentence(made.differences[0], made.a, made.b, made.margin),
        blocks=(differences(made), *blocks),
        notes=(*(Note(lost, tone=Tone.WARN) for lost in made.lost_writes), *map(Note, notes(made))),
        identity={"contract": made.contract},
        data=made,
    )


def documents(comparisons: Sequence[Comparison]) -> Document:
    """Say what several comparisons hold, a section each; of one, a document alone."""
    each = [document(made) for made in comparisons]
    if len(each) == 1:
        return replace(each[0], data=list(comparisons))
    if len({made.dataset for made in comparisons}) > 1:
        titles = [f"{made.dataset}: {shown.title}" for made, shown in zip(comparisons, each, strict=True)]
        each = [replace(shown, title=title) for shown, title in zip(each, titles, strict=True)]
    sections = tuple(embedded(shown, f"comparison-{place}") for place, shown in enumerate(each, 1))
    return Document(title="", blocks=sections, data=list(comparisons))


def differences(made: Comparison) -> Table:
    """Return what differs by how much, measure by measure."""
    wild = any(difference.p_wild is not None for difference in made.differences)
    columns = (
        Column("measure", Kind.TEXT),
        *(Column(head, Kind.NUMBER) for head in _heads(made.a, made.b)),
        Column("difference", Kind.SIGNED),
        Column("over questions", Kind.SIGNED, yields=9, legend=_OVER_QUESTIONS),
        Column("n", Kind.COUNT, yields=4),
        Column("gains / losses", Kind.COUNT, yields=7),
        *([Column("p (CR2)", Kind.NUMBER, yields=3), Column("p (wild)", Kind.NUMBER, yields=2)] if wild else []),
        Column("p (Holm)", Kind.NUMBER, yields=1),
        Column("detectable", Kind.NUMBER, yields=8, legend=_DETECTABLE),
        Column("verdict", Kind.PROSE),
    )
    rows = [
        (
            difference.measure,
            difference.a,
            difference.b,
            estimated(difference),
            Cell(around(difference.question_low, difference.question_high) or UNDEFINED),
            difference.n,
            Cell(f"{difference.wins:,} / {difference.losses:,}"),
            *([_p(difference.p), _p(difference.p_wild)] if wild else []),
            _p(difference.p_adjusted, difference.reason),
            Cell("none") if _beyond_shares(difference) else difference.minimum_detectable,
            verdict_cell(difference),
        )
        for difference in made.differences
    ]
    table = Table.of("differences", "Differences", columns, rows, f"contract {made.contract}.\n{_MEANING}")
    return replace(table, short=f"{contract_named(made.contract)}\n{_MEANING}")


def _beyond_shares(difference: Difference) -> bool:
    """Whether two shares would have to differ by more than they can, to be told apart."""
    seen, means = difference.minimum_detectable, (difference.a, difference.b)
    return seen is not None and seen >= 1 and all(0 <= mean <= 1 for mean in means)


def _heads(a: str, b: str) -> tuple[str, str]:
    """Head the columns of two runs by what sets them apart."""
    (label, _, left), (other, _, right) = a.rpartition(" "), b.rpartition(" ")
    if label and label == other and left != right:
        return left, right
    return a, b if b != a else f"{b} (b)"


def _p(value: float | None, reason: str = "") -> Cell:
    return Cell(p_value(value), reason if value is None else "", value)
