"""Every knob of the shift study in plain words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from memgauge.show.numbers import listed, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.shift.protocol.spec import ShiftSpec

_CHOICES: Mapping[str, Mapping[str, str]] = {
    "place": {
        "after_evidence": "A question is asked right after its last evidence turn.",
        "session_end": "A question is asked at the end of the session of its last evidence turn.",
        "as_asked": "A question is asked at the end of the session after which the dataset asks it.",
    },
    "source": {
        "same_conversation": "Distractors come from any other session of the conversation, later ones included.",
        "past_sessions": "Distractors come from earlier sessions of the conversation.",
        "other_conversations": "Distractors come from other conversations.",
    },
    "sampling": {
        "fixed_burst": "Every burst is drawn with the same seed, so nearly the same turns come each time.",
        "fresh": "Every burst is drawn anew.",
    },
    "memory": {
        "persist": "Distractors stay in memory.",
        "isolated": "Only the bursts of the running session are in memory.",
    },
    "filing": {
        "exempt": "A policy with sessions files distractors under none.",
        "current": "A policy with sessions files distractors under the running one, like every turn.",
        "pseudo_session": "A policy with sessions files each burst as a session of its own.",
    },
    "fit": {
        "all": "Term statistics know the whole stream, the future included.",
        "prefix": "Term statistics know only what has been said.",
    },
    "summaries": {
        "dataset": "Sessions are summarised by the dataset's own summaries, whole even while they run.",
        "extractive": "Sessions are summarised by their first turns so far.",
        "supplied": "Sessions are summarised by texts that were supplied.",
    },
}
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
    """Return the sentence of one knob; a knob without one has a name that must do."""
    if name in _SENTENCES:
        return _SENTENCES[name](spec)
    return _CHOICES.get(name, {}).get(str(getattr(spec, name)), "")
