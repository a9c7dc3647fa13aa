"""What runs of one board failed, and why, for every page that says so: worked out once for each contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError
from memgauge.frame.searches import reading_of, search_of_traffic, traffic_of
from memgauge.scoring.align import align
from memgauge.scoring.failures import FailureFilter, FailureList, failures
from memgauge.scoring.score import fitted
from memgauge.scoring.why.attempts import moment_in_run
from memgauge.scoring.why.explaining import explained_by_gold, explained_by_memories
from memgauge.web.contracts import settings_of
from memgauge.web.derived import Derivation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.runs.record.store import Run
    from memgauge.scoring.run_reading import RunReading
    from memgauge.scoring.score import Settings
    from memgauge.scoring.why.explaining import ExplainedSearch
    from memgauge.web.address import Address
    from memgauge.web.derived import ScoredTogether
    from memgauge.web.library import Item, Library


def failed_by(library: Library, items: Sequence[Item], looked_at: Sequence[Item], address: Address) -> FailureList:
    """List all failures of the runs *looked_at*, beside the others among *items*.

    Raises:
        MemgaugeError: The data of the runs is not here.
    """
    serving = [item.label for item in looked_at if _serves(item)] or [item.label for item in looked_at]
    return library.derived(_FAILED, items, settings_of(address), tuple(serving), address.get("partly") == "yes")


def _failed(together: ScoredTogether, settings: Settings, systems: tuple[str, ...], partly: bool) -> FailureList:
    gold, fit = together.gold, fitted(settings, together.gold)
    judged_runs = [align(run, gold, fit.contract, fit.depth) for run in together.runs]
    failure_filter = FailureFilter(partly=partly)
    return failures(judged_runs, gold, fit.parsed[0], limit=None, systems=list(systems), chosen=failure_filter)


_FAILED = Derivation("failed", FailureList, _failed)


def explained_on(library: Library, item: Item, address: Address, name: str, text: str | None) -> ExplainedSearch:
    """Say why one question of a run did, or did not, get back what it needs; *text* is what was asked, if known.

    What an imported run was made of tells more than the run; without data nothing is expected.
    """
    run, settings = library.run(item), settings_of(address)
    expected_memories = [address.get("memory")] if address.get("memory") else []
    if run.manifest.is_imported:
        library.note_momentary()  # what it was made of lies elsewhere, and may come and go
    traffic = library.made(("traffic", item.key), [item], lambda: _traffic(run))
    if traffic is not None:
        return search_of_traffic(traffic, name, expected_memories, ())

    def read() -> RunReading | None:
        try:
            gold = library.gold(run.manifest.dataset.ref)
            return reading_of(run, gold, fitted(settings, gold))
        except MemgaugeError:
            library.note_momentary()
            return None  # the page says itself what is not here

    moment = moment_in_run(run, name, text)
    reading = library.made(("reading", item.key, settings), [item], read)
    if expected_memories or reading is None or name not in reading.gold.number:
        return explained_by_memories(moment, expected_memories, reading.measure if reading else None)
    return explained_by_gold(reading, moment)


def _traffic(run: Run) -> Traffic | None:
    """Open the traffic of an imported run; of traffic that cannot be read nothing is said."""
    try:
        return traffic_of(run)
    except MemgaugeError:
        return None


def _serves(item: Item) -> bool:
    return item.manifest is not None and item.manifest.system.capabilities.get("role") == "system"
