"""What a targets audit says: its document."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.show import Document, Figure, Note
from memgauge.show.numbers import listed, plural
from memgauge.studies.targets.charts import change_chart, target_chart
from memgauge.studies.targets.study import AUDIT
from memgauge.studies.targets.tables import tables
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.targets.study import TargetAudit


def document(audit: TargetAudit) -> Document:
    """Say everything that an audit holds."""
    return Document(
        title="What counts as found",
        lead=verdict(audit),
        facts=(_measured(audit),),
        blocks=(*_figures(audit), *tables(audit)),
        notes=tuple(map(Note, notes(audit))),
        identity={"dataset": audit.dataset, "sha256": audit.sha256, "memgauge": __version__},
        data=AUDIT.of(audit),
    )


def _measured(audit: TargetAudit) -> str:
    return (
        f"{audit.dataset} (sha256 {audit.sha256[:12]}): {plural(audit.asked, 'question')} that every run "
        f"answered, {audit.covered:,} of which all three targets can score. Nothing was asked of any system: the "
        "frozen lists were scored again. Raw credits the evidence turn word for word, Source anything that "
        "descends from it, Canonical the derived memories that do. Where a table says nothing else: "
        f"{audit.contract}."
    )


def _figures(audit: TargetAudit) -> Iterator[Figure]:
    if any(value is not None for row in audit.shifts for value in row.means.values()):
        title = "The same lists under three targets"
        yield Figure("lines", title, "Lines that cross are runs that change places.", partial(target_chart, audit))
    if any(row.pair == "raw to canonical" and row.n for row in audit.flips):
        title = "Figure 3: how far questions move from Raw to Canonical"
        caption = f"Absolute change of {audit.spec.metrics[0]} between Raw and Canonical."
        yield Figure("change", title, caption, partial(change_chart, audit))


def verdict(audit: TargetAudit) -> str:
    """Say in one sentence what the choice of a target does to these runs."""
    rates = [row.rate for row in audit.flips if row.pair == "raw to canonical" and row.rate is not None]
    if not rates:
        return "No run here holds derived memories beside turns, so that only one target can be told from another."
    range_words = f"{min(rates):.0%}" if len(rates) == 1 else f"{min(rates):.0%} to {max(rates):.0%}"
    questions_words = plural(audit.covered, "shared question")
    start = f"Crediting derived memories instead of turns changes {range_words} of {questions_words}"
    pairs = audit.by_target
    if not pairs:
        return f"{start}."
    reversed_ = sum(pair.verdict == "reversed" for pair in pairs)
    reversal_words = (
        f"turns the winner of {reversed_} of {plural(len(pairs), 'pair')} of runs around"
        if reversed_
        else "turns the winner of no pair of runs around"
    )
    return f"{start}, and {reversal_words}, by intervals over conversations."


def notes(audit: TargetAudit) -> Iterator[str]:
    """Yield what a reader should know before quoting a number."""
    if audit.excluded:
        yield "Left out: " + listed([f"{n:,} questions ({reason})" for reason, n in audit.excluded.items()]) + "."
    for label, reason in audit.unsupported.items():
        yield f"{label} is unsupported, not 0: {reason}."
    without_canonical = [row.label for row in audit.shifts if row.means["canonical"] is None]
    if without_canonical:
        yield f"Under Canonical {listed(without_canonical)} cannot be scored: no derived memory is stored."
    exceeding_rows = [row for row in audit.parts if row.exceeding]
    if exceeding_rows:
        yield (
            "Canonical exceeds Source on some questions, although Source credits all that it credits: that is the "
            "norm, not retrieval. Under credit=anchor-cn it cannot happen."
        )
    unclear = [f"{card.label} ({' and '.join(card.gaps)})" for card in audit.cards if card.gaps]
    if unclear:
        yield f"Reporting cards with gaps: {listed(unclear)}."
