from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.validate import Violation, validate
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOON = datetime.fromisoformat("2024-05-01T12:00")
TURNS = (Turn("t1", "Ann", "Hello.", "s1", NOON), Turn("t2", "Bob", "Hi.", "s1", NOON))
TALK = Conversation("c", (Session("s1", NOON, TURNS),))
SILENT = Conversation("c", (Session("s1", NOON, (replace(TURNS[0], text=""), TURNS[1])),))
ASKED = (Question("q1", "c", "Who?", "who"), Question("q2", "c", "What?", "what", after_session="s1"))
GOLD = (Gold("q1", (Evidence("t1", exact=True, turns=("t1",)),), sessions=("s1",)), Gold("q2"))


@dataclass(frozen=True)
class Toy:
    """A dataset of whatever it is given."""

    all_cases: tuple[Case, ...] = (Case(TALK, ASKED),)
    all_gold: tuple[Gold, ...] = GOLD
    identity: DatasetIdentity = field(default_factory=lambda: DatasetIdentity("toy", "toy", "0"))

    def cases(self) -> Iterator[Case]:
        """Yield the given cases."""
        return iter(self.all_cases)

    def gold(self) -> Iterator[Gold]:
        """Yield the given gold."""
        return iter(self.all_gold)

    def describe(self) -> Mapping[str, object]:
        """Count nothing."""
        return {}


def _talk(*sessions: Session) -> Toy:
    return Toy((Case(Conversation("c", sessions), ()),), ())


def test_a_lawful_dataset_has_no_findings() -> None:
    """Where every law is kept, nothing is found."""
    assert validate(Toy()) == []


@pytest.mark.parametrize(
    ("toy", "expected"),
    [
        (_talk(), Violation("c", "no turns")),
        (
            _talk(Session("s1", NOON, (TURNS[0], TURNS[0]))),
            Violation("c", "turn id t1 used more than once"),
        ),
        (
            _talk(Session("s1", NOON, TURNS), Session("s1", NOON, ())),
            Violation("c", "session id s1 used more than once"),
        ),
        (
            _talk(
                Session("s1", NOON, TURNS),
                Session("s2", None, ()),
                Session("s3", NOON - timedelta(days=1), ()),
            ),
            Violation("c", "session s3 comes after s1 but is earlier"),
        ),
        (
            _talk(Session("s1", NOON, TURNS), Session("s2", NOON.replace(tzinfo=UTC), ())),
            Violation("c", "of session s1 and session s2 one has a time with a zone, the other has none"),
        ),
        (
            Toy((Case(TALK, (replace(ASKED[0], asked_at=NOON.replace(tzinfo=UTC)), ASKED[1])),)),
            Violation("c", "of session s1 and question q1 one has a time with a zone, the other has none"),
        ),
        (
            _talk(Session("s2", NOON, TURNS[:1])),
            Violation("c", "turn t1 of session s2 says it is of session s1"),
        ),
        (Toy(all_gold=GOLD[:1]), Violation("c/q2", "no gold")),
        (Toy(all_gold=GOLD[::-1]), Violation("c/q1", "gold is for q2: out of order")),
        (Toy(all_gold=(*GOLD, Gold("q3"))), Violation("q3", "gold without a question")),
        (
            Toy((Case(TALK, ASKED), Case(TALK, ASKED)), GOLD * 2),
            Violation("q1", "question id used more than once"),
        ),
        (
            Toy((Case(TALK, ASKED[:1]), Case(TALK, ASKED[1:]))),
            Violation("c", "conversation id used more than once"),
        ),
        (
            Toy((Case(TALK, (replace(ASKED[0], conversation="d"),)),), GOLD[:1]),
            Violation("c/q1", "asked about conversation d"),
        ),
        (
            Toy((Case(TALK, (replace(ASKED[0], after_session="s9"),)),), GOLD[:1]),
            Violation("c/q1", "asked after session s9, which does not exist"),
        ),
        (
            Toy(all_gold=(Gold("q1", (Evidence("t9", exact=True, turns=("t9",)),)), GOLD[1])),
            Violation("c/q1", "evidence turn t9 does not exist"),
        ),
        (
            Toy(all_gold=(Gold("q1", (Evidence("t1", exact=True, turns=()),)), GOLD[1])),
            Violation("c/q1", "evidence 't1' is exact but names no turn"),
        ),
        (
            Toy((Case(TALK, (replace(ASKED[0], text=" \n"), ASKED[1])),)),
            Violation("c/q1", "the question has no words"),
        ),
        (
            Toy((Case(SILENT, ASKED),)),
            Violation("c/q1", "evidence turn t1 has no words, so that nothing can bear it"),
        ),
        (
            Toy(all_gold=(Gold("q1", sessions=("s9",)), GOLD[1])),
            Violation("c/q1", "evidence session s9 does not exist"),
        ),
    ],
)
def test_every_broken_law_is_found(toy: Toy, expected: Violation) -> None:
    """Breaking one law gives a finding that names the place and the law."""
    assert expected in validate(toy)
