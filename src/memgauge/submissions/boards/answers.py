"""Boards of answers: the share that one judge finds right, ranked where the judge has a certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memgauge.runs.layers.answering import OWN, Context
from memgauge.runs.record.seal import file_hash
from memgauge.submissions.boards.choosing import chosen
from memgauge.submissions.boards.judging import RegisteredJudge
from memgauge.submissions.boards.quality import measured_board
from memgauge.submissions.boards.registered import registered
from memgauge.submissions.layout import GRADES
from memgauge.submissions.rows.graded import MEASURE, graded_row, ungraded_row
from memgauge.submissions.sheets.base import inspect_sheet
from memgauge.submissions.sheets.grades import GradesSheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.gold import GoldTable
    from memgauge.submissions.boards.board import QualityRow, ResultsBoard
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.rows.graded import GradedRow
    from memgauge.submissions.sheets.grades import GradedAnswers
    from memgauge.submissions.sheets.registry import BoardSheet, LaneSheet

OF_MEMORY: Final = frozenset({str(Context.RETRIEVED), OWN})
"""From what answers show a memory: what it returned, or itself. Other contexts show the answerer."""


@dataclass(frozen=True, eq=False)
class _AnswersBoard:
    """A board that is being made: its sheet, its registry, its judge, and the gold of its dataset."""

    sheet: BoardSheet
    repository: Repository
    judge: RegisteredJudge
    gold: GoldTable

    @property
    def first(self) -> int | None:
        """Return how many conversations are asked about; ``None`` for all."""
        return self.repository.datasets[self.sheet.dataset].first


@dataclass(frozen=True, eq=False)
class _Standing:
    """What stands on the board for one submission."""

    graded: GradedRow
    unscored: int | None = None
    answerer: str = ""
    bars: tuple[str, ...] = ()


def answers_board(
    sheet: BoardSheet, lane: LaneSheet, repository: Repository, entrants: Sequence[Entrant], gold: GoldTable | None
) -> ResultsBoard:
    """Make a board of answers.

    Args:
        sheet: What it is.
        lane: What stands behind its rows.
        repository: Where its judge is registered, with its certificate.
        entrants: Everybody; who brings grades may stand here.
        gold: Of its dataset; ``None`` where nobody submitted on it.

    Raises:
        MalformedDataError: Its judge is not registered.
    """
    known = registered(repository.judges, sheet.judge, "judges", f"boards/{sheet.name}.toml")
    judge = RegisteredJudge.of(repository.root, known)
    choice = chosen(sheet, [each for each in entrants if each.sheet.grades])
    standing = dict[str, _Standing]()
    if gold is not None:
        making = _AnswersBoard(sheet, repository, judge, gold)
        standing = {each.id: _standing(making, each) for each in choice.stand}
    stand = tuple(
        replace(each, rows={**each.rows, sheet.dataset: standing[each.id].graded.row}) for each in choice.stand
    )
    bars = {name: each.bars for name, each in standing.items()}
    made = measured_board(sheet, lane, replace(choice, stand=stand), gold, (MEASURE, MEASURE), bars)
    silent = len(chosen(sheet, entrants).stand) - len(stand)
    return replace(
        made,
        rows=tuple(_with_counts(row, standing[row.head.submission]) for row in made.rows),
        questions=max(
            (each.graded.row.scores[MEASURE].denominator.scored for each in standing.values()), default=0
        ),
        notes=(*made.notes, *_notes(judge, silent)),
        judge=known.name,
        answerer=sheet.answerer,
    )


def _notes(judge: RegisteredJudge, silent: int) -> Sequence[str]:
    left = f"Submissions without grades of answers, which are not here: {silent}."
    return [*filter(None, (judge.bar,)), *([left] if silent > 0 else [])]


def _with_counts(row: QualityRow, standing: _Standing) -> QualityRow:
    graded = standing.graded
    return replace(
        row,
        unanswered=graded.failed,
        asked=graded.asked,
        unscored=standing.unscored,
        answerer=standing.answerer,
    )


def _standing(board: _AnswersBoard, entrant: Entrant) -> _Standing:
    row = entrant.rows[board.sheet.dataset]
    runs = _graded(board, entrant)
    if isinstance(runs, str):
        return _Standing(ungraded_row(row, board.gold, board.first, runs))
    makers = [each.answers.maker for each in runs]
    bars = dict.fromkeys(bar for each in runs for bar in board.judge.bars(each))
    graded = graded_row(row, [each.grades for each in runs], board.gold, board.first)
    return _Standing(
        graded,
        graded.unscored,
        ", ".join(dict.fromkeys(f"{maker.answerer}, version {maker.version[:12]}" for maker in makers)),
        tuple(bars),
    )


def _graded(board: _AnswersBoard, entrant: Entrant) -> Sequence[GradedAnswers] | str:
    """Return the grades of every run that this board counts, or say why there are none."""
    folder = entrant.folder
    if not folder.has(GRADES) or file_hash(path := folder.file(GRADES)) != entrant.sheet.grades:
        return "its grades are not the file that its sheet names"
    read = inspect_sheet(GradesSheet, path, GRADES)
    if isinstance(read, tuple):
        return f"its grades cannot be read ({read[0].field or GRADES})"
    counted = []
    for run in entrant.sheet.runs:
        dataset = board.repository.dataset_of(run)
        if dataset is not None and dataset.name == board.sheet.dataset:
            graded = _counted(board, [each for each in read.graded if each.bundle == run.bundle])
            if isinstance(graded, str):
                return graded
            counted.append(graded)
    return counted


def _counted(board: _AnswersBoard, brought: Sequence[GradedAnswers]) -> GradedAnswers | str:
    """Choose of the grades of one run those that the board counts, or say why there are none."""
    sheet, judge = board.sheet, board.judge.sheet
    by_judge = [each for each in brought if board.judge.judged(each)]
    if not by_judge:
        others = ", ".join(dict.fromkeys(each.verdicts.label for each in brought)) or "nobody"
        return f"it was judged by {others}, and this board is of {judge.model} with its registered prompt"
    fitting = [each for each in by_judge if sheet.answerer in {"", each.answers.maker.answerer}]
    if not fitting:
        others = ", ".join(dict.fromkeys(each.answers.maker.answerer for each in by_judge))
        return f"it was answered by {others}, and this board is of answers by {sheet.answerer}"
    fitting = [each for each in fitting if each.answers.maker.context in OF_MEMORY]
    if not fitting:
        return "it was not answered from what the memory returned"
    if len(fitting) > 1:
        return f"it brings {len(fitting)} sets of grades of one run, and nobody chooses among them"
    if not (fitting[0].answers.follows and fitting[0].verdicts.follows):
        return "its grades are of layers whose hashes do not follow from what made them"
    return fitting[0]
