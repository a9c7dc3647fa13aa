"""The three ways of fetching again that the document names in section 5.2.2, found and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.track.play.trajectory import Call

INTERLUDE = 3
"""Calls between two equal ones from which on the second is a repetition after an interlude."""
SIZES = frozenset({"limit", "max_lines", "max_matches", "context_lines", "end_line"})
"""Arguments that say how much is wanted."""
SMALL_STEPS = 3
"""Calls of ever larger size from which on widening is overdone."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One occurrence."""

    name: str
    """``general_to_specific``, ``after_interlude`` or ``widening``."""
    first: int
    """The ``seq`` of the call whose information is fetched again."""
    again: int
    overdone: bool = False
    """Whether widening took so many small steps that prudence does not explain it."""


@result
@dataclass(frozen=True, slots=True)
class Counts:
    """How often each pattern occurs."""

    general_to_specific: int
    after_interlude: int
    widening: int
    overdone: int
    """Of the widening calls, those that come after many small steps."""


COUNTED = tuple(field.name for field in fields(Counts))


def count(patterns: Sequence[Pattern]) -> Counts:
    """Count occurrences."""
    counts = Counter(pattern.name for pattern in patterns)
    counts["overdone"] = sum(pattern.overdone for pattern in patterns)
    return Counts(*(counts[name] for name in COUNTED))


def find(calls: Sequence[Call]) -> tuple[Pattern, ...]:
    """Find every occurrence among the calls that read and worked, in the order of the second call."""
    reading_calls = [call for call in calls if call.ok and _reads(call) and isinstance(call.arguments, dict)]
    patterns = [*_general(reading_calls), *_interludes(reading_calls), *_widening(reading_calls)]
    return tuple(sorted(patterns, key=lambda pattern: (pattern.again, pattern.name)))


def _reads(call: Call) -> bool:
    """Whether a call is made to learn something; fetching unread messages is, although it marks them as read."""
    return call.effect == "read" or call.tool == "get_unread_messages"


def _general(calls: Sequence[Call]) -> Iterator[Pattern]:
    """A listing, then a narrower call of the same tool, or of another, that shows nothing that it did not show."""
    for place, call in enumerate(calls):
        wider = (earlier_call for earlier_call in calls[:place] if _narrows(earlier_call, call))
        if (wider_call := next(wider, None)) is not None:
            yield Pattern("general_to_specific", wider_call.seq, call.seq)


def _narrows(general: Call, specific: Call) -> bool:
    general_arguments, specific_arguments = _given(general), _given(specific)
    revealed = {*specific.events, *specific.touched}
    if not revealed <= {*general.events, *general.touched}:
        return False
    if general.tool == specific.tool:
        return general_arguments.items() < specific_arguments.items()
    return (
        general.platform == specific.platform
        and not general_arguments
        and bool(specific_arguments)
        and bool(revealed)
    )


def _interludes(calls: Sequence[Call]) -> Iterator[Pattern]:
    """The same call again after at least so many others, or a part of the same file read again."""
    for place, call in enumerate(calls):
        for earlier_call in reversed(calls[:place]):
            if _same(earlier_call, call):
                if call.seq - earlier_call.seq > INTERLUDE:
                    yield Pattern("after_interlude", earlier_call.seq, call.seq)
                break


def _same(earlier_call: Call, again: Call) -> bool:
    if earlier_call.tool != again.tool:
        return False
    return _given(earlier_call) == _given(again) or _overlap(_given(earlier_call), _given(again))


def _overlap(earlier_arguments: dict[str, Any], later_arguments: dict[str, Any]) -> bool:
    """Whether both read lines of one file, and some of them twice."""
    path = earlier_arguments.get("file_path") or earlier_arguments.get("path")
    if path is None or path != (later_arguments.get("file_path") or later_arguments.get("path")):
        return False
    if "max_lines" not in {*earlier_arguments, *later_arguments}:
        return False
    (first_start, first_end), (start, end) = _range(earlier_arguments), _range(later_arguments)
    return first_start < end and start < first_end


def _range(arguments: dict[str, Any]) -> tuple[float, float]:
    start = arguments.get("start_line") or 1
    return start, start + (arguments.get("max_lines") or float("inf"))


def _widening(calls: Sequence[Call]) -> Iterator[Pattern]:
    """The same call with a larger size than ever before."""
    chains: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    for call in calls:
        arguments = _given(call)
        sizes = {name: arguments[name] for name in SIZES & set(arguments) if _is_size(arguments[name])}
        if len(sizes) != 1:
            continue
        ((name, size),) = sizes.items()
        other_arguments = sorted((key, repr(value)) for key, value in arguments.items() if key != name)
        chain = chains[f"{call.tool} {name} {other_arguments}"]
        if chain and size > max(chain)[0]:
            yield Pattern("widening", max(chain)[1], call.seq, overdone=len(chain) >= SMALL_STEPS - 1)
        chain.append((size, call.seq))


def _is_size(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _given(call: Call) -> dict[str, Any]:
    """Return the arguments that say something."""
    return {name: value for name, value in call.arguments.items() if value is not None}
