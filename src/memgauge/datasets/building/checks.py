"""What cannot be right in a filled worksheet, and what is probably not."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING

from memgauge.datasets.building.patterns import kinds_in
from memgauge.datasets.validate import Violation
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.building.worksheet import WorksheetFact, WorksheetLine, WorksheetQuestion

    Numbered = Sequence[tuple[int, WorksheetLine]]


def problems(path: Path, lines: Numbered, written: Iterable[WorksheetLine]) -> list[Violation]:
    """List the labels of *lines* that contradict themselves or what is *written* in all lines."""
    texts = _texts(written)
    asked: dict[tuple[str, str], str] = {}
    violations: list[Violation] = []
    for number, line in lines:
        known = texts[line.conversation]
        for position, fact in enumerate(line.facts):
            violations += _at(f"{path}:{number}: facts[{position}]", _of_fact(fact, known))
        for position, question in enumerate(line.questions):
            where = f"{path}:{number}: questions[{position}]"
            violations += _at(where, _of_question(question, known))
            first = asked.setdefault((line.conversation, fold(question.text)), where)
            if question.text and first != where:
                violations.append(Violation(f"{where}.text", f"the same question as {first.rpartition(':')[0]}"))
    return violations


def warnings(path: Path, lines: Numbered, written: Iterable[WorksheetLine]) -> tuple[Violation, ...]:
    """List what somebody should look at again; nothing of it keeps a worksheet from being used."""
    texts = _texts(written)
    versions: defaultdict[tuple[str, str, str], list[tuple[str, WorksheetFact]]] = defaultdict(list)
    violations: list[Violation] = []
    for number, line in lines:
        known = texts[line.conversation]
        for position, fact in enumerate(line.facts):
            where = f"{path}:{number}: facts[{position}]"
            violations += _at(where, _about_fact(fact, known))
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


def _texts(written: Iterable[WorksheetLine]) -> defaultdict[str, dict[str, str]]:
    """Return the text of every turn of every conversation."""
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for line in written:
        texts[line.conversation].update((turn.id, turn.text) for turn in line.turns)
    return texts


def _at(where: str, remarks: Iterator[tuple[str, str]]) -> Iterator[Violation]:
    return (Violation(f"{where}.{field}", what) for field, what in remarks)


def _of_fact(fact: WorksheetFact, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((name, "it is empty") for name in ("subject", "slot", "value") if not getattr(fact, name))
    if not fact.turns:
        yield "turns", "no turn states it"
    yield from _unknown("turns", fact.turns, known)
    if fact.valid_from and fact.valid_to and fact.valid_to <= fact.valid_from:
        yield "valid_to", "it ends before it begins"


def _of_question(question: WorksheetQuestion, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((name, "it is empty") for name in ("text", "category") if not getattr(question, name))
    if not question.abstain and not question.answers:
        yield "answers", "there is none; set abstain where nothing was said about it"
    yield from ((f"answers[{n}]", "it is empty") for n, answer in enumerate(question.answers) if not answer)
    yield from _unknown("evidence", question.evidence, known)
    yield from _unknown("stale", question.stale, known)
    for position, turn in enumerate(question.stale):
        if turn in question.evidence:
            yield f"stale[{position}]", f"turn {turn} is evidence too"


def _unknown(field: str, turns: Iterable[str], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for position, turn in enumerate(turns):
        if turn not in known:
            yield f"{field}[{position}]", f"there is no turn {turn!r}"


def _about_fact(fact: WorksheetFact, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if not any(fold(fact.value) in fold(known.get(turn, "")) for turn in fact.turns):
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
