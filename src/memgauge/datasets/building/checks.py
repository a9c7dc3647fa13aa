"""What cannot be right in a filled worksheet, and what is probably not."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING

from memgauge.datasets.building.patterns import kinds_in
from memgauge.datasets.own.contradictions import contradictions, useless_trap
from memgauge.datasets.validate import Violation
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.building.worksheet import WorksheetFact, WorksheetLine, WorksheetQuestion, WorksheetTurn
    from memgauge.records import Turn

    Numbered = Sequence[tuple[int, WorksheetLine]]
    SaidTurns = Mapping[str, Mapping[str, Turn | WorksheetTurn]]
    """Turns by conversation and id."""


def problems(path: Path, lines: Numbered, turns_by_home: SaidTurns) -> list[Violation]:
    """List the labels of *lines* that contradict themselves or what was said (*turns_by_home*)."""
    asked: dict[tuple[str, str], str] = {}
    violations: list[Violation] = []
    for number, line in lines:
        turns = turns_by_home.get(line.conversation, {})
        for position, fact in enumerate(line.facts):
            violations += _at(f"{path}:{number}: facts[{position}]", _of_fact(fact, turns))
        for position, question in enumerate(line.questions):
            where = f"{path}:{number}: questions[{position}]"
            violations += _at(where, _of_question(question, turns))
            first = asked.setdefault((line.conversation, fold(question.text)), where)
            if question.text and first != where:
                violations.append(Violation(f"{where}.text", f"the same question as {first.rpartition(':')[0]}"))
    return violations


def warnings(path: Path, lines: Numbered, turns_by_home: SaidTurns) -> tuple[Violation, ...]:
    """List what somebody should look at again; nothing of it keeps a worksheet from being used."""
    versions: defaultdict[tuple[str, str, str], list[tuple[str, WorksheetFact]]] = defaultdict(list)
    violations: list[Violation] = []
    for number, line in lines:
        turns = turns_by_home.get(line.conversation, {})
        for position, fact in enumerate(line.facts):
            where = f"{path}:{number}: facts[{position}]"
            violations += _at(where, _about_fact(fact, turns))
            if fact.functional:
                versions[line.conversation, fold(fact.subject), fold(fact.slot)].append((where, fact))
        for position, question in enumerate(line.questions):
            violations += _at(f"{path}:{number}: questions[{position}]", _about_question(question))
    for group in versions.values():
        violations += [
            Violation(f"{b}.valid_from", f"true at the same time as another value of the same slot ({a})")
            for (a, fact), (b, other) in combinations(group, 2)
            if fold(fact.value) != fold(other.value) and _overlap(fact, other)
        ]
    return tuple(violations)


def _at(where: str, remarks: Iterator[tuple[str, str]]) -> Iterator[Violation]:
    return (Violation(f"{where}.{field}", what) for field, what in remarks)


def _of_fact(fact: WorksheetFact, turns: Mapping[str, Turn | WorksheetTurn]) -> Iterator[tuple[str, str]]:
    yield from ((name, "it is empty") for name in ("subject", "slot", "value") if not getattr(fact, name))
    if not fact.turns:
        yield "turns", "no turn states it"
    yield from _unknown("turns", fact.turns, turns)
    if fact.valid_from and fact.valid_to and fact.valid_to <= fact.valid_from:
        yield "valid_to", "it ends before it begins"


def _of_question(
    question: WorksheetQuestion, turns: Mapping[str, Turn | WorksheetTurn]
) -> Iterator[tuple[str, str]]:
    yield from ((name, "it is empty") for name in ("text", "category") if not getattr(question, name))
    if not question.abstain and not question.answers:
        yield "answers", "there is none; set abstain where nothing was said about it"
    yield from ((f"answers[{n}]", "it is empty") for n, answer in enumerate(question.answers) if not answer)
    yield from _unknown("evidence", question.evidence, turns)
    yield from _unknown("stale", question.stale, turns)
    yield from contradictions(question, turns)
    yield from useless_trap(question)


def _unknown(field: str, ids: Iterable[str], turns: Container[str]) -> Iterator[tuple[str, str]]:
    for position, turn in enumerate(ids):
        if turn not in turns:
            yield f"{field}[{position}]", f"there is no turn {turn!r}"


def _about_fact(fact: WorksheetFact, turns: Mapping[str, Turn | WorksheetTurn]) -> Iterator[tuple[str, str]]:
    if not any(fold(fact.value) in fold(turns[turn].text) for turn in fact.turns if turn in turns):
        yield "value", "none of its turns says it in these words"
    yield from _personal(subject=fact.subject, slot=fact.slot, value=fact.value)


def _about_question(question: WorksheetQuestion) -> Iterator[tuple[str, str]]:
    if not question.abstain and not question.evidence:
        yield "evidence", "there is none, so that nothing can be found"
    yield from _personal(text=question.text, answers="\n".join(question.answers), trap=question.trap or "")


def _personal(**fields: str) -> Iterator[tuple[str, str]]:
    for name, text in fields.items():
        yield from ((name, f"it looks like it holds a real {kind.value}") for kind in kinds_in(text))


def _overlap(fact: WorksheetFact, other: WorksheetFact) -> bool:
    # Naive times, as all times here.
    first, last = datetime.min, datetime.max  # noqa: DTZ901 - see above
    return (fact.valid_from or first) < (other.valid_to or last) and (other.valid_from or first) < (
        fact.valid_to or last
    )
