"""Incidents: the regression rule as a lint. An incident is closed by a case, and a case goes only with a reason.

``incidents.lock`` is YAML: ``release`` and ``cases`` hold what was in the suites when the last release was made,
``incidents`` what went wrong in production, ``retired`` cases that are no longer run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.golden.loading import entries_of, line_of
from memgauge.studies.golden.scenario import DayText, Retired  # noqa: TC001 - pydantic needs them at run time
from memgauge.text.untrusted import yaml_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.studies.golden.loading import Loaded

SCHEMA = 1


class _IncidentModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Incident(_IncidentModel):
    """Something that a memory did wrong in production."""

    id: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(min_length=3)]
    closed: DayText = ""
    """The day on which it was closed; empty while it is open."""
    case: str = ""
    """The case that reproduces it."""


class Lock(_IncidentModel):
    """One lock file."""

    schema_: Literal[1] = Field(alias="schema")
    release: str = ""
    cases: tuple[str, ...] = ()
    """The ids that were in the suites of the last release."""
    incidents: tuple[Incident, ...] = ()
    retired: tuple[Retired, ...] = ()


@dataclass(frozen=True)
class _Places:
    """Where the entries of a lock stand."""

    path: Path
    lines: dict[str, list[int]]

    def at(self, part: str, number: int) -> str:
        """Return file and line of an entry."""
        lines = self.lines.get(part, [])
        return f"{self.path}:{lines[number] if number < len(lines) else 1}"


def lint(suites: Sequence[Loaded], lock: Path) -> list[str]:
    """Return every way in which a lock and the suites break the rule, each with file and line.

    Raises:
        DataNotFoundError: There is no lock.
        ConfigError: The lock cannot be read.
    """
    held, places = _read(lock)
    living = {scenario.id: suite for suite in suites for scenario in suite.suite.scenarios}
    buried = {
        case.id for retired in (held.retired, *(suite.suite.retired for suite in suites)) for case in retired
    }
    return [
        *_unproven(held, places, living, buried),
        *_vanished(held, places, living, buried),
        *_reused(held, places, suites, buried),
    ]


def _unproven(held: Lock, places: _Places, living: Iterable[str], buried: set[str]) -> Iterable[str]:
    """Find closed incidents that nothing reproduces."""
    for number, incident in enumerate(held.incidents):
        where = places.at("incidents", number)
        if incident.case and incident.case not in {*living, *buried}:
            yield f"{where}: {incident.id} names the case {incident.case}, which is in no suite."
        elif incident.closed and not incident.case:
            yield f"{where}: {incident.id} is closed without a case; capture one that fails as the build did."
        elif incident.closed and incident.case in buried:
            yield f"{where}: {incident.id} is closed by {incident.case}, which is retired; name what follows it."


def _vanished(held: Lock, places: _Places, living: Iterable[str], buried: set[str]) -> Iterable[str]:
    """Find cases that were released and are gone."""
    for number, case in enumerate(held.cases):
        if case not in {*living, *buried}:
            release = held.release or "the last release"
            yield f"{places.at('cases', number)}: {case} was released with {release} and is gone without a reason."


def _reused(held: Lock, places: _Places, suites: Sequence[Loaded], buried: set[str]) -> Iterable[str]:
    """Find ids that are used twice."""
    homes: dict[str, str] = {}
    for suite in suites:
        for scenario in suite.suite.scenarios:
            where = f"{suite.path}:{suite.lines.get(scenario.id, 1)}"
            if scenario.id in buried:
                yield f"{where}: {scenario.id} was retired; its id is never used again."
            elif scenario.id in homes:
                yield f"{where}: {scenario.id} is taken at {homes[scenario.id]}."
            homes.setdefault(scenario.id, where)
    for part, ids in (
        ("incidents", [incident.id for incident in held.incidents]),
        ("retired", [case.id for case in held.retired]),
        ("cases", list(held.cases)),
    ):
        for number, name in enumerate(ids):
            if name in ids[:number]:
                yield f"{places.at(part, number)}: {name} stands twice under {part}."


def write_release(suites: Sequence[Loaded], lock: Path, release: str) -> None:
    """Write down which cases a release holds; nothing else of the lock changes, comments included.

    Raises:
        ConfigError: The rule is broken as it is, and a release would hide it.
    """
    broken = lint(suites, lock)
    if broken:
        raise ConfigError(f"{broken[0]}", f"{len(broken)} such; a release waits for all of them.")
    rest: list[str] = []
    inside = False
    for line in lock.read_text(encoding="utf-8").splitlines():
        inside = line.startswith("cases:") or (inside and line[:1] in {" ", "-"})
        if not inside and not line.startswith("release:"):
            rest.append(line)
    cases = sorted(scenario.id for suite in suites for scenario in suite.suite.scenarios)
    text = [*rest, f"release: {_spelled(release)}", "cases:", *(f"- {case}" for case in cases)]
    lock.write_text("\n".join(text) + "\n", encoding="utf-8")


def _read(path: Path) -> tuple[Lock, _Places]:
    import yaml

    if not path.is_file():
        raise DataNotFoundError(
            f"No lock at {path}.", "A lock begins with `schema: 1`; see docs/golden-regression.md."
        )
    raw = path.read_bytes()
    try:
        node, data = yaml_of(raw)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}{where}: it is no YAML.", "Mend it there.") from error
    places = _Places(path, {part: list(map(line_of, nodes)) for part, nodes in entries_of(node).items()})
    try:
        return Lock.model_validate(data), places
    except ValidationError as error:
        first = error.errors()[0]
        part, number = (*first["loc"], 0, 0)[:2]
        where = places.at(str(part), number if isinstance(number, int) else 0)
        what = ".".join(map(str, first["loc"])) or "the lock"
        raise ConfigError(
            f"{where}: {what}: {first['msg']}.", "docs/golden-regression.md has an example."
        ) from error


def _spelled(text: str) -> str:
    """Quote what YAML would read as a number or a date."""
    import yaml

    return text if isinstance(yaml.safe_load(text), str) else json.dumps(text)
