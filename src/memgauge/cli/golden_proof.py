"""`memgauge golden selftest | attack | identities`: proof that the suite can fail, and attacks on a memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData, Repeatable

if TYPE_CHECKING:
    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.runner import Factory

Suites = Annotated[tuple[Path, ...], Parameter(name=["--suite"], negative=(), show_default=False)]
System = Annotated[str, Parameter(name=["--system", "-s"])]


def open_suites(paths: tuple[Path, ...]) -> list[Loaded]:
    """Read suites; those that are shipped where none is named."""
    from memgauge.studies.golden.loading import load_suites
    from memgauge.suites import paths as shipped

    return load_suites(paths or shipped())


def open_factory(ref: str, timeout: float = 30) -> Factory:
    """Return what opens fresh memories, after a first one to find mistakes in its name."""
    from memgauge.studies.golden.under_test import factory_of, look_at

    look_at(ref, timeout)
    return factory_of(ref, timeout)


def selftest(*, suite: Suites = (), workers: int = 1, seed: int = 0, json: AsData = False) -> int:
    """Prove that a suite passes what is right and fails what is wrong; exit with 1 where it does not.

    The ideal memory must pass everything, every mutant must be killed by two scenarios of which one gates hard,
    every claim to kill must be true, and the grader must notice when what it expects is changed by one step.

    Parameters
    ----------
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    workers
        Processes that play side by side; results stay the same.
    seed
        Of the values that are planted.
    json
        Print everything as data, the whole matrix too.
    """
    from rich.table import Table
    from rich.text import Text

    from memgauge.results import plain
    from memgauge.show.numbers import percent
    from memgauge.show.safety import visible
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.selftest import selftest as prove

    with working("proving"):
        found = prove(open_suites(suite), workers=workers, options=Options(str(seed)))
    errors = found.errors()
    if json:
        emit({**plain(found), "ok": found.ok, "errors": list(errors)})
        return OK if found.ok else FAILED
    killed = sum(bool(row.killed_by) for row in found.mutants)
    say(f"{found.scenarios} scenarios; {killed} of {len(found.mutants)} mutants killed ({percent(found.score)}).")
    sheet = Table("family", "mutant", "killed by", "hard", "seen as", box=None)
    for one in found.mutants:
        cells = (one.family, one.name, str(len(one.killed_by)), str(one.hard_kills), " ".join(one.anomalies))
        sheet.add_row(*(Text(visible(cell)) for cell in cells))
    say(sheet)
    sheet = Table("memory", "n", "pass", "fail", "vacuous", "unsupported", "error", box=None)
    for row in found.calibration:
        counts = (row.n, row.passed, row.failed, row.vacuous, row.unsupported, row.error)
        sheet.add_row(Text(row.memory), *map(str, counts))
    say(sheet)
    say(f"{len(found.grader)} expectations changed by one step; {len(found.survivors)} changes went unnoticed.")
    for error in errors:
        say(visible(f"! {error}"))
    return OK if found.ok else FAILED


def attack(
    *, system: System, family: Annotated[tuple[str, ...], Repeatable] = (), seed: int = 0, json: AsData = False
) -> int:
    """Attack a memory with every family (P1 to P20); exit with 1 where an attack works or a control fails.

    Injection, success and what a benign twin keeps are printed together: a memory that keeps nothing resists
    everything.

    Parameters
    ----------
    system
        A memory by name with parameters, `module:factory`, or a TOML file.
    family
        Only this family, as P7; repeat for several.
    seed
        Of the attacks and of what they plant.
    json
        Print data instead of a table.
    """
    from memgauge.records import Verdict
    from memgauge.registry import unknown_name
    from memgauge.results import plain
    from memgauge.show.safety import visible
    from memgauge.studies.golden.attacks.families import FAMILIES
    from memgauge.studies.golden.attacks.measure import attack as measure
    from memgauge.studies.golden.attacks.measure import table

    for name in family:
        if name not in FAMILIES:
            raise unknown_name("family of attacks", name, FAMILIES)
    factory = open_factory(system)
    with working("attacking"):
        report = measure(factory, family, seed)
    bad = {Verdict.FAIL, Verdict.VACUOUS, Verdict.ERROR}
    if json:
        emit({**plain(report), "families": plain(report.families), "total": plain(report.total)})
    else:
        say(table(report))
        for one in report.outcomes:
            if one.verdict in bad:
                say(visible(f"{one.family} {one.variant}: {one.verdict}; {one.detail}"))
    return FAILED if any(one.verdict in bad for one in report.outcomes) else OK


def identities(*, system: System, owner: str = "alice", json: AsData = False) -> int:
    """Probe a memory with ids that are nearly somebody's; exit with 1 where anything crosses.

    Parameters
    ----------
    system
        A memory by name with parameters, `module:factory`, or a TOML file.
    owner
        Whose memories are looked for.
    json
        Print data instead of lines.
    """
    from memgauge.results import plain
    from memgauge.show.numbers import percent
    from memgauge.show.safety import visible
    from memgauge.studies.golden.identities import probe_identities

    factory = open_factory(system)
    with working("probing"):
        found = probe_identities(factory, owner)
    if json:
        emit({**plain(found), "n": found.n, "clean": found.clean, "bound": found.bound})
        return OK if found.clean else FAILED
    by_op = ", ".join(f"{n:,} {op}" for op, n in found.probes.items())
    say(
        f"{found.n:,} probes as {found.ids} ids near {visible(found.owner)!r}: {by_op}; {found.refused:,} refused."
    )
    crossed = {
        "shown to somebody else": found.leaks,
        "written by somebody else and shown": found.writes,
        "lost by somebody else's erasure": found.erasures,
        "told by an error": found.telling,
        "at odds with the canonicaliser": found.inconsistent,
    }
    for what, crossings in crossed.items():
        say(f"{len(crossings)} {what}")
        for one in crossings[:10]:
            say(visible(f"  {one.kind}: {one.reader} {one.op} {one.surface} {one.query!r}, of {one.owner}"))
        if len(crossings) > 10:
            say(f"  and {len(crossings) - 10} more (--json has all)")
    for path in found.escapes:
        say(visible(f"outside the store: {path}"))
    if found.unsupported:
        say(f"Not probed, because the memory does not offer it: {', '.join(found.unsupported)}.")
    if found.vacuous:
        say("Vacuous: not even the owners were shown what is theirs.")
    if found.error:
        say(visible(f"Ended early: {found.error}"))
    if found.bound is not None:
        say(f"Nothing crossed: at most {percent(found.bound)} (3/N, 95 %).")
    return OK if found.clean else FAILED
