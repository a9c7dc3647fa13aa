"""Every knob of the shift study in plain words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from memgauge.show.numbers import listed, plural
from memgauge.studies.shift.protocol.spec import KnobChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.shift.protocol.spec import ShiftSpec

_SENTENCES: Mapping[str, Callable[[ShiftSpec], str]] = {
    "bursts": lambda s: f"Interruptions of {listed([str(m) for m in s.bursts])} turns are played; 0 is none.",
    "interrupted": lambda s: (
        f"A burst precedes each of the first {plural(s.interrupted, 'question')} of a session."
    ),
    "dedupe": lambda s: (
        "Copies of a turn stand for it once among the hits."
        if s.dedupe
        else "Copies of a turn take a place each among the hits."
    ),
    "budget": lambda s: (
        "A policy may search everything so far."
        if s.budget is None
        else f"A policy may search the newest {plural(s.budget, 'item')}."
    ),
    "categories": lambda s: (
        f"Only questions of {listed(s.categories)} are asked." if s.categories else "All questions are asked."
    ),
    "k": lambda s: f"A question is a hit when evidence is among the first {s.k} results.",
    "horizon": lambda s: f"Recovery@{s.horizon} looks at the first {plural(s.horizon, 'question')} of a session.",
    "seed": lambda s: f"Distractors and the clusters of a tree are drawn with seed {s.seed}.",
}


@dataclass(frozen=True)
class Knob:
    """One knob as it was set."""

    name: str
    setting: str
    meaning: str


def knobs(spec: ShiftSpec) -> tuple[Knob, ...]:
    """Say of every knob how it is set and what that means."""
    return tuple(Knob(f.name, _setting(getattr(spec, f.name)), _meaning(spec, f.name)) for f in fields(spec))


def _setting(value: object) -> str:
    if value is None or value == ():
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _meaning(spec: ShiftSpec, name: str) -> str:
    value = getattr(spec, name)
    return value.meaning if isinstance(value, KnobChoice) else _SENTENCES[name](spec)
