"""What the looks come to, from their rows alone: so that whoever has the report can compute it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from memgauge.show.numbers import listed, plural
from memgauge.studies.erasure.record import ErasureFinding, Moment, ResidueSpot, Whose
from memgauge.studies.erasure.values import FORMER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.erasure.record import (
        ControlSubject,
        ErasureReport,
        SurfaceAnswer,
        UnaskedTwin,
    )

    SeenRow: TypeAlias = SurfaceAnswer | ResidueSpot

LIST = "list"
AGAIN = "delete again by id"
"""A surface that counts and returns no text."""
_ORDER = tuple(Moment)
_LEFT_OVER = frozenset({ErasureFinding.RETURNED, ErasureFinding.LEFT, ErasureFinding.LISTED, ErasureFinding.LATE})
_NAMED = 3
"""Places that a sentence names; tables name all."""


def finding_of(report: ErasureReport) -> ErasureFinding:
    """Decide what may be said."""
    seen_after = any(row.values for row in _rows(report) if row.moment is not Moment.BEFORE)
    shown = (
        (report.subject.how == "canary" and not report.request, ErasureFinding.NOT_ASKED),
        (values_of(last_surfaces(report)), ErasureFinding.RETURNED),
        (values_of(last_residue(report)), ErasureFinding.LEFT),
        (still_listed(report), ErasureFinding.LISTED),
        (seen_after, ErasureFinding.LATE),
        (failing(report), ErasureFinding.UNSEEN),
        (_controls_lost(report), ErasureFinding.TOO_MUCH),
        (values_of(_before(report)), ErasureFinding.NOTHING),
    )
    return next((finding for is_shown, finding in shown if is_shown), ErasureFinding.BLIND)


def still_listed(report: ErasureReport) -> int:
    """Count the texts that were listed of the subject at the last look, and not of a stranger as well."""
    counts = {row.whose: row.returned for row in last_surfaces(report) if row.surface == LIST}
    return max(0, counts.get(Whose.OWN, 0) - counts.get(Whose.STRANGER, 0))


def failing(report: ErasureReport) -> list[str]:
    """Name the surfaces that failed when they were asked last, and had answered before the request.

    What came in another shape than it should, whenever, may have held anything.
    """
    answered = {
        (row.surface, row.whose)
        for row in report.surfaces
        if row.moment is Moment.BEFORE and (row.returned or not row.problem)
    }
    failed = [row for row in last_surfaces(report) if row.problem]
    return [row.surface for row in failed if row.broke or (row.surface, row.whose) in answered]


def unseen(report: ErasureReport) -> list[str]:
    """Name the surfaces that failed when they were asked last, whatever they did before."""
    return list(dict.fromkeys(row.surface for row in last_surfaces(report) if row.problem))


def last_surfaces(report: ErasureReport) -> list[SurfaceAnswer]:
    """Return what surfaces answered when they were asked last."""
    last = last_moment([row.moment for row in report.surfaces])
    return [row for row in report.surfaces if row.moment is last]


def last_residue(report: ErasureReport) -> list[ResidueSpot]:
    """Return what the last look through files saw."""
    last = last_moment([look.moment for look in report.looks])
    return [row for row in report.residue if row.moment is last]


def last_moment(moments: Sequence[Moment]) -> Moment | None:
    """Return the latest of *moments*."""
    return max(moments, key=_ORDER.index, default=None)


def _rows(report: ErasureReport) -> list[SeenRow]:
    return [*report.surfaces, *report.residue]


def _before(report: ErasureReport) -> list[SeenRow]:
    return [row for row in _rows(report) if row.moment is Moment.BEFORE]


def values_of(rows: Sequence[SeenRow]) -> set[str]:
    """Return the labels of the values that any of *rows* saw."""
    return {label for row in rows for label in row.values}


def control_lost(surfaces: Sequence[SurfaceAnswer], whose: Whose) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a control had before, and what of it no surface of its own returned any more at the end."""
    own = [row for row in surfaces if row.whose is whose]
    before = {label for row in own if row.moment is Moment.BEFORE for label in row.control}
    last = last_moment([row.moment for row in own])
    after = {label for row in own if row.moment is last for label in row.control}
    return tuple(sorted(before)), tuple(sorted(before - after))


def _controls_lost(report: ErasureReport) -> list[ControlSubject]:
    """Return the controls that lost something."""
    return [control for control in report.controls if control_lost(report.surfaces, control.whose)[1]]


def is_left(report: ErasureReport) -> bool:
    """Whether something of the subject was seen after the request."""
    return report.finding in _LEFT_OVER


def is_bad(report: ErasureReport) -> bool:
    """Whether the report shows something that should not be."""
    return is_left(report) or bool(_controls_lost(report)) or is_refused(report)


def is_refused(report: ErasureReport) -> bool:
    """Whether the request itself failed."""
    return any(call.failed for call in report.request)


def last_names(report: ErasureReport) -> list[ResidueSpot]:
    """Return where the last look saw the subject's name and the ids of its memories."""
    last = last_moment([look.moment for look in report.looks])
    return [row for row in report.names if row.moment is last]


def sentences(report: ErasureReport) -> tuple[str, ...]:
    """Say the finding, and what bounds it."""
    return tuple(filter(None, _sentences(report)))


def _sentences(report: ErasureReport) -> Iterator[str]:
    finding = finding_of(report)
    yield _headline(report, finding)
    refused = [call for call in report.request if call.failed]
    if refused:
        yield f"The request failed: {refused[0].call} {refused[0].answer}."
    yield _broken(report)
    if finding is ErasureFinding.RETURNED and last_residue(report):
        yield f"In files: {_left(report)}."
    if finding in {ErasureFinding.LEFT, ErasureFinding.RETURNED}:
        yield _while_it_ran(report)
    yield _named(report)
    yield _mute(report)
    in_headline = _controls_lost(report) if finding is ErasureFinding.TOO_MUCH else []
    yield from (_control(report, control) for control in report.controls if control not in in_headline)
    if not report.controls:
        yield "No control was named: whether others lost something was not looked at."
    yield from _twin(report.twin)
    again = [row for row in report.surfaces if row.surface == AGAIN and row.returned]
    if again:
        yield f"Asked to delete them again by id, it says that {again[0].returned} were still there."


def _broken(report: ErasureReport) -> str:
    """Name what came that is not what should have come."""
    calls = [f"{call.call} {call.answer}" for call in report.writes if call.broke]
    broken = dict.fromkeys([*calls, *(row.problem for row in report.surfaces if row.broke)])
    return f"The system does not keep to its protocol: {'; '.join(broken)}." if broken else ""


def _headline(report: ErasureReport, finding: ErasureFinding) -> str:
    total = len(report.subject.values)
    match finding:
        case ErasureFinding.RETURNED:
            rows = [row for row in last_surfaces(report) if row.values]
            names = ", ".join(dict.fromkeys(f"{row.surface} under {row.whose}" for row in rows))
            headline = f"Still returned: {len(values_of(rows))} of {total} values, by {names}."
        case ErasureFinding.LEFT:
            headline = f"Left in files: {_left(report)}. No surface returns any."
        case ErasureFinding.LISTED:
            texts = plural(still_listed(report), "text")
            headline = f"Still listed: {texts} of the subject, in which no value was seen as these looks know it."
        case ErasureFinding.LATE:
            headline = f"Nothing at the last look, in {_looked(report)}. {_while_it_ran(report)}"
        case ErasureFinding.NOTHING:
            headline = f"Nothing was found in what was looked at: {_looked(report)}. {_had_seen(report)}"
        case ErasureFinding.TOO_MUCH:
            lost = listed([_lost(control) for control in _controls_lost(report)])
            headline = f"Deleted too much: {lost}. Nothing of the subject was found in {_looked(report)}."
        case ErasureFinding.UNSEEN:
            failed = ", ".join(dict.fromkeys(failing(report)))
            headline = f"This shows nothing: {failed} failed at the last look, and nothing else had a value."
        case ErasureFinding.BLIND:
            headline = (
                f"This shows nothing: no look at {_looked(report)} saw any of {total} values, not before either."
            )
        case ErasureFinding.NOT_ASKED:
            left = len(values_of([*last_surfaces(report), *last_residue(report)]))
            headline = f"Nobody was asked to forget; {left} of {total} values are there at the last look."
    return headline


def _had_seen(report: ErasureReport) -> str:
    """Say how many of the looks had seen values: of the others nothing is known."""
    before = _before(report)
    files = {row.file for row in before if isinstance(row, ResidueSpot)}
    surfaces = {row.surface for row in before if row.values and not isinstance(row, ResidueSpot)}
    where = f"{plural(len(surfaces), 'surface')} and {plural(len(files), 'file')}"
    values = f"{len(values_of(before))} of {len(report.subject.values)} values"
    return f"The same looks had seen {values} before the request, in {where}."


def _looked(report: ErasureReport) -> str:
    """Count what was looked at; deleting again counts memories, and looks at none."""
    files = max((look.files for look in report.looks), default=0)
    failed = unseen(report)
    surfaces = {row.surface for row in report.surfaces}.difference(failed, {AGAIN})
    looked = f"{plural(len(surfaces), 'surface')} and {plural(files, 'file')}"
    return f"{looked} (not {listed(failed)}, which failed)" if failed else looked


def _left(report: ErasureReport) -> str:
    """Say how many values the last look through files saw, and where."""
    rows = last_residue(report)
    return f"{len(values_of(rows))} of {len(report.subject.values)} values, in {_where(rows)}"


def _where(rows: Sequence[ResidueSpot]) -> str:
    """Name the first places, and count the others."""
    return _first(list(dict.fromkeys(f"{row.file} ({row.spot or row.kind})" for row in rows)))


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def _while_it_ran(report: ErasureReport) -> str:
    """Say what was still there at looks after the request and is gone since."""
    last = {row.file for row in last_residue(report)} | {
        row.surface for row in last_surfaces(report) if row.values
    }
    gone: dict[str, Moment] = {}
    for row in _rows(report):
        where = row.file if isinstance(row, ResidueSpot) else row.surface
        if row.moment is not Moment.BEFORE and row.values and where not in last:
            gone[where] = row.moment
    if not gone:
        return ""
    seen = ", ".join(f"{where}, last seen {moment}" for where, moment in gone.items())
    return f"Gone later than the request: {seen}."


def _named(report: ErasureReport) -> str:
    """Say where the subject is still known by name: its texts may be gone, and what belongs to it may not."""
    rows = last_names(report)
    if not report.request or not rows:
        return ""
    return f"The subject's name or ids of its memories still stand in {_where(rows)}."


def _mute(report: ErasureReport) -> str:
    """Name the files of which looks say nothing: values may stand there in a form that they cannot read."""
    seen = {row.file for row in report.residue}
    mute = [file for file in report.changed if file not in seen]
    if not mute:
        return ""
    which = f"{_first(mute)}, which changed while values were written"
    return f"No look saw a value in {which}: what stands there cannot be read by these looks."


def _control(report: ErasureReport, control: ControlSubject) -> str:
    who, had = f"{control.whose} {control.scope}", len(control.values)
    if control.lost:
        return f"Deleted too much: {_lost(control)}."
    if control.values:
        still = f"{who[0].upper()}{who[1:]} still has all {had} values that it had before the request"
        return f"{still}{_without_former(report, control)}."
    return f"Values of {who} were not seen before the request, so that nothing is known of what it lost."


def _lost(control: ControlSubject) -> str:
    return f"{control.whose} {control.scope} lost {len(control.lost)} of {len(control.values)} values"


def _without_former(report: ErasureReport, control: ControlSubject) -> str:
    """Say why a control has a value less than the subject where both had one updated."""
    former = {value.label for value in report.subject.values if value.kind == FORMER}
    return "; its former value was not among them" if former and not former & set(control.values) else ""


def _twin(twin: UnaskedTwin | None) -> Iterator[str]:
    if twin is None:
        return
    if twin.problem:
        yield f"The twin that is never asked could not be played: {twin.problem}."
    else:
        where = f"{plural(len(twin.surfaces), 'surface')} and {plural(len(twin.places), 'file')}"
        yield f"In the twin that nobody asked, the same looks see {twin.values} of {twin.of} values, in {where}."
