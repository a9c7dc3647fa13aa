"""PrefEval: a preference, filler, a question; four forms joined by position."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.prefeval.filler import drawn, exchanges_of, invented_exchanges
from memgauge.datasets.prefeval.schema import FillerMessage
from memgauge.datasets.validate import validate
from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.prefeval.dataset import PrefEval

REPLIES = ["A quiet bench.", "A loud bar with a band and a long, long queue.", "A fair.", "A disco."]


def stated(number: int, **more: Any) -> dict[str, Any]:
    """One preference."""
    return {
        "preference": f"I avoid noise number {number}.",
        "question": f"Where shall I sit on day {number}?",
        "explanation": f"Somewhere without noise number {number}.",
        **more,
    }


def chosen(number: int) -> dict[str, Any]:
    """The same, shown by a choice."""
    talk = {
        "query": "Where do people sit?",
        "assistant_options": "1. A bench. 2. A bar.",
        "user_selection": f"The bench, for reason {number}.",
        "assistant_acknowledgment": "Good.",
    }
    options = {"implicit_query": "Where?", "options": REPLIES, "aligned_op": REPLIES[0]}
    return stated(number, preference=f"I shun noise {number}.", conversation=talk, **options)


def told(number: int) -> dict[str, Any]:
    """The same, dropped in one of several exchanges; stray fields are there upstream too."""
    talk = {str(n): {"user": f"Question {n}", "assistant": f"Reply {n}"} for n in (10, 2, 1)}
    return stated(number, persona="A clerk", conversation=talk, fix="stray")


def folder(tmp_path: Path, **topics: int) -> Path:
    """Write the official tree with so many records a topic."""
    base = tmp_path / "benchmark_dataset"
    forms = {
        "explicit_preference": stated,
        "implicit_preference/choice-based": chosen,
        "implicit_preference/persona-driven": told,
        "mcq_options": lambda n: stated(n, classification_task_options=REPLIES),
    }
    for name, make in forms.items():
        (base / name).mkdir(parents=True, exist_ok=True)
        for topic, records in topics.items():
            (base / name / f"{topic}.json").write_text(json.dumps([make(n) for n in range(1, records + 1)]))
    (base / "mcq_options" / "travel_hotel").write_text("a stale copy, and no JSON")
    return base


def opened(path: Path, options: str = "") -> PrefEval:
    """Open a folder or a file."""
    dataset = open_dataset(f"prefeval:{path}{options}")
    assert not validate(dataset)
    return dataset  # type: ignore[return-value] # the registry knows the protocol only


def test_the_preference_is_said_first_and_is_the_evidence(tmp_path: Path) -> None:
    """Explicitly, it is the one turn; a good reply is a rubric."""
    dataset = opened(folder(tmp_path, seats=2, sounds=1))
    cases, golds = list(dataset.cases()), list(dataset.gold())
    assert [case.conversation.id for case in cases] == ["seats:1", "seats:2", "sounds:1"]
    for case, gold in zip(cases, golds, strict=True):
        (anchor,) = gold.anchors()
        texts = {turn.id: turn.text for turn in case.conversation.turns()}
        assert texts[anchor].startswith("I avoid noise")
        assert gold.rubric
        assert case.questions[0].text.startswith("Where shall I sit")


def test_a_choice_shows_it_and_a_persona_hides_it(tmp_path: Path) -> None:
    """Evidence is what was taken; of a persona only the session is known, in the order of its exchanges."""
    path = folder(tmp_path, seats=1)
    (case,), (gold,) = opened(path, ",form=choice").cases(), opened(path, ",form=choice").gold()
    texts = {turn.id: turn.text for turn in case.conversation.turns()}
    assert [texts[turn] for turn in gold.anchors()] == ["The bench, for reason 1."]
    (case,), (gold,) = opened(path, ",form=persona").cases(), opened(path, ",form=persona").gold()
    assert [turn.text for turn in case.conversation.turns()][::2] == ["Question 1", "Question 2", "Question 10"]
    assert (gold.anchors(), gold.sessions) == ((), ("S1",))


def test_options_are_joined_by_position_with_the_right_one_first(tmp_path: Path) -> None:
    """The texts of the forms differ, and a file without an ending is not read."""
    dataset = opened(folder(tmp_path, seats=2), ",form=choice")
    assert [(each.options, each.right) for each in dataset.choices()] == [(tuple(REPLIES), 0)] * 2
    counts = dataset.describe()
    assert (counts["topics"], counts["worded_otherwise"], counts["right_by_place"]) == (1, 2, {"1": 2})
    assert counts["longest_option_right"] == 0
    assert not any(
        option in question.text for case in dataset.cases() for question in case.questions for option in REPLIES
    )


def test_forms_of_another_length_are_not_joined(tmp_path: Path) -> None:
    """A topic whose options have another number of records is refused."""
    path = folder(tmp_path, seats=2)
    (path / "mcq_options" / "seats.json").write_text(json.dumps([stated(1, classification_task_options=REPLIES)]))
    with pytest.raises(MalformedDataError, match=r"seats.json: field \$: 1 records beside 2 of the form explicit"):
        list(open_dataset(f"prefeval:{path}").cases())


def test_filler_is_drawn_by_its_seed(tmp_path: Path) -> None:
    """So many exchanges, in sessions of their own after the preference; another seed draws others."""
    path = folder(tmp_path, seats=1)
    (near,), (far,), (again,), (other,) = (
        opened(path, options).cases() for options in ("", ",distance=25", ",distance=25", ",distance=25,seed=1")
    )
    assert len(list(near.conversation.turns())) == 1
    assert [len(session.turns) for session in far.conversation.sessions] == [1, 20, 20, 10]
    assert far == again
    assert far != other


@given(st.text(), st.integers(0, 400), st.integers())
def test_every_exchange_comes_once_before_any_comes_again(key: str, distance: int, seed: int) -> None:
    """Exactly as many as wanted, spread evenly."""
    exchanges = invented_exchanges()
    made = drawn(key, exchanges, seed, distance)
    assert len(made) == distance
    counts = [made.count(each) for each in set(made)]
    assert max(counts, default=0) <= -(-distance // len(exchanges))


def test_filler_of_ours_is_all_different() -> None:
    """More than a hundred exchanges, no two alike."""
    assert len(set(invented_exchanges())) == len(invented_exchanges()) >= 100


def test_published_filler_is_read_by_pairs(tmp_path: Path) -> None:
    """Lists of messages or objects that hold one; a message without a reply is no exchange."""
    path = folder(tmp_path, seats=1)
    talk = [
        {"role": "user", "content": "u1"},
        {"role": "assistant", "content": "a1"},
        {"role": "user", "content": "u2"},
    ]
    (path / "filtered_inter_turns.json").write_text(json.dumps([talk, {"conversation": talk}]))
    (case,) = opened(path, ",distance=2,filler=published").cases()
    assert [turn.text for turn in case.conversation.sessions[1].turns] == ["u1", "a1", "u1", "a1"]
    assert exchanges_of([[FillerMessage(role="user", content="alone")]]) == ()
    (path / "filtered_inter_turns.json").unlink()
    with pytest.raises(DataNotFoundError, match="No filler at"):
        open_dataset(f"prefeval:{path},filler=published")


def test_a_pool_is_a_variant_with_a_name(tmp_path: Path) -> None:
    """All preferences of a topic in one conversation; the identity says so."""
    dataset = opened(folder(tmp_path, seats=3, sounds=2), ",pool=topic,distance=12")
    cases = list(dataset.cases())
    assert [(case.conversation.id, len(case.questions)) for case in cases] == [("seats", 3), ("sounds", 2)]
    assert len({turn for gold in dataset.gold() for turn in gold.anchors()}) == 3
    assert dataset.identity.options["pool"] == "topic"
    assert len(list(dataset.choices())) == 5


def test_doubled_and_unexplained_records_are_counted(tmp_path: Path) -> None:
    """One lacks its explanation upstream: nothing says then what a good reply heeds."""
    path = folder(tmp_path, seats=2)
    bare = {key: value for key, value in stated(1).items() if key != "explanation"}
    (path / "explicit_preference" / "seats.json").write_text(json.dumps([stated(1), bare]))
    dataset = opened(path)
    counts = dataset.describe()
    assert (counts["without_explanation"], counts["repeated_preferences"]) == (1, 1)
    assert [len(gold.answers) for gold in dataset.gold()] == [1, 0]


def test_one_file_may_hold_all_forms_of_a_topic(tmp_path: Path) -> None:
    """Its name says the topic."""
    path = tmp_path / "prefeval.seats.2-records.json"
    mcq = [stated(n, classification_task_options=REPLIES) for n in (1, 2)]
    forms = {"explicit": [stated(1), stated(2)], "implicit_choice": [chosen(1), chosen(2)], "mcq": mcq}
    path.write_text(json.dumps(forms))
    dataset = opened(path, ",form=choice")
    assert [case.conversation.id for case in dataset.cases()] == ["seats:1", "seats:2"]
    with pytest.raises(MalformedDataError, match=r"\$\.implicit_persona: it is missing"):
        list(open_dataset(f"prefeval:{path},form=persona").cases())


@pytest.mark.parametrize(
    ("form", "record", "message"),
    [
        (
            "explicit_preference",
            {"preference": 1},
            r"seats.json: field \$\[1\]\.preference: Input should be a valid str",
        ),
        ("implicit_preference/choice-based", stated(1), r"\$\[1\]\.conversation: Field required"),
        ("mcq_options", stated(1, classification_task_options=["a"]), r"classification_task_options: List should"),
    ],
)
def test_a_broken_record_is_named(tmp_path: Path, form: str, record: dict[str, Any], message: str) -> None:
    """File, record and field."""
    path = folder(tmp_path, seats=2)
    file = path / form / "seats.json"
    records = json.loads(file.read_text())
    file.write_text(json.dumps([records[0], record]))
    options = ",form=choice" if "choice" in form else ""
    with pytest.raises(MalformedDataError, match=message):
        list(open_dataset(f"prefeval:{path}{options}").cases())


def test_what_cannot_be_told_is_refused(tmp_path: Path) -> None:
    """No records, and a distance below nothing."""
    with pytest.raises(DataNotFoundError, match="No topic in"):
        list(open_dataset(f"prefeval:{tmp_path}").cases())
    with pytest.raises(DataNotFoundError, match="No records of PrefEval"):
        open_dataset("prefeval", root=tmp_path)
    with pytest.raises(ConfigError, match="A distance of -1"):
        open_dataset(f"prefeval:{tmp_path},distance=-1")
