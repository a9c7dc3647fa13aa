"""A small world: people walk through rooms, take things, hand them on and put them down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.studies.context.sample import AnswerForm, Sample, Type

if TYPE_CHECKING:
    from memgauge.studies.context.tasks.draw import Draw

_THINGS = ("lantern", "violin", "ladder", "compass", "teapot", "umbrella", "telescope", "basket")
_ROOMS, _PEOPLE, _HELD = 5, 3, 3
_SHORTEST, _LONGEST = 9, 200


@dataclass
class EventWorld:
    """What is where, and which events that follows from."""

    people: tuple[str, ...]
    rooms: tuple[str, ...]
    things: tuple[str, ...]
    events: list[str] = field(default_factory=list)
    where: dict[str, str] = field(default_factory=dict)
    """The room of every person, and of every thing that somebody has put down."""
    came: dict[str, int] = field(default_factory=dict)
    """The event by which a person, or a thing that was put down, is where it is."""
    holder: dict[str, str] = field(default_factory=dict)
    got: dict[str, int] = field(default_factory=dict)
    """The event by which a thing has its holder."""
    carried: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """The rooms that a thing was carried into by its holder, each with the event."""

    def go(self, person: str, room: str) -> None:
        """Let *person* walk, with everything in their hands."""
        self.where[person] = room
        self.came[person] = self._tell(f"{person} went to the {room} room.")
        for thing, holder in self.holder.items():
            if holder == person:
                self.carried[thing].append((room, self.came[person]))

    def take(self, person: str, thing: str) -> None:
        """Let *person* take what lies about, or out of somebody's hands."""
        previous_holder = self.holder.get(thing)
        event = (
            f"{person} took the {thing}."
            if previous_holder is None
            else f"{previous_holder} gave the {thing} to {person}."
        )
        self.holder[thing] = person
        self.got[thing] = self._tell(event)
        self.carried[thing] = []

    def drop(self, thing: str) -> None:
        """Let whoever holds *thing* put it down."""
        person = self.holder.pop(thing)
        self.where[thing] = self.where[person]
        self.came[thing] = self._tell(f"{person} put the {thing} down.")
        self.carried[thing] = [(self.where[person], self.came[person])]

    def now(self, thing: str) -> tuple[str, tuple[int, ...]] | None:
        """Say in which room *thing* is, with the two facts that tell; ``None`` before anybody touched it."""
        person = self.holder.get(thing)
        if person is not None:
            return self.where[person], (self.got[thing], self.came[person])
        if thing in self.came:
            room, came = self.carried[thing][-1]
            return room, (came, self.came[thing])
        return None

    def before(self, thing: str) -> tuple[str, tuple[int, ...]] | None:
        """Say in which room *thing* was before, with three facts, where its holder carried it through two."""
        if thing not in self.holder or len(self.carried[thing]) < 2:
            return None
        (room, came_before), (_, came_last) = self.carried[thing][-2:]
        return room, (self.got[thing], came_before, came_last)

    def _tell(self, event: str) -> int:
        self.events.append(event)
        return len(self.events) - 1


def world(draw: Draw) -> Sample:
    """Say in which room a thing is, or was before: two or three supporting facts among other events, by turns."""
    event_world = EventWorld(
        tuple(draw.some(_PEOPLE)), tuple(draw.some(_ROOMS)), tuple(draw.dice.sample(_THINGS, _HELD))
    )
    three = draw.number % 2 == 1
    thing, room = _lived(event_world, draw, three=three)
    earlier_question = f"In which room was the {thing} before it came to the room where it is at the end?"
    return Sample(
        "world",
        Type.MULTI_HOP,
        draw.key,
        earlier_question if three else f"In which room is the {thing} at the end?",
        (room,),
        AnswerForm.NAME,
        draw.pieces(event_world.events),
        "noise",
        tuple(wrong_room for wrong_room in event_world.rooms if wrong_room != room),
    )


def _lived(event_world: EventWorld, draw: Draw, *, three: bool) -> tuple[str, str]:
    """Let the world go on until the place of something follows from the facts that are wanted."""
    for person in event_world.people:
        event_world.go(person, draw.dice.pick(event_world.rooms))
    while len(event_world.events) < _LONGEST:
        _happen(event_world, draw)
        places = {
            thing: event_world.before(thing) if three else event_world.now(thing) for thing in event_world.things
        }
        fitting = [(thing, place[0]) for thing, place in places.items() if place is not None]
        if len(event_world.events) >= _SHORTEST and fitting:
            return draw.dice.pick(fitting)
    raise ValueError(f"Nothing happened in the world of {draw.key}.")


def _happen(event_world: EventWorld, draw: Draw) -> None:
    """Let something happen that can: hands reach no further than a room."""
    dice = draw.dice
    person, thing = dice.pick(event_world.people), dice.pick(event_world.things)
    holder = event_world.holder.get(thing)
    if dice.chance(45):
        event_world.go(
            person, dice.pick([room for room in event_world.rooms if room != event_world.where[person]])
        )
    elif holder == person:
        if dice.chance(30):
            event_world.drop(thing)
    elif (
        event_world.where.get(thing if holder is None else holder, event_world.where[person])
        == event_world.where[person]
    ):
        event_world.take(person, thing)
