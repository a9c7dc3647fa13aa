"""What a targets audit says in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show.numbers import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.targets.study import Audit


def verdict(audit: Audit) -> str:
    """Say in one sentence what the choice of a target does to these runs."""
    rates = [row.rate for row in audit.flips if row.pair == "raw to canonical" and row.rate is not None]
    if not rates:
        return "No run here holds derived memories beside turns, so that only one target can be told from another."
    spread = f"{min(rates):.0%}" if len(rates) == 1 else f"{min(rates):.0%} to {max(rates):.0%}"
    shared = plural(audit.covered, "shared question")
    start = f"Crediting derived memories instead of turns changes {spread} of {shared}"
    pairs = audit.by_target
    if not pairs:
        return f"{start}."
    reversed_ = sum(one.verdict == "reversed" for one in pairs)
    turned = f"turns the winner of {reversed_} of {len(pairs)} pairs of runs around"
    return f"{start}, and {turned}, by intervals over conversations."


def notes(audit: Audit) -> Iterator[str]:
    """Yield what a reader should know before quoting a number."""
    if audit.excluded:
        yield "Left out: " + listed([f"{n:,} questions ({reason})" for reason, n in audit.excluded.items()]) + "."
    for label, reason in audit.unsupported.items():
        yield f"{label} is unsupported, not 0: {reason}."
    missing = [row.label for row in audit.shifts if row.means["canonical"] is None]
    if missing:
        yield f"Under Canonical {listed(missing)} cannot be scored: no derived memory is stored."
    above = [row for row in audit.parts if row.exceeding]
    if above:
        yield (
            "Canonical exceeds Source on some questions, although Source credits all that it credits: that is the "
            "norm, not retrieval. Under credit=anchor-cn it cannot happen."
        )
    unclear = [f"{card.label} ({', '.join(card.missing)})" for card in audit.cards if card.missing]
    if unclear:
        yield f"Reporting cards with gaps: {listed(unclear)}."
