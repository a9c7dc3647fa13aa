"""Cases: scenarios written to suite files, and the rule by which one is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.records import Verdict
from memgauge.studies.golden.loading import SUFFIX, load_suite
from memgauge.studies.golden.minimise import INLINE
from memgauge.studies.golden.runner import Options, run_scenario
from memgauge.studies.golden.scenario import SCHEMA, STEP_NAMES, Concurrent, RepeatStep, Scenario
from memgauge.systems.reference.ideal import Ideal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.runner import Factory
    from memgauge.studies.golden.scenario import Step


@dataclass(frozen=True)
class AcceptedCase:
    """A case that may join a suite: it fails where it should, and can be passed."""

    scenario: Scenario
    anomalies: tuple[Anomaly, ...]
    """What the recorded build shows; empty where only mutants vouch for the case."""
    mutants: tuple[str, ...]
    """The mutants that it fails on."""


def accept_case(
    scenario: Scenario,
    *,
    recorded: Factory | None = None,
    mutants: Mapping[str, Factory] | None = None,
    options: Options | None = None,
) -> AcceptedCase:
    """Accept a case that passes the ideal memory, and fails on the recorded build or on every mutant it names.

    Raises:
        ConfigError: It does not; the message says which of the two, and how it ended instead.
    """
    ideal = run_scenario(scenario, Ideal, INLINE)
    if ideal.verdict != Verdict.PASS:
        raise ConfigError(
            f"{scenario.id} is refused: the ideal memory does not pass it ({ideal.verdict}: {ideal.detail}).",
            "Correct what its steps mean; a case that nothing can pass gates nothing.",
        )
    killed = _killed(scenario, mutants or {})
    ended = run_scenario(scenario, recorded, options) if recorded else None
    if ended is not None and ended.verdict == Verdict.FAIL:
        return AcceptedCase(scenario, ended.anomalies, killed)
    if ended is None and killed:
        return AcceptedCase(scenario, (), killed)
    how = f"ended as {ended.verdict} on the recorded build" if ended else "names no mutant under kills"
    raise ConfigError(
        f"{scenario.id} is refused: it {how}, so that nothing shows that it can fail.",
        "Add the step that went wrong, or name under kills a mutant that has the same fault.",
    )


def _killed(scenario: Scenario, mutants: Mapping[str, Factory]) -> tuple[str, ...]:
    for name in scenario.kills:
        if name not in mutants:
            known = ", ".join(sorted(mutants)) or "none here"
            raise ConfigError(f"{scenario.id} is refused: there is no mutant {name}.", f"There are {known}.")
        ended = run_scenario(scenario, mutants[name], INLINE)
        if ended.verdict != Verdict.FAIL:
            raise ConfigError(
                f"{scenario.id} is refused: it ended as {ended.verdict} on {name}, which its kills name.",
                f"Take {name} out of kills, or add the step on which it fails.",
            )
    return scenario.kills


def case_ids(path: Path) -> frozenset[str]:
    """Return the ids that a suite file has used; a file that is not there has used none."""
    if not path.exists():
        return frozenset()
    suite = load_suite(path).suite
    return frozenset({case.id for case in suite.scenarios} | {case.id for case in suite.retired})


def write_case(path: Path, scenario: Scenario) -> None:
    """Write a suite file with one case, or add the case to the file that is there.

    Raises:
        ConfigError: The name is no suite's, the file cannot be read, or it has a case with this id.
    """
    import yaml

    if not path.exists():
        write_suite(path, [scenario])
        return
    _check_name(path)
    if scenario.id in case_ids(path):
        raise ConfigError(f"{path} has a case {scenario.id}, or had one.", "An id is never used again.")
    data = {**yaml.safe_load(path.read_text(encoding="utf-8"))}
    data["scenarios"] = [*(data.get("scenarios") or []), as_data(scenario)]
    path.write_text(_as_yaml(data), encoding="utf-8")


def write_suite(path: Path, scenarios: Iterable[Scenario]) -> None:
    """Write a suite file of its own.

    Raises:
        ConfigError: The name is no suite's, or there is such a file.
    """
    _check_name(path)
    if path.exists():
        raise ConfigError(f"{path} is there already.", "Name another file, or remove it.")
    name = path.name.removesuffix(SUFFIX)
    head = f"schema: {SCHEMA}\nsuite: {{id: {name}, version: 1.0.0}}\nscenarios:\n"
    path.write_text(head + "".join(map(as_text, scenarios)), encoding="utf-8")


def _check_name(path: Path) -> None:
    if not path.name.endswith(SUFFIX):
        raise ConfigError(f"{path.name} is no name for a suite.", f"Let it end with {SUFFIX}.")


def as_text(scenario: Scenario) -> str:
    """Return a scenario as the only entry of a list, in YAML."""
    return _as_yaml([as_data(scenario)])


def _as_yaml(data: object) -> str:
    """Write small mappings and lists on one line, as people do."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes what holds nothing but words on one line."""

    def short(dumper: yaml.SafeDumper, value: Any, tag: str) -> Any:
        parts = [*value, *value.values()] if isinstance(value, dict) else list(value)
        flow = all(not isinstance(part, dict | list) for part in parts) and sum(len(str(p)) for p in parts) < 60
        if isinstance(value, dict):
            return dumper.represent_mapping(tag, value, flow_style=flow)
        return dumper.represent_sequence(tag, value, flow_style=flow)

    Dumper.add_representer(dict, lambda dumper, value: short(dumper, value, "tag:yaml.org,2002:map"))
    Dumper.add_representer(list, lambda dumper, value: short(dumper, value, "tag:yaml.org,2002:seq"))
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)


def as_data(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as it stands in a suite file, without what goes without saying."""
    data = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"steps"})
    return {**data, "steps": [_step(step) for step in scenario.steps]}


def _step(step: Step) -> dict[str, Any]:
    if isinstance(step, Concurrent):
        return {"concurrent": [[_step(step) for step in lane] for lane in step.concurrent]}
    if isinstance(step, RepeatStep):
        return {"repeat": step.repeat, "steps": [_step(inner) for inner in step.steps]}
    full = step.model_dump(mode="json", by_alias=True)
    key = STEP_NAMES[type(step)]
    return {key: full[key]} | step.model_dump(mode="json", by_alias=True, exclude_defaults=True)
