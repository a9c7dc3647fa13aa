"""Golden suites under pytest: ``pytest suites/ --memgauge-system module:factory``.

Every scenario of a ``*.memsuite.yaml`` file is a test. Nothing of memgauge but this module is imported, and
nothing is printed, before such a file is collected.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.studies.golden.runner import Options, ScenarioResult
    from memgauge.studies.golden.scenario import Scenario
    from memgauge.studies.golden.under_test import Tested

SUFFIX = ".memsuite.yaml"  # as in studies.golden.loading, which is not imported for it
_IDS = pytest.StashKey[dict[str, str]]()
_UNTAUGHT = pytest.StashKey[bool]()
_MARKS = pytest.StashKey[set[str]]()
_INI_MARKS = pytest.StashKey[frozenset[str]]()
"""What the ini file names as marks, before pytest and plugins add theirs."""
_BROKEN = re.compile(r":(?P<line>\d+): (?:(?P<id>[a-z0-9][a-z0-9.-]*): )?")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say which memory is put through suites, and how."""
    group = parser.getgroup("memgauge", "golden suites (*.memsuite.yaml)")
    what = "memory system to run golden suites on: a name of memgauge's, module:factory, or a TOML file"
    group.addoption("--memgauge-system", metavar="REF", help=what)
    group.addoption("--memgauge-seed", metavar="SEED", default="0", help="seed of golden suites (default: 0)")
    group.addoption(
        "--memgauge-timeout", metavar="SECONDS", type=float, default=30, help="seconds that one call may take"
    )
    group.addoption(
        "--memgauge-require",
        metavar="NAMES",
        default="",
        help="capabilities that the memory must have, as erasable,durable: each is a test",
    )
    group.addoption(
        "--memgauge-class",
        metavar="CLASS",
        default="",
        help="what the memory is for, which requires capabilities: session, assistant, support or regulated",
    )
    parser.addini("memgauge_system", f"default of --memgauge-system: {what}")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Remember which marks the ini file names."""
    early_config.stash[_INI_MARKS] = _named(early_config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect suite files."""
    return SuiteFile.from_parent(parent, path=file_path) if file_path.name.endswith(SUFFIX) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for every capability that is required, whatever scenarios are chosen, where any are."""
    if any(isinstance(item, ScenarioItem) for item in items):
        needs = _needs(config)
        items += [
            GateItem.from_parent(session, name=f"required.{name}", need=name, why=needs[name]) for name in needs
        ]


def _needs(config: pytest.Config) -> dict[str, str]:
    """Return what is required, with the reason."""
    from memgauge.errors import UserError
    from memgauge.studies.golden.gates import Gates

    names = [name.strip() for name in str(config.getoption("memgauge_require")).split(",")]
    try:
        return Gates(tuple(filter(None, names)), str(config.getoption("memgauge_class"))).needs()
    except UserError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Say that a memory which would take the meaning of what is said is not told it."""
    untaught = "memgauge: the memory has a method teach, and is told nothing by it: only reference memories are."
    return [untaught] if config.stash.get(_UNTAUGHT, False) else []


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to begin where scenarios are to be run and no memory is named, or one that does not exist."""
    config = session.config
    chosen = [item for item in session.items if isinstance(item, ScenarioItem)]
    if not chosen or config.getoption("collectonly") or hasattr(config, "workerinput"):
        return  # a worker of pytest-xdist cannot refuse; there every scenario says what is missing
    tested = _check(_system(config), float(config.getoption("memgauge_timeout")))
    config.stash[_UNTAUGHT] = tested.untaught


def _system(config: pytest.Config) -> str:
    return str(config.getoption("memgauge_system") or config.getini("memgauge_system") or "")


def _check(ref: str, timeout_s: float) -> Tested:
    from memgauge.errors import UserError
    from memgauge.studies.golden.under_test import look_at

    if not ref:
        raise pytest.UsageError(
            "golden suites need a memory system: give --memgauge-system module:factory, "
            "or memgauge_system in the ini file"
        )
    try:
        return look_at(ref, timeout_s)
    except UserError as error:
        raise pytest.UsageError(f"--memgauge-system {ref}: {error}") from error


class SuiteFile(pytest.File):
    """One suite."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for every scenario, those that cannot be read too."""
        from memgauge.errors import UserError
        from memgauge.studies.golden.loading import load_suite

        try:
            loaded = load_suite(self.path)
        except UserError as error:
            raise self.CollectError(str(error)) from None
        for problem in loaded.broken:
            place = _BROKEN.search(problem)
            line = int(place["line"]) if place else 1
            name = (place and place["id"]) or f"line-{line}"
            yield BrokenItem.from_parent(self, name=name, problem=problem, line=line)
        for scenario in loaded.suite.scenarios:
            line = loaded.lines.get(scenario.id, 1)
            self._claim(scenario.id, line)
            yield ScenarioItem.from_parent(self, name=scenario.id, scenario=scenario, line=line)

    def _claim(self, scenario: str, line: int) -> None:
        """Refuse an id that another file has."""
        home = self.config.stash.setdefault(_IDS, {}).setdefault(scenario, str(self.path))
        if home != str(self.path):
            raise self.CollectError(
                f"{self.path}:{line}: id {scenario} is taken in {home}. An id is never used again."
            )


class SayingItem(pytest.Item):
    """A test that says what is wrong, instead of where that was raised."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **rest: Any) -> Any:
        """Say it."""
        failed = isinstance(excinfo.value, ScenarioFailed)
        return str(excinfo.value) if failed else super().repr_failure(excinfo, *args, **rest)


class PlacedItem(SayingItem):
    """A test that stands on a line of a suite file."""

    def __init__(self, *, line: int, **rest: Any) -> None:
        super().__init__(**rest)
        self.line = line

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the scenario."""
        return self.path, self.line - 1, self.name


class BrokenItem(PlacedItem):
    """A scenario that cannot be read; it fails, because nothing else may count for it."""

    def __init__(self, *, problem: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.problem = problem

    def runtest(self) -> None:
        """Fail."""
        raise ScenarioFailed(self.problem)


class ScenarioItem(PlacedItem):
    """One scenario."""

    def __init__(self, *, scenario: Scenario, **rest: Any) -> None:
        super().__init__(**rest)
        self.scenario = scenario
        for mark in _marks(scenario):
            if _harmless(mark, self.config):
                self.add_marker(mark)
        origin = f"{scenario.provenance.kind} {scenario.provenance.ref}".strip()
        self.user_properties += [(name, getattr(scenario, name)) for name in ("family", "severity", "gate")]
        self.user_properties.append(("provenance", origin))

    def runtest(self) -> None:
        """Play it; a soft gate that is missed is an expected failure."""
        from memgauge.show.safety import visible
        from memgauge.studies.golden.runner import run_scenario
        from memgauge.studies.golden.under_test import factory_of

        options, ref = self._options(), _system(self.config)
        if not ref:
            raise ScenarioFailed("no memory system was named: give --memgauge-system")
        result = run_scenario(self.scenario, factory_of(ref, options.timeout_s), options)
        self.user_properties.append(("anomaly", ",".join(result.anomalies)))
        self.user_properties.append(("layer", result.layer))
        reason = visible(result.detail)
        if result.verdict == "unsupported":
            pytest.skip(reason)
        elif result.verdict == "xfail":
            pytest.xfail(reason)
        elif result.blocks:
            raise ScenarioFailed(self._words(result))
        elif result.verdict != "pass":
            pytest.xfail(f"soft gate: {result.verdict} {','.join(result.anomalies)} {reason}")

    def _options(self) -> Options:
        from memgauge.studies.golden.runner import Options

        config = self.config
        return Options(str(config.getoption("memgauge_seed")), float(config.getoption("memgauge_timeout")))

    def _words(self, result: ScenarioResult) -> str:
        from memgauge.show.safety import visible

        kinds = ", ".join(result.anomalies)
        at = f" at {result.layer}" if result.layer else ""
        witnesses = dict.fromkeys(finding.witness for finding in result.findings) or {result.detail: None}
        lines = [
            f"{self.name}: {result.verdict} {kinds}{at}".rstrip(),
            *(f"  {visible(text)}" for text in witnesses),
        ]
        return "\n".join([*lines, f"  {self.path}:{self.line}, {dict(self.user_properties)['provenance']}"])


class GateItem(SayingItem):
    """One capability without which a memory is not let through, whatever its scenarios say."""

    def __init__(self, *, need: str, why: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.need, self.why = need, why

    def runtest(self) -> None:
        """Fail where the memory does not offer it."""
        from memgauge.studies.golden.under_test import look_at

        tested = look_at(_system(self.config), float(self.config.getoption("memgauge_timeout")))
        if self.need not in tested.offers:
            raise ScenarioFailed(f"the memory is not {self.need} ({self.why}) {tested.problem}".rstrip())


class ScenarioFailed(Exception):  # noqa: N818 - it says what happened
    """A scenario did not pass."""


def _harmless(mark: str, config: pytest.Config) -> bool:
    """Whether a mark only names: one that pytest or a plugin knows would skip, excuse or change a scenario."""
    ours = config.stash.setdefault(_MARKS, set())
    if mark not in _named(config):
        ours.add(mark)
        config.addinivalue_line("markers", f"{mark}: scenarios of golden suites")
    return mark in ours or mark in config.stash.get(_INI_MARKS, ())


def _named(config: pytest.Config) -> frozenset[str]:
    """Name the marks that are registered so far."""
    return frozenset(re.split(r"[:(]", line)[0].strip() for line in config.getini("markers"))


def _marks(scenario: Scenario) -> Iterator[str]:
    """Name a scenario's gate, severity, tags and family, and whether it is for the night.

    A severity of normal is none, because it is a tag.
    """
    from memgauge.studies.golden.contents import is_long

    severity = () if scenario.severity == "normal" else (scenario.severity,)
    family = re.sub(r"[^\w.-]+", "-", scenario.family).strip("-_")
    night = ("nightly",) if is_long(scenario) else ()
    yield from dict.fromkeys((scenario.gate, *severity, *scenario.tags, *([family] if family else []), *night))
