"""Minimise: the smallest scenario that still shows the same anomaly, by removing whatever can go.

Delta debugging over steps, then over lanes, then over keys, round after round until nothing more can go. A smaller
scenario counts only where the memory shows the same anomaly *and* the ideal memory passes it, so that a minimised
case is never vacuous.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.records import Verdict
from memgauge.studies.golden.runner import Options, run_scenario
from memgauge.studies.golden.scenario import (
    CHECKING,
    AskStep,
    Concurrent,
    Erase,
    Maintenance,
    Probe,
    RepeatStep,
    Restart,
    Say,
    Scenario,
    SessionStep,
    User,
)
from memgauge.studies.golden.values import MEANING
from memgauge.studies.golden.writer import variable
from memgauge.systems.reference.ideal import Ideal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.runner import Factory
    from memgauge.studies.golden.scenario import Step

    Fails = Callable[[Scenario], bool]

T = TypeVar("T")

INLINE = Options(timeout_s=math.inf)
"""How memories are played that are known to return."""
_APART = Options(seed="ideal", timeout_s=math.inf)
"""How the ideal memory is played beside another: with values of its own, so that no byte of the other's is its."""
_UNTIL = re.compile(r" until \{@-?\d+[dhms]\}")
_FROM = re.compile(r" ?\bfrom \{@\d+d\}(?: on)?,?", re.IGNORECASE)
_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_TO = re.compile(r"'to': '(\w+)'")
_SIMPLER: dict[type, dict[str, tuple[Any, ...]]] = {
    Say: {"times": (1, 2), "at": (None,), "expires": (False,), "id": (None,), "channel": ("web",)},
    AskStep: {"as_of": (None,), "k": (20,), "layers": (("recall",), ("context",), ("answer",))},
    Probe: {"surfaces": (("search",), ("list",), ("context",))},
    User: {"tenant": ("default",), "agent": (None,)},
    SessionStep: {"confined": (False,)},
    Maintenance: {"maintenance": (1,)},
    RepeatStep: {"repeat": (1, 2)},
    Restart: {"restart": ("process",)},
    Erase: {"again": (False,)},
}
"""Simpler values of keys, the simplest first."""


def minimise(scenario: Scenario, factory: Factory, anomaly: Anomaly, options: Options = INLINE) -> Scenario:
    """Return the smallest scenario found in which the memory of *factory* shows *anomaly* and the ideal passes."""
    return shrink(scenario, shows(factory, anomaly, options))


def shows(factory: Factory, anomaly: Anomaly, options: Options = INLINE) -> Fails:
    """Return what tells whether a scenario shows *anomaly* on a memory while the ideal memory passes it."""

    def fails(scenario: Scenario) -> bool:
        if anomaly not in run_scenario(scenario, factory, options).anomalies:
            return False
        return run_scenario(scenario, Ideal, _APART).verdict == Verdict.PASS

    return fails


def shrink(scenario: Scenario, fails: Fails) -> Scenario:
    """Return the smallest scenario found that still *fails*; *scenario* itself where it does not fail at all."""
    if not fails(scenario):
        return scenario
    before = None
    while before != scenario:
        before = scenario
        scenario = _fewer_steps(scenario, fails)
        scenario = _first_that_fails(scenario, fails, _lanes)
        scenario = _first_that_fails(scenario, fails, _keys)
    renamed = rename(scenario)
    return renamed if fails(renamed) else scenario


def ddmin(items: Sequence[T], fails: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Remove what can be removed, in ever smaller pieces, the last ones first."""
    needed = tuple(items)
    size = max(len(needed) // 2, 1)
    while needed:
        end = len(needed)
        while end > 0:
            less = needed[: max(end - size, 0)] + needed[end:]
            if fails(less):
                needed = less
            end -= size
        if size == 1:
            break
        size //= 2
    return needed


def rename(scenario: Scenario) -> Scenario:
    """Name the variables a, b, c in the order in which they appear."""
    data = scenario.model_dump(by_alias=True)
    text = str(data["steps"])
    names = {
        name: variable(place)
        for place, name in enumerate(dict.fromkeys([*_NAME.findall(text), *_TO.findall(text)]))
    }

    def renamed(value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            if key in MEANING or key == "to":
                return names.get(value, value)
            return _NAME.sub(lambda match: f"{{{names[match[1]]}}}", value)
        if isinstance(value, dict):
            return {name: renamed(part, key if key in MEANING else name) for name, part in value.items()}
        return tuple(renamed(part) for part in value) if isinstance(value, list | tuple) else value

    kinds = {names[name]: kind for name, kind in scenario.vars.items() if name in names}
    return Scenario.model_validate({**data, "steps": renamed(data["steps"]), "vars": kinds})


def _with(scenario: Scenario, steps: Sequence[Step]) -> Scenario:
    return scenario.model_copy(update={"steps": tuple(steps)})


def _good(steps: Sequence[Step]) -> bool:
    """Whether a scenario may hold these steps and no more."""
    return len(steps) >= 2 and any(isinstance(step, CHECKING) for step in steps)


def _fewer_steps(scenario: Scenario, fails: Fails) -> Scenario:
    return _with(scenario, ddmin(scenario.steps, lambda steps: _good(steps) and fails(_with(scenario, steps))))


def _first_that_fails(
    scenario: Scenario, fails: Fails, simpler: Callable[[Scenario], Iterator[Scenario]]
) -> Scenario:
    """Take the first simpler scenario that still fails, and go on from there until none does."""
    smaller: Scenario | None = scenario
    while smaller is not None:
        scenario = smaller
        smaller = next(
            (candidate for candidate in simpler(scenario) if _good(candidate.steps) and fails(candidate)), None
        )
    return scenario


def _lanes(scenario: Scenario) -> Iterator[Scenario]:
    """Play lanes one after the other, leave one out, or shorten one."""
    for place, step in enumerate(scenario.steps):
        if not isinstance(step, Concurrent):
            continue
        before, after = scenario.steps[:place], scenario.steps[place + 1 :]
        lanes = step.concurrent
        yield _with(scenario, (*before, *(step for lane in lanes for step in lane), *after))
        for number, lane in enumerate(lanes):
            rest = lanes[:number] + lanes[number + 1 :]
            if len(rest) > 1:
                yield _with(scenario, (*before, Concurrent(concurrent=rest), *after))
            for gone in range(len(lane)):
                shorter = (*lanes[:number], lane[:gone] + lane[gone + 1 :], *lanes[number + 1 :])
                yield _with(scenario, (*before, Concurrent(concurrent=shorter), *after))


def _keys(scenario: Scenario) -> Iterator[Scenario]:
    """Give one key of one step a simpler value."""
    for place, step in enumerate(scenario.steps):
        for simpler in _simpler(step):
            yield _with(scenario, (*scenario.steps[:place], simpler, *scenario.steps[place + 1 :]))


def _simpler(step: Step) -> Iterator[Step]:
    for key, values in _SIMPLER.get(type(step), {}).items():
        now = getattr(step, key)
        if key == "channel" and now == "user":
            continue
        place = values.index(now) if now in values else len(values)
        yield from (step.model_copy(update={key: value}) for value in values[:place])
    if isinstance(step, Say) and step.starts:
        yield step.model_copy(update={"starts": None, "say": _FROM.sub("", step.say).strip()})
    if isinstance(step, Say) and step.until and not step.was:
        yield step.model_copy(update={"until": None, "expires": False, "say": _UNTIL.sub("", step.say)})
    if isinstance(step, Probe):
        for key in ("probe", "as_users"):
            values = getattr(step, key)
            if len(values) > 1:
                yield from (step.model_copy(update={key: (value,)}) for value in values)
