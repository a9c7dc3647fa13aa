"""The page of a submission: its sheet, its level and what the next needs, its runs, and how to repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.show import Cell, Code, Column, Document, Fold, Kind, Note, Notes, Section, Table, Tone
from memgauge.show.numbers import between
from memgauge.submissions.site.places import PRODUCTS, board_place, dataset_place, product_place
from memgauge.submissions.site.words import ORIGIN, worth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.board import Score
    from memgauge.show import Block
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.site.registry_view import RegistryView

PLACES: Final = "Its places follow from all who stand beside it, and change with them: see the board."
_AMOUNTS: Final = {
    "wall_s": "seconds",
    "cpu_s": "CPU seconds",
    "model_calls": "model calls",
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
    "embedding_tokens": "tokens embedded",
}


def submission_document(view: RegistryView, entrant: Entrant) -> Document:
    """Say everything that is known of a submission."""
    level = entrant.level
    caution = f", {level.caution}" if level.caution else ""
    return Document(
        title=entrant.sheet.label,
        beside=entrant.id,
        lead=f"Level {int(level.level)}, {level.name}{caution}.",
        facts=(*((f"It stands on no board: {entrant.gone}.",) if entrant.gone else ()), ORIGIN),
        blocks=tuple(_blocks(view, entrant)),
        notes=tuple(_notes(entrant)),
        origin="the submitted bundles and sheet",
        identity={
            "submission": entrant.id,
            "rules": entrant.sheet.rules,
            "plan": entrant.sheet.plan or "none announced",
        },
    )


def trail_of(entrant: Entrant) -> tuple[tuple[str, str], ...]:
    """Return the pages above a submission's."""
    return (("Products", PRODUCTS), (entrant.product.title, product_place(entrant.sheet.product)))


def _blocks(view: RegistryView, entrant: Entrant) -> Iterator[Block]:
    if entrant.level.missing:
        missing = Note(f"The next level needs: {entrant.level.missing}.")
        yield Section(
            "next", "What is missing for the next level", (Notes((missing, *map(Note, entrant.problems))),)
        )
    if stands := _boards(view, entrant):
        yield stands
    yield _runs(entrant)
    yield from filter(None, (_costs(entrant), _verifications(entrant), _objections(entrant)))
    yield Section("repeat", "Play it again", (Code(entrant.sheet.reproduce),))
    yield Section("sheet", "The sheet", (_sheet(entrant),), Fold.CLOSED)


def _boards(view: RegistryView, entrant: Entrant) -> Table | None:
    columns = (
        Column("board", Kind.PROSE),
        Column("group", Kind.TEXT),
        Column("value", Kind.NUMBER),
        Column("takes", Kind.TEXT),
    )
    rows = [
        (
            Cell(board.title, board.measure, leads=board_place(board.name)),
            "not ranked" if row.group is None else str(row.group),
            *worth(board, row),
        )
        for board, row in view.stands_on.get(entrant.id, ())
    ]
    return Table.of("boards", "Where it stands", columns, rows, PLACES) if rows else None


def _runs(entrant: Entrant) -> Table:
    measures = list(dict.fromkeys(name for row in entrant.rows.values() for name in row.scores))
    columns = (
        *Column.each(Kind.TEXT, "dataset", "seed"),
        Column("verified", Kind.TEXT, means="How far its bundle was verified."),
        *(Column(name, Kind.NUMBER) for name in measures),
        Column("tokens", Kind.COUNT),
        *Column.each(Kind.MILLISECONDS, "p50 ms", "p95 ms"),
        Column("writing, s", Kind.MILLISECONDS, means="For a thousand turns."),
        Column("unanswered", Kind.TEXT),
        Column("writes lost", Kind.COUNT),
    )
    rows = [
        (
            Cell(row.dataset, leads=dataset_place(row.dataset)),
            str(seed),
            Cell(run.verified, "; ".join(run.problems)[:200]),
            *(_score(run.scores.get(name)) for name in measures),
            run.tokens,
            run.latency.search_p50,
            run.latency.search_p95,
            run.writing_s,
            Cell(f"{run.unanswered:,}", f"of {run.asked:,}", run.unanswered),
            run.lost,
        )
        for row in entrant.rows.values()
        for seed, run in zip(row.seeds, row.runs, strict=True)
    ]
    failed = [f"{each.dataset}, seed {each.seed}: {each.why}" for each in entrant.sheet.failed]
    note = f"Cells of the plan that failed: {'; '.join(failed)}." if failed else ""
    return Table.of("runs", "Its runs", columns, rows, note)


def _score(score: Score | None) -> Cell:
    if score is None or score.value is None:
        return Cell("")
    return Cell(f"{score.value:.3f}", between(score.low, score.high), score.value, score.low, score.high)


def _costs(entrant: Entrant) -> Table | None:
    columns = (Column("dataset"), Column("phase"), *(Column(name, Kind.COUNT) for name in _AMOUNTS.values()))
    amounts = (
        (row.dataset, phase, *(row.spent(f"{phase}.{kind}") for kind in _AMOUNTS))
        for row in entrant.rows.values()
        for phase in ("ingest", "query", "rest")
    )
    rows = [row for row in amounts if any(amount is not None for amount in row[2:])]
    return (
        Table.of("costs", "What it cost", columns, rows, "Counted by the harness or reported by the system.")
        if rows
        else None
    )


def _verifications(entrant: Entrant) -> Table | None:
    columns = (
        "day",
        "by",
        Column("level", Kind.TEXT),
        Column("outcome", Kind.PROSE),
        Column("difference", Kind.SIGNED),
        Column("deviations", Kind.PROSE),
    )
    rows = [
        (
            each.on,
            Cell(each.by.github, each.by.relation),
            f"L{each.level}",
            each.outcome
            + ("" if each.same_lock else ", from another lock")
            + (f"; it does not count: {judged.why}" if judged.why else ""),
            Cell(
                f"{each.paired.difference:+.3f}",
                between(*each.paired.interval),
                each.paired.difference,
                *each.paired.interval,
            )
            if each.paired
            else Cell(""),
            "; ".join(each.deviations),
        )
        for judged in entrant.verifications
        for each in (judged.sheet,)
    ]
    return Table.of("verifications", "Who looked at it", columns, rows) if rows else None


def _objections(entrant: Entrant) -> Table | None:
    columns = (Column("number"), Column("raised"), *Column.each(Kind.PROSE, "rule", "claim", "reply", "decision"))
    rows = [
        (
            str(each.number),
            Cell(each.raised_on, f"by {each.by}"),
            each.rule,
            each.claim,
            Cell(each.reply or "none yet", each.replied_on),
            Cell(each.decision or "open", f"{each.decided_on} {', '.join(each.decided_by)}".strip()),
        )
        for each in entrant.objections
    ]
    return Table.of("objections", "Objections", columns, rows) if rows else None


def _sheet(entrant: Entrant) -> Table:
    sheet, calls = entrant.sheet, entrant.sheet.calls_per_question
    facts = {
        "product": f"{entrant.product.title} {sheet.version}",
        "division": entrant.division
        + ("" if entrant.division == sheet.division else f", submitted to {sheet.division}"),
        "category": sheet.category + (", preview: it cannot be had yet" if sheet.preview else ""),
        "lane": f"{entrant.lane.title} ({sheet.lane})",
        "contract": sheet.contract,
        "submitted": f"{sheet.day} by {sheet.submitter.github}, relation {sheet.submitter.relation}",
        "adapter": f"{sheet.adapter.repo} at {sheet.adapter.commit[:12]}, {sheet.adapter.licence}",
        "tuned on": ", ".join(sheet.tuned_on) or "nothing",
        "calls a question": f"{calls.search} to search, {calls.model} of a model",
        "plan": sheet.plan[:12] or "none was announced",
        "supersedes": sheet.supersedes or "nothing",
        "rows given away under": f"{sheet.licence}, signed off by {sheet.sign_off}",
        "bundles": "; ".join(f"{run.bundle} {run.sha256[:12]}" for run in sheet.runs),
    }
    return Table.of("facts", "The sheet", ("", Column("said", Kind.PROSE)), list(facts.items()))


def _notes(entrant: Entrant) -> Iterator[Note]:
    if entrant.withdrawn is not None:
        yield Note(f"Withdrawn on {entrant.withdrawn.on}: {entrant.withdrawn.reason}", tone=Tone.WARN)
    for row in entrant.rows.values():
        yield from (Note(text, row.dataset, Tone.WARN) for text in row.bars)
        yield from (Note(text, row.dataset) for text in row.marks)
        for measure in row.scores:
            if short := row.short(measure):
                ends = f"lists end at k={short.k} before {short.before:,} tokens are full"
                yield Note(
                    f"{measure} is the least that can be said: {ends}, and more may lie below.", row.dataset
                )
    yield from map(Note, dict.fromkeys((*entrant.level.marks, *entrant.footnotes)))
