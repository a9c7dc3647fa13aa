"""The lives that are shipped: who takes part, what happened before, and the suite file that they are written to.

A fault that shows at every fifth call, above a thousand memories, after ten restarts or for whoever has an accent
in the name shows in no short story. A life is a long program: everything happens often, to people of every kind,
in a memory that is old or full. ``python -m memgauge.studies.golden.lives.shipped`` draws them anew, and retells
the stories of the other suites.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.cases import as_data
from memgauge.studies.golden.lives.crowds import crowd_of_things, listed_crowd
from memgauge.studies.golden.lives.moves import LIFE_MOVES, LIFE_NEEDS, OFTEN, SELDOM
from memgauge.studies.golden.lives.retold import retell
from memgauge.studies.golden.loading import load_suite
from memgauge.studies.golden.programs import EVERYTHING, SeededChoices, scenario_of
from memgauge.studies.golden.scenario import Erase, Maintenance, Provenance, RepeatStep, Restart, User
from memgauge.studies.golden.writer import Person, ProgramWriter, said
from memgauge.suites import paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.studies.golden.scenario import Scenario, Step
    from memgauge.studies.golden.tokens import Kind

GENERATOR, VERSION = "memgauge.lives", 1
DRAWN = frozenset({"lives", "retold"})
"""Suites that are not written by hand."""
_HEAD = """\
# yaml-language-server: $schema=memsuite.schema.json
# Drawn by `python -m memgauge.studies.golden.lives.shipped`; edit that, and draw again.
schema: 1
suite: {{id: {name}, version: 1.1.0, released: 2026-11-23}}
scenarios:

"""
_LONG = User(user="Zoë.Übermann-of.the-seventh-floor@example.org", tenant="acme")
"""Whose id is long, has capitals, accents, dots and a domain, and belongs to another tenant."""
_ALICE = User(user="alice")
PEOPLE: Mapping[str, tuple[Person, ...]] = {
    "far": (Person(_ALICE), Person(_LONG), Person(User(user="bob", agent="coder"))),
    "near": (
        *(Person(_ALICE), Person(User(user="alice", tenant="acme")), Person(_ALICE, "aside")),
        *(Person(_ALICE, "aside-2"), Person(User(user="Alice"))),
    ),
    "agents": (
        *(Person(User(user="Ali_ce%2B")), Person(_LONG, "apart"), Person(_ALICE)),
        Person(User(user="alice", agent="coder", tenant="acme")),
    ),
    "two": (Person(_LONG), Person(_ALICE)),
}
"""Who takes part."""
_SLOTS: Mapping[str, tuple[bool, tuple[Kind, ...]]] = {
    "deadline": (False, ("date", "word")),
    "budget": (False, ("number", "pin")),
    "editor": (False, ("name", "word", "mail")),
    "city": (False, ("word", "firm")),
    "hobby": (True, ("word", "name")),
    "allergy": (True, ("word", "code")),
}
"""What is talked about: whether a slot has many values at a time, and of what kind they may be."""

_SLOW = frozenset({"residue", "erase-user", "audit", "tail", "probe", "peep", "reingest", "meddle"})
"""Moves that look at everything, which takes long where much is stored."""


@dataclass(frozen=True)
class Life:
    """What one life is made of."""

    name: str
    title: str
    people: str
    moves: int
    before: tuple[Step, ...] = ()
    """What happened before its story begins."""
    offers: frozenset[str] = EVERYTHING
    """The optional protocols that it takes for granted."""
    receipts: bool = False
    without: frozenset[str] = frozenset()
    """Moves that would take too long in it."""


_THINGS = (
    *("umbrella", "bicycle", "locker", "desk", "printer", "tent"),
    *("kettle", "lamp", "piano", "boat", "drone", "sofa"),
)


def _belongings(writer: ProgramWriter, *, erase: bool) -> None:
    """Say a dozen things in one turn, and take one of them back by its id where that can be done."""
    names = {thing: writer.new(thing) for thing in _THINGS}
    words = ", ".join(f"my {thing} is {{{name}}}" for thing, name in names.items())
    writer.add(said(f"For the record, {words}.", sets=names))
    writer.add(*((Erase(erase=_THINGS[1]),) if erase else ()), *map(writer.asking, _THINGS[-2:]))


def _earlier_users(count: int) -> tuple[Step, ...]:
    step = said("One of my errands is {errand}.", adds={"errands": "errand"})
    return (RepeatStep(repeat=count, steps=(User(user="guest{n}"), step)), _ALICE)


_QUIET = said("Nothing much happened today.", times=5)
_WORN = RepeatStep(repeat=12, steps=(Restart(restart="process"), Maintenance(maintenance=9), _QUIET))

SHIPPED = (
    Life("busy", "A long life with people far apart", "far", 70, receipts=True),
    Life("near", "A long life with people who are nearly one", "near", 70),
    Life("agents", "A long life with agents, tenants and sessions", "agents", 70, _earlier_users(12)),
    Life("old", "A life after a hundred sweeps and twelve restarts", "two", 60, (_WORN,)),
    Life("late", "A life that begins after sixty others", "far", 50, _earlier_users(60)),
    Life(
        "full",
        "A life in a memory of thirteen hundred things",
        "two",
        30,
        (
            _LONG,
            listed_crowd(1_050, "One of my errands is", "errands", "errand"),
            _ALICE,
            *crowd_of_things(260, "thing"),
        ),
        without=_SLOW,
    ),
    Life("plain", "A long life of words alone", "near", 70, offers=frozenset()),
    Life(
        "told",
        "A long life of words, corrections and erasures",
        "far",
        60,
        offers=frozenset({"mutable", "erasable"}),
    ),
)
"""The lives of the suite."""


def live(life: Life, seed: int = 0) -> Scenario:
    """Draw a life; it follows from its name and the seed."""
    generator = f"{GENERATOR}/{VERSION}/{life.name}-{seed}"
    source = SeededChoices(Random(generator))  # noqa: S311 - lives that can be repeated
    slots = {name: (source.choose(kinds), many) for name, (many, kinds) in _SLOTS.items()}
    writer = ProgramWriter(source.choose, PEOPLE[life.people], slots)
    writer.add(*life.before, writer.who.user)
    for person in writer.people:
        writer.turn_to(person)
        _belongings(writer, erase="mutable" in life.offers)
    able = [
        name
        for name in LIFE_MOVES
        if name not in life.without and LIFE_NEEDS.get(name, frozenset()) <= life.offers
    ]
    drawn = [
        "tell",
        "tell",
        "read",
        *(name for name in able for _ in range(3 * OFTEN.get(name, 1) // SELDOM.get(name, 1))),
    ]
    for _ in range(life.moves):
        writer.someone()
        LIFE_MOVES[source.choose(drawn)](writer)
    for person in writer.people:
        writer.turn_to(person)
        writer.add(*map(writer.asking, _THINGS[-3:]))
    writer.finish(maintain="expiring" in life.offers, restart="durable" in life.offers)
    return scenario_of(writer, generator).model_copy(
        update={
            "id": f"lives.{life.name}.{seed}",
            "title": life.title,
            "family": "lives",
            "provenance": Provenance(kind="synthetic", generator=generator),
            "receipts": life.receipts,
        }
    )


def as_lines(scenario: Scenario) -> str:
    """Write a scenario as an entry of a suite, a step a line."""
    import yaml

    def line(value: Any) -> str:
        return str(
            yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
        ).strip()

    data = as_data(scenario)
    head = [f"  {key}: {line(value).removesuffix('...').strip()}" for key, value in data.items() if key != "steps"]
    return "\n".join(("-" + head[0][1:], *head[1:], "  steps:", *(f"  - {line(step)}" for step in data["steps"])))


def drawn() -> Iterator[tuple[Path, str]]:
    """Draw the suites that are not written by hand: lives, and the stories of all others retold."""
    home = paths()[0].parent
    names = {"lives": [live(life) for life in SHIPPED]}
    by_hand = [path for path in sorted(home.glob("*.memsuite.yaml")) if path.name.partition(".")[0] not in DRAWN]
    names["retold"] = list(retell(story for path in by_hand for story in load_suite(path).suite.scenarios))
    for name, scenarios in names.items():
        text = _HEAD.format(name=name) + "\n\n".join(map(as_lines, scenarios)) + "\n"
        yield home / f"{name}.memsuite.yaml", text


def main() -> None:
    """Write the suites that are drawn."""
    for path, text in drawn():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
