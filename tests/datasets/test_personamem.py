"""PersonaMem: both versions, and the reshaped copy of the first."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.base import HasChoices
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.folders import folders_of
from memgauge.datasets.personamem.history import history_of
from memgauge.datasets.personamem.schema import PersonaMessage, options_within
from memgauge.datasets.places import FieldPath
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.personamem.dataset import PersonaMem

SAID = [
    ("system", "Current user persona: LEAK"),
    ("user", "User: I fly kites."),
    ("assistant", "Assistant: How nice."),
    ("user", "User: I stopped flying kites."),
    ("system", "Current user persona: LEAK again"),
    ("user", "User: I sail now."),
    ("assistant", "Assistant: Good."),
]
OPTIONS = ["Try a kite.", "Try a sail, as you said you prefer these days.", "Try a tent.", "Try a boat."]


def question(key: str = "q1", end: int = 7) -> dict[str, str]:
    """One row of a table of v1."""
    return {
        "question_id": key,
        "question_type": "track_full_preference_evolution",
        "topic": "sport",
        "user_question_or_message": "What should I do?",
        "correct_answer": "(b)",
        "all_options": repr([f"({letter}) {text}" for letter, text in zip("abcd", OPTIONS, strict=True)]),
        "shared_context_id": "c1",
        "end_index_in_shared_context": str(end),
    }


def table(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def first(tmp_path: Path, *rows: dict[str, str], options: str = "") -> PersonaMem:
    """Open v1 as it is published."""
    table(tmp_path / "questions_32k.csv", list(rows))
    messages = [{"role": role, "content": text} for role, text in SAID]
    lines = json.dumps({"c0": messages}) + "\n" + json.dumps({"c1": messages}) + "\n"
    (tmp_path / "shared_contexts_32k.jsonl").write_text(lines, encoding="utf-8")
    return open_dataset(f"personamem:{tmp_path}/questions_32k.csv{options}")  # type: ignore[return-value] # as above


def test_system_turns_are_left_out_and_counted(tmp_path: Path) -> None:
    """They say who the persona is; messages lose the speaker that is written twice."""
    dataset = first(tmp_path, question())
    assert not validate(dataset)
    (case,) = dataset.cases()
    assert "LEAK" not in repr(case)
    assert [turn.text for turn in case.conversation.turns()][:2] == ["I fly kites.", "How nice."]
    assert [len(session.turns) for session in case.conversation.sessions] == [3, 2]
    counts = dataset.describe()
    assert (counts["system_turns_left_out"], counts["user_turns"], counts["assistant_turns"]) == (2, 3, 2)


def test_nothing_after_the_end_of_a_question_is_told_before_it(tmp_path: Path) -> None:
    """A block is cut where a question ends inside it; the end itself is not counted in."""
    (case,) = first(tmp_path, question("q1", 3), question("q2", 5), question("q3", 7)).cases()
    sessions = {session.id: [turn.text for turn in session.turns] for session in case.conversation.sessions}
    assert list(sessions.values()) == [
        ["I fly kites.", "How nice."],
        ["I stopped flying kites."],
        ["I sail now.", "Good."],
    ]
    order = list(sessions)
    assert [q.after_session for q in case.questions] == [order[0], order[1], order[2]]


@given(
    st.lists(st.sampled_from(["system", "user", "assistant"]), min_size=1, max_size=30),
    st.lists(st.integers(0, 30), max_size=5),
)
def test_cuts_lose_and_repeat_nothing(roles: list[str], cuts: list[int]) -> None:
    """Whatever is said before a cut is in the sessions up to the one named for it, and nothing else."""
    messages = [PersonaMessage(role=role, content=str(n)) for n, role in enumerate(roles)]
    history = history_of(messages, cuts)
    spoken = [n for n, role in enumerate(roles) if role != "system"]
    assert [int(turn.text) for session in history.sessions for turn in session.turns] == spoken
    assert len({session.id for session in history.sessions}) == len(history.sessions)
    for cut in cuts:
        before = [n for n in spoken if n < cut]
        named = history.last_before.get(cut)
        assert (named is None) == (not before)
        if named is not None:
            ids = [session.id for session in history.sessions]
            told = [int(t.text) for each in history.sessions[: ids.index(named) + 1] for t in each.turns]
            assert told == before


def test_options_stay_apart_unless_the_run_says_so(tmp_path: Path) -> None:
    """The letter is not gold: its text is; and no question holds an option, except where it is searched for."""
    dataset = first(tmp_path, question())
    assert isinstance(dataset, HasChoices)
    (choices,) = dataset.choices()
    assert (choices.options, choices.right, choices.text) == (tuple(OPTIONS), 1, "What should I do?")
    (gold,) = dataset.gold()
    assert gold.answers == (OPTIONS[1],)
    ((asked,),) = (case.questions for case in dataset.cases())
    assert asked.text == "What should I do?"
    searching = first(tmp_path, question(), options=",search=options")
    ((with_options,),) = (case.questions for case in searching.cases())
    assert with_options.text.split("\n") == ["What should I do?", *sorted(OPTIONS)]
    assert searching.identity.options["search"] == "options"
    assert next(iter(searching.choices())) == choices


def test_the_floor_of_the_longest_option_is_counted(tmp_path: Path) -> None:
    """Here the longest is right; a question that occurs again keeps an id of its own."""
    dataset = first(tmp_path, question(), question(), question("q3") | {"correct_answer": "(a)"})
    counts = dataset.describe()
    assert counts["longest_option_right"] == pytest.approx(2 / 3)
    assert counts["chance"] == 0.25
    assert counts["right_by_place"] == {"1": 1, "2": 2}
    assert counts["repeated_questions"] == 2
    assert [gold.question for gold in dataset.gold()] == ["q1", "q1#2", "q3"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"correct_answer": "(e)"}, r"line 2: field \$\.correct_answer: '\(e\)' is not the letter of one of 4"),
        ({"all_options": "(a) one"}, r"all_options is neither JSON"),
        ({"all_options": "[1, 2]"}, r"\$\.all_options: Input should be a list of texts"),
        ({"end_index_in_shared_context": "-1"}, r"end_index_in_shared_context: '-1' is not a whole number"),
        ({"end_index_in_shared_context": "9"}, r"9 lies beyond the 7 messages"),
        ({"end_index_in_shared_context": "1"}, r"asked before anything was said"),
        ({"shared_context_id": "zz"}, r"\$\.shared_context_id: there is no history zz"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, changed: dict[str, str], message: str) -> None:
    """File, line and field."""
    with pytest.raises(MalformedDataError, match=message):
        list(first(tmp_path, question() | changed).cases())


def test_histories_are_kept_from_memories_as_the_table_is(tmp_path: Path) -> None:
    """They lie beside it, and say who the persona is."""
    hidden = folders_of([first(tmp_path, question())])
    assert {tmp_path / "questions_32k.csv", tmp_path / "shared_contexts_32k.jsonl"} <= set(hidden)
    hidden = folders_of([second(tmp_path, second_row())])
    assert {tmp_path / "benchmark" / "text" / "benchmark.csv", tmp_path / "history.json"} <= set(hidden)


def test_missing_columns_and_histories_are_named(tmp_path: Path) -> None:
    """A table without a column, a row that is too short, and no histories beside it."""
    dataset = first(tmp_path, {k: v for k, v in question().items() if k != "all_options"})
    with pytest.raises(MalformedDataError, match="line 1: there is no column all_options"):
        list(dataset.cases())
    table_file = tmp_path / "questions_32k.csv"
    table(table_file, [question()])
    table_file.write_text(table_file.read_text() + "short,row\n")
    with pytest.raises(MalformedDataError, match=r"line 3: field \$: not as many fields"):
        list(open_dataset(f"personamem:{table_file}").cases())
    table(table_file, [question()])
    (tmp_path / "shared_contexts_32k.jsonl").unlink()
    with pytest.raises(DataNotFoundError, match=r"no shared_contexts_32k.jsonl beside it"):
        list(open_dataset(f"personamem:{table_file}").cases())


def reshaped(tmp_path: Path, **changed: Any) -> PersonaMem:
    """Open the reshaped copy."""
    blocks = [SAID[:4], SAID[4:]]
    documents = [
        {"id": f"c1_{n}", "content": "\n\n".join(f"[{role.upper()}] {text}" for role, text in block)}
        for n, block in enumerate(blocks)
    ]
    below = "\n".join(f"({letter}) {text}" for letter, text in zip("abcd", OPTIONS, strict=True))
    query = {
        "id": "q1",
        "query": f"User: Ada\n\nWhat now?\n\n{below}",
        "gold_answers": [f"(b) {OPTIONS[1]}", "b"],
        "gold_ids": ["c1_0"],
        "user_id": "c1",
        "meta": {"question_type": "suggest_new_ideas", "retrieval_query": "What now?"},
        **changed,
    }
    path = tmp_path / "copy.json"
    path.write_text(json.dumps({"documents": documents[::-1], "queries": [query]}), encoding="utf-8")
    return open_dataset(f"personamem:{path}")  # type: ignore[return-value] # as above


def test_the_reshaped_copy_gives_the_same_turns(tmp_path: Path) -> None:
    """Sessions in the order of their numbers, options taken out of the question, no evidence of its `gold_ids`."""
    dataset = reshaped(tmp_path)
    assert not validate(dataset)
    (case,), (gold,), (choices,) = dataset.cases(), dataset.gold(), dataset.choices()
    (published,) = first(tmp_path, question()).cases()
    assert [t.text for t in case.conversation.turns()] == [t.text for t in published.conversation.turns()]
    assert (case.questions[0].text, case.questions[0].after_session) == ("What now?", "S1")
    assert (choices.options, choices.right) == (tuple(OPTIONS), 1)
    assert (gold.evidence, gold.sessions, gold.answers) == ((), (), (OPTIONS[1],))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": "no options"}, r"\$\.queries\[0\]\.query: no options \(a\), \(b\)"),
        ({"gold_answers": ["the second"]}, r"gold_answers: a letter"),
        ({"gold_ids": ["c1_9"]}, r"\$\.queries\[0\]\.gold_ids: there is no session c1_9"),
        ({"user_id": "zz"}, r"user_id: there is no document of zz"),
        ({"meta": {}}, r"\$\.queries\[0\]\.meta\.question_type: Field required"),
    ],
)
def test_a_broken_query_is_named(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    """File, record and field."""
    with pytest.raises(MalformedDataError, match=message):
        list(reshaped(tmp_path, **changed).cases())


LINE = st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=20).map(str.strip).filter(bool)


@given(LINE, st.lists(LINE, min_size=2, max_size=6))
def test_options_are_parted_from_any_question(text: str, options: list[str]) -> None:
    """What stands behind each letter, whatever it says."""
    below = "\n".join(f"({chr(97 + n)}) {option}" for n, option in enumerate(options))
    assert options_within(FieldPath("f"), f"{text}\n\n{below}") == (text, options)


def second(tmp_path: Path, *rows: dict[str, str]) -> PersonaMem:
    """Open v2 as it is published: histories lie beside the folder of the table."""
    folder = tmp_path / "benchmark" / "text"
    folder.mkdir(parents=True, exist_ok=True)
    table(folder / "benchmark.csv", list(rows))
    messages = [{"role": role, "content": text} for role, text in SAID]
    (tmp_path / "history.json").write_text(
        json.dumps({"metadata": {}, "chat_history": messages}), encoding="utf-8"
    )
    return open_dataset(f"personamem:{folder}/benchmark.csv")  # type: ignore[return-value] # as above


def second_row(**changed: str) -> dict[str, str]:
    """One row of the table of v2."""
    return {
        "persona_id": "7",
        "chat_history_32k_link": "history.json",
        "user_query": json.dumps({"role": "user", "content": "What should I do?"}),
        "correct_answer": OPTIONS[1],
        "incorrect_answers": json.dumps([OPTIONS[0], OPTIONS[2], OPTIONS[3]]),
        "pref_type": "neutral",
        "related_conversation_snippet": json.dumps([{"role": "user", "content": "I sail now."}]),
        "prev_pref": "fly kites",
        **changed,
    }


def test_evidence_is_the_turn_that_equals_the_snippet(tmp_path: Path) -> None:
    """What was preferred before is stale where somebody says it."""
    dataset = second(tmp_path, second_row())
    assert not validate(dataset)
    (case,), (gold,), (choices,) = dataset.cases(), dataset.gold(), dataset.choices()
    texts = {turn.id: turn.text for turn in case.conversation.turns()}
    assert [texts[turn] for turn in gold.anchors()] == ["I sail now."]
    assert [texts[turn] for turn in gold.stale or ()] == ["I fly kites."]
    assert choices.options[choices.right] == OPTIONS[1]
    assert choices.options == tuple(sorted(OPTIONS))
    assert dataset.identity.options["version"] == "v2"


def test_what_is_to_be_forgotten_is_a_decoy(tmp_path: Path) -> None:
    """It must not be retrieved, and is no evidence."""
    dataset = second(tmp_path, second_row(pref_type="ask_to_forget", prev_pref=""))
    (gold,) = dataset.gold()
    assert (gold.evidence, len(gold.decoys), gold.stale) == ((), 1, None)
    assert dataset.describe()["with_decoys"] == 1


def test_a_snippet_that_no_turn_equals_points_nowhere(tmp_path: Path) -> None:
    """It is kept as written, and not matched by likeness."""
    (gold,) = second(tmp_path, second_row(related_conversation_snippet="I sail now and then.")).gold()
    assert gold.why_no_anchors() == "no evidence resolves"


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"chat_history_32k_link": "none.json"},
            DataNotFoundError,
            r"line 2: field chat_history_32k_link: no file",
        ),
        ({"chat_history_32k_link": "../../etc/passwd"}, MalformedDataError, "leaves the folder of the data"),
        ({"incorrect_answers": json.dumps(OPTIONS)}, MalformedDataError, r"line 2: field \$\.incorrect_answers"),
        ({"user_query": "{'role': 'user'}"}, MalformedDataError, r"\$\.user_query: a message with a content"),
    ],
)
def test_a_broken_row_of_the_second_version_is_named(
    tmp_path: Path, changed: dict[str, str], error: type[Exception], message: str
) -> None:
    """File, line and field."""
    with pytest.raises(error, match=message):
        list(second(tmp_path, second_row(**changed)).cases())


def test_a_version_and_its_hash_are_named(tmp_path: Path) -> None:
    """Published numbers of one version have been taken for those of the other."""
    dataset = first(tmp_path, question())
    assert dataset.identity.options["version"] == "v1"
    before = dataset.identity.sha256
    lines = tmp_path / "shared_contexts_32k.jsonl"
    lines.write_text(lines.read_text() + "\n")
    assert open_dataset(f"personamem:{tmp_path}/questions_32k.csv").identity.sha256 != before
