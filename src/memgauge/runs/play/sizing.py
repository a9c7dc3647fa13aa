"""How much of the data at hand fits into a stated time: whole conversations, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.runs.play.speed import Extent, Speed

FEWEST: Final = 2
"""Conversations of a further dataset below which it is left out: one cannot show how sure a score is."""
EFFICIENCY: Final = 0.8
"""The share of the time of each worker that is spent on conversations."""
BESIDE: Final = 0.4
"""The share of the time that products beside a memory may take."""


@dataclass(frozen=True)
class DatasetShare:
    """How much of one dataset is measured."""

    dataset: str
    conversations: int
    of: int

    @property
    def is_whole(self) -> bool:
        """Whether all of it is."""
        return self.conversations == self.of


@dataclass(frozen=True)
class Sized:
    """What fits."""

    shares: tuple[DatasetShare, ...]
    systems: tuple[str, ...]
    left_out: Mapping[str, str]
    """Systems and datasets that do not fit, with the reason."""
    seconds: float
    """That all of it takes."""
    slowest: str
    """The system that takes most of them."""


def sized(
    datasets: Mapping[str, Sequence[Extent]],
    always: Mapping[str, Speed],
    further: Mapping[str, Speed],
    *,
    seconds: float,
    workers: int,
) -> Sized:
    """Choose the first conversations of each dataset, and the systems beside, that fit into so many seconds.

    Args:
        datasets: Their conversations, the dataset that is preferred first. A further one is measured where those
            before it are whole, and with two conversations at least.
        always: What is measured in any case.
        further: What is measured where it fits, too: the fastest first, in at most two fifths of the time.
        seconds: That all of it may take.
        workers: That share it; no two share a conversation.
    """
    room = seconds * workers * EFFICIENCY
    fits = {
        name: extents
        for name, extents in datasets.items()
        if max(pace.seconds(extents[0]) for pace in always.values()) <= seconds
    }
    left_out = {name: "its first conversation takes too long" for name in datasets if name not in fits}
    shares, too_much, used = _shares(fits, always, room * (1 - BESIDE) if further else room)
    left_out |= too_much
    chosen = [extent for share in shares for extent in datasets[share.dataset][: share.conversations]]
    systems = list(always)
    for name in sorted(further, key=lambda name: (_takes([further[name]], chosen), name)):
        cost = _takes([further[name]], chosen) + further[name].start_s * len(shares)
        if chosen and used + cost <= room:
            systems.append(name)
            used += cost
        else:
            left_out[name] = f"would take about {cost:.0f} s more"
    paces = {**always, **further}
    slowest = max(systems, key=lambda name: _takes([paces[name]], chosen), default="")
    return Sized(tuple(shares), tuple(systems), left_out, used / workers / EFFICIENCY, slowest)


def _shares(
    datasets: Mapping[str, Sequence[Extent]], always: Mapping[str, Speed], seconds: float
) -> tuple[list[DatasetShare], dict[str, str], float]:
    shares: list[DatasetShare] = []
    left_out: dict[str, str] = {}
    used = 0.0
    for name, extents in datasets.items():
        if shares and not shares[-1].is_whole:
            left_out[name] = f"{shares[-1].dataset} comes first"
            continue
        count, after = 0, used + sum(pace.start_s for pace in always.values())
        for extent in extents:
            cost = _takes(always.values(), [extent])
            if after + cost > seconds:
                break
            count, after = count + 1, after + cost
        if count >= min(FEWEST if shares else 1, len(extents)) and count:
            shares.append(DatasetShare(name, count, len(extents)))
            used = after
        else:
            first = _takes(always.values(), extents[:1])
            left_out[name] = f"its first conversation would take about {first:.0f} s of work"
    return shares, left_out, used


def _takes(paces: Iterable[Speed], extents: Iterable[Extent]) -> float:
    return sum(pace.seconds(extent) for pace in paces for extent in extents)
