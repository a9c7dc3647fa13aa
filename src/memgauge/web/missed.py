"""What runs of one board failed, and why, for every page that says so: worked out once for each contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError
from memgauge.frame.searches import reading_of, search_of_traffic, traffic_of
from memgauge.scoring.align import align
from memgauge.scoring.failures import FailureFilter, failures
from memgauge.scoring.score import fitted
from memgauge.scoring.why.attempts import moment_in_run
from memgauge.scoring.why.explaining import explained_by_gold, explained_by_memories
from memgauge.web.contracts import settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.runs.record.store import Run
    from memgauge.scoring.failures import FailureList
    from memgauge.scoring.run_reading import RunReading
    from memgauge.scoring.why.explaining import ExplainedSearch
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


def explained_on(library: Library, item: Item, address: Address, name: str, text: str | None) -> ExplainedSearch:
    """Say why one question of a run did, or did not, get back what it needs; *text* is what was asked, if known.

    What an imported run was made of tells more than the run; without data nothing is expected.
    """
    run, settings = library.run(item), settings_of(address)
    expected = [address.get("memory")] if address.get("memory") else []
    traffic = library.made(("traffic", item.key), [item], lambda: _traffic(run))
    if traffic is not None:
        return search_of_traffic(traffic, name, expected, ())

    def read() -> RunReading | None:
        try:
            gold = library.gold(run.manifest.dataset.ref)
            return reading_of(run, gold, fitted(settings, gold))
        except MemgaugeError:
            return None  # the page says itself what is not here

    moment = moment_in_run(run, name, text)
    reading = library.made(("reading", item.key, settings), [item], read)
    if expected or reading is None or name not in reading.gold.number:
        return explained_by_memories(moment, expected, reading.measure if reading else None)
    return explained_by_gold(reading, moment)


def _traffic(run: Run) -> Traffic | None:
    """Open the traffic of an imported run; of traffic that cannot be read nothing is said."""
    try:
        return traffic_of(run)
    except MemgaugeError:
        return None


def _serves(library: Library, item: Item) -> bool:
    return library.run(item).manifest.system.capabilities.get("role") == "system"
