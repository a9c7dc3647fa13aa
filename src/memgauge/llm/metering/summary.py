"""What metered calls took, summed by product, phase and model, with money from the dated list of prices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.llm.metering.calls import CallEnd, CallRoute
from memgauge.llm.prices import list_price
from memgauge.metering import CostSource, is_free
from memgauge.results import ResultKind, result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memgauge.llm.metering.log import MeteredCall
    from memgauge.llm.prices import Price


@result
@dataclass(frozen=True)
class MeteredGroup:
    """What one product asked one model in one phase."""

    product: str
    phase: str
    model: str
    calls: int
    ends: Mapping[str, int]
    """Calls by how they ended."""
    statuses: Mapping[str, int]
    """Calls that failed, by the status of HTTP, or by how they ended where there was none."""
    retries: Mapping[str, int]
    """Requests that came again after they had failed, by how."""
    tokens_in: int
    """Of what was sent, whatever became of it; without those of texts to embed."""
    tokens_out: int
    embedding_tokens: int
    sources: Mapping[str, int]
    """Calls that a server may have seen, by who says what they took: the weaker of both sides."""
    seconds: float
    """Of all calls together, some of which may have run side by side."""
    median_s: float | None
    slow_s: float | None
    """95 of 100 calls that were answered were quicker."""
    first_s: float | None
    """Median of the time until the first byte of a reply."""
    usd: float | None
    """``None`` where no price is known."""

    @property
    def failed(self) -> int:
        """Return the calls without a whole reply."""
        return self.calls - self.ends.get(CallEnd.OK, 0)


@result
@dataclass(frozen=True)
class MeteredSpending:
    """What was asked of models through a proxy."""

    groups: tuple[MeteredGroup, ...]
    usd: float | None
    """``None`` where a model has no known price."""
    unpriced: tuple[str, ...]
    priced_on: str
    source: str
    """Whose prices they are."""
    began: str
    last: str
    """When the first and the last call began."""
    unread: int = 0
    """Lines that could not be read."""


METERED = ResultKind("metered-spending", 1, MeteredSpending, "memgauge models spent")


@dataclass
class _Sums:
    """What is added up of one group."""

    ends: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    retries: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    taken: int = 0
    written: int = 0
    embedded: int = 0
    seconds: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    usd: float = 0.0

    def add(self, call: MeteredCall, price: Price | None) -> None:
        """Add one call."""
        self.ends[call.end] += 1
        if call.end is not CallEnd.OK:
            self.statuses[str(call.status or call.end)] += 1
        if call.again_after:
            self.retries[call.again_after] += 1
        if call.end.sent:
            self.sources[_weaker(call)] += 1
        taken, written = call.tokens_in or 0, call.tokens_out or 0
        if call.route is CallRoute.EMBEDDINGS:
            self.embedded += taken
        else:
            self.taken, self.written = self.taken + taken, self.written + written
        self.seconds.append(call.seconds)
        self.answered += [call.seconds] if call.end is CallEnd.OK else []
        self.firsts += [call.first_s] if call.first_s is not None else []
        self.usd += price.usd(taken, written) if price else 0.0


def summarise_calls(
    calls: Iterable[MeteredCall | None], prices: Callable[[str], Price | None] = list_price
) -> MeteredSpending:
    """Add up *calls*; ``None`` is a line that could not be read."""
    sums: dict[tuple[str, str, str], _Sums] = {}
    known: dict[str, Price | None] = {}
    unread, times = 0, list[str]()
    for call in calls:
        if call is None:
            unread += 1
            continue
        if call.model not in known:
            known[call.model] = None if is_free(call.model) else prices(call.model)
        times = [min([*times[:1], call.at]), max([*times[1:], call.at])]
        sums.setdefault((call.product, call.phase, call.model), _Sums()).add(call, known[call.model])
    groups = tuple(_group(*key, sums[key], known[key[2]]) for key in sorted(sums))
    unpriced = tuple(sorted({group.model for group in groups if group.usd is None}))
    used = [price for price in known.values() if price is not None]
    return MeteredSpending(
        groups,
        None if unpriced else round(sum(each.usd for each in sums.values()), 6),
        unpriced,
        max((price.as_of for price in used), default=""),
        ", ".join(sorted({price.source for price in used})),
        times[0] if times else "",
        times[1] if times else "",
        unread,
    )


def _group(product: str, phase: str, model: str, sums: _Sums, price: Price | None) -> MeteredGroup:
    asked = any(CallEnd(end).sent for end in sums.ends)
    return MeteredGroup(
        product,
        phase,
        model,
        sums.ends.total(),
        dict(sorted(sums.ends.items())),
        dict(sorted(sums.statuses.items())),
        dict(sorted(sums.retries.items())),
        sums.taken,
        sums.written,
        sums.embedded,
        dict(sorted(sums.sources.items())),
        round(sum(sums.seconds), 6),
        _quantile(sums.answered, 0.5),
        _quantile(sums.answered, 0.95),
        _quantile(sums.firsts, 0.5),
        round(sums.usd, 6) if price or is_free(model) or not asked else None,
    )


def _weaker(call: MeteredCall) -> str:
    """Say who says what a call took, where two say it the one who is believed less."""
    embeds = call.route is CallRoute.EMBEDDINGS
    both = {call.in_source} if embeds or call.end is CallEnd.REFUSED else {call.in_source, call.out_source}
    return next(
        (source for source in (CostSource.UNAVAILABLE, CostSource.COUNTED) if source in both), CostSource.REPORTED
    )


def _quantile(values: list[float], q: float) -> float | None:
    """Interpolate as reports do."""
    if not values:
        return None
    ordered, place = sorted(values), q * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return round(ordered[low] + (ordered[high] - ordered[low]) * (place - low), 6)
