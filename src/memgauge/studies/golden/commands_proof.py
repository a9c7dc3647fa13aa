"""`memgauge study golden selftest | attack | identities`: proof that the suite can fail, and attacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import NUMBER, SEED
from memgauge.frame.options import Repeatable, SystemRef
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.studies.golden import given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.identities import IdentityReport
    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.runner import Factory

Suites = Annotated[tuple[Path, ...], Parameter(name=["--suite"], negative=(), show_default=False)]


def open_suites(paths: tuple[Path, ...]) -> list[Loaded]:
    """Read suites; those that are shipped where none is named."""
    from memgauge.studies.golden.loading import load_suites
    from memgauge.suites import paths as shipped

    return load_suites(paths or shipped())


def open_factory(ref: str, timeout: float = 30) -> Factory:
    """Return what opens fresh memories, after a first one to find mistakes in its name."""
    from memgauge.studies.golden.under_test import factory_of, look_at

    look_at(ref, timeout)
    return factory_of(ref)


def selftest(
    *,
    suite: Suites = (),
    workers: Annotated[int, NUMBER] = 1,
    bred: Annotated[int, NUMBER] = 0,
    seed: Annotated[int, SEED] = 0,
    output: Output = SHOWN,
) -> int:
    """Prove that a suite passes what is right and fails what is wrong; exit with 1 where it does not.

    The ideal memory must pass everything, every mutant must be killed by two scenarios of which one gates hard,
    every claim to kill must be true, and the grader must notice when what it expects is changed by one step. With
    --bred, so many mutants are bred besides, of which 97 % must be killed hard, and memories that are right but
    unusual must pass.

    Example: memgauge study golden selftest --workers 2

    Parameters
    ----------
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    workers
        Processes that play side by side; results stay the same.
    bred
        Mutants that are bred: 300 take minutes.
    seed
        Of the values that are planted, and of the mutants that are bred.
    """
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.selftest import selftest as prove
    from memgauge.studies.golden.show_lists import proof

    with working("proving"):
        proven = prove(open_suites(suite), workers=workers, options=Options(str(seed)), bred=bred, seed=seed)
    return present(proof(proven), output, name="selftest", code=OK if proven.ok else FAILED)


def attack(
    *,
    system: SystemRef,
    family: Annotated[tuple[str, ...], Repeatable] = (),
    seed: Annotated[int, SEED] = 0,
    output: Output = SHOWN,
) -> int:
    """Attack a memory with every family (P1 to P20); exit with 1 where an attack works or a control fails.

    Injection, success and what a benign twin keeps are printed together: a memory that keeps nothing resists
    everything.

    Example: memgauge study golden attack -s bm25 --family P1

    Parameters
    ----------
    system
        A memory by name with parameters, `module:factory`, or a TOML file.
    family
        Only this family, as P7; repeat for several.
    seed
        Of the attacks and of what they plant.
    """
    from memgauge.registry import require_known
    from memgauge.studies.golden.attacks.families import FAMILIES
    from memgauge.studies.golden.attacks.measure import attack as measure
    from memgauge.studies.golden.attacks.show import document, worked

    require_known("family of attacks", family, FAMILIES)
    factory = open_factory(system)
    with working("attacking"):
        report = measure(factory, family, seed)
    return present(document(report, system), output, name="attack", code=FAILED if worked(report) else OK)


def identities(*, system: SystemRef, owner: str = "alice", shown: Printing = PLAIN) -> int:
    """Probe a memory with ids that are nearly somebody's; exit with 1 where anything crosses.

    Example: memgauge study golden identities -s bm25

    Parameters
    ----------
    system
        A memory by name with parameters, `module:factory`, or a TOML file.
    owner
        Whose memories are looked for.
    """
    from memgauge.results import plain
    from memgauge.studies.golden.identities import probe_identities

    given.words("--owner", owner)
    factory = open_factory(system)
    with working("probing"):
        probed = probe_identities(factory, owner)
    data = {**plain(probed), "n": probed.n, "clean": probed.clean, "bound": probed.bound}
    code = OK if probed.clean else FAILED
    return present(told(data, *_crossings(probed)), shown, name="identities", code=code)


def _crossings(probed: IdentityReport) -> Iterator[str]:
    from memgauge.show.numbers import bound
    from memgauge.show.safety import visible

    by_op = ", ".join(f"{n:,} {op}" for op, n in probed.probes.items())
    owner_shown = visible(probed.owner)
    yield f"{probed.n:,} probes as {probed.ids} ids near {owner_shown!r}: {by_op}; {probed.refused:,} refused."
    crossed = {
        "shown to somebody else": probed.leaks,
        "written by somebody else and shown": probed.writes,
        "lost by somebody else's erasure": probed.erasures,
        "told by an error": probed.telling,
        "at odds with the canonicaliser": probed.inconsistent,
    }
    for what, crossings in crossed.items():
        yield f"{len(crossings)} {what}"
        for crossing in crossings[:10]:
            how = f"{crossing.reader} {crossing.op} {crossing.surface} {crossing.query!r}"
            yield visible(f"  {crossing.kind}: {how}, of {crossing.owner}")
        if len(crossings) > 10:
            yield f"  and {len(crossings) - 10} more (--json has all)"
    for path in probed.escapes:
        yield visible(f"outside the store: {path}")
    if probed.unsupported:
        yield (f"Not probed, because the memory does not offer it: {', '.join(probed.unsupported)}.")
    if probed.vacuous:
        yield "Vacuous: not even the owners were shown what is theirs."
    if probed.error:
        yield visible(f"Ended early: {probed.error}")
    if probed.bound is not None:
        yield f"Nothing crossed: at most {bound(probed.bound)} (3/N, 95 %)."
