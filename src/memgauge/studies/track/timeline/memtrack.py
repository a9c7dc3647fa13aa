"""The original MEMTRACK archive: ``config_X.yaml`` in one folder, ``event_history_X.json`` in its neighbour.

Its data has no licence and is never part of this package. The reader is lenient about spelling and strict about
loss: every key becomes a field or stays in ``extra``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.track.timeline.fields import Fields
from memgauge.studies.track.timeline.files import read_document
from memgauge.studies.track.timeline.memtrack_events import read_events
from memgauge.studies.track.timeline.models import (
    CodeRepository,
    HiddenQuestion,
    Milestone,
    Player,
    Team,
    Ticket,
    Timeline,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.studies.track.timeline.models import Event

CONFIGS = "test_configs"


def find_configs(place: Path) -> tuple[Path, ...]:
    """List the instances of an archive: its folder, its folder of configurations, or one file.

    Raises:
        DataNotFoundError: There are none.
    """
    if place.is_file():
        return (place,)
    instances = sorted(place.rglob("config_*.y*ml")) or sorted(place.rglob("event_history_*.json"))
    if not instances:
        raise DataNotFoundError(
            f"{place} holds no instance of MEMTRACK.",
            f"Name the folder with {CONFIGS}, one config_X.yaml, or one event_history_X.json.",
        )
    return tuple(instances)


def read_memtrack(path: Path) -> Timeline:
    """Read one instance from its configuration, or a history alone.

    Raises:
        DataNotFoundError: The file, or the history that it names, is not there.
        MalformedDataError: It cannot be read; the message names file, line and field.
    """
    document = read_document(path)
    if isinstance(document, list):
        events, notes = _history(document, path)
        return Timeline(name=path.stem, events=events, notes=notes)
    return _configured(Fields(document, path), path)


def documents_of(path: Path) -> tuple[Path, ...]:
    """Return the files that an instance is read from."""
    document = read_document(path)
    if not isinstance(document, dict):
        return (path,)
    benchmark = Fields(document, path).inner("benchmark")
    return path, _find(benchmark.needed("event_history"), path, benchmark)


def _history(document: Any, path: Path) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    if not isinstance(document, list):
        raise MalformedDataError(f"{path}, line 1: a history is a list of events.")
    return read_events([Fields(entry, path, (number,)) for number, entry in enumerate(document)])


def _configured(config: Fields, path: Path) -> Timeline:
    benchmark = config.inner("benchmark")
    history = _find(benchmark.needed("event_history"), path, benchmark)
    questions = _questions(benchmark)
    events, notes = _history(read_document(history), history)
    linear = config.inner("linear")
    teams = tuple(team.model(Team) for team in linear.each("teams"))
    milestones = tuple(milestone.model(Milestone) for milestone in linear.each("milestones"))
    admins = linear.texts("users") or ()
    player = _player(config.inner("agent"))
    repository = config.inner("repository").model(CodeRepository, "path") if config.has("repository") else None
    extra = {"event_history": history.stem, "benchmark": benchmark.rest(), "linear": linear.rest()}
    return Timeline(
        name=path.stem.replace("config_", "memtrack-", 1),
        player=player,
        repository=repository,
        admins=admins,
        teams=teams,
        milestones=milestones,
        events=events,
        questions=questions,
        notes=(*notes, *_strangers(teams, events)),
        extra={**{key: value for key, value in extra.items() if value}, **config.rest()},
    )


def _find(name: str, path: Path, benchmark: Fields) -> Path:
    benchmark.extra["event_history"] = name
    homes = (path.parent.parent, path.parent, path.parent.parent / "test_event_histories")
    alone = name.rsplit("/", 1)[-1]
    candidates = [*(home / name for home in homes), homes[2] / alone, path.parent / alone]
    for history in candidates:
        with suppress(OSError):  # a name too long for any file is that of none
            if history.is_file():
                return history
    raise DataNotFoundError(
        f"{path}: the history {name!r} is not there.", f"Put it beside the configuration, or at {candidates[0]}."
    )


def _questions(benchmark: Fields) -> tuple[HiddenQuestion, ...]:
    texts = benchmark.texts("questions") or ()
    gold = benchmark.texts("expected_answers") or ()
    if len(texts) != len(gold):
        raise benchmark.wrong(f"{len(texts)} questions have {len(gold)} expected answers", "expected_answers")
    pairs = zip(texts, gold, strict=True)
    return tuple(
        HiddenQuestion(id=f"q{number}", text=text, answer=answer) for number, (text, answer) in enumerate(pairs, 1)
    )


def _player(agent: Fields) -> Player:
    turns = agent.take("max_turns")
    if turns is not None and (not isinstance(turns, int) or turns < 1):
        raise agent.wrong(f"{turns!r} is no number of turns", "max_turns")
    return agent.model(Player, max_turns=turns or Player().max_turns)


def _strangers(teams: Sequence[Team], events: Sequence[Event]) -> list[str]:
    """Note teams that the events do not know: lists of members are copied from one instance to the next."""
    used_teams = {event.payload.team.casefold() for event in events if isinstance(event.payload, Ticket)}
    return [
        f"The team {team.name!r} of the configuration has no ticket; it may stem from another instance."
        for team in teams
        if team.name.casefold() not in used_teams
    ]
