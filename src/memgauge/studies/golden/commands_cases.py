"""`memgauge study golden explore | capture | beliefs | lint | new`: where cases come from, and a rule for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, DURATION, SEED
from memgauge.frame.options import DatasetRef, Flag, Repeatable, SystemRef
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.studies.golden import given
from memgauge.studies.golden.commands_proof import Suites, open_factory, open_suites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.cases import AcceptedCase
    from memgauge.studies.golden.machine import Explored
    from memgauge.studies.golden.scenario import Scenario


def explore(
    *,
    system: SystemRef,
    count: Annotated[int, COUNT] = 400,
    seed: Annotated[int, SEED] = 0,
    random: Annotated[bool, Flag] = False,
    budget: Annotated[float, DURATION] = 300,
    timeout: Annotated[float, DURATION] = 30,
    out: Path | None = None,
    shown: Printing = PLAIN,
) -> int:
    """Put a memory through random programs; what fails shrinks to a scenario. Exit with 1 where something does.

    Example: memgauge study golden explore -s mymemory:MyMemory --count 100

    Parameters
    ----------
    system
        A memory by name with parameters, `module:factory`, or a TOML file.
    count
        Programs.
    seed
        The same seed gives the same programs.
    random
        Take a new seed, which is printed.
    budget
        Seconds after which no further program is begun.
    timeout
        Seconds that one call may take.
    out
        Suite file that the smallest programs are added to as cases.
    """
    from memgauge.studies.golden.cases import case_ids, write_case
    from memgauge.studies.golden.machine import explore as search
    from memgauge.studies.golden.runner import Options

    factory = open_factory(system, timeout)
    with working("exploring"):
        explored = search(
            factory,
            count=count,
            seed=seed,
            derandomize=not random,
            options=Options(timeout_s=timeout),
            budget_s=budget,
        )
    lines = [*_failed_programs(explored)]
    if out is not None and explored.failures:
        known = case_ids(out)
        fresh = [failure.scenario for failure in explored.failures if failure.scenario.id not in known]
        for scenario in fresh:
            write_case(out, scenario)
        lines.append(f"{out}: {len(fresh)} cases added, {len(explored.failures) - len(fresh)} were there already")
    code = FAILED if explored.failing else OK
    return present(told(_data(explored), *lines), shown, name="explore", code=code)


def _data(explored: Explored) -> dict[str, object]:
    from memgauge.studies.golden.cases import as_data

    failures = [
        {
            "anomalies": list(map(str, failure.anomalies)),
            "witness": failure.witness,
            "scenario": as_data(failure.scenario),
        }
        for failure in explored.failures
    ]
    counted = {"programs": explored.programs, "failing": explored.failing, "seed": explored.seed}
    return {**counted, "failures": failures}


def _failed_programs(explored: Explored) -> Iterator[str]:
    from memgauge.show.safety import visible
    from memgauge.studies.golden.contents import block

    yield f"{explored.programs:,} programs, seed {explored.seed}: {explored.failing:,} did not pass."
    for failure in explored.failures:
        yield f"\n{', '.join(failure.anomalies) or 'error'}: {visible(failure.witness)}"
        yield visible(block(failure.scenario))


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CaseOptions:
    """On what a case must fail, and what it may hold."""

    system: SystemRef = ""
    """The build that failed."""
    kills: Annotated[tuple[str, ...], Repeatable] = ()
    """Mutant that has the same fault; repeat; instead of the build, or beside it."""
    anomaly: str = ""
    """The one to keep, as STALE_READ, where the trace shows several."""
    person: Annotated[tuple[str, ...], Repeatable] = ()
    """Name that texts may hold, beside those of the users; repeat."""
    not_a_name: Annotated[tuple[str, ...], Repeatable] = ()
    """Word with a capital that is nobody's name, and may stay; repeat."""
    seen: str = ""
    """The day on which it happened, as 2026-03-02."""


_CASE = CaseOptions()


def capture(
    trace: Path,
    *,
    name: Annotated[str, Parameter(name="--id")],
    title: str,
    key: str,
    case: CaseOptions = _CASE,
    out: Path | None = None,
    shown: Printing = PLAIN,
) -> int:
    """Turn a production trace into the smallest case that fails as the build did, without anybody's data.

    A case is accepted only if it fails on the recorded build, or on every mutant that it is said to kill, and the
    ideal memory passes it.

    Example: memgauge study golden capture trace.jsonl --id deadline.moved --title "came back" --key secret -s bm25

    Parameters
    ----------
    trace
        JSON lines of what was said, asked and returned; docs/golden-regression.md has the format.
    name
        Id of the case, never used before.
    title
        What a good memory does.
    key
        Secret from which made-up names follow, so that one name stays one name.
    out
        Suite file that the case is added to.
    """
    from memgauge.studies.golden.capture import capture as captured
    from memgauge.studies.golden.cases import accept_case, as_data, write_case
    from memgauge.studies.golden.traces import read_trace
    from memgauge.systems.reference.mutants import MUTANTS

    given.words("--title", title)
    given.words("--key", key)
    given.day("--seen", case.seen)
    wanted = _anomaly(case.anomaly)
    recorded = open_factory(case.system) if case.system else None
    with working("capturing"):
        smallest = captured(
            read_trace(trace),
            name=name,
            title=title,
            key=key,
            people=case.person,
            recorded=recorded,
            anomaly=wanted,
            seen=case.seen,
        ).model_copy(update={"kills": case.kills})
        _refuse_names(smallest, case.not_a_name)
        accepted = accept_case(smallest, recorded=recorded, mutants=MUTANTS)
    lines = [*_case_lines(smallest, accepted)]
    if out is not None:
        write_case(out, smallest)
        lines.append(f"Added to {out}.")
    data = {"case": as_data(smallest), "anomalies": accepted.anomalies, "mutants": accepted.mutants}
    return present(told(data, *lines), shown)


def _refuse_names(case: Scenario, harmless: tuple[str, ...]) -> None:
    """Refuse a case that may hold a name of somebody, until a person has looked at the word.

    Raises:
        ConfigError: Names every such word.
    """
    from memgauge.studies.golden.capture import suspects

    suspected = [word for word in suspects(case) if word not in harmless]
    if suspected:
        raise ConfigError(
            f"The case would hold what looks like names: {', '.join(suspected)}; nothing was written.",
            "Mask each with --person WORD, or say that it is none with --not-a-name WORD.",
        )


def _case_lines(case: Scenario, accepted: AcceptedCase) -> Iterator[str]:
    from memgauge.show.safety import visible
    from memgauge.studies.golden.contents import block

    on = [*(["the recorded build"] if accepted.anomalies else []), *accepted.mutants]
    yield visible(f"{case.id} fails on {', '.join(on)} and passes on the ideal memory.")
    yield visible(block(case)).rstrip()


def _anomaly(name: str) -> Anomaly | None:
    from memgauge.registry import unknown_name
    from memgauge.studies.golden.anomalies import Anomaly

    if name and name not in Anomaly.__members__:
        raise unknown_name("anomaly", name, Anomaly.__members__)
    return Anomaly[name] if name else None


def beliefs(dataset: DatasetRef, *, out: Path, shown: Printing = PLAIN) -> int:
    """Turn the cases of PrecisionMemBench into scenarios: beliefs that must come back, and others that must not.

    Example: memgauge study golden beliefs precisionmembench --out beliefs.memsuite.yaml

    Parameters
    ----------
    dataset
        `precisionmembench`, or `precisionmembench:FOLDER`.
    out
        Suite file to write; `memgauge study golden run --suite FILE` plays it.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.datasets.precisionmembench.dataset import PrecisionMemBench
    from memgauge.studies.golden.beliefs import scenarios_of
    from memgauge.studies.golden.cases import write_suite

    opened = open_dataset(dataset, allow_unpinned=True)
    if not isinstance(opened, PrecisionMemBench):
        raise ConfigError(f"{dataset} holds no beliefs.", "Name precisionmembench.")
    made = scenarios_of(opened)
    write_suite(out, made.scenarios)
    lines = [f"{out}: {len(made.scenarios)} scenarios of {opened.identity.licence} data"]
    if made.empty:
        lines.append(
            f"{len(made.empty)} questions that call for nothing are left out: FalsePositives of a run counts."
        )
    data = {"suite": str(out), "scenarios": [case.id for case in made.scenarios], "left_out": list(made.empty)}
    return present(told(data, *lines), shown)


def lint(*, lock: Path, suite: Suites = (), release: str = "", shown: Printing = PLAIN) -> int:
    """Check that a closed incident has its case, and that no case goes without a reason; exit with 1 if not.

    Example: memgauge study golden lint --lock incidents.lock --suite incidents.memsuite.yaml

    Parameters
    ----------
    lock
        `incidents.lock`; docs/golden-regression.md has the format.
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    release
        Also write down that the release of this name holds the cases that there are now.
    """
    from memgauge.studies.golden.incidents import lint as check
    from memgauge.studies.golden.incidents import write_release

    suites = open_suites(suite)
    problems = check(suites, lock)
    if release and not problems:
        write_release(suites, lock, release)
    ending = f"{lock}: {len(problems)} problems" if problems else f"{lock}: the rule is kept"
    made = told({"problems": problems}, *problems, ending)
    return present(made, shown, name="lint", code=FAILED if problems else OK)


def new(name: str, *, into: Path = Path(), shown: Printing = PLAIN) -> int:
    """Write a golden suite of two scenarios, and a test that a right memory passes it and a wrong one does not.

    Example: memgauge study golden new house_rules

    Parameters
    ----------
    name
        Of the suite and of the folder: small letters, digits and underscores.
    into
        Folder that the new folder is made in.
    """
    from memgauge.frame.new import write_new

    return write_new("suite", name, into, shown)
