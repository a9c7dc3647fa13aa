"""The conformance check of a system: in a process of its own, told as it goes, and remembered for the code."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.files import cache_root
from memgauge.datasets.folders import CONFORMANCE, folders_of
from memgauge.errors import RunError, SystemFault, UserError
from memgauge.records import Verdict
from memgauge.records.outcomes import NOT_MADE
from memgauge.runs.play.executors.code import code
from memgauge.runs.play.player.assignment import Chosen, Examination
from memgauge.runs.play.player.keys import keys_of
from memgauge.runs.play.player.process import GRACE_S, PlayerDied
from memgauge.runs.play.player.troupe import Troupe
from memgauge.runs.play.player.walls import Hidden
from memgauge.runs.record.conformance import UNCHECKED, Conformance
from memgauge.runs.record.files import write_atomically
from memgauge.systems.conformance.check import (
    HUNG,
    PROBES,
    SLOW,
    Check,
    ConformanceReport,
    hung,
    not_run,
    without_model,
)
from memgauge.systems.conformance.essential import DIED
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from memgauge.runs.play.plan import PlannedRun
    from memgauge.runs.record.manifest import Manifest, SystemPart

DEADLINE_S: Final = 20.0
"""Seconds that all checks of a system may take together."""
_COSTLY: Final = frozenset({"llm", "server", "network"})


@dataclass(frozen=True)
class Examined:
    """What the check of a system found, in a process of its own."""

    checks: tuple[Check, ...]
    used: Mapping[str, Any] | None
    """What it cost, as :class:`~memgauge.systems.wire.usage.SystemUsage` has it; ``None`` where nobody counts."""

    @property
    def complete(self) -> bool:
        """Whether every check was made."""
        return len(self.checks) == len(PROBES)

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks that failed or raised."""
        return ConformanceReport(self.checks).broken


def with_conformance(cells: Sequence[PlannedRun], begun: Collection[str] = ()) -> tuple[PlannedRun, ...]:
    """Put what the check finds of each system into the manifests that say nothing of it yet.

    Runs that were *begun*, by id, keep what was found then, and no system is checked for them.
    """
    results: dict[str, Conformance] = {}

    def checked(cell: PlannedRun) -> PlannedRun:
        manifest = cell.manifest
        if manifest.id in begun or manifest.conformance != UNCHECKED:
            return cell
        ref = manifest.system.ref
        if ref not in results:
            results[ref] = _conformance(manifest)
        return replace(cell, manifest=manifest.model_copy(update={"conformance": results[ref]}))

    return tuple(map(checked, cells))


def remember(system: SystemPart, examined: Examined) -> Conformance:
    """Keep what the check found, for runs of the same code.

    Where a model did not answer, nothing was found that could be kept.
    """
    if silent := next((check.detail for check in examined.checks if without_model(check)), ""):
        return Conformance(why=f"a model that it asks did not answer ({silent})")
    failed = tuple(f"{each.name}: {each.detail}" if each.detail else each.name for each in examined.broken)
    conformance = Conformance(checked=True, failed=failed)
    path = _place(system)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(conformance), indent=2) + "\n")
    except (OSError, RunError):
        return conformance  # a cache that cannot be written costs a check and nothing else
    return conformance


def remembered(system: SystemPart) -> Conformance | None:
    """Return what the check found of the same code; ``None`` where it was not made."""
    try:
        written = json_of(_place(system).read_bytes())
        return Conformance(bool(written["checked"]), tuple(map(str, written["failed"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _conformance(manifest: Manifest) -> Conformance:
    system = manifest.system
    known = remembered(system)
    if known is not None:
        return known
    needs = sorted(_COSTLY.intersection(system.capabilities.get("needs", ())))
    if needs:
        return Conformance(why=f"it needs {', '.join(needs)}; `memgauge systems check` remembers its result")
    until = time.monotonic() + DEADLINE_S
    try:
        examined = examine(system, lambda _: time.monotonic() < until, probe_s=DEADLINE_S, seed=manifest.seed)
    except (UserError, SystemFault) as problem:
        return Conformance(why=str(problem))
    last = examined.checks[-1] if examined.checks else None
    if not examined.complete or (last and last.detail.startswith((NOT_MADE, DIED, HUNG, SLOW))):
        return Conformance(why=f"it died, or took longer than {DEADLINE_S:g} s")
    return remember(system, examined)


def examine(
    system: SystemPart,
    hearing: Callable[[Check], bool],
    *,
    probe_s: float,
    seed: int = 0,
) -> Examined:
    """Check a system in a process of its own; *hearing* is told of each check as it ends, and whether to go on.

    A process that dies, or does not come back from code that no clock can stop, ends the check that it was at.

    Raises:
        UserError: It cannot be opened.
        SystemFault: It raised while it was opened.
    """
    checks: list[Check] = []
    troupe = Troupe(Hidden(folders_of(())), system.ref)

    def heard(header: Mapping[str, Any]) -> bool:
        name, verdict, detail = header["check"]
        checks.append(Check(name, Verdict(verdict), detail))
        return hearing(checks[-1])

    asked = Examination(Chosen(system.ref, system.label, system.source, seed), probe_s)
    began = time.monotonic()
    try:
        used = troupe.consult(asked, keys_of(system), within_s=probe_s + GRACE_S, hearing=heard)["used"]
    except PlayerDied:
        late = time.monotonic() - began > probe_s + GRACE_S
        name = next(name for name in PROBES if name not in {check.name for check in checks})
        end = hung(name, probe_s) if late else Check(name, Verdict.ERROR, DIED)
        rest = not_run(name, "did not return" if late else "ended its process")
        checks += itertools.chain((end,), rest) if hearing(end) else (end,)
        used = None
    finally:
        troupe.close()
    return Examined(tuple(checks), used)


def _place(system: SystemPart) -> Path:
    """Say where the result is remembered of this version, this source and this harness, and of no other."""
    named = [system.ref, system.name, system.version, system.source, dict(code())]
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
    return cache_root() / CONFORMANCE / f"{digest}.json"
