"""What compliance tests say: one line a test, and the verdict before all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.scoring.compliance import TESTS, Complied
from memgauge.show import Cell, CheckOutcome, Column, CountedCheck, Document, Kind, Note, Table
from memgauge.show.numbers import between, listed, number, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.compliance import Compliance, ComplianceVerdict

SUITE = "compliance"
_OUTCOMES = {Complied.YES: CheckOutcome.PASS, Complied.NO: CheckOutcome.FAIL, Complied.OPEN: CheckOutcome.SKIP}


def document(made: Compliance) -> Document:
    """Say how a system did in its tests."""
    return Document(
        title=f"Compliance of {made.system}",
        beside=made.dataset,
        lead=_lead(made),
        blocks=(_table(made),),
        notes=tuple(map(Note, _notes(made))),
        identity={"dataset": made.dataset, "sha256": made.sha256, "contract": made.contract},
        data=made,
        checks=tuple(_check(made, each) for each in made.verdicts),
        suites={SUITE: {"dataset": made.dataset, "sha256": made.sha256, "seed": str(made.seed)}},
    )


def _lead(made: Compliance) -> str:
    passed, failed, open_ = (made.ended(verdict) for verdict in (Complied.YES, Complied.NO, Complied.OPEN))
    rest = f" {plural(len(open_), 'test')} could not be told: {_names(open_)}." if open_ else ""
    if failed:
        return f"{made.system} differs in {_names(failed)}; as it must be in {len(passed)} of {_of(made)}.{rest}"
    return f"{made.system} is as it must be in {len(passed)} of {_of(made)}.{rest}"


def _of(made: Compliance) -> str:
    return plural(len(made.verdicts), "test")


def _names(verdicts: tuple[ComplianceVerdict, ...]) -> str:
    return listed([each.test for each in verdicts])


def _table(made: Compliance) -> Table:
    rows = [
        (
            each.test,
            TESTS[each.test].about,
            str(each.expected),
            _figure(each.original),
            Cell(
                "" if each.changed is None else number(each.changed),
                between(each.low, each.high),
                each.changed,
                each.low,
                each.high,
            ),
            each.n,
            Cell(str(each.verdict), each.reason, mark="warn" if each.verdict is Complied.NO else ""),
        )
        for each in made.verdicts
    ]
    columns = (
        Column("test", Kind.TEXT),
        Column("what is changed", Kind.PROSE, brief=False),
        Column("must be", Kind.TEXT, yields=1),
        *Column.each(Kind.NUMBER, "original", "changed"),
        Column("n", Kind.COUNT, brief=False),
        Column("verdict", Kind.TEXT),
    )
    return replace(Table.of("tests", "Tests", columns, rows, _meaning(made)), ruled=True)


def _figure(value: float | None, low: float | None = None, high: float | None = None) -> Cell:
    """Write a value with its interval; nothing where there is none to be expected."""
    return Cell("" if value is None else number(value), between(low, high), value, low, high)


def _meaning(made: Compliance) -> str:
    return (
        f"Equal: {made.measure}, within {made.margin:g}; in brackets the 95 % interval of the difference. "
        "Nothing: the share of questions whose hits show what was withheld. The same: the share of the first ten "
        f"memories that are others, at most {made.churn:g}. Intervals are over conversations."
    )


def _notes(made: Compliance) -> Iterator[str]:
    for each in made.ended(Complied.NO):
        example = f" See {each.example}." if each.example else ""
        yield f"{each.test} catches {TESTS[each.test].catches}.{example}"
    for each in made.ended(Complied.OPEN):
        yield f"{each.test}: {each.reason}."


def _check(made: Compliance, verdict: ComplianceVerdict) -> CountedCheck:
    around = between(verdict.low, verdict.high)
    values = " to ".join(number(each) for each in (verdict.original, verdict.changed) if each is not None)
    figure = f"{values} {around}".strip() + f", n={verdict.n}"
    message = verdict.reason if verdict.verdict is Complied.OPEN else f"must be {verdict.expected}: {figure}"
    outcome = _OUTCOMES[verdict.verdict]
    group = f"{made.dataset}.{made.system}"
    if outcome is CheckOutcome.PASS:
        return CountedCheck(SUITE, group, verdict.test, output=figure)
    return CountedCheck(SUITE, group, verdict.test, outcome, message, SUITE, output=figure)
