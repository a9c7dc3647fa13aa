"""An audit: plant or list, look, ask, look again and again, and end; then the same with nobody asking."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, SystemFault
from memgauge.show.numbers import plural
from memgauge.studies.erasure.calls import RecordedCalls, spelled_time
from memgauge.studies.erasure.looking import FileLook, contents
from memgauge.studies.erasure.people import people_of, require_free_names
from memgauge.studies.erasure.places import LookedRoots
from memgauge.studies.erasure.plan import ErasureRequest, declared_places, store_of
from memgauge.studies.erasure.record import (
    AuditedSystem,
    ControlSubject,
    ErasedSubject,
    ErasureFinding,
    ErasureLook,
    ErasureReport,
    MadeCall,
    Moment,
    ResidueSpot,
    SurfaceAnswer,
    UnaskedTwin,
    UnlookedPart,
)
from memgauge.studies.erasure.requesting import again_by_id, requested
from memgauge.studies.erasure.surfaces import SurfaceLook
from memgauge.studies.erasure.unlooked import unlooked
from memgauge.studies.erasure.values import LEAST
from memgauge.studies.erasure.verdict import (
    control_lost,
    finding_of,
    last_residue,
    last_surfaces,
    sentences,
    values_of,
)
from memgauge.systems.protocol import Durable, Expiring, implements, supported
from memgauge.systems.wire.usage import SystemUsage
from memgauge.systems.wire.written import WrittenFiles
from memgauge.version import __version__

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.studies.erasure.people import AuditedPeople
    from memgauge.studies.erasure.plan import ErasurePlan, OpenedStore
    from memgauge.systems.protocol import Capabilities


def audit(plan: ErasurePlan) -> ErasureReport:
    """Play an audit, and its twin that nobody asks where the subject is invented and the store is ours.

    Raises:
        SystemFault: The system could not be opened.
        UserError: It does not exist, is not installed, or is spelt wrongly; or the control that was named has
            nothing. Nothing was deleted then.
    """
    with tempfile.TemporaryDirectory(prefix="memgauge-erasure-") as scratch:
        store = store_of(plan.ref, Path(scratch) / "store")
        report = ErasureAudit(plan, store).played()
        if plan.planted and plan.request is not ErasureRequest.NONE and store.is_ours:
            report = replace(report, twin=_twin(plan, store_of(plan.ref, Path(scratch) / "twin")))
    report = replace(report, finding=finding_of(report))
    return replace(report, sentences=sentences(report))


def _twin(plan: ErasurePlan, store: OpenedStore) -> UnaskedTwin:
    """Play the same without the request, and sum up what its last looks saw."""
    try:
        unasked = ErasureAudit(replace(plan, request=ErasureRequest.NONE), store).played()
    except SystemFault as fault:
        return UnaskedTwin(0, 0, (), (), type(fault.__cause__ or fault).__name__)
    surfaces = [row for row in last_surfaces(unasked) if row.values]
    residue = last_residue(unasked)
    values = values_of([*surfaces, *residue])
    return UnaskedTwin(
        len(values),
        len(unasked.subject.values),
        tuple(dict.fromkeys(row.surface for row in surfaces)),
        tuple(dict.fromkeys(row.file for row in residue)),
    )


@dataclass
class _Rows:
    """What was asked and seen so far."""

    request: list[MadeCall] = field(default_factory=list)
    looks: list[ErasureLook] = field(default_factory=list)
    surfaces: list[SurfaceAnswer] = field(default_factory=list)
    residue: list[ResidueSpot] = field(default_factory=list)
    names: list[ResidueSpot] = field(default_factory=list)
    unlooked: dict[tuple[str, str], None] = field(default_factory=dict)


class ErasureAudit:
    """One audit of one opened store, as it goes."""

    def __init__(self, plan: ErasurePlan, store: OpenedStore) -> None:
        self._plan, self._store = plan, store
        self._written = WrittenFiles()
        self._calls = self._called()
        self._answered: datetime | None = None
        self._rows = _Rows()
        self._changed: tuple[str, ...] = ()

    def _called(self) -> RecordedCalls:
        plan = self._plan
        return RecordedCalls(self._store.open, plan.timeout_s, plan.now, shown=plan.planted)

    def played(self) -> ErasureReport:
        """Do everything in order, and report it."""
        try:
            promises = self._calls.ask("capabilities", self._calls.system.capabilities)
            self._roots = self._looked_roots()
            people = self._met()
            self._files, self._people = FileLook(people, masked=not self._plan.planted), people
            self._look(Moment.BEFORE)
            self._require_known(people)
            self._ask(people)
            self._look(Moment.ASKED)
            self._settle(people)
            self._look(Moment.SETTLED)
            if self._plan.wait_s:
                self._plan.sleep(self._plan.wait_s)
                self._look(Moment.WAITED)
            self._restart()
            if self._rows.request:
                self._rows.surfaces += again_by_id(self._calls, people.subject, self._rows.looks[-1].moment)
            removed = () if self._store.is_ours else self._removed_controls(people)
            report = self._report(people, promises, removed)
        finally:
            self._calls.close()
        self._look_through_files(Moment.CLOSED)
        return self._finished(report)

    def _met(self) -> AuditedPeople:
        """Plant or list everybody, and know which files changed when they were planted."""
        if not self._plan.planted:
            return people_of(self._plan, self._calls)
        if not self._store.is_ours:
            require_free_names(self._plan, self._calls)
        before = contents(self._roots, self._files_written())
        people = people_of(self._plan, self._calls)
        after = contents(self._roots, self._files_written())
        self._changed = tuple(file for file, digest in after.items() if before.get(file) != digest)
        return people

    def _looked_roots(self) -> LookedRoots:
        system = self._calls.system
        named = [Path(self._store.path).expanduser()] if self._store.path else []
        if implements(system, Durable):
            declared = self._calls.ask("storage_paths", system.storage_paths)
            named += [path for path in declared if not any(top in (path, *path.parents) for top in named)]
        return LookedRoots(tuple(named), self._plan.also, declared_places(self._plan.ref))

    def _require_known(self, people: AuditedPeople) -> None:
        """Refuse to delete beside a control of whom nothing was seen: nobody could see what it lost."""
        if self._plan.planted or self._plan.request is ErasureRequest.NONE:
            return
        for control in people.controls:
            if not control_lost(self._rows.surfaces, control.whose)[0]:
                raise ConfigError(
                    f"Nothing was seen of {control.whose} {control.scope.user}, so that nobody would know what it "
                    "lost. Nobody was asked to forget.",
                    f"Name with --control somebody who has a text of {LEAST} characters or more, or leave it out.",
                )

    def _ask(self, people: AuditedPeople) -> None:
        if self._plan.request is ErasureRequest.NONE:
            return
        self._rows.request += requested(self._calls, self._plan.request, people.subject)
        self._answered = self._plan.now()

    def _settle(self, people: AuditedPeople) -> None:
        system, plan = self._calls.system, self._plan
        calls = [
            self._calls.write_down("flush", each.scope.user, partial(system.flush, each.scope, plan.timeout_s))
            for each in people.probed
        ]
        if implements(system, Expiring):
            sweeping, now = system, plan.now().replace(tzinfo=None)
            calls.append(self._calls.write_down("sweep", "", lambda: sweeping.sweep(now)))
        for call in calls:
            if call.failed:
                self._rows.unlooked[(f"{call.call} of {call.given}", f"it {call.answer}")] = None

    def _restart(self) -> None:
        system = self._calls.system
        try:
            if self._store.path:
                self._calls.close()
                self._calls = self._called()
                if not isinstance(getattr(self._calls.system.itself, "usage", None), SystemUsage):
                    self._rows.unlooked[("a new process", _REOPENED)] = None
            elif implements(system, Durable):
                self._calls.ask("reopen", system.reopen)
                self._rows.unlooked[("a new process", _REOPENED)] = None
            else:
                self._rows.unlooked[("a new process", _ONCE)] = None
                return
        except SystemFault as fault:
            self._rows.unlooked[("a new process", f"it raised {type(fault.__cause__ or fault).__name__}")] = None
            return
        self._look(Moment.RESTARTED)

    def _removed_controls(self, people: AuditedPeople) -> tuple[MadeCall, ...]:
        """Take the controls that were planted out of a store that is not ours."""
        if not self._plan.planted:
            return ()
        removed = (requested(self._calls, ErasureRequest.SCOPE, control) for control in people.controls)
        return tuple(call for calls in removed for call in calls)

    def _look(self, moment: Moment) -> None:
        """Look through files, and then ask every surface: what is asked may be written down."""
        self._look_through_files(moment)
        look = SurfaceLook(self._calls, self._people)
        self._rows.surfaces += look.at(moment)
        look.ask_mark()

    def _look_through_files(self, moment: Moment) -> None:
        at = self._plan.now()
        seen = self._files.at(moment, self._roots, self._files_written())
        after = None if self._answered is None else round((at - self._answered).total_seconds(), 3)
        self._rows.looks.append(ErasureLook(moment, spelled_time(at), after, seen.files, seen.bytes))
        self._rows.residue += seen.residue
        self._rows.names += seen.names
        self._rows.unlooked |= dict.fromkeys(seen.unread)
        if self._people.short:
            self._rows.unlooked[(plural(self._people.short, "text"), _SHORT)] = None
        for file in seen.marked:
            self._rows.unlooked[(f"{file}, apart from our own searches", _MARKED)] = None

    def _files_written(self) -> list[Path]:
        return [*self._written.files(self._roots.store), *self._strayed()]

    def _strayed(self) -> list[Path]:
        """Name the files that a process of its own wrote outside its folder, as far as it reports them."""
        usage = getattr(self._calls.system.itself, "usage", None)
        if not isinstance(usage, SystemUsage):
            return []
        for address, times in usage.outside.items():
            self._rows.unlooked[(address, f"the system reached for it, {plural(times, 'time')}")] = None
        return [path for path in map(Path, usage.strayed) if path.is_file()]

    def _report(
        self, people: AuditedPeople, promises: Capabilities, removed: tuple[MadeCall, ...]
    ) -> ErasureReport:
        """Say what is known while the system can still be asked who it is."""
        system, rows, subject = self._calls.system, self._rows, people.subject
        about = AuditedSystem(
            self._plan.ref,
            system.name,
            system.version,
            supported(system),
            promises.interventions,
            promises.stand_ins,
        )
        how = "canary" if self._plan.planted else "present" if subject.memories else "texts"
        values = tuple(each.described(shown=self._plan.planted) for each in subject.sought)
        who = ErasedSubject(_scope(self._plan, subject.scope.user), how, values, len(subject.memories))
        declared = self._roots.declared or {}
        parts = unlooked(system, promises.needs, self._plan, declared, is_ours=self._store.is_ours)
        controls = tuple(
            ControlSubject(each.whose, each.scope.user, *control_lost(rows.surfaces, each.whose))
            for each in people.controls
        )
        return ErasureReport(
            made_by=__version__,
            seed=self._plan.seed,
            system=about,
            subject=who,
            writes=(*people.writes, *removed),
            request=tuple(rows.request),
            looks=(),
            surfaces=tuple(rows.surfaces),
            residue=(),
            names=(),
            changed=self._changed,
            controls=controls,
            twin=None,
            unlooked=tuple(parts),
            finding=ErasureFinding.NOT_ASKED,
            sentences=(),
        )

    def _finished(self, report: ErasureReport) -> ErasureReport:
        rows = self._rows
        parts = (*(UnlookedPart(part, why) for part, why in rows.unlooked), *report.unlooked)
        looks, residue, names = tuple(rows.looks), tuple(rows.residue), tuple(rows.names)
        return replace(report, looks=looks, residue=residue, names=names, unlooked=parts)


_REOPENED = (
    "the store was closed and opened again in the process in which it was; what that process remembers beside its "
    "store went on"
)
_ONCE = "the system cannot be opened again on the same store"
_SHORT = "too short to be told from what stands in files by chance"
_MARKED = "the system writes down what it is asked, so that values there may be those of our own searches"


def _scope(plan: ErasurePlan, user: str) -> str:
    return user if plan.tenant == "default" else f"{plan.tenant}/{user}"
