"""What samples say: their page, which ranks nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.board_tables import scored
from memgauge.report.words import contract_sentence, denominators
from memgauge.results import ReadyData, plain
from memgauge.show import Cell, Code, Column, Document, Fold, Kind, Note, Prose, Section, Table
from memgauge.show.numbers import count, number, plural
from memgauge.studies.board.published import data_of
from memgauge.studies.board.show import apart, busy, commands, each_once, spent, when
from memgauge.studies.board.tables import named, with_failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.board import Score
    from memgauge.show.document import Block
    from memgauge.show.table import Value
    from memgauge.studies.board.published import LaneRow, PublishedBoard
    from memgauge.studies.board.samples import PublishedSample


def document(samples: Sequence[PublishedSample]) -> Document:
    """Say what lanes found in the samples, for terminals, pages and Markdown."""
    boards = [sample.published for sample in samples]
    questions, conversations = (
        sum(board.board.questions for board in boards),
        sum(board.board.conversations for board in boards),
    )
    megabytes = sum(each.bundles for each in boards) / 1e6
    board_notes = dict.fromkeys(note for each in boards for note in each.board.notes)
    return Document(
        title="Samples of other benchmarks",
        beside=f"{plural(questions, 'question')} in {plural(conversations, 'conversation')}",
        lead=(
            "These are samples, pieces of benchmarks that were at hand, and they rank nothing: no order of "
            "systems follows from so few conversations. They show that the lanes of the board play other data "
            "by the same contract, and what the gold of each allows to measure."
        ),
        facts=(
            *when(boards),
            f"Total cost: {spent(boards)}; no key and no money, because no language model is asked.",
            f"Bundles without texts: {megabytes:,.2f} MB; memgauge reproduce samples checks them.",
            f"Contract {boards[0].board.contract}: {contract_sentence(boards[0].board.contract)}.",
        ),
        blocks=(*map(_section, samples), Section("commands", "Commands", (Code(_lines(boards)),), Fold.CLOSED)),
        notes=(*map(Note, board_notes), *busy(boards)),
        origin="bundles without texts",
        identity={sample.spec.dataset: sample.published.board.dataset.sha256 for sample in samples}
        | dict(boards[0].versions),
        data=ReadyData(plain({sample.spec.name: data_of(sample.published) for sample in samples})),
    )


def _section(sample: PublishedSample) -> Section:
    board = sample.published.board
    counts_words = f"{plural(board.questions, 'question')} in {plural(board.conversations, 'conversation')}"
    blocks: tuple[Block, ...] = (Prose(sample.spec.about), _table(sample))
    absent_notes = [Note(f"{contender.name} is missing: {contender.why}") for contender in sample.published.absent]
    unable = ((sentence, row.label) for row in sample.published.rows for sentence in row.unable)
    notes = (*absent_notes, *each_once(unable), *apart(sample.published))
    return Section(
        f"sample-{sample.spec.name}",
        f"Sample: {sample.spec.name}",
        (*blocks, *(Prose(f"{note.about + ': ' if note.about else ''}{note.text}") for note in notes)),
        beside=f"{board.dataset.ref} (sha256 {board.dataset.sha256[:12]}): {counts_words}, k={board.k}",
    )


def _table(sample: PublishedSample) -> Table:
    """Lay out the lanes in the order of their description, which is no order of merit."""
    board, rows = sample.published.board, {row.key: row for row in sample.published.rows}
    columns = (
        Column("system"),
        Column("version"),
        *(Column(measure, Kind.NUMBER) for measure in board.measures),
        Column("n", Kind.COUNT, means="questions scored"),
        Column("tokens", Kind.COUNT, means="what a reader is handed for a question"),
        *Column.each(Kind.MILLISECONDS, "search p95 ms", "writing, s a thousand turns"),
        Column("writes", Kind.COUNT, means="calls to write and to settle, and how many failed"),
        Column("searches", Kind.COUNT),
    )
    order = [lane.key for lane in sample.published.spec.lanes if lane.key in rows]
    cells = [_cells(rows[key], sample.published) for key in order]
    scores = [row.scores[measure] for row in rows.values() for measure in board.measures]
    reasons = dict.fromkeys(f"No intervals: {score.reason}." for score in scores if _is_bare(score))
    remark = " ".join((f"{denominators(board)}.", *reasons))
    return Table.of(sample.spec.name, f"Lanes on {sample.spec.name}", columns, cells, remark)


def _is_bare(score: Score) -> bool:
    """Whether it has a value and no interval, for a reason that is true of every lane."""
    return score.value is not None and score.low is None


def _valued(score: Score) -> Cell:
    return Cell(number(score.value), value=score.value) if _is_bare(score) else scored(score)


def _cells(row: LaneRow, published: PublishedBoard) -> tuple[Cell | Value, ...]:
    measures = published.board.measures
    return (
        named(row, published),
        f"{row.name} {row.version}",
        *(_valued(row.scores[measure]) for measure in measures),
        count(row.scores[measures[0]].denominator.scored),
        row.tokens,
        row.latency.search_p95,
        row.writing_s,
        with_failures(row.writes, row.lost),
        with_failures(row.searches, row.failed),
    )


def _lines(boards: Sequence[PublishedBoard]) -> str:
    return "\n".join(dict.fromkeys(line for board in boards for line in commands(board).splitlines()))
