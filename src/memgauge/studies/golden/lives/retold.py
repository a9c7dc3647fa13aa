"""Stories retold: the short scenarios once more, of other people, one after the other in a memory that has aged.

A short story shows its fault at the first call, to alice, in an empty memory. Here each is told of somebody with a
long name, accents and capitals, perhaps in another tenant, with an agent, in a session that keeps to itself or
beside hundreds of other things; and by the end of it a memory has been swept, opened again and asked a hundred
times. What a story can show at all it shows here whenever it begins, and for whomever.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.cases import as_data
from memgauge.studies.golden.contents import demands
from memgauge.studies.golden.lives.crowds import crowd_of_things, listed_crowd
from memgauge.studies.golden.moves import look
from memgauge.studies.golden.scenario import (
    AskStep,
    Maintenance,
    Probe,
    Provenance,
    Race,
    RepeatStep,
    Restart,
    Scenario,
    SessionStep,
    User,
    flat,
)
from memgauge.studies.golden.writer import said, variable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from memgauge.studies.golden.scenario import Step

GENERATOR = "memgauge.retold/1"
AT_ONCE = 16
"""Stories that are told in one memory."""
_LEVELS: tuple[frozenset[str], ...] = (
    frozenset(),
    frozenset({"mutable", "erasable"}),
    frozenset({"mutable", "erasable", "expiring", "auditable", "durable", "assembling", "answering"}),
)
"""What a memory must offer: each story is told at the first level that has all that it needs."""
_OTHERWISE = frozenset({"lives", "retold", "races", "tails", "volume", "lookalikes", "derived"})
"""Families that are long, or are about the very names of people."""
_LONGEST = 80
"""Writes of a story that is short."""
_CROWDS = (0, 12, 0, 0, 0, 12, 0, 0, 12, 0, 0, 0, 12, 0, 110, 260)
"""How many other things the people of each story in a row have stored before it; large ones last, for speed."""
_FULL, _SELDOM = 1_010, 11
"""How many the people of the last story have, in one of so many memories."""
_PARCELS = "One of my parcels has the number"
_VALUES = frozenset({"sets", "adds", "removes", "was", "supposes", "plants"})
_PEOPLE = frozenset({"as_users", "meddle"})


@dataclass(frozen=True, order=True)
class _Medley:
    """What stories have in common that are told in one memory."""

    level: int
    receipts: bool
    confined: bool
    """Whether each is told in a session that keeps to itself."""

    @property
    def offers(self) -> frozenset[str]:
        return _LEVELS[self.level]


def stories(scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Return the scenarios that are short, are judged hard, and can be told of anybody at any time."""
    return [
        story
        for story in scenarios
        if story.family not in _OTHERWISE
        and story.gate == "hard"
        and not (story.epoch or story.zone or story.expected_failure)
        and not any(isinstance(step, Race) for step in flat(story.steps))
        and sum(_writes(step) for step in story.steps) <= _LONGEST
    ]


def demanded(story: Scenario) -> frozenset[str]:
    """Name the optional protocols without which a story cannot be told to its end."""
    return frozenset(story.requires).union(*map(demands, flat(story.steps)))


def _writes(step: Step, times: int = 1) -> int:
    if isinstance(step, RepeatStep):
        return sum(_writes(inner, times * step.repeat) for inner in step.steps)
    padding = sum(getattr(step, "pad", (0,))) // 200
    return times * max(getattr(step, "times", 1), getattr(step, "maintenance", 1), padding)


def retell(scenarios: Iterable[Scenario], seed: int = 0) -> Iterator[Scenario]:
    """Tell every story of *scenarios* once more, a few in each memory; the seed says which are together."""
    medleys: dict[_Medley, list[Scenario]] = {}
    for number, story in enumerate(stories(scenarios)):
        level = next(place for place, offers in enumerate(_LEVELS) if offers >= demanded(story))
        alone = not any(isinstance(step, SessionStep | User | Probe) for step in flat(story.steps))
        medley = _Medley(level, story.receipts, confined=alone and number % 3 == 0)
        medleys.setdefault(medley, []).append(story)
    number = 0
    for medley, told_alike in sorted(medleys.items()):
        Random(f"{GENERATOR}/{seed}/{medley}").shuffle(told_alike)  # noqa: S311 - an order to be repeated
        for start in range(0, len(told_alike), AT_ONCE):
            number += 1
            yield _told_together(number, seed, told_alike[start : start + AT_ONCE], medley)


def _told_together(number: int, seed: int, together: Sequence[Scenario], medley: _Medley) -> Scenario:
    steps: list[Any] = list(_aged(medley.offers))
    kinds: dict[str, Any] = {}
    near: dict[str, Any] = {}
    for place, story in enumerate(together):
        last = place == len(together) - 1
        crowd = _FULL if last and number % _SELDOM == 0 else _CROWDS[place]
        retelling = _Retelling(story, variable(place), number * AT_ONCE + place)
        steps += retelling.steps(
            0 if medley.receipts else crowd, of_one_kind=number % 2 == 0, confined=medley.confined
        )
        kinds |= {retelling.variable(name): kind for name, kind in story.vars.items()}
        near |= {retelling.variable(name): retelling.nearly(manner) for name, manner in story.near.items()}
    return Scenario(
        id=f"retold.{number}.{seed}",
        title="Stories retold, of others, in a memory that has aged",
        family="retold",
        tags=("rare", "abstention") if any("abstention" in story.tags for story in together) else ("rare",),
        requires=tuple(sorted({need for story in together for need in demanded(story)})),
        provenance=Provenance(
            kind="synthetic", ref=" ".join(story.id for story in together), generator=f"{GENERATOR}-{seed}"
        ),
        vars=kinds,
        near=near,
        repeats=1,
        receipts=medley.receipts,
        steps=tuple(steps),
    )


def _aged(offers: Collection[str]) -> Iterator[Step]:
    """Let others come before, and time do what it does."""
    errand = said(f"{_PARCELS} {{parcel}}.", adds={"parcel numbers": "parcel"})
    yield RepeatStep(repeat=12, steps=(User(user="guest{n}"), errand))
    yield listed_crowd(110, _PARCELS, "parcel numbers", "box_parcel")
    talk = said("Nothing much happened today.", times=5)
    worn: tuple[Step, ...] = (Restart(restart="process"),) if "durable" in offers else ()
    yield RepeatStep(repeat=10, steps=(*worn, Maintenance(maintenance=3), talk))


class _Retelling:
    """One story with other people, and with names of its own for its values."""

    def __init__(self, story: Scenario, letter: str, number: int) -> None:
        self._letter = letter
        self._number = number
        self._steps = as_data(story)["steps"]
        users = [step for step in flat(story.steps) if isinstance(step, User)]
        self._users = {"alice", *(step.user for step in users if step.user.strip())}
        self._tenant = f"acme-{number}" if number % 2 and all(step.tenant == "default" for step in users) else ""
        self._agent = "Coder" if number % 3 == 0 and all(step.agent is None for step in users) else ""
        questions = [step for step in flat(story.steps) if isinstance(step, AskStep) and not step.as_of]
        self._asked = tuple(dict.fromkeys(step.about for step in questions[-2:]))
        self._variables = set(_values(self._steps)) | story.vars.keys() | story.near.keys()

    def steps(self, crowd: int, *, of_one_kind: bool, confined: bool) -> Iterator[Any]:
        """Yield its steps, after *crowd* other things were said by whom it is of, in one list or one by one."""
        yield self._retold({"user": "alice"})
        yield SessionStep(session=f"{self._letter}0", confined=confined)
        name = f"{self._letter}_parcel"
        if crowd and of_one_kind:
            yield listed_crowd(crowd, _PARCELS, "parcel numbers", name)
        else:
            yield from crowd_of_things(crowd, name)
        yield from map(self._retold, self._steps)
        yield from (look(listed=slot) for slot in self._asked)

    def variable(self, name: str) -> str:
        """Name a variable where other stories have the same names."""
        return f"{self._letter}_{name}" if name in self._variables else name

    def nearly(self, manner: str) -> str:
        """Say of which value another is nearly the same."""
        how, _, base = manner.partition(" ")
        return f"{how} {self.variable(base)}"

    def _user(self, name: str) -> str:
        """Name somebody; ids that were nearly one stay so."""
        return f"Zo\u00eb-{self._number}.\u00dcbermann.{name}" if name in self._users else name

    def _retold(self, data: Any, key: str = "") -> Any:
        """Put other people and other names of variables into a step, or a part of one."""
        if isinstance(data, dict):
            beside = {"tenant": self._tenant, "agent": self._agent} if "user" in data else {}
            parts = {
                inner: {slot: self.variable(name) for slot, name in value.items()}
                if inner in _VALUES
                else self._retold(value, inner)
                for inner, value in data.items()
            }
            return {**parts, **{name: value for name, value in beside.items() if value}}
        if isinstance(data, list | tuple):
            return [self._retold(value, key) for value in data]
        if not isinstance(data, str):
            return data
        if key == "user" or key in _PEOPLE:
            return self._user(data)
        if key == "to":
            return self.variable(data)
        return re.sub(r"\{(\w+)\}", lambda match: f"{{{self.variable(match[1])}}}", data)


def _values(data: Any) -> Iterator[str]:
    """Yield the variables that stand for values anywhere in steps."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from value.values() if key in _VALUES else _values(value)
        if "update" in data:
            yield data["to"]
    elif isinstance(data, list | tuple):
        for inner in data:
            yield from _values(inner)
