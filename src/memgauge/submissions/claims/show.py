"""The ledger as a document: what is claimed of each product, by whom, and what was computed again beside it."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.results import ReadyData
from memgauge.show import Cell, Column, Document, Note, Section, Table
from memgauge.show.document import Fold, Notes, Tone
from memgauge.show.numbers import UNDEFINED, Kind, between
from memgauge.submissions.claims.comparing import COUNTED
from memgauge.submissions.claims.ledger import figures_of
from memgauge.submissions.claims.verdicts import ClaimVerdict
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.stats.intervals import Interval
    from memgauge.submissions.claims.ledger import JudgedClaim
    from memgauge.submissions.claims.verdicts import ClaimFinding
    from memgauge.submissions.sheets.claim import ClaimSheet

_COMMIT: Final = re.compile(r"@([0-9a-f]{8})[0-9a-f]{32}\b")
_SEEN: Final = {"source": "", "copy": "Read in a copy", "reference": "Read in notes only"}
_NOTES: Final = (
    Note(
        "Nothing here is verified. A verdict says whether a number follows from the rows that were published "
        "below it, or lies within the interval of a like run of ours; not that a product does what is claimed."
    ),
    Note(
        "An interval says what other questions of the kind would change. It knows nothing of judge, prompt or "
        "model, which move such numbers by more."
    ),
    Note("What was read in a copy may have been copied wrongly: look at the source before you quote."),
    Note("What a source does not state is not guessed, and no ratio of two numbers of this page is meaningful."),
    Note(
        "Whoever makes a product has a right of reply, which is printed here in full: open an issue or a pull "
        "request that fills `reply` of the sheet."
    ),
)


def claims_document(claims: Sequence[JudgedClaim]) -> Document:
    """Show claims: counts by product first, then every number with its verdict and its source."""
    groups: defaultdict[str, list[JudgedClaim]] = defaultdict(list)
    for claim in claims:
        groups[claim.sheet.product].append(claim)
    alone = len(groups) == 1
    sections = tuple(_section(name, groups[name], opened=alone) for name in sorted(groups))
    return Document(
        "Claims of the field",
        beside="published numbers, none of them verified",
        lead=_lead(figures_of(claims)),
        blocks=sections if alone else (_overview(groups), *sections),
        notes=_NOTES,
        origin="claim sheets and the rows that they keep",
        next="" if alone else "memgauge results claims --product NAME shows the numbers of one product.",
        data=ReadyData({"figures": figures_of(claims), "claims": [claim_data(claim) for claim in claims]}),
    )


def _lead(figures: Mapping[str, int]) -> str:
    kinds = ", ".join(f"{figures[verdict.name.lower()]:,} {_words(verdict)}" for verdict in ClaimVerdict)
    of = "1 product" if figures["products"] == 1 else f"{figures['products']} products"
    return (
        f"{figures['claims']:,} published numbers of {of}; {figures['claims_recomputed']:,} were computed again "
        f"from rows that were published below them. By verdict: {kinds}."
    )


def _words(verdict: ClaimVerdict) -> str:
    return {ClaimVerdict.AGREES: "agree", ClaimVerdict.DIFFERS: "differ"}.get(verdict, verdict.value)


def _overview(groups: Mapping[str, Sequence[JudgedClaim]]) -> Table:
    heads = (
        Column("product"),
        Column("numbers", Kind.COUNT),
        Column("sources", Kind.COUNT, yields=2),
        *Column.each(Kind.COUNT, "recomputed", "agrees", "differs"),
        Column("not comparable", Kind.COUNT, yields=1),
        Column("not recomputable", Kind.COUNT, yields=1),
    )
    rows = [_counts(name, groups[name]) for name in sorted(groups)]
    return Table.of("products", "By product", heads, rows, "Every number once, by the verdict that says most.")


def _counts(name: str, claims: Sequence[JudgedClaim]) -> list[str | int]:
    return [name, *(number for what, number in figures_of(claims).items() if what != "products")]


def _section(name: str, claims: Sequence[JudgedClaim], *, opened: bool) -> Section:
    order = sorted(claims, key=lambda each: (_setting(each)["dataset"], -each.number.published, each.place))
    heads = (
        *Column.each(Kind.TEXT, "dataset", "published", "verdict", "recomputed"),
        Column("by", Kind.TEXT, yields=1),
    )
    rows = [_row(place, claim) for place, claim in enumerate(order, 1)]
    reasons = tuple(_reason(place, claim) for place, claim in enumerate(order, 1))
    replies = tuple(dict.fromkeys(_reply(claim.sheet) for claim in order))
    title = min((claim.sheet.title for claim in claims), key=len)
    blocks = (
        replace(Table.of(f"claims-{name}", "Numbers", heads, rows, "In brackets: 95 % interval."), ruled=True),
        Notes(reasons, "Sources and reasons, by number"),
        Notes(replies, "Right of reply"),
    )
    return Section(f"product-{name}", title, blocks, Fold.OPEN if opened else Fold.CLOSED)


def _row(place: int, claim: JudgedClaim) -> list[Cell]:
    number, finding = claim.number, claim.finding
    mark = "warn" if finding.verdict is ClaimVerdict.DIFFERS else ""
    return [
        Cell(f"{place}. {_setting(claim)['dataset']}"),
        Cell(_printed(claim), value=number.published),
        Cell(finding.verdict.value, mark=mark),
        _computed(finding.beside),
        Cell(_by(claim.sheet)),
    ]


def _computed(beside: Interval | None) -> Cell:
    if beside is None:
        return Cell("")
    ends = between(beside.low, beside.high, Kind.SHARE)
    return Cell(_percent(beside.mean), under=ends, value=beside.mean, low=beside.low, high=beside.high)


def _by(sheet: ClaimSheet) -> str:
    relation = sheet.source.relation
    return "others" if relation == NOT_STATED else relation


def _printed(claim: JudgedClaim) -> str:
    """Write a number as it is printed; one that was not rounded at all, with four digits."""
    number = claim.number
    if number.unit == "percent":
        return f"{number.value} %"
    return f"{number.published:.4f}" if number.rounding == 0 else number.value


def _reason(place: int, claim: JudgedClaim) -> Note:
    """Say why a number has its verdict, where it stands, and under which setting."""
    sheet, number, source = claim.sheet, claim.number, claim.sheet.source
    stated = ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in _setting(claim).items()
        if name != "dataset" and value != NOT_STATED
    )
    version = "" if sheet.version == NOT_STATED else f" {sheet.version}"
    parts = (
        _why(claim.finding),
        f"{number.measure} of {sheet.title}{version}, published by {source.by}",
        _COMMIT.sub(r"@\1", source.where if source.on == NOT_STATED else f"{source.where}, {source.on}"),
        _SEEN[source.seen],
        f"Stated: {stated}" if stated else "Nothing is stated of the setting",
        f"“{source.quote}”" if source.quote else "",
    )
    return Note(". ".join(filter(None, parts)) + ".", about=f"{place}. {claim.finding.verdict}")


def _why(finding: ClaimFinding) -> str:
    words = f"{finding.basis}: {finding.reason}" if finding.basis else finding.reason
    words = f"{words[:1].upper()}{words[1:]}"
    recount = finding.recount
    if recount is None or not recount.unscored:
        return words
    as_wrong = _percent(recount.with_failures.mean)
    return f"{words}; {recount.unscored:,} without a verdict, {as_wrong} where they are wrong"


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.2f} %"


def _reply(sheet: ClaimSheet) -> Note:
    reply = sheet.reply
    if reply.reply:
        return Note(f"“{reply.reply}” ({reply.replied_on or reply.informed_on})", about=sheet.title)
    if reply.informed_on:
        return Note(f"asked on {reply.informed_on}, no reply yet.", about=sheet.title, tone=Tone.SOFT)
    return Note("not asked yet; a reply will stand here.", about=sheet.title, tone=Tone.SOFT)


def _setting(claim: JudgedClaim) -> dict[str, Any]:
    return claim.sheet.setting_of(claim.number).model_dump()


def claim_data(claim: JudgedClaim) -> dict[str, Any]:
    """Return everything of a claim, for programs."""
    sheet, number = claim.sheet, claim.number
    return {
        "file": claim.place,
        "product": sheet.product,
        "version": sheet.version,
        "standing": sheet.standing,
        "source": sheet.source.model_dump(mode="json"),
        "reply": sheet.reply.model_dump(mode="json"),
        "setting": _setting(claim),
        "number": number.model_dump(mode="json"),
        "counts": COUNTED[number.counts],
        "verdict": claim.finding.verdict.value,
        "recomputed": claim.recomputed,
        "rows": _finding(claim.rows),
        "runs": [_finding(run) for run in claim.runs],
    }


def _finding(finding: ClaimFinding) -> dict[str, Any]:
    recount = finding.recount
    both = None
    if recount:
        both = {
            "unscored": recount.unscored,
            "left_out": _interval(recount.value),
            "as_wrong": _interval(recount.with_failures),
            "interval_over": recount.by,
            "rounding": recount.slack,
        }
    return {
        "verdict": finding.verdict.value,
        "basis": finding.basis,
        "reason": finding.reason,
        "value": _interval(finding.beside),
        "denominators": both,
    }


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {"value": interval.mean, "low": interval.low, "high": interval.high, "n": interval.n}
