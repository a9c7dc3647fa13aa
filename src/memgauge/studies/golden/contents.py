"""What a scenario holds: its hash, its steps as text, what they need of a memory, and where they look."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.cases import as_data
from memgauge.studies.golden.scenario import (
    LAYERS,
    AskStep,
    Assert,
    Concurrent,
    Erase,
    Maintenance,
    Meddle,
    Probe,
    Race,
    RepeatStep,
    Restart,
    Say,
    SessionStep,
    Update,
    User,
    flat,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.studies.golden.scenario import Scenario, Step


LONG = 100
"""Turns, sweeps and restarts beyond which a scenario is long: its rules are those of the short ones."""


def turns_in(step: object) -> int:
    """Count roughly what a step makes a memory do."""
    if isinstance(step, RepeatStep):
        return step.repeat * sum(map(turns_in, step.steps))
    if isinstance(step, Race):
        return 100
    if isinstance(step, Say):
        return step.times + sum(step.pad) // 1_000
    return step.maintenance if isinstance(step, Maintenance) else 1


def is_long(scenario: Scenario) -> bool:
    """Whether a scenario takes as long as a hundred others, and so is for the night."""
    return sum(map(turns_in, scenario.steps)) > LONG


def content_of(scenario: Scenario) -> str:
    """Hash what decides its verdict: not its title, its tags or where it comes from."""
    content = _as_before(
        scenario.model_dump(mode="json", exclude={"title", "tags", "provenance", "kills", "severity"})
    )
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _as_before(data: Any) -> Any:
    """Leave out keys that the language once did not have, where they are not used: the hash stays what it was."""
    if isinstance(data, dict):
        return {key: _as_before(value) for key, value in data.items() if key not in _LATER or value != _LATER[key]}
    return [_as_before(value) for value in data] if isinstance(data, list) else data


_LATER: Mapping[str, Any] = {
    "confined": False,
    "expires_in": None,
    "starts": None,
    "pad": [0, 0],
    "budgets": [],
    "counted": False,
    "same_minute": False,
    "receipts": False,
    "together": False,
    "listed": None,
    "epoch": None,
    "zone": None,
    "near": {},
    "flush": True,
    "forgets": [],
    "present": False,
    "dated": None,
    "imported": "",
}
"""Keys that were added to the language, with what they are where they are not written."""


def needs_of(scenario: Scenario) -> tuple[str, ...]:
    """Name the optional protocols that its steps use."""
    used = {need for step in flat(scenario.steps) for need in _needs(step)}
    return tuple(sorted(used | set(scenario.requires)))


def demands(step: Step) -> Iterator[str]:
    """Name the optional protocols without which a step cannot be played."""
    match step:
        case Erase():
            yield "erasable" if step.erase == "user" else "mutable"
        case Restart():
            yield "durable"
        case Update() | Meddle():
            yield "mutable"
        case Probe() if "history" in step.surfaces:
            yield "auditable"
        case Assert() if step.assert_.audit:
            yield "auditable"
        case _:
            pass


def _needs(step: Step) -> Iterator[str]:
    yield from demands(step)
    match step:
        case Maintenance() | Say(expires=True):
            yield "expiring"
        case Say() if step.expires_in:
            yield "expiring"
        case AskStep():
            yield from (protocol for layer, protocol in _BEHIND.items() if layer in step.layers)
        case _:
            pass


_BEHIND = {"context": "assembling", "answer": "answering"}
"""The protocol without which a layer is not there."""


def layers_of(scenario: Scenario, wanted: Sequence[str], offers: Sequence[str]) -> tuple[str, ...]:
    """Name the layers at which a memory with these optional protocols is looked at."""
    seen: set[str] = set()
    for step in flat(scenario.steps):
        if isinstance(step, AskStep):
            asked = (layer for layer in step.layers if layer in wanted)
            seen |= {layer for layer in asked if layer not in _BEHIND or _BEHIND[layer] in offers}
        elif isinstance(step, Probe):
            seen.add("recall")
        elif isinstance(step, Assert):
            seen.add("store")
    return tuple(layer for layer in LAYERS if layer in seen)


def alone(scenario: Scenario) -> bool:
    """Whether one user, in one memory, takes part, so that nothing can be shown where it does not belong."""
    probed = any(isinstance(step, Probe) and step.as_users for step in flat(scenario.steps))
    return not probed and len(set(_whose(scenario.steps, User(user="alice"), None))) < 2


def _whose(steps: Iterable[Step], user: User, session: str | None) -> Iterator[tuple[User, str | None]]:
    """Yield whose memory every step is about: a user's, or that of one session that keeps to itself."""
    for step in steps:
        match step:
            case User():
                user = step
            case SessionStep():
                session = step.session if step.confined else None
            case Concurrent():
                for lane in step.concurrent:
                    yield from _whose(lane, user, session)
            case RepeatStep():
                yield from _whose(step.steps, user, session)
            case _:
                yield user, session


def lines(scenario: Scenario) -> tuple[str, ...]:
    """Write every step on a line of its own."""
    import yaml

    def line(step: dict[str, Any]) -> str:
        text = yaml.safe_dump(step, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
        return str(text).strip().removeprefix("{").removesuffix("}")

    return tuple(line(step) for step in as_data(scenario)["steps"])


def block(scenario: Scenario) -> str:
    """Write steps as they stand in a suite file, ready to be copied there."""
    import yaml

    steps = as_data(scenario)["steps"]
    return str(yaml.safe_dump(steps, default_flow_style=None, sort_keys=False, allow_unicode=True, width=100))
