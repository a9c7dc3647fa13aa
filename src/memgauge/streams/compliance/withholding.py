"""What is said under other users' names: whoever asks under their own must not find it."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

from memgauge.streams.clean import clean
from memgauge.streams.events import StreamProtocol, Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.records import Case, Turn
    from memgauge.streams.events import Event, Stream


def neighbours(user: str) -> tuple[str, ...]:
    """Name users whom a careless memory takes for *user*, and one whom only a leaking one does."""
    swapped_case = user.swapcase()
    return (f"somebody-else-{len(user)}", f"{user}-2", *([swapped_case] if swapped_case != user else ()))


def withhold(stream: Stream, user: str, apart: Callable[[Turn], bool]) -> Stream:
    """Write the turns that are to be kept *apart* under the names of neighbours of *user*, session by session."""
    return tuple(_withheld(stream, neighbours(user), apart))


def _withheld(stream: Stream, names: tuple[str, ...], apart: Callable[[Turn], bool]) -> Iterator[Event]:
    homes: dict[str, str] = {}
    for event in stream:
        if not isinstance(event, Write):
            yield event
            continue
        home = homes.setdefault(event.turns[0].session, names[len(homes) % len(names)])
        for turn in event.turns:
            yield Write((turn,), home) if apart(turn) else Write((turn,))


def _everything(case: Case) -> Stream:
    return withhold(clean(case), case.conversation.id, lambda _: True)


def withheld_speaker(seed: int = 0) -> StreamProtocol:
    """Withhold what one speaker of each conversation says, drawn by *seed*."""
    parameters = {"seed": str(seed)} if seed else {}
    return StreamProtocol("withheld-speaker", partial(_speaker, seed), parameters, withheld_speaker)


def _speaker(seed: int, case: Case) -> Stream:
    speakers = sorted({turn.speaker for turn in case.conversation.turns()})
    chance = random.Random(f"{seed}/{case.conversation.id}")  # noqa: S311 - no secret
    silent = chance.choice(speakers)
    return withhold(clean(case), case.conversation.id, lambda turn: turn.speaker == silent)


WITHHELD_SCOPE = StreamProtocol("withheld-scope", _everything)
WITHHELD_SPEAKER = withheld_speaker()
