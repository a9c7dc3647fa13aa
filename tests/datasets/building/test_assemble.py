from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.building.assemble import AssembledData, assemble, write_files
from memgauge.datasets.building.chats import Chats
from memgauge.datasets.building.origin import origin_of, read_origin, write_origin
from memgauge.datasets.building.scrub import scrub
from memgauge.datasets.building.split import split
from memgauge.datasets.building.worksheet import Worksheet, read_worksheet, write_worksheet
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import ConfigError, DataError, MalformedDataError
from memgauge.records import Conversation, Question, Session, Turn

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2024, 3, 1, 8)  # noqa: DTZ001 - naive, as all times here


def _people(n: int) -> tuple[Conversation, ...]:
    turns = (
        Turn("s001:t01", "user", "I live in Porto.", "s001", AT),
        Turn("s001:t02", "assistant", "Nice.", "s001", None, "assistant"),
    )
    return tuple(Conversation(f"u{k:03d}", (Session("s001", AT, turns),)) for k in range(1, n + 1))


def _question(text: str, **more: object) -> dict[str, object]:
    return {"text": text, "category": "single", "answers": ["Porto"], "evidence": ["s001:t01"], **more}


def _sheet(tmp_path: Path, people: tuple[Conversation, ...], *changes: dict[str, Any]) -> Worksheet:
    lines = [json.loads(line) for line in write_worksheet(people).splitlines()]
    filled = [line | {"status": "reviewed"} | change for line, change in zip(lines, changes, strict=True)]
    path = tmp_path / "worksheet.jsonl"
    path.write_text("\n".join(map(json.dumps, reversed(filled))), encoding="utf-8")
    return read_worksheet(path, drafts=True)


def _rows(made: AssembledData, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in made.files[name].splitlines()]


def test_a_folder_holds_what_was_labelled(tmp_path: Path) -> None:
    """Questions and facts have every field of the format, keys sorted, conversations in the order of turns."""
    fact = {"subject": "user", "slot": "home", "value": "Porto", "turns": ["s001:t01"], "valid_to": "2025-01-01"}
    again = fact | {"value": "porto", "turns": ["s001:t02", "s001:t01"]}
    people = _people(2)
    sheet = _sheet(
        tmp_path,
        people,
        {"facts": [fact, again], "questions": [_question("Where?", asked_at="2024-06-01")]},
        {"questions": [_question("Where?", answers=["Porto", "Porto"], trap="Lisbon", stale=["s001:t02"] * 2)]},
    )
    made = assemble(people, sheet, generator="test")
    assert _rows(made, "questions.jsonl") == [
        {
            "abstain": False, "answers": ["Porto"], "asked_at": "2024-06-01T00:00:00", "category": "single",
            "conversation": "u001", "evidence": ["s001:t01"], "id": "u001_q001", "stale": [], "text": "Where?",
            "trap": None,
        },
        {
            "abstain": False, "answers": ["Porto"], "asked_at": None, "category": "single",
            "conversation": "u002", "evidence": ["s001:t01"], "id": "u002_q001", "stale": ["s001:t02"],
            "text": "Where?", "trap": "Lisbon",
        },
    ]  # fmt: skip
    assert _rows(made, "truth.jsonl") == [
        {
            "conversation": "u001", "functional": True, "id": "f001", "slot": "home", "subject": "user",
            "turns": ["s001:t01", "s001:t02"], "valid_from": None, "valid_to": "2025-01-01T00:00:00",
            "value": "Porto",
        }
    ]  # fmt: skip
    assert made.counts == {"conversations": 2, "sessions": 2, "turns": 4, "questions": 2, "truth": 1}
    for name in ("turns.jsonl", "questions.jsonl", "truth.jsonl"):
        for line, row in zip(made.files[name].splitlines(), _rows(made, name), strict=True):
            assert line == json.dumps(row, sort_keys=True, separators=(",", ":"))


def test_the_manifest_names_the_hash_of_every_file(tmp_path: Path) -> None:
    """What is on disk has the hashes of the manifest, and the same labels give the same bytes."""
    people = _people(1)
    sheet = _sheet(tmp_path, people, {"questions": [_question("Où ?")]})
    made = assemble(people, sheet, generator="test 1", licence="CC0")
    write_files(tmp_path / "new" / "folder", made.files)
    manifest = json.loads((tmp_path / "new" / "folder" / "manifest.json").read_text("utf-8"))
    assert (manifest["format"], manifest["generator"], manifest["licence"]) == (1, "test 1", "CC0")
    assert manifest["counts"] == made.counts
    hashes = manifest["sha256"] | {manifest["split"]["file"]: manifest["split"]["sha256"]}
    assert sorted(hashes) == ["questions.jsonl", "split.json", "truth.jsonl", "turns.jsonl"]
    for name, expected in hashes.items():
        assert hashlib.sha256((tmp_path / "new" / "folder" / name).read_bytes()).hexdigest() == expected
    assert assemble(people, sheet, generator="test 1", licence="CC0") == made


def test_the_folder_opens_as_a_dataset(tmp_path: Path) -> None:
    """What was built is read by `own:` and obeys the laws of datasets."""
    people = _people(3)
    fact = {"subject": "user", "slot": "home", "value": "Porto", "turns": ["s001:t01"]}
    sheet = _sheet(tmp_path, people, *({"questions": [_question("Where?")], "facts": [fact]} for _ in people))
    write_files(tmp_path, assemble(people, sheet, generator="test").files)
    dataset = open_dataset(f"own:{tmp_path}")
    assert validate(dataset) == []
    assert tuple(case.conversation for case in dataset.cases()) == people
    assert [gold.answers for gold in dataset.gold()] == [("Porto",)] * 3


def test_a_worksheet_of_other_turns_is_refused(tmp_path: Path) -> None:
    """Labels are only taken for the turns that they were written for."""
    sheet = _sheet(tmp_path, _people(2), {"questions": [_question("Where?")]}, {})
    with pytest.raises(DataError, match=r"jsonl:1: turn s001:t01 of u002 is not what turns\.jsonl holds"):
        assemble(_people(1), sheet, generator="test")


def test_a_folder_that_cannot_be_written_is_a_mistake(tmp_path: Path) -> None:
    """A file in the place of the folder is named."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(DataError, match="Cannot write to"):
        write_files(tmp_path / "taken", {"a": "b"})


def _questions(conversations: int, texts: list[str]) -> list[Question]:
    return [
        Question(f"u{n}_q{m}", f"u{n}", text, "any") for n in range(conversations) for m, text in enumerate(texts)
    ]


def test_several_conversations_are_split_whole() -> None:
    """No conversation has questions in both parts, and the seed decides where it is."""
    asked = _questions(40, ["a", "b"])
    parts = split(asked, "0", 0.5)
    homes = [{key.split("_")[0] for key in part} for part in (parts.dev, parts.test)]
    assert parts.by == "conversation"
    assert homes[0]
    assert homes[1]
    assert not homes[0] & homes[1]
    assert split(asked, "1", 0.5).dev != parts.dev


@given(st.lists(st.text(min_size=1), unique=True, min_size=1), st.text(max_size=3), st.floats(0, 1))
def test_questions_stay_in_their_part_when_others_are_added(texts: list[str], seed: str, share: float) -> None:
    """Of one conversation each question goes by its text alone, and none is lost."""
    parts, fewer = split(_questions(1, texts), seed, share), split(_questions(1, texts[:-1]), seed, share)
    assert set(fewer.dev) <= set(parts.dev)
    assert set(fewer.test) <= set(parts.test)
    assert sorted(parts.dev + parts.test) == sorted(question.id for question in _questions(1, texts))


def test_a_share_is_a_share() -> None:
    """All, nothing, and nothing beyond."""
    asked = _questions(1, ["a", "b"])
    assert (split(asked, "0", 0).dev, split(asked, "0", 1).test) == ((), ())
    with pytest.raises(ConfigError, match="share"):
        split(asked, "0", 1.5)


def test_the_datasheet_tells_what_is_known(tmp_path: Path) -> None:
    """Counts, source, replacements, labels, split and licence stand in it."""
    people = _people(1)
    scrubbed = scrub(people, key="k", names=["Ann"])
    chats = Chats("claude", timedelta(hours=6), people, {"without text": 2})
    (tmp_path / "scrub.json").write_text(write_origin(origin_of(chats, scrubbed, names_given=1)), encoding="utf-8")
    origin = read_origin(tmp_path / "scrub.json")
    many = [_question(f"Where, {n}?", category="many") for n in range(10)]
    line = {"questions": [*many, _question("Where?")], "labelled_by": "a model", "reviewed_by": "AB"}
    sheet = _sheet(tmp_path, people, line)
    told = assemble(people, sheet, generator="test", origin=origin, licence="CC0").files["DATASHEET.md"]
    for part in (
        "| turns | 2 (assistant 1, user 1) |",
        "| time | 2024-03-01 to 2024-03-01, UTC |",
        "| questions | 11 (many 10, single 1) |",
        "read as claude",
        "| without text | 2 |",
        "| name | 0 | 0 |",
        "Names are those of 0 speakers and a list of 1.",
        "Labelled by: a model 1.",
        "Reviewed by: AB 1.",
        "* Fewer than 10 questions: single.",
        "* 1 turns have no time.",
        "CC0",
    ):
        assert part in told
    assert "never reviewed" not in told


def test_names_break_neither_the_datasheet_nor_the_manifest(tmp_path: Path) -> None:
    """A licence is one line, and a category with a bar stays in its cell."""
    people = _people(1)
    sheet = _sheet(tmp_path, people, {"questions": [_question("Where?", category="a|b")]})
    made = assemble(people, sheet, generator="test", licence="CC\nBY\x1b")
    assert json.loads(made.files["manifest.json"])["licence"] == "CC BY\ufffd"
    assert "CC BY\ufffd\n" in made.files["DATASHEET.md"]
    assert r"| questions | 1 (a\|b 1) |" in made.files["DATASHEET.md"]


def test_the_datasheet_says_what_is_not_known(tmp_path: Path) -> None:
    """Without a report, times, reviews or a licence it says so."""
    turn = Turn("s001:t01", "user", "Hm.", "s001")
    people = (Conversation("u001", (Session("s001", None, (turn,)),)),)
    line = {"status": "draft", "questions": [_question("Where?", evidence=[])]}
    sheet = _sheet(tmp_path, people, line)
    made = assemble(people, sheet, generator="test", origin=read_origin(tmp_path / "scrub.json"), dev_share=0)
    for part in (
        "| time | not known |",
        "Nothing is known of it",
        "1 lines that count were never reviewed",
        "1 questions have no evidence",
        "One part of the split is empty.",
        "1 labels were doubted",
        "None was stated",
        "Reviewed by: not said 1.",
    ):
        assert part in made.files["DATASHEET.md"]


def test_a_broken_report_is_refused(tmp_path: Path) -> None:
    """A report of another shape is named with its field."""
    path = tmp_path / "scrub.json"
    path.write_text("{}")
    with pytest.raises(MalformedDataError, match=r"field \$\.format"):
        read_origin(path)
