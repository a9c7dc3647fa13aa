"""MemDaily of MemSim (Zhang et al. 2024): 3,000 short lives in Chinese, evidence by step, four options."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from memgauge.datasets.choosing import SEARCH
from memgauge.datasets.kind import DatasetKind, Option, read_flag
from memgauge.datasets.memdaily.convert import (
    ALL,
    DAILY,
    Asked,
    asked_of,
    case_of,
    conversation_of,
    count,
    turns_of,
)
from memgauge.datasets.memdaily.schema import read_choice, read_trajectories
from memgauge.datasets.trees import TreeStream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.entries import Entry
    from memgauge.records import Choices, Conversation

PATTERN: Final = "[0-9][0-9]_*_*.json"
_NAME: Final = re.compile(r"\d\d_(?P<kind>.+)_[^_]+")


class MemDaily(TreeStream):
    """The opened files, read one at a time."""

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield one conversation a trajectory that asks something."""
        return (case_of(conversation, asked) for conversation, asked in self._trajectories(oddities))

    def choices(self) -> Iterator[Choices]:
        """Yield the options of every question."""
        return (each.choices for _, asked in self._trajectories(Counter()) for each in asked)

    def _trajectories(self, oddities: Counter[str]) -> Iterator[tuple[Conversation, list[Asked]]]:
        options = self.identity.options
        for path in self.tree.files:
            match = _NAME.fullmatch(path.stem)
            category = match["kind"] if match else path.stem
            for place, entry in read_trajectories(path):
                name = f"{path.stem}:{entry.tid}"
                turns = turns_of(place, entry.message_list, places=options["places"] == "true")
                asked = []
                for number, written in enumerate(entry.question_list):
                    field = place.at("question_list", number)
                    if (choice := read_choice(field, written)) is None:
                        oddities["dropped_error_messages"] += 1
                    else:
                        asked.append(asked_of(field, name, category, choice, turns, options["search"]))
                oddities["trajectories"] += 1
                if turns and asked:
                    count(turns, asked, oddities)
                    yield conversation_of(name, turns, options["sessions"]), asked


SESSIONS: Final = Option.among(
    "sessions",
    "How messages are gathered",
    {ALL: "one session a trajectory", DAILY: "one session a day, days sorted"},
)
PLACES: Final = Option("false", "Whether the place of a message is told with it.", read_flag)
KIND: DatasetKind = DatasetKind(
    name="memdaily",
    summary="3,000 short lives in Chinese, one question of four options each, evidence by step.",
    licence="none stated",
    homepage="https://github.com/nuster1128/MemSim",
    opener=lambda request: MemDaily.opened(KIND, request, (PATTERN,)),
    options={"sessions": SESSIONS, "places": PLACES, "search": SEARCH},
    paths=True,
)
