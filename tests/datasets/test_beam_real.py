"""Genuine chats of BEAM, as far as they are at hand: counts of whole sizes need a clone of the repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.beam.convert import without_marker
from memgauge.datasets.beam.dataset import Beam
from memgauge.datasets.beam.schema import json_or_literal, probes_of
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.places import FieldPath
from memgauge.datasets.validate import validate
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Some = Callable[..., Beam]

pytestmark = pytest.mark.data


@pytest.fixture
def some(tmp_path: Path) -> Some:
    """Open chats of one size by their numbers, or skip the test where one is not at hand."""

    def opened(size: str, *numbers: int, update_evidence: str = "both") -> Beam:
        folder = tmp_path / update_evidence / size
        folder.mkdir(parents=True)
        found = [real_data(f"beam/{size}/{n}") for n in numbers]
        for place in found:
            for name in ("chat.json", "chat_trunecated.json"):
                if (place / name).is_file():
                    break
            else:
                pytest.skip(f"needs the chat of beam/{size}/{place.name}, and has its questions only")
            (folder / place.name).symlink_to(place, target_is_directory=True)
        dataset = open_dataset(f"beam:{folder},update_evidence={update_evidence}")
        assert isinstance(dataset, Beam)
        return dataset

    return opened


def counts(dataset: Beam, *names: str) -> list[Any]:
    """Read some counts of a dataset that breaks no law."""
    assert validate(dataset) == []
    described = dataset.describe()
    return [described[name] for name in names]


def test_three_chats(some: Some) -> None:
    """Three genuine chats have the counts of their files; every source id names one message; no marker is left."""
    dataset = some("100K", 1, 2, 3)
    described = dataset.describe()
    assert {key: described[key] for key in ("conversations", "sessions", "turns", "questions", "abstention")} == {
        "conversations": 3,
        "sessions": 9,
        "turns": 582,
        "questions": 60,
        "abstention": 6,
    }
    assert (described["evidence"], described["evidence_resolved"], described["markers_cut"]) == (179, 179, 240)
    assert set(dict(described["categories"]).values()) == {6}  # type: ignore[call-overload]
    assert described["without_evidence"] == described["undated_sessions"] == []
    cases = list(dataset.cases())
    assert [[len(s.turns) for s in case.conversation.sessions] for case in cases] == [
        [60, 56, 72],
        [72, 62, 66],
        [58, 64, 72],
    ]
    assert str(cases[1].conversation.sessions[1].at) == "2024-03-28 00:00:00"
    assert not any("->->" in turn.text for case in cases for turn in case.conversation.turns())
    assert validate(dataset) == []


def test_updates_and_contradictions_of_three_chats(some: Some) -> None:
    """Every update of them has a stale side, and statements in messages of their own become facts."""
    assert counts(some("100K", 1, 2, 3), "evidence", "updates_with_versions", "facts") == [179, 0, 10]
    updated = some("100K", 1, 2, 3, update_evidence="updated")
    assert counts(updated, "updates_with_versions", "facts", "scored_strict") == [6, 10, 54]
    for gold in updated.gold():
        assert not set(gold.anchors()) & set(gold.stale or ())


def test_sources_name_what_the_files_name(some: Some) -> None:
    """A source id of a genuine question leads to the message that carries it."""
    dataset = some("100K", 1)
    (case,) = dataset.cases()
    texts = {turn.id: turn.text for turn in case.conversation.turns()}
    raw = json.loads((real_data("beam/100K/1") / "chat.json").read_text(encoding="utf-8"))
    written = {str(m["id"]): m["content"] for b in raw for turn in b["turns"] for m in turn}
    checked = 0
    for gold in dataset.gold():
        for evidence in gold.evidence:
            (turn,) = evidence.turns
            assert without_marker(written[evidence.raw]) == texts[turn]
            checked += 1
    assert checked > 50


def test_rows_say_the_same_as_folders(some: Some, tmp_path: Path) -> None:
    """A genuine chat in the form of the hub's rows gives the same cases, gold and facts."""
    dataset = some("100K", 1, 2)
    path = tmp_path / "rows.jsonl"
    with path.open("w", encoding="utf-8") as sink:
        for name in ("1", "2"):
            folder = real_data(f"beam/100K/{name}")
            chat = json.loads((folder / "chat.json").read_text(encoding="utf-8"))
            asked = json.loads((folder / "probing_questions/probing_questions.json").read_text(encoding="utf-8"))
            batches = [[message for turn in batch["turns"] for message in turn] for batch in chat]
            row = {"conversation_id": name, "chat": batches, "probing_questions": repr(asked)}
            sink.write(json.dumps(row) + "\n")
    rows = open_dataset(f"beam:{path}")
    assert isinstance(rows, Beam)
    assert list(rows.cases()) == list(dataset.cases())
    assert list(rows.gold()) == list(dataset.gold())
    assert list(rows.truth()) == list(dataset.truth())


_SIZES = ("conversations", "turns", "questions", "evidence", "evidence_resolved")


def test_the_whole_of_100k(some: Some) -> None:
    """Twenty chats, ten of them shortened, have their published counts, and no source id dangles."""
    dataset = some("100K", *range(1, 21))
    assert counts(dataset, *_SIZES) == [20, 5_094, 400, 1_109, 1_109]
    assert counts(dataset, "dangling_evidence", "ambiguous_evidence", "undated_sessions") == [[], [], []]
    (short, nothing) = counts(dataset, "truncated_chats", "without_evidence")
    assert len(short) == 10
    assert sorted(name.split("_")[0] for name in nothing) == ["chat-18", "chat-18", "chat-20", "chat-20", "chat-9"]
    assert not any("->->" in turn.text for case in dataset.cases() for turn in case.conversation.turns())


def test_the_whole_of_500k(some: Some) -> None:
    """Thirty-five chats have their published counts; one update names no source."""
    dataset = some("500K", *range(1, 36))
    assert counts(dataset, *_SIZES) == [35, 38_058, 700, 2_701, 2_701]
    assert counts(dataset, "without_evidence", "truncated_chats") == [["chat-1_q10"], []]


def test_the_known_part_of_1m(some: Some) -> None:
    """Thirteen chats name 1,665 sources; one of them counts anew, which makes eight of its questions ambiguous."""
    dataset = some("1M", 3, 4, 5, 6, 7, 8, 9, 10, 15, 17, 24, 31, 32)
    assert counts(dataset, "conversations", "evidence", "dangling_evidence") == [13, 1_665, []]
    repeated, ambiguous = counts(dataset, "repeated_message_ids", "ambiguous_evidence")
    assert len(repeated) == 150
    assert {name.split("/")[0] for name in repeated} == {"chat-5"}
    assert len({name.split(":")[0] for name in ambiguous}) == 8


def test_questions_of_10m_name_sources_in_every_shape() -> None:
    """The questions of ten million tokens are read without their chats, the sentinel included."""
    folders = [real_data(f"beam/10M/{n}") for n in range(1, 11)]
    files = [folder / "probing_questions" / "probing_questions.json" for folder in folders]
    asked = [
        entry
        for path in files
        for entry in probes_of(FieldPath(str(path)), json_or_literal(str(path), path.read_text("utf-8")))
    ]
    assert len(asked) == 200
    silent = [ability for ability, probe in asked if not probe.sources()]
    assert (silent.count("abstention"), silent.count("summarization"), len(silent)) == (20, 4, 24)
    assert [raw for _, probe in asked for raw in probe.sources() if not raw.isdigit()] == ["--"]
