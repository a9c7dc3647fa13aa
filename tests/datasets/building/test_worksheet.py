from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.building.turns import read_turns, write_turns
from memgauge.datasets.building.worksheet import TURNS_A_LINE, read_worksheet, write_worksheet
from memgauge.errors import DataError, DataNotFoundError, MalformedDataError
from memgauge.records import Conversation, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AT = datetime(2024, 3, 1, 8)  # noqa: DTZ001 - naive, as all times here
FACT = {"subject": "user", "slot": "home city", "value": "Porto", "turns": ["s001:t01"]}
QUESTION = {
    "text": "Where does she live?",
    "category": "update",
    "answers": ["Braga"],
    "evidence": ["s002:t01"],
    "stale": ["s001:t01"],
}


def _conversation() -> Conversation:
    first = Turn("s001:t01", "user", "I live in  Porto.", "s001", AT)
    second = Turn("s002:t01", "user", "We moved to Braga.", "s002", None, "user")
    return Conversation("u001", (Session("s001", AT, (first,)), Session("s002", None, (second,))))


@pytest.fixture
def fill(tmp_path: Path) -> Callable[..., Path]:
    """Write the worksheet of a conversation, its lines changed as said."""

    def fill(*changes: dict[str, Any], status: str = "reviewed") -> Path:
        lines = [json.loads(line) for line in write_worksheet([_conversation()]).splitlines()]
        for line, change in zip(lines, changes, strict=False):
            line |= {"status": status, **change}
        path = tmp_path / "worksheet.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        return path

    return fill


def test_turns_come_back_as_they_were() -> None:
    """What is written is canonical and is read back unchanged."""
    text = write_turns([_conversation()])
    assert text.splitlines()[1] == (
        '{"at":null,"conversation":"u001","id":"s002:t01","role":"user","session":"s002","speaker":"user",'
        '"text":"We moved to Braga."}'
    )


def test_turns_are_read_back(tmp_path: Path) -> None:
    """Conversations, sessions and times survive the file."""
    path = tmp_path / "turns.jsonl"
    path.write_text(write_turns([_conversation()]), encoding="utf-8")
    assert read_turns(path) == (_conversation(),)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda rows: rows[:0], "holds no turn"),
        (lambda rows: [*rows, rows[0]], "field session: one of them is in two places"),
        (lambda rows: [rows[0], rows[0]], "field id: one of them"),
        (lambda rows: [*rows, rows[0] | {"conversation": "u2"}, rows[0]], "field conversation: one of them"),
        (lambda rows: [rows[0] | {"at": "noon"}], r"turns.jsonl:1: field \$\.at"),
        (lambda rows: [rows[0], rows[1] | {"mood": "glad"}], r"turns.jsonl:2: field \$\.mood"),
    ],
)
def test_broken_turns_are_refused(
    tmp_path: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], what: str
) -> None:
    """Ids that occur twice, torn conversations and unknown fields are named."""
    rows = [json.loads(line) for line in write_turns([_conversation()]).splitlines()]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in change(rows)), encoding="utf-8")
    with pytest.raises(MalformedDataError, match=what):
        read_turns(path)


def test_an_empty_worksheet_shows_every_field(fill: Callable[..., Path]) -> None:
    """Each session has a line with its turns, a blank fact and a blank question."""
    lines = [json.loads(line) for line in write_worksheet([_conversation()]).splitlines()]
    assert [line["session"] for line in lines] == ["s001", "s002"]
    said = {"id": "s001:t01", "at": "2024-03-01T08:00:00", "speaker": "user", "text": "I live in  Porto."}
    assert lines[0]["turns"] == [said]
    assert sorted(lines[0]["facts"][0]) == sorted([*FACT, "functional", "valid_from", "valid_to"])
    assert sorted(lines[0]["questions"][0]) == sorted([*QUESTION, "abstain", "asked_at", "trap"])
    with pytest.raises(DataError, match="no question in a line that is reviewed"):
        read_worksheet(fill())


def test_long_sessions_take_several_lines() -> None:
    """An excerpt has a bounded number of turns, and none is lost."""
    turns = tuple(Turn(f"s001:t{n:02d}", "user", "Hm.", "s001") for n in range(TURNS_A_LINE * 2 + 1))
    lines = write_worksheet([Conversation("u001", (Session("s001", None, turns),))]).splitlines()
    assert [len(json.loads(line)["turns"]) for line in lines] == [TURNS_A_LINE, TURNS_A_LINE, 1]


def test_only_reviewed_lines_count_unless_asked(fill: Callable[..., Path]) -> None:
    """Drafts count when asked for, rejected lines never; blank entries are nothing."""
    path = fill({"facts": [FACT, {}], "questions": [{}, QUESTION]}, {"status": "draft", "facts": [FACT]})
    sheet = read_worksheet(path)
    assert [(number, len(line.facts), len(line.questions)) for number, line in sheet.lines] == [(1, 1, 1)]
    assert sheet.statuses == {"draft": 1, "reviewed": 1}
    assert len(read_worksheet(path, drafts=True).lines) == 2
    rejected = fill({"status": "rejected", "questions": [QUESTION]})
    with pytest.raises(DataError, match="no question in a line that is not rejected"):
        read_worksheet(rejected, drafts=True)


def test_a_sheet_in_order_has_no_warnings(fill: Callable[..., Path]) -> None:
    """Values may differ from the words of a turn in case, blanks and punctuation; dates may be days."""
    fact = FACT | {"value": "in porto", "valid_from": "2020-01-01", "valid_to": "2024-04-20"}
    later = FACT | {"value": "Braga", "turns": ["s002:t01"], "valid_from": "2024-04-20T00:00:00Z"}
    sheet = read_worksheet(fill({"facts": [fact], "questions": [QUESTION]}, {"facts": [later]}))
    assert sheet.warnings == ()
    assert str(sheet.lines[0][1].facts[0].valid_to) == "2024-04-20 00:00:00"


@pytest.mark.parametrize(
    ("field", "change", "what"),
    [
        ("questions", {"text": ""}, "questions[0].text: it is empty"),
        ("questions", {"category": " "}, "questions[0].category: it is empty"),
        ("questions", {"answers": []}, "questions[0].answers: there is none; set abstain"),
        ("questions", {"answers": ["a", " "]}, "questions[0].answers[1]: it is empty"),
        ("questions", {"evidence": ["s002:t01", "t9"]}, "questions[0].evidence[1]: there is no turn 't9'"),
        ("questions", {"stale": ["t9"]}, "questions[0].stale[0]: there is no turn 't9'"),
        ("questions", {"stale": ["s002:t01"]}, "questions[0].stale[0]: turn s002:t01 is evidence too"),
        ("questions", {"evidence": [], "abstain": True}, "questions[0].answers: there is some, and abstain says"),
        ("questions", {"answers": [], "abstain": True}, "questions[0].evidence: there is some, and abstain says"),
        ("questions", {"trap": "BRAGA."}, "questions[0].trap: it is an answer that is right"),
        (
            "questions",
            {"evidence": ["s001:t01"], "stale": [], "asked_at": "2024-03-01T07:59:59Z"},
            "questions[0].asked_at: its evidence s001:t01 is said later, at 2024-03-01T08:00:00",
        ),
        ("facts", {"subject": ""}, "facts[0].subject: it is empty"),
        ("facts", {"slot": ""}, "facts[0].slot: it is empty"),
        ("facts", {"value": ""}, "facts[0].value: it is empty"),
        ("facts", {"turns": []}, "facts[0].turns: no turn states it"),
        ("facts", {"turns": ["t9"]}, "facts[0].turns[0]: there is no turn 't9'"),
        ("facts", {"valid_from": "2024-01-02", "valid_to": "2024-01-02"}, "facts[0].valid_to: it ends before"),
    ],
)
def test_labels_that_contradict_are_refused(
    fill: Callable[..., Path], field: str, change: dict[str, Any], what: str
) -> None:
    """Every contradiction is named with its line and field; in a draft it does not matter yet."""
    changed = {"questions": QUESTION, "facts": FACT}[field] | change
    other = {"questions": [QUESTION | {"text": "Where else?"}]}
    with pytest.raises(MalformedDataError) as caught:
        read_worksheet(fill(other, {field: [changed]}))
    assert f"worksheet.jsonl:2: {what}" in str(caught.value)
    assert "1 label does not fit" in str(caught.value)
    assert len(read_worksheet(fill(other, {field: [changed], "status": "draft"})).lines) == 1


def test_a_question_may_be_asked_once_its_evidence_is_said(fill: Callable[..., Path]) -> None:
    """At that moment, later, on a day that is named without an hour, or when nobody knows when it was said."""
    asked = QUESTION | {"evidence": ["s001:t01"], "stale": [], "asked_at": "2024-03-01T08:00:00"}
    untimed = QUESTION | {"text": "And then?", "stale": [], "asked_at": "2020-01-01", "trap": "Porto"}
    that_day = asked | {"text": "And that day?", "asked_at": "2024-03-01"}
    assert read_worksheet(fill({"questions": [asked, that_day, untimed]})).warnings == ()


def test_labels_may_name_turns_whose_line_was_removed(fill: Callable[..., Path]) -> None:
    """What was said is what turns.jsonl holds, whatever lines the worksheet still has."""
    path = fill({}, {"questions": [QUESTION], "facts": [FACT]})
    path.write_text(path.read_text("utf-8").splitlines()[1], encoding="utf-8")
    (line,) = read_worksheet(path, [_conversation()]).lines
    assert line[1].questions[0].stale == ("s001:t01",)
    with pytest.raises(MalformedDataError, match=r"stale\[0\]: there is no turn 's001:t01'"):
        read_worksheet(path)


def test_names_of_labels_are_one_line(fill: Callable[..., Path]) -> None:
    """Categories and slots stand in tables, as do those who label and review."""
    change = {
        "labelled_by": "a\nb",
        "reviewed_by": "c\td",
        "questions": [QUESTION | {"category": " x\n\n=y\x1b "}],
    }
    ((_, line),) = read_worksheet(
        fill(change | {"facts": [FACT | {"slot": "home\ncity"}]}, status="draft"), drafts=True
    ).lines[:1]
    assert (line.labelled_by, line.reviewed_by) == ("a b", "c d")
    assert (line.questions[0].category, line.facts[0].slot) == ("x =y\ufffd", "home city")


def test_the_same_question_twice_is_refused(fill: Callable[..., Path]) -> None:
    """A question is the same whatever its case and punctuation."""
    again = QUESTION | {"text": "where does she live"}
    with pytest.raises(MalformedDataError, match=r"jsonl:2: questions\[0\]\.text: the same question as .*:1"):
        read_worksheet(fill({"questions": [QUESTION]}, {"questions": [again]}))


def test_all_contradictions_are_shown_up_to_a_point(fill: Callable[..., Path]) -> None:
    """Somebody who mends a sheet sees many places at once."""
    questions = [QUESTION | {"text": f"Question {n}?", "evidence": ["t9"]} for n in range(25)]
    with pytest.raises(MalformedDataError, match=r"25 labels do not fit[^…]*questions\[19\][^…]*and 5 more"):
        read_worksheet(fill({"questions": questions}))


@pytest.mark.parametrize(
    ("facts", "questions", "where"),
    [
        ([FACT | {"value": "Lisbon"}], [QUESTION], "facts[0].value: none of its turns says"),
        ([FACT | {"subject": "a@b.cd"}], [QUESTION], "facts[0].subject: it looks like it holds a real email"),
        ([], [QUESTION | {"evidence": []}], "questions[0].evidence: there is none"),
        (
            [],
            [QUESTION | {"answers": ["Call 555-0199"]}],
            "questions[0].answers: it looks like it holds a real ph",
        ),
        ([], [QUESTION | {"trap": "a@b.cd"}], "questions[0].trap: it looks like"),
        (
            [FACT, FACT | {"value": "Braga", "turns": ["s002:t01"], "valid_from": "2024-04-20"}],
            [QUESTION],
            "facts[1].valid_from: true at the same time as another value of the same slot",
        ),
    ],
)
def test_what_is_probably_wrong_is_a_warning(
    fill: Callable[..., Path], facts: list[dict[str, Any]], questions: list[dict[str, Any]], where: str
) -> None:
    """The sheet is usable, and what should be looked at again is named."""
    (warning,) = read_worksheet(fill({"facts": facts, "questions": questions})).warnings
    assert where in f"{warning.where}: {warning.what}"


def test_values_that_may_stand_together_are_no_contradiction(fill: Callable[..., Path]) -> None:
    """Of what has several values at a time, or ended in time, two values are fine; so is abstention."""
    many = [FACT | {"functional": False}, FACT | {"functional": False, "value": "I live"}]
    abstain = {"text": "Has she a dog?", "category": "abstention", "abstain": True}
    assert read_worksheet(fill({"facts": many, "questions": [abstain]})).warnings == ()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"status": "done"}, r"\$\.status"),
        ({"facts": [{"valeu": "x"}]}, r"\$\.facts\[0\]\.valeu"),
        ({"questions": [{"asked_at": "noon"}]}, r"\$\.questions\[0\]\.asked_at"),
        ({"questions": [{"answers": "Braga"}]}, r"\$\.questions\[0\]\.answers"),
    ],
)
def test_lines_of_another_shape_are_refused(fill: Callable[..., Path], change: dict[str, Any], place: str) -> None:
    """A misspelt field or status is named with its line, whatever the status."""
    with pytest.raises(MalformedDataError, match=rf"worksheet\.jsonl:1: field {place}"):
        read_worksheet(fill(change, status="draft"))


def test_a_missing_or_torn_sheet_is_refused(tmp_path: Path) -> None:
    """No file and no JSON are mistakes with a place."""
    path = tmp_path / "worksheet.jsonl"
    with pytest.raises(DataNotFoundError):
        read_worksheet(path)
    path.write_text("\n{", encoding="utf-8")
    with pytest.raises(MalformedDataError, match="jsonl:2: not JSON"):
        read_worksheet(path)
