from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.beam.dataset import Beam
from memgauge.datasets.beam.schema import ABILITIES
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError, UnknownNameError
from support.beam import batch, chat, probes, said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a chat as a folder of BEAM's 100K size and return the folder above."""

    def written(
        name: str = "1", content: object = None, questions: object = None, file: str = "chat.json"
    ) -> Path:
        folder = tmp_path / "beam" / "100K" / name
        (folder / "probing_questions").mkdir(parents=True, exist_ok=True)
        for path, value in (
            (folder / file, chat() if content is None else content),
            (
                folder / "probing_questions" / "probing_questions.json",
                probes() if questions is None else questions,
            ),
        ):
            if isinstance(value, bytes):
                path.write_bytes(value)
            else:
                path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return folder.parent

    return written


def opened(folder: Path) -> Beam:
    """Open a folder of chats."""
    dataset = open_dataset(f"beam:{folder}")
    assert isinstance(dataset, Beam)
    return dataset


def test_batches_are_dated_sessions_without_markers(write: Write) -> None:
    """A batch is a session at its anchor; what the generator left is cut, line breaks included."""
    (case,) = opened(write()).cases()
    assert case.conversation.id == "chat-1"
    assert [(s.id, str(s.at)) for s in case.conversation.sessions] == [
        ("S1", "2024-03-15 00:00:00"),
        ("S2", "2024-04-05 00:00:00"),
    ]
    assert [(t.id, t.role, t.speaker, t.text) for t in case.conversation.turns()] == [
        ("S1:1", "user", "user", "I plan a shed."),
        ("S1:2", "assistant", "assistant", "Good."),
        ("S1:3", "user", "user", "It gets\ntwo windows."),
        ("S1:4", "assistant", "assistant", "Fine -> go on."),
        ("S2:1", "user", "user", "Make it three windows."),
        ("S2:2", "assistant", "assistant", "Done."),
    ]
    assert {t.at for t in case.conversation.sessions[1].turns} == {case.conversation.sessions[1].at}


def test_abilities_are_categories_asked_at_the_end(write: Write) -> None:
    """Every question has the category of its ability, an id by position, and neither a date nor a session."""
    (case,) = opened(write()).cases()
    assert [q.category for q in case.questions] == [ability.replace("_", "-") for ability in ABILITIES]
    assert [q.id for q in case.questions] == [f"chat-1_q{n}" for n in range(10)]
    assert {(q.asked_at, q.after_session) for q in case.questions} == {(None, None)}


def test_sources_of_every_shape_are_read(write: Write) -> None:
    """Lists, lists in lists, lists by role and no list at all become evidence, entry by entry."""
    anchors = [(len(g.evidence), g.anchors()) for g in opened(write()).gold()]
    assert anchors == [
        (0, ()),
        (2, ("S1:3", "S2:1")),
        (3, ("S1:1", "S1:3", "S2:1")),
        (1, ("S1:3",)),
        (1, ("S1:1",)),
        (2, ("S1:3", "S2:1")),
        (3, ("S1:3", "S2:1")),
        (0, ()),
        (2, ("S1:2", "S2:2")),
        (2, ("S1:1", "S2:1")),
    ]


def test_gold_is_read_from_the_field_of_its_ability(write: Write) -> None:
    """Each ability has its own answer field; compliance describes a reply, and abstention abstains."""
    dataset = opened(write())
    golds = dict(zip(ABILITIES, dataset.gold(), strict=True))
    assert {ability: gold.answers for ability, gold in golds.items()} == {a: (f"Gold of {a}.",) for a in ABILITIES}
    assert [ability for ability, gold in golds.items() if gold.abstain] == ["abstention"]
    assert [ability for ability, gold in golds.items() if gold.rubric] == [
        "instruction_following",
        "preference_following",
    ]
    assert next(dataset.gold()).points == ("LLM response should state: abstention", "and more")


def test_the_truncated_chat_wins(write: Write) -> None:
    """Where the shortened chat exists it is the one that counts, and that is named."""
    write()
    dataset = opened(write(content=chat()[:1], file="chat_trunecated.json"))
    (case,) = dataset.cases()
    assert len(case.conversation.sessions) == 1
    described = dataset.describe()
    assert described["truncated_chats"] == ["chat-1"]
    assert "chat-1_q5: 4" in str(described["dangling_evidence"])


def test_ids_that_start_anew_are_named_and_not_guessed(write: Write) -> None:
    """An id of two messages is no evidence for either; the turns stay distinct."""
    again = [*chat(), batch(3, "May-01-2024", said(0, "Paint it red."), said(1, "Will do."))]
    dataset = opened(write(content=again))
    (case,) = dataset.cases()
    assert [t.id for t in case.conversation.turns()][-2:] == ["S3:1", "S3:2"]
    ordering = list(dataset.gold())[2]
    assert [(e.raw, e.exact, e.turns) for e in ordering.evidence] == [
        ("0", False, ()),
        ("2", True, ("S1:3",)),
        ("4", True, ("S2:1",)),
    ]
    described = dataset.describe()
    assert described["repeated_message_ids"] == ["chat-1/0: S1:1, S3:1", "chat-1/1: S1:2, S3:2"]
    assert described["ambiguous_evidence"] == ["chat-1_q2: 0", "chat-1_q4: 0", "chat-1_q8: 1", "chat-1_q9: 0"]
    assert validate(dataset) == []


def test_sentinels_and_unknown_ids_point_nowhere(write: Write) -> None:
    """An id of no message, or a text in place of one, is kept as written and listed."""
    dataset = opened(write(questions=probes(event_ordering=["--"], information_extraction=[99])))
    golds = list(dataset.gold())
    assert [(e.raw, e.exact, e.turns) for g in golds[2:4] for e in g.evidence] == [
        ("--", False, ()),
        ("99", False, ()),
    ]
    assert dataset.describe()["dangling_evidence"] == ["chat-1_q2: --", "chat-1_q3: 99"]


@pytest.mark.parametrize("wrap", [repr, lambda value: json.dumps(repr(value))])
def test_questions_may_be_a_python_literal(write: Write, wrap: Callable[[object], str]) -> None:
    """A Python literal, bare or as a JSON text, gives the same questions as JSON."""
    plain = list(opened(write()).gold())
    assert list(opened(write(questions=wrap(probes()))).gold()) == plain


def test_plans_are_put_in_one_row(write: Write) -> None:
    """The shape of the 10M chats, batches under plans of which some are null, gives the same sessions."""
    first, second = chat()
    plain = list(opened(write()).cases())
    plans = [{"plan-1": [first], "plan-2": None}, {"plan-1": None, "plan-2": [second]}]
    assert list(opened(write(content=plans)).cases()) == plain


def test_describes_in_one_reading(write: Write) -> None:
    """Chats, markers, rubrics and evidence are counted, and what is doubtful is named."""
    undated = chat()
    undated[1]["turns"][0][0] |= {"time_anchor": None, "content": " ->-> 2,1"}
    questions = probes(summarization=None)
    del questions["temporal_reasoning"][0]["answer"]
    write("10", undated, questions)
    dataset = opened(write("2"))
    described = dict(dataset.describe())
    assert described.pop("sha256") == dataset.identity.sha256
    assert described == {
        "conversations": 2,
        "sessions": 4,
        "turns": 12,
        "questions": 20,
        "with_evidence": 15,
        "scored_strict": 15,
        "scored_repair": 15,
        "abstention": 2,
        "categories": {ability.replace("_", "-"): 2 for ability in ABILITIES},
        "pinned": False,
        "licence": "not stated (a derived copy declares CC BY-SA 4.0)",
        "source": "100K",
        "markers_cut": 7,
        "rubric_items": 40,
        "rubric_answers": 4,
        "evidence": 30,
        "evidence_resolved": 30,
        "evidence_of_assistant": 2,
        "updates_with_versions": 0,
        "facts": 4,
        "truncated_chats": [],
        "undated_sessions": ["chat-10/S2"],
        "empty_turns": ["chat-10/S2:1"],
        "repeated_message_ids": [],
        "ambiguous_evidence": [],
        "dangling_evidence": [],
        "without_evidence": ["chat-2_q7", "chat-10_q7", "chat-10_q8"],
        "without_answer": ["chat-10_q9"],
    }
    silent = "evidence turn S2:1 has no words, so that nothing can bear it"
    assert {violation.what for violation in validate(dataset)} == {silent}


def test_sizes_are_found_below_a_root(tmp_path: Path, write: Write) -> None:
    """A variant opens the chats of its size in the order of their numbers; the default is the smallest."""
    for name in ("10", "9", "extra"):
        write(name)
    (tmp_path / "beam" / "100K" / "notes").mkdir()
    dataset = open_dataset("beam", root=tmp_path)
    assert dataset.identity.ref == "beam:100K"
    assert (dataset.identity.pinned, dataset.identity.options) == (
        False,
        {"variant": "100K", "update_evidence": "both"},
    )
    assert [c.conversation.id for c in dataset.cases()] == ["chat-9", "chat-10", "chat-extra"]
    with pytest.raises(DataNotFoundError, match=r"No folder 1M .* MEMGAUGE_DATA"):
        open_dataset("beam:1M", root=tmp_path)
    with pytest.raises(UnknownNameError, match="variant of beam"):
        open_dataset("beam:2M", root=tmp_path)


def test_what_is_not_there_is_named(tmp_path: Path, write: Write) -> None:
    """A folder that is missing or has no chat, and a chat without questions, are refused."""
    with pytest.raises(DataNotFoundError, match=r"No folder or file at .*none"):
        open_dataset(f"beam:{tmp_path}/none")
    with pytest.raises(DataNotFoundError, match="No chat in"):
        open_dataset(f"beam:{tmp_path}")
    folder = write()
    (folder / "1" / "probing_questions" / "probing_questions.json").unlink()
    with pytest.raises(DataNotFoundError, match=r"Chat 1 has no .*probing_questions\.json"):
        open_dataset(f"beam:{folder}")


def test_the_hash_is_that_of_what_is_read(write: Write) -> None:
    """Another chat or question changes the identity; a file that is not read, or another place, does not."""
    before = opened(write()).identity.sha256
    folder = write()
    (folder / "1" / "topic.json").write_text("{}", encoding="utf-8")
    assert opened(folder).identity.sha256 == before
    moved = folder.rename(folder.with_name("moved"))
    assert opened(moved).identity.sha256 == before
    moved.rename(folder)
    assert opened(write(questions=probes(event_ordering=[0]))).identity.sha256 != before


def _chat_with(**changes: object) -> list[dict[str, object]]:
    """One batch of which the last message is changed."""
    return [{"batch_number": 1, "turns": [[said(0, "a"), said(1, "b") | changes]]}]


def _asked(**changes: object) -> dict[str, object]:
    return {"abstention": [{"question": "a", "ideal_response": "b"} | changes]}


@pytest.mark.parametrize(
    ("content", "questions", "message"),
    [
        ("{", None, r"chat\.json is not JSON: .* line 1 column 2"),
        (b"\xff", None, r"chat\.json is not JSON: "),
        ({}, None, r"chat\.json: field \$: Input should be a valid list"),
        ([], None, r"chat\.json: field \$: there is no batch"),
        ([{}], None, r"chat\.json: field \$\[0\]\.turns: Field required"),
        ([chat()[0], "x"], None, r"chat\.json: field \$\[1\]: Input should be a valid dictionary"),
        ([{"batch_number": 1}], None, r"chat\.json: field \$\[0\]\.turns: Field required"),
        ([{"turns": [said(0, "a")]}], None, r"field \$\[0\]\.turns\[0\]: Input should be a valid list"),
        ([{"plan-1": "x"}], None, r"chat\.json: field \$\[0\]\.plan-1: Input should be a valid list"),
        (
            [{"plan-1": chat()}, {"plan-1": None, "plan-2": [chat()[0], {"turns": [[{}]]}]}],
            None,
            r"chat\.json: field \$\[1\]\.plan-2\[1\]\.turns\[0\]\[0\]\.role: Field required",
        ),
        (_chat_with(id="x"), None, r"field \$\[0\]\.turns\[0\]\[1\]\.id: Input should be a valid integer"),
        (_chat_with(content=None), None, r"field \$\[0\]\.turns\[0\]\[1\]\.content: "),
        (_chat_with(role=1), None, r"field \$\[0\]\.turns\[0\]\[1\]\.role: "),
        (_chat_with(time_anchor=3), None, r"field \$\[0\]\.turns\[0\]\[1\]\.time_anchor: "),
        (
            _chat_with(time_anchor="soon"),
            None,
            r"field \$\[0\]\.turns\[0\]\[1\]\.time_anchor: 'soon' is not a date",
        ),
        (None, "{", r"probing_questions\.json is neither JSON \(.*\) nor a Python literal \("),
        (None, '"{"', r"is neither JSON \(only a text in it\) nor a Python literal"),
        (None, b"\xff", r"probing_questions\.json is not UTF-8: byte 0"),
        (None, [], r"probing_questions\.json: field \$: "),
        (None, {"guessing": []}, r"probing_questions\.json: field \$\.guessing: no such ability"),
        (None, {"abstention": {}}, r"field \$\.abstention: Input should be a valid list"),
        (None, _asked(question=3), r"field \$\.abstention\[0\]\.question: "),
        (None, _asked(ideal_response=[]), r"field \$\.abstention\[0\]\.ideal_response: "),
        (None, _asked(rubric="all"), r"field \$\.abstention\[0\]\.rubric: "),
        (None, _asked(rubric=[1]), r"field \$\.abstention\[0\]\.rubric\[0\]: "),
    ],
)
def test_a_broken_file_is_named_with_its_field(
    write: Write, content: object, questions: object, message: str
) -> None:
    """What is broken is refused by file and field."""
    with pytest.raises(MalformedDataError, match=message):
        list(opened(write(content=content, questions=questions)).cases())


def test_plans_that_start_anew_are_combined(write: Write) -> None:
    """Where a plan counts from 0 again, its ids follow the last one before it, as sources name them."""
    again = [batch(1, "May-01-2024", said(0, "Paint it red."), said(1, "Will do."))]
    third = [batch(1, "June-01-2024", said(8, "Sell it."), said(9, "Sold."))]
    plans = [{"plan-1": chat()}, {"plan-2": again}, {"plan-3": third}]
    dataset = opened(write(content=plans, questions=probes(summarization=[0, 6, 7, 8])))
    assert list(dataset.gold())[8].anchors() == ("S1:1", "S3:1", "S3:2", "S4:1")
    described = dataset.describe()
    assert described["repeated_message_ids"] == described["ambiguous_evidence"] == []


def test_batches_outside_of_plans_keep_their_place(write: Write) -> None:
    """What lies before a plan, behind it or in none comes in the order of the file."""
    first, second = chat()
    plain = list(opened(write()).cases())
    assert list(opened(write(content=[first, {"plan-1": [second]}])).cases()) == plain
    assert list(opened(write(content=[{"plan-1": [first]}, second])).cases()) == plain


def test_nothing_that_a_system_sees_leaks_a_label(write: Write) -> None:
    """Neither ids nor texts carry an ability, a plan, an index, a marker, an answer or a rubric."""
    marked = [batch(1, "March-15-2024", *(said(n, f"Nail {n}. ->-> {n},1\nPlan 7") for n in range(4)))]
    dataset = opened(write(content=[{"plan-1": chat()}, {"plan-2": marked}]))
    (case,) = dataset.cases()
    shown = repr(case.conversation).casefold()
    secrets = (
        *ABILITIES,
        "->->",
        "plan-",
        "plan 7",
        "index",
        "main_question",
        "gold of",
        "rubric",
        "question_type",
    )
    assert [secret for secret in secrets if secret in shown] == []
    asked = " ".join(question.id for question in case.questions)
    assert [ability for ability in ABILITIES if ability in asked] == []
