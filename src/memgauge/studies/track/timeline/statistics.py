"""Table 1 of MEMTRACK: seven statistics of a timeline, under names that leave nothing open."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import e, log2
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.track.timeline.files import fingerprint, plain
from memgauge.studies.track.timeline.models import SlackEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memgauge.studies.track.timeline.models import Event, Timeline
    from memgauge.studies.track.timeline.references import Scorer
    from memgauge.text.counting import TokenCounter


@result
@dataclass(frozen=True)
class Share:
    """A fraction whose parts are kept."""

    count: int
    of: int

    @property
    def value(self) -> float:
        """Return the fraction; 0 of nothing is 0, as Table 1 needs a number for every instance."""
        return self.count / self.of if self.of else 0.0


@result
@dataclass(frozen=True)
class Statistics:
    """What Table 1 counts of one instance, and what it leaves out."""

    name: str
    history: str
    """Hash of the events: instances that share it are not independent."""
    events: int
    platforms: dict[str, int]
    """Events of each platform that has any."""
    messages: int
    """Slack messages, threads expanded."""
    tokens: int
    token_counter: str
    entropy_bits: float
    """Over the platforms that have events, log base 2."""
    entropy_normalised: float
    """Divided by its largest value for as many platforms; 0 for one."""
    entropy_nats: float
    references: int
    """Events that refer to a platform other than their own."""
    reference_scorer: str
    heterophily: Share
    """Events that are followed by one of another platform, of all that are followed."""
    span_hours: float
    questions: int


def statistics(timeline: Timeline, counter: TokenCounter, scorer: Scorer) -> Statistics:
    """Compute the statistics of one instance."""
    counts = Counter(str(event.platform) for event in timeline.events)
    bits = entropy_bits(counts.values())
    payloads = [event.payload for event in timeline.events]
    return Statistics(
        name=timeline.name,
        history=fingerprint(timeline),
        events=len(timeline.events),
        platforms={name: counts[name] for name in ("slack", "linear", "git") if counts[name]},
        messages=sum(len(payload.messages) for payload in payloads if isinstance(payload, SlackEvent)),
        tokens=sum(counter.count(compact(event)) for event in timeline.events),
        token_counter=counter.name,
        entropy_bits=bits,
        entropy_normalised=bits / log2(len(counts)) if len(counts) > 1 else 0.0,
        entropy_nats=bits / log2(e),
        references=sum(refers(event, scorer) for event in timeline.events),
        reference_scorer=scorer.name,
        heterophily=heterophily(timeline.events),
        span_hours=span_hours(timeline.events),
        questions=len(timeline.questions),
    )


def compact(event: Event) -> str:
    """Write an event as compact JSON, which is what its tokens are counted of."""
    return json.dumps(
        {"platform": str(event.platform), **plain(event)},
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    )


def entropy_bits(counts: Iterable[int]) -> float:
    """Return the entropy of a distribution in bits, of the classes that occur."""
    class_counts = [count for count in counts if count]
    total = sum(class_counts)
    return abs(sum(count / total * log2(total / count) for count in class_counts)) if class_counts else 0.0


def heterophily(events: Sequence[Event]) -> Share:
    """Count the neighbours in time that are of different platforms."""
    pairs = list(pairwise(events))
    return Share(sum(first.platform is not second.platform for first, second in pairs), len(pairs))


def span_hours(events: Sequence[Event]) -> float:
    """Return the hours between the first and the last event."""
    return (events[-1].at - events[0].at).total_seconds() / 3600 if events else 0.0


def refers(event: Event, scorer: Scorer) -> bool:
    """Whether an event refers to another platform: a score strictly above the threshold."""
    return any(score > THRESHOLD for platform, score in scorer.score(event).items() if platform != event.platform)


THRESHOLD = 0.3
"""Source: MEMTRACK, Table 1."""


@result
@dataclass(frozen=True)
class InstanceStatistic:
    """One statistic over instances."""

    name: str
    mean: float
    largest: float


@result
@dataclass(frozen=True)
class TimelineStatistics:
    """Statistics of instances, and over them."""

    instances: tuple[Statistics, ...]
    table: tuple[InstanceStatistic, ...]


_COLUMNS: dict[str, Callable[[Statistics], float]] = {
    "events": lambda each: each.events,
    "tokens": lambda each: each.tokens,
    "platform entropy, bits": lambda each: each.entropy_bits,
    "cross-platform references": lambda each: each.references,
    "heterophily": lambda each: each.heterophily.value,
    "span, hours": lambda each: each.span_hours,
    "questions": lambda each: each.questions,
}


def table(instances: Sequence[Statistics]) -> tuple[InstanceStatistic, ...]:
    """Summarise instances as Table 1 does: mean and maximum of seven statistics."""
    if not instances:
        return ()
    columns = {name: [of(statistic) for statistic in instances] for name, of in _COLUMNS.items()}
    return tuple(
        InstanceStatistic(name, sum(values) / len(values), max(values)) for name, values in columns.items()
    )
