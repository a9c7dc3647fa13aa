"""MemBench (Tan et al. 2025): facts and reflections, told to an agent or watched by it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from memgauge.datasets.choosing import SEARCH
from memgauge.datasets.kind import DatasetKind
from memgauge.datasets.membench.schema import QUESTION, PairStep, stream_trajectories
from memgauge.datasets.memdaily.convert import Asked, asked_of, case_of
from memgauge.datasets.memdaily.dataset import PLACES
from memgauge.datasets.memdaily.schema import is_error, read_moment
from memgauge.datasets.trees import TreeStream
from memgauge.records import Conversation, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.entries import Entry
    from memgauge.datasets.membench.schema import BenchTrajectory, Step
    from memgauge.datasets.places import FieldPath
    from memgauge.records import Choices

PATTERNS: Final = ("**/*.json",)


class MemBench(TreeStream):
    """The opened files; every iteration reads them anew and holds one trajectory."""

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield one conversation a trajectory that asks something."""
        return (case_of(conversation, [asked]) for conversation, asked in self._trajectories(oddities))

    def choices(self) -> Iterator[Choices]:
        """Yield the options of every question."""
        return (asked.choices for _, asked in self._trajectories(Counter()))

    def _trajectories(self, oddities: Counter[str]) -> Iterator[tuple[Conversation, Asked]]:
        options = self.identity.options
        for path in self.tree.files:
            for place, kind, scenario, entry in stream_trajectories(path):
                oddities["trajectories"] += 1
                name = f"{self.tree.place(path).removesuffix('.json')}:{kind}:{scenario}:{entry.tid}"
                if is_error(entry.QA):
                    oddities["dropped_error_messages"] += 1
                    continue
                field = place.at("QA")
                choice = field.checked(QUESTION, entry.QA)
                sessions = _sessions(place, entry, places=options["places"] == "true")
                turns = [turn for session in sessions for turn in session.turns]
                if turns:
                    oddities["steps_of_pairs"] += sum(isinstance(step, PairStep) for step in entry.steps())
                    oddities["steps_missing"] += len(
                        {*map(str, choice.target_step_id)} - {turn.id for turn in turns}
                    )
                    yield (
                        Conversation(name, sessions),
                        asked_of(field, name, kind, choice, turns, options["search"]),
                    )


def _sessions(place: FieldPath, entry: BenchTrajectory, *, places: bool) -> tuple[Session, ...]:
    """Convert the messages; steps are numbered over all sessions where they have no numbers of their own."""
    sessions, step = list[Session](), 0
    own = [each.mid for each in entry.steps()]
    numbers = range(len(own)) if None in own or len(set(own)) < len(own) else own
    for number, steps in enumerate(entry.sessions()):
        key = f"s{number + 1}"
        field = place.at("message_list") if len(entry.sessions()) == 1 else place.at("message_list", number)
        turns = tuple(
            _turn(field.at(n), each, key, str(numbers[step + n]), places=places) for n, each in enumerate(steps)
        )
        step += len(steps)
        if turns:
            times = [turn.at for turn in turns if turn.at]
            sessions.append(Session(key, min(times) if len(times) == len(turns) else None, turns))
    return _timed(sessions)


def _timed(sessions: Sequence[Session]) -> tuple[Session, ...]:
    """Keep the times of sessions only where they follow each other; steps keep theirs."""
    times = [session.at for session in sessions if session.at]
    if len(times) == len(sessions) and times == sorted(times):
        return tuple(sessions)
    return tuple(Session(session.id, None, session.turns) for session in sessions)


def _turn(place: FieldPath, step: Step, session: str, key: str, *, places: bool) -> Turn:
    at = read_moment(place.at("time"), step.time) if step.time else None
    text = f"User: {step.user}\nAssistant: {step.agent}" if isinstance(step, PairStep) else step.message
    if places and step.place:
        text = f"{text} ({step.place})"
    return Turn(key, "user", text, session, at)


KIND: DatasetKind = DatasetKind(
    name="membench",
    summary="Lives told to an agent or watched by it, one question of four options each, evidence by step.",
    licence="none stated; LMEB says MIT",
    homepage="https://github.com/import-myself/Membench",
    opener=lambda request: MemBench.opened(KIND, request, PATTERNS),
    options={"places": PLACES, "search": SEARCH},
    paths=True,
)
