"""What runs of one board failed, and why, for every page that says so: worked out once for each contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError
from memgauge.scoring.align import align
from memgauge.scoring.failures import FailureFilter, explained, failures
from memgauge.scoring.score import fitted
from memgauge.web.contracts import settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.causes import ExplainedFailure
    from memgauge.scoring.failures import FailureList
    from memgauge.web.address import Address
    from memgauge.web.library import Item, Library


def failed_by(library: Library, items: Sequence[Item], looked_at: Sequence[Item], address: Address) -> FailureList:
    """List all failures of the runs *looked_at*, beside the others among *items*.

    Raises:
        MemgaugeError: The data of the runs is not here.
    """
    settings, partly = settings_of(address), address.get("partly") == "yes"

    def make() -> FailureList:
        gold = library.gold(library.run(items[0]).manifest.dataset.ref)
        fit = fitted(settings, gold)
        judged = [align(library.run(item), gold, fit.contract, fit.depth) for item in items]
        labels = [item.label for item in looked_at if _serves(library, item)] or [item.label for item in looked_at]
        chosen = FailureFilter(partly=partly)
        return failures(judged, gold, fit.parsed[0], limit=None, systems=labels, chosen=chosen)

    key = ("failed", tuple(item.key for item in looked_at), settings, partly)
    return library.made(key, items, make)


def why_missed(library: Library, item: Item, address: Address, question: str) -> ExplainedFailure | None:
    """Say why a run returned nothing that counts for a question; ``None`` where it did, or nobody can say."""
    settings = settings_of(address)

    def make() -> Mapping[str, ExplainedFailure]:
        try:
            gold = library.gold(library.run(item).manifest.dataset.ref)
            fit = fitted(settings, gold)
            judged: JudgedRun = align(library.run(item), gold, fit.contract, fit.depth)
        except MemgaugeError:
            return {}  # the page says itself what is not here
        rows = judged.rows(fit.parsed[0])
        places = [
            place
            for place in range(len(gold.questions))
            if rows.defined[place] and judged.run_mask[place] and rows.values[place] == 0
        ]
        reasons = explained(judged, gold, fit.parsed[0], places)
        return {gold.questions[place].id: reason for place, reason in reasons.items()}

    return library.made(("missed", item.key, settings), [item], make).get(question)


def _serves(library: Library, item: Item) -> bool:
    return library.run(item).manifest.system.capabilities.get("role") == "system"
