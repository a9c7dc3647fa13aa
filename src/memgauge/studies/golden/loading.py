"""Suite files: YAML with places, so that every mistake is named by file and line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.golden.scenario import SCHEMA, Concurrent, Say, Scenario, Step, Suite, explain
from memgauge.text.untrusted import LARGEST, yaml_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

SUFFIX = ".memsuite.yaml"
TURNS = 200_000
"""What one scenario may say, repeats included: a file of a stranger must end."""


@dataclass(frozen=True)
class Loaded:
    """A suite, and where its scenarios stand."""

    path: Path
    suite: Suite
    sha256: str
    lines: dict[str, int]
    """The line on which each scenario begins, by id."""
    broken: tuple[str, ...] = ()
    """Scenarios that could not be read, each with file, line and what is wrong; the others still run."""


def find_suites(paths: Iterable[Path]) -> list[Path]:
    """Find every suite file at or below *paths*, in alphabetical order.

    Raises:
        DataNotFoundError: A path holds none.
    """
    suites: dict[Path, None] = {}
    for path in paths:
        here = [path] if path.is_file() else sorted(each for each in path.rglob(f"*{SUFFIX}") if each.is_file())
        if not here:
            raise DataNotFoundError(f"No suite at or below {path}.", f"A suite is a file that ends with {SUFFIX}.")
        suites.update(dict.fromkeys(here))
    return list(suites)


def load_suite(path: Path) -> Loaded:
    """Read one suite; a scenario that does not fit is set aside and named.

    Raises:
        ConfigError: The file is no YAML, has another schema version, or two scenarios have one id.
    """
    import yaml

    with path.open("rb") as file:
        raw = file.read(LARGEST + 1)  # no more is ever read of one
    try:
        node, data = yaml_of(raw)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it is no YAML"
        raise ConfigError(f"{path}{where}: {problem}.", "docs/golden-language.md has examples.") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        version = data.get("schema") if isinstance(data, dict) else None
        raise ConfigError(f"{path}: schema: {version!r} is not {SCHEMA}.", "Write `schema: 1` at the top.")
    entries = data.get("scenarios") or []
    if not isinstance(entries, list):
        raise ConfigError(f"{path}: scenarios: this is no list.", "Write `- id: …` below `scenarios:`.")
    places = _places(node)
    good: list[Scenario] = []
    broken = []
    for entry, lines in zip(entries, places, strict=False):
        try:
            good.append(_affordable(Scenario.model_validate(entry)))
        except ValidationError as error:
            problem = re.sub(r"^steps: (?=step \d)", "", explain(error, Scenario))
            step = re.match(r"step (\d+)\b", problem)
            name = f"{_id(entry)}: " if _id(entry) else ""
            broken.append(f"{path}:{lines[int(step[1]) if step else 0]}: {name}{problem}.")
    try:
        suite = Suite.model_validate({**data, "scenarios": [*good]})
    except ValidationError as error:
        hint = "docs/golden-language.md lists what a suite holds."
        raise ConfigError(f"{path}: {explain(error, Suite)}.", hint) from error
    begins = {_id(entry): lines[0] for entry, lines in zip(entries, places, strict=False)}
    _check_ids(path, suite, begins)
    return Loaded(path, suite, sha256(raw).hexdigest(), begins, tuple(broken))


def _affordable(scenario: Scenario) -> Scenario:
    """Return a scenario that somebody can wait for.

    Raises:
        ValidationError: It says more turns than any needs.
    """
    turns = scenario.repeats * sum(map(_turns, scenario.steps))
    if turns > TURNS:
        problem = PydanticCustomError(
            "turns", f"{turns:,} turns are said, repeats included; {TURNS:,} are the most"
        )
        raise ValidationError.from_exception_data(
            "Scenario", [{"type": problem, "loc": ("steps",), "input": None}]
        )
    return scenario


def _turns(step: Step) -> int:
    if isinstance(step, Concurrent):
        return sum(_turns(each) for lane in step.concurrent for each in lane)
    return step.times if isinstance(step, Say) else 1


def load_suites(paths: Sequence[Path]) -> list[Loaded]:
    """Read several suites; an id belongs to one scenario over all of them.

    Raises:
        ConfigError: As for one, or an id is used in two files.
    """
    loaded = [load_suite(path) for path in find_suites(paths)]
    homes: dict[str, Path] = {}
    for suite in loaded:
        for scenario in suite.suite.scenarios:
            if scenario.id in homes:
                where = f"{suite.path}:{suite.lines.get(scenario.id, 1)}"
                raise ConfigError(
                    f"{where}: id {scenario.id} is taken in {homes[scenario.id]}.", "An id is never used again."
                )
            homes[scenario.id] = suite.path
    return loaded


def _check_ids(path: Path, suite: Suite, lines: dict[str, int]) -> None:
    seen = {retired.id for retired in suite.retired}
    for scenario in suite.scenarios:
        if scenario.id in seen:
            raise ConfigError(
                f"{path}:{lines.get(scenario.id, 1)}: id {scenario.id} is used twice, or was retired.",
                "An id is never used again.",
            )
        seen.add(scenario.id)


def entries_of(node: Any) -> dict[str, list[Any]]:
    """Return the entries of every list that a mapping of a YAML file holds, by its key."""
    pairs = node.value if node is not None and node.id == "mapping" else []
    return {key.value: list(value.value) for key, value in pairs if value.id == "sequence"}


def line_of(node: Any) -> int:
    """Return the line on which an entry begins."""
    return int(node.start_mark.line) + 1


def _places(node: Any) -> list[list[int]]:
    """Return for each scenario the line on which it begins, and those of its steps."""
    scenarios = entries_of(node).get("scenarios", [])
    return [list(map(line_of, (entry, *entries_of(entry).get("steps", [])))) for entry in scenarios]


def _id(entry: Any) -> str:
    return str(entry.get("id", "")) if isinstance(entry, dict) else ""
