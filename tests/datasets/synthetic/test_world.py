"""A generated world."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import date
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import digest_of
from memgauge.datasets.synthetic.asked import ABSTAIN, QuestionKind
from memgauge.datasets.synthetic.life import persona
from memgauge.datasets.synthetic.sizes import SIZES
from memgauge.datasets.synthetic.words import WordingLevel
from memgauge.datasets.synthetic.world import Recipe, SyntheticWorld
from memgauge.datasets.validate import validate
from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.synthetic.world import UserHistory
    from memgauge.records import Gold, Question

VALUED = {
    QuestionKind.CURRENT,
    QuestionKind.AS_OF,
    QuestionKind.REFERENCE,
    QuestionKind.TRANSIENT,
    QuestionKind.PREFERENCE,
    QuestionKind.IDENTIFIER,
    QuestionKind.ATTRIBUTION,
}


@pytest.fixture(scope="module")
def entries() -> list[UserHistory]:
    """Make forty users."""
    recipe = Recipe(SIZES["medium"], seed=7)
    return [recipe.user(user) for user in range(40)]


def asked(entries: list[UserHistory], *kinds: QuestionKind) -> Iterator[tuple[UserHistory, Question, Gold]]:
    """Go through questions with their gold, of all kinds or of some."""
    for entry in entries:
        for question, gold in zip(entry.case.questions, entry.golds, strict=True):
            if not kinds or question.category in kinds:
                yield entry, question, gold


def states(text: str, value: str) -> bool:
    """Whether a value stands in a text as itself, not as a part of another."""
    return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text))


def texts(entry: UserHistory) -> dict[str, str]:
    """Return what was said, by turn."""
    return {turn.id: turn.text for turn in entry.case.conversation.turns()}


@pytest.mark.parametrize(
    ("size", "turns", "questions"), [("tiny", 96, 32), ("small", 1344, 331), ("medium", 13440, 3366)]
)
def test_worlds_have_their_size_and_keep_the_laws(size: str, turns: int, questions: int) -> None:
    """Every size gives what it promises, and a lawful dataset."""
    dataset = open_dataset(f"synthetic:{size}")
    described = dataset.describe()
    assert (described["turns"], described["questions"]) == (turns, questions)
    assert validate(dataset) == []


def test_every_kind_of_question_is_asked(entries: list[UserHistory]) -> None:
    """No kind is a name only."""
    assert {question.category for _, question, _ in asked(entries)} == set(QuestionKind)


def test_the_default_worlds_never_change() -> None:
    """The hash of a world is part of what a run names, so new code must not change it unnoticed."""
    hashes = {ref: open_dataset(ref).identity.sha256[:16] for ref in ("synthetic:tiny", "synthetic")}
    assert hashes == {"synthetic:tiny": "a2ae9e2f415bce43", "synthetic": "93db5d1b1a89a423"}


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


def test_a_user_can_be_made_alone() -> None:
    """User 150,000 needs nobody before, and is the same in a world of any number of users."""
    far = Recipe(SIZES["large"], seed=0).user(150_000)
    again = Recipe(SIZES["small"], seed=0).user(150_000)
    assert far == again
    assert far.case.conversation.id == "u150000"


def test_options_change_what_they_name(entries: list[UserHistory]) -> None:
    """Another seed is another world; another distance tells the same life in other words."""
    assert Recipe(SIZES["medium"], seed=8).user(0) != entries[0]
    near, far = (
        Recipe(SIZES["small"], seed=1, level=level).user(3) for level in (WordingLevel.LEX, WordingLevel.LATENT)
    )
    assert [fact.value for fact in near.facts] == [fact.value for fact in far.facts]
    assert [gold.answers for gold in near.golds] == [gold.answers for gold in far.golds]
    assert near.case.conversation != far.case.conversation
    plausible = Recipe(SIZES["small"], seed=1, values="plausible").user(3)
    assert {"Lisbon", "Ghent", "Tartu", "Porto", "Graz", "Malmo", "Cork", "Bergen", "Turin", "Gdansk"} & {
        fact.value for fact in plausible.facts
    }


def test_what_is_right_is_what_holds(entries: list[UserHistory]) -> None:
    """An oracle that sees the facts alone gives the answer to every question for a state as it is now."""
    for entry, question, gold in asked(
        entries, QuestionKind.CURRENT, QuestionKind.REFERENCE, QuestionKind.TRANSIENT
    ):
        fact = next(f for f in entry.facts if f.turns and f.turns[0] == gold.anchors()[0])
        held = [
            f.value
            for f in entry.facts
            if (f.subject, f.slot) == ("user", fact.slot) and f.holds(question.asked_at)
        ]
        assert tuple(held) == gold.answers


def test_nothing_functional_holds_twice(entries: list[UserHistory]) -> None:
    """Of every slot with one value at a time, one version at most holds at any session."""
    for entry in entries:
        for session in entry.case.conversation.sessions:
            held = Counter((f.subject, f.slot) for f in entry.facts if f.functional and f.holds(session.at))
            assert max(held.values()) == 1


def test_evidence_says_the_answer_and_nothing_else_does(entries: list[UserHistory]) -> None:
    """A value stands in all of its evidence and in no turn that no label names: nothing else answers."""
    for entry, _, gold in asked(entries, *VALUED):
        said = texts(entry)
        value = gold.answers[0]
        assert all(states(said[turn], value) for turn in gold.anchors())
        labelled = {
            *gold.anchors(),
            *(turn for fact in entry.facts if value in {fact.value, fact.subject} for turn in fact.turns),
        }
        assert {turn for turn, text in said.items() if states(text, value)} <= labelled


def test_what_is_stale_says_something_else(entries: list[UserHistory]) -> None:
    """A stale turn states another value than the answer, and is never evidence too."""
    seen = 0
    for entry, _, gold in asked(entries, QuestionKind.CURRENT, QuestionKind.AS_OF, QuestionKind.REFERENCE):
        said = texts(entry)
        assert gold.stale is not None
        assert not set(gold.stale) & set(gold.anchors())
        assert not any(states(said[turn], gold.answers[0]) for turn in gold.stale)
        seen += len(gold.stale)
    assert seen > 100


def test_the_unanswerable_has_no_evidence(entries: list[UserHistory]) -> None:
    """What must stay open has neither evidence nor answer; what ended has what was once true as stale."""
    for _, question, gold in asked(entries):
        assert gold.abstain == (QuestionKind(question.category) in ABSTAIN)
        assert bool(gold.anchors()) == (not gold.abstain) == bool(gold.answers)
        if question.category in {QuestionKind.EXPIRED, QuestionKind.RETRACTED, QuestionKind.ERASED}:
            assert gold.stale


def test_lists_counts_and_sums_follow_from_their_evidence(entries: list[UserHistory]) -> None:
    """A list names one value a turn, a count counts them, a sum adds what the facts say."""
    for entry, question, gold in asked(entries, QuestionKind.LIST, QuestionKind.COUNT, QuestionKind.SUM):
        values = [fact.value for turn in gold.anchors() for fact in entry.facts if turn in fact.turns]
        if question.category == QuestionKind.LIST:
            assert all(value in gold.answers[0] for value in values)
        elif question.category == QuestionKind.COUNT:
            assert gold.raw_answer == len(values)
        else:
            assert gold.raw_answer == sum(map(int, values))


def test_dates_follow_from_the_session_and_the_words(entries: list[UserHistory]) -> None:
    """The day of a happening is its session's day less what the words say."""
    back = {
        "the day before yesterday": 2,
        "yesterday": 1,
        "three days ago": 3,
        "a week ago": 7,
        "two weeks ago": 14,
    }
    for entry, _, gold in asked(entries, QuestionKind.DATE):
        turn = next(t for t in entry.case.conversation.turns() if t.id == gold.anchors()[0])
        assert turn.at is not None
        ago = (turn.at.date() - date.fromisoformat(gold.answers[1])).days
        weeks = re.search(r"(\w+) weeks ago", turn.text)
        said = next((days for words, days in back.items() if words in turn.text.casefold()), None)
        assert ago == said if said else ago % 7 == 0 and ago > 14 if weeks else 1 <= ago <= 6


def test_changes_are_counted(entries: list[UserHistory]) -> None:
    """The number of changes is one less than the versions."""
    for entry, _, gold in asked(entries, QuestionKind.CHANGES):
        slot = next(f.slot for f in entry.facts if f.turns[0] == gold.anchors()[0])
        versions = [f for f in entry.facts if (f.subject, f.slot) == ("user", slot)]
        assert gold.raw_answer == len(versions) - 1


def test_a_choice_suits_all_wishes_and_no_other_does(entries: list[UserHistory]) -> None:
    """Of the places that were listed exactly one has the diet, the price and the district."""
    for entry, _, gold in asked(entries, QuestionKind.CONSTRAINTS):
        wishes = {f.slot.split(" ", 1)[0]: f.value for f in entry.facts if f.slot.endswith("for meals")}
        listed = texts(entry)[gold.anchors()[-1]]
        offers = re.findall(r"(\w+) \(([\w-]+), (\d+) euros, in (\w+)\)", listed)
        fitting = [
            name
            for name, diet, price, place in offers
            if (diet, place) == (wishes["diet"], wishes["district"]) and int(price) <= int(wishes["budget"])
        ]
        assert len(offers) == 4
        assert tuple(fitting) == gold.answers


def test_no_value_belongs_to_two_users(entries: list[UserHistory]) -> None:
    """What one user said cannot answer for another by accident."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for fact in entry.facts:
            if fact.value.isalpha() and fact.value[0].isupper():
                owners[fact.value].add(fact.conversation)
    assert max(map(len, owners.values())) == 1
    for entry, question, _ in asked(entries, QuestionKind.OTHER_USER):
        neighbour = persona(int(entry.case.conversation.id[1:]) + 1)
        assert neighbour in question.text
        assert not any(neighbour in text for text in texts(entry).values())


def test_a_world_is_read_again_without_being_kept() -> None:
    """Cases, gold and truth come in one order, and the hash is that of what is written."""
    world = open_dataset("synthetic:tiny,level=lex")
    assert isinstance(world, SyntheticWorld)
    assert [gold.question for gold in world.gold()] == [q.id for case in world.cases() for q in case.questions]
    assert {fact.conversation for fact in world.truth()} == {case.conversation.id for case in world.cases()}
    assert digest_of(entry.lines() for entry in world.entries()) == world.identity.sha256


def test_an_unknown_level_is_refused() -> None:
    """The message lists what there is."""
    with pytest.raises(ConfigError, match="none of mixed, lex, para, latent"):
        open_dataset("synthetic:tiny,level=far")
