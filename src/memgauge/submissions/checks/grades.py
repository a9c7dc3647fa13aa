"""What S3, S5 and S6 ask of grades: the file that was packed, on these runs, and every question of them once.

Bundles without texts leave answers and verdicts behind: what is shown is then that grades belong to these runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from memgauge.records import Outcome
from memgauge.runs.layers.answering import Context
from memgauge.runs.record.seal import file_hash
from memgauge.submissions.checks.rulings import CheckFinding, refuse
from memgauge.submissions.layout import GRADES, SHEET
from memgauge.submissions.packing.grades import graded_answers
from memgauge.submissions.sheets.base import inspect_sheet
from memgauge.submissions.sheets.grades import NOTHING, GradesSheet, judgeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run
    from memgauge.submissions.checks.subject import OpenedBundle, Subject
    from memgauge.submissions.sheets.base import SheetProblem
    from memgauge.submissions.sheets.grades import GradedAnswers

PACK = "Pack again, with `memgauge results pack`; nobody edits grades."


def grades_as_named(subject: Subject) -> Iterator[CheckFinding]:
    """S3: grades read as what they are, and are the file that the sheet names."""
    there = subject.submission.has(GRADES)
    if there and isinstance(read := _read(subject), tuple):
        yield from map(CheckFinding.of, read)
    if isinstance(subject.read, tuple):
        return
    named = subject.sheet.grades
    if named and not there:
        yield refuse(GRADES, "is missing, and the sheet names it.", PACK)
    elif there and not isinstance(read, tuple) and file_hash(subject.submission.file(GRADES)) != named:
        yield refuse(SHEET, f"is not the sha256 of {GRADES}.", PACK, "grades")


def grades_that_follow(subject: Subject) -> Iterator[CheckFinding]:
    """S5: verdicts stand on answers, and answers on the run; grades are those of layers that a bundle holds."""
    runs = {bundle.named.bundle: run for bundle, run in subject.runs}
    for number, graded in enumerate(_graded(subject)):
        place, run = f"graded.{number}", runs.get(graded.bundle)
        if run is None:
            yield refuse(GRADES, f"names {graded.bundle}, which the sheet does not.", PACK, f"{place}.bundle")
            continue
        for name, layer in (("answers", graded.answers), ("verdicts", graded.verdicts)):
            if not layer.follows:
                yield refuse(GRADES, "is not the hash of what made this layer.", PACK, f"{place}.{name}.sha256")
        for name, base, below in (
            ("answers", graded.answers.base, run.seal.content),
            ("verdicts", graded.verdicts.base, graded.answers.sha256),
        ):
            if base != below:
                on = f"the run in {graded.bundle}" if name == "answers" else "these answers"
                yield refuse(GRADES, f"stands on something else than {on}.", PACK, f"{place}.{name}.base")
        yield from _answered_after_failing(graded, run, f"{place}.grades")
        decided = {each.verdicts.sha256: each.grades for each in graded_answers(run, graded.bundle)}
        if decided.get(graded.verdicts.sha256, graded.grades) != graded.grades:
            yield refuse(GRADES, f"is not what the verdicts in {graded.bundle} say.", PACK, f"{place}.grades")


def _answered_after_failing(graded: GradedAnswers, run: Run, place: str) -> Iterator[CheckFinding]:
    """Refuse a grade for an answer from what no search returned."""
    if graded.answers.maker.context != Context.RETRIEVED:
        return
    names, outcomes = run.questions["question"].tolist(), run.questions["outcome"].tolist()
    failed = {name for name, outcome in zip(names, outcomes, strict=True) if not Outcome(outcome).valid}
    wrong = sorted(name for name in failed if graded.grades.get(name, "failed") != "failed")
    if wrong:
        yield refuse(
            GRADES,
            f"is {graded.grades[wrong[0]]!r}, and the search before it failed ({len(wrong)} like it).",
            PACK,
            f"{place}.{wrong[0]}",
        )


def every_grade_once(subject: Subject) -> Iterator[CheckFinding]:
    """S6: a grade for every question of the bundle, once, and every run of a dataset judged alike."""
    bundles = {bundle.named.bundle: (bundle, run) for bundle, run in subject.runs}
    judged = defaultdict[tuple[str, ...], Counter[str]](Counter)
    for number, graded in enumerate(_graded(subject)):
        if graded.bundle not in bundles:
            continue  # S5 names it
        bundle, run = bundles[graded.bundle]
        judged[bundle.named.dataset, str(bundle.named.first), *graded.way][graded.bundle] += 1
        yield from _of_all_questions(subject, graded, bundle, run, f"graded.{number}.grades")
    for (dataset, first, *way), counted in judged.items():
        wanted = {name for name, (each, _) in bundles.items() if _home(each) == (dataset, first)}
        twice = sorted(name for name, times in counted.items() if times > 1)
        if twice:
            yield refuse(GRADES, f"has grades of {twice[0]} by {way[0]} twice.", PACK, "graded")
        if missing := sorted(wanted - set(counted)):
            yield refuse(
                GRADES,
                f"has grades by {way[0]} of {len(counted)} runs on {dataset}, and none of {missing[0]}.",
                "Answer and judge all runs alike, and pack again: nobody chooses among their runs.",
                "graded",
            )


def _of_all_questions(
    subject: Subject, graded: GradedAnswers, bundle: OpenedBundle, run: Run, place: str
) -> Iterator[CheckFinding]:
    asked, given = set(run.questions["question"].tolist()), set(graded.grades)
    for wrong, what in ((asked - given, "lacks"), (given - asked, "has, beside those of its bundle,")):
        if wrong:
            yield refuse(GRADES, f"{what} {len(wrong)} questions, {min(wrong)} first.", PACK, place)
    data = subject.dataset(bundle.named)
    if isinstance(data, Exception):
        return
    for gold in data.gold():
        grade = graded.grades.get(gold.question)
        if grade not in {None, "failed"} and (grade == NOTHING) == judgeable(gold):
            has = "an accepted answer" if judgeable(gold) else "no accepted answer"
            yield refuse(GRADES, f"is {grade!r}, and the question has {has}.", PACK, f"{place}.{gold.question}")
            return


def _home(bundle: OpenedBundle) -> tuple[str, str]:
    return bundle.named.dataset, str(bundle.named.first)


def _graded(subject: Subject) -> tuple[GradedAnswers, ...]:
    """Return all grades; none where there is no file that reads as what it is, which S3 names."""
    read = _read(subject) if subject.submission.has(GRADES) else ()
    return () if isinstance(read, tuple) else read.graded


def _read(subject: Subject) -> GradesSheet | tuple[SheetProblem, ...]:
    submission = subject.submission
    return inspect_sheet(GradesSheet, submission.folder / GRADES, GRADES, submission.root)
