from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.deeds import COLLECTIONS, HAPPENINGS
from memgauge.datasets.synthetic.slots import SLOTS
from memgauge.datasets.validate import validate
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from memgauge.records import Case, Gold, Question


def _rows(ref: str) -> list[tuple[Case, Question, Gold]]:
    dataset = open_dataset(ref)
    golds = dataset.gold()
    return [(case, question, next(golds)) for case in dataset.cases() for question in case.questions]


@pytest.mark.parametrize(
    ("size", "conversations", "turns", "questions"),
    [("tiny", 2, 64, 22), ("small", 8, 1344, 256), ("medium", 80, 13440, 2560)],
)
def test_worlds_have_their_size_and_keep_the_laws(
    size: str, conversations: int, turns: int, questions: int
) -> None:
    """Every size gives about the numbers it promises, all five categories, and a lawful dataset."""
    dataset = open_dataset(f"synthetic:{size}")
    described = dataset.describe()
    assert (described["conversations"], described["turns"]) == (conversations, turns)
    assert described["questions"] == pytest.approx(questions, rel=0.02)
    assert set(described["categories"]) == {  # type: ignore[call-overload]
        "single-session",
        "multi-session",
        "temporal",
        "knowledge-update",
        "abstention",
    }
    assert validate(dataset) == []


def test_a_seed_makes_a_world_and_another_seed_another() -> None:
    """The same seed gives the same content and hash; another seed differs."""
    first, again, other = (open_dataset(f"synthetic:tiny,seed={seed}") for seed in (3, 3, 4))
    assert list(first.cases()) == list(again.cases())
    assert list(first.gold()) == list(again.gold())
    assert first.identity.sha256 == again.identity.sha256
    assert first.identity.sha256 != other.identity.sha256


def test_the_default_worlds_never_change() -> None:
    """The hash of a world is part of what a run names, so new code must not change it unnoticed."""
    hashes = {ref: open_dataset(ref).identity.sha256[:16] for ref in ("synthetic:tiny", "synthetic")}
    assert hashes == {"synthetic:tiny": "d68586d870fd1238", "synthetic": "c7aeb9ac6dfeae7d"}


@pytest.mark.parametrize(
    "environment", [{"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}, {"PYTHONHASHSEED": "2", "LC_ALL": "C"}]
)
def test_a_world_does_not_depend_on_the_process(environment: dict[str, str]) -> None:
    """Hash seed, time zone and locale leave every byte alone."""
    code = "from memgauge.datasets.catalogue import open_dataset as o; print(o('synthetic:tiny').identity.sha256)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == open_dataset("synthetic:tiny").identity.sha256


def test_evidence_says_the_answer() -> None:
    """Every stated value stands in its evidence, and every list is the union of its evidence."""
    for case, question, gold in _rows("synthetic:small"):
        texts = {turn.id: turn.text.casefold() for turn in case.conversation.turns()}
        said = [texts[turn] for turn in gold.anchors()]
        if question.category in {"single-session", "knowledge-update"}:
            assert len(said) == 1
            assert gold.answers[0].casefold() in said[0]
        if question.category == "multi-session" and isinstance(gold.raw_answer, int):
            assert gold.raw_answer == len(said) == len(gold.sessions) >= 2


def test_what_is_not_said_has_no_evidence_and_a_trap() -> None:
    """An unanswerable question has neither evidence nor answer, and somebody else's fact to fall for."""
    for case, question, gold in _rows("synthetic:small"):
        assert gold.abstain == (question.category == "abstention")
        if gold.abstain:
            assert (gold.evidence, gold.answers) == ((), ())
            assert gold.trap is not None
            assert any(gold.trap in turn.text for turn in case.conversation.turns())


def test_updates_come_later_than_what_they_replace() -> None:
    """The evidence for the present value lies in a later session than that for the former one."""
    rows = [row for row in _rows("synthetic:small") if row[1].category == "knowledge-update"]
    for (_, _, now), (_, _, before) in zip(rows[::2], rows[1::2], strict=True):
        assert now.sessions > before.sessions
        assert (now.trap, before.trap) == (before.answers[0], now.answers[0])


def test_dates_follow_from_the_session_and_the_words() -> None:
    """The date of a happening is its session's date less the days that the evidence names."""
    days = {
        "the day before yesterday": 2,
        "yesterday": 1,
        "three days ago": 3,
        "a week ago": 7,
        "two weeks ago": 14,
    }
    checked = 0
    for case, question, gold in _rows("synthetic:small"):
        if question.category != "temporal" or len(gold.answers) != 2:
            continue
        turns = {turn.id: turn for turn in case.conversation.turns()}
        turn = turns[gold.anchors()[0]]
        ago = next(n for words, n in days.items() if words in turn.text.casefold())
        assert turn.at is not None
        assert (turn.at.date() - date.fromisoformat(gold.answers[1])).days == ago
        assert gold.answers[0] == spell_date(date.fromisoformat(gold.answers[1]))
        checked += 1
    assert checked == 64


def test_some_statements_share_words_with_their_questions_and_some_do_not() -> None:
    """Matching words finds a part of what was said, and only a part."""
    small = {
        "a",
        "the",
        "of",
        "in",
        "is",
        "does",
        "did",
        "do",
        "what",
        "which",
        "to",
        "at",
        "has",
        "for",
        "and",
        "or",
    }

    def words(text: str) -> set[str]:
        return {word.strip("?.,:;!'") for word in text.casefold().split()} - small - {"{v}", "{n}", "{n}'s"}

    for slot in SLOTS:
        asked = set().union(*(words(ask) for ask in slot.asks))
        shared = [len(asked & words(state)) for state in slot.states]
        assert max(shared) >= 1, slot.name
        assert sum(n <= 1 for n in shared) >= 2, slot.name


def test_wording_is_well_formed() -> None:
    """Every template has its place-holders, and values are distinct."""
    for slot in SLOTS:
        assert len(set(slot.values)) == len(slot.values) >= 9
        assert all("{v}" in text for text in (*slot.states, *slot.changes))
        assert all("{f}" in text and "{v}" in text for text in slot.elsewhere)
        assert all("{n}" in text for text in (*slot.asks, *slot.asks_before))
        assert bool(slot.changes) == bool(slot.asks_before)
    for collection in COLLECTIONS:
        assert all("{v}" in text for text in collection.states)
    for happening in HAPPENINGS:
        assert all("{when}" in text for text in happening.states)
