"""`memgauge data build`, from an export to a dataset."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from support import ROOT
from support.own import pin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

CHATS = [
    {
        "uuid": "1",
        "name": "Moving",
        "created_at": "2024-03-01T08:00:00Z",
        "chat_messages": [
            {"sender": "human", "text": "I am Marta and live in Porto.", "created_at": "2024-03-01T08:00:00Z"},
            {"sender": "assistant", "text": "Hello Marta.", "created_at": "2024-03-01T08:00:09Z"},
            {"sender": "assistant", "text": " "},
        ],
    }
]


@pytest.fixture
def export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write an export, and a list of names beside it."""
    monkeypatch.delenv("MEMGAUGE_SCRUB_KEY", raising=False)
    (tmp_path / "names.txt").write_text("# mine\nMarta # me\n\n", encoding="utf-8")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATS), encoding="utf-8")
    return path


def _words(said: Said) -> str:
    return " ".join(said.out.split())


def _label(folder: Path, status: str = "reviewed", value: str = "Porto") -> None:
    path = folder / "worksheet.jsonl"
    line = json.loads(path.read_text("utf-8"))
    line["status"] = status
    line["facts"] = [{"subject": "user", "slot": "home", "value": value, "turns": ["s001:t01"]}]
    line["questions"] = [{"text": "Where?", "category": "single", "answers": [value], "evidence": ["s001:t01"]}]
    path.write_text(json.dumps(line), encoding="utf-8")


def test_an_export_becomes_a_dataset(memgauge: Callable[..., Said], export: Path) -> None:
    """Started, labelled, finished: the folder is a valid dataset without names."""
    folder = export.parent / "mine"
    said = memgauge(
        "data", "build", "start", export, "--into", folder, "--names", export.parent / "names.txt", "--key", "k"
    )
    assert (said.code, said.err) == (0, "")
    assert "1 conversations, 1 sessions, 2 turns, read as claude" in _words(said)
    assert "Left out: 1 messages without text." in _words(said)
    assert not [path for path in folder.iterdir() if "Marta" in path.read_text("utf-8")]
    _label(folder)
    said = memgauge("data", "build", "finish", folder, "--licence", "CC0", "--dev-share", 0)
    assert said.code == 0, said.err
    assert "1 questions, 1 truth; 0 questions for dev, 1 for test." in _words(said)
    assert "CC0" in (folder / "DATASHEET.md").read_text("utf-8")
    assert memgauge("data", "validate", f"own:{folder}").code == 0


def test_the_same_as_data(memgauge: Callable[..., Said], export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both steps print data; the key may come from the environment, and format and gap from the user."""
    monkeypatch.setenv("MEMGAUGE_SCRUB_KEY", "k")
    folder = export.parent / "mine"
    started = memgauge(
        "data", "build", "start", export, "--into", folder, "--layout", "claude", "--gap-hours", 2, "--json"
    ).data
    assert (started["turns"], started["format"], started["gap_hours"]) == (2, "claude", 2.0)
    assert started["counts"]["name"] == {"distinct": 0, "occurrences": 0}
    _label(folder, value="Lisbon")
    finished = memgauge("data", "build", "finish", folder, "--json").data
    assert finished["counts"]["questions"] == sum(finished["split"].values()) == 1
    assert [warning["what"] for warning in finished["warnings"]] == ["none of its turns says it in these words"]
    assert "Look again: " in memgauge("data", "build", "finish", folder).out


def test_drafts_count_only_when_asked_for(memgauge: Callable[..., Said], export: Path) -> None:
    """What nobody reviewed is refused, or accepted with a word in the datasheet."""
    folder = export.parent / "mine"
    memgauge("data", "build", "start", export, "--into", folder, "--key", "k")
    _label(folder, "draft")
    refused = memgauge("data", "build", "finish", folder)
    assert (refused.code, "reviewed" in refused.err) == (2, True)
    assert not (folder / "manifest.json").exists()
    assert memgauge("data", "build", "finish", folder, "--all-drafts").code == 0
    assert "never reviewed" in (folder / "DATASHEET.md").read_text("utf-8")


def test_a_dataset_adds_no_lines_to_what_is_printed_of_it(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ids, categories and names hold, a line of a description or of findings is of memgauge."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "odd\nname: x"
    folder.mkdir()
    turn = {"conversation": "c\nvalid", "session": "s", "id": "t", "speaker": "Ada", "text": "Hello."}
    question = {"conversation": "c\nvalid", "id": "q", "text": "What?", "category": "a\nb", "evidence": ["t"]}
    for name, rows in (("turns", [turn, turn]), ("questions", [question])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    pin(folder)
    described = memgauge("data", "describe", f"own:{folder}").out.splitlines()
    assert "categories: a b 1" in described
    assert "source: odd name: x" in described
    assert not {"b 1", "name: x"} & set(described)
    said = memgauge("data", "validate", f"own:{folder}")
    assert (said.code, said.out.splitlines()[0]) == (1, "c valid: turn id t used more than once")


def test_a_line_of_the_worksheet_may_be_removed(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Its turns are still there to be named."""
    said = [{"session": s, "speaker": "Marta", "text": "I live in Porto."} for s in ("a", "b")]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    folder = tmp_path / "mine"
    assert memgauge("data", "build", "start", tmp_path / "chat.jsonl", "--into", folder, "--key", "k").code == 0
    sheet = folder / "worksheet.jsonl"
    sheet.write_text(sheet.read_text("utf-8").splitlines()[1], encoding="utf-8")
    _label(folder)
    finished = memgauge("data", "build", "finish", folder)
    assert (finished.code, finished.err) == (0, "")
    assert memgauge("data", "validate", f"own:{folder}").code == 0


def test_wrong_use_is_explained(memgauge: Callable[..., Said], export: Path) -> None:
    """No key, a worksheet that would be lost, a missing list of names, and a folder that was never started."""
    folder = export.parent / "mine"
    start = ("data", "build", "start", export, "--into", folder)
    assert (memgauge(*start).code, memgauge(*start).err.count("MEMGAUGE_SCRUB_KEY")) == (2, 1)
    assert "There is no" in memgauge(*start, "--key", "k", "--names", "nobody.txt").err
    assert memgauge(*start, "--key", "k").code == 0
    again = memgauge(*start, "--key", "k")
    assert (again.code, "exists already" in again.err) == (2, True)
    missing = memgauge("data", "build", "finish", export.parent)
    assert (missing.code, "turns.jsonl" in missing.err) == (2, True)


def test_the_guide_shows_what_happens(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of the guide's example prints what the guide says, and turns are as shown."""
    guide = (ROOT / "docs" / "own-data.md").read_text("utf-8")
    blocks = [str(block) for block in re.findall(r"```(?:json|console)\n(.*?)```", guide, re.DOTALL)]
    chat, start, turns, labels, finish, refused = blocks
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "chat.jsonl").write_text(chat, encoding="utf-8")
    (tmp_path / "names.txt").write_text("Joana\n", encoding="utf-8")

    def shown(block: str) -> None:
        for command, *expected in (part.splitlines() for part in block.split("$ memgauge ")[1:]):
            said = memgauge(*shlex.split(command))
            assert [line.rstrip() for line in (said.out + said.err).splitlines()] == expected

    def label(text: str) -> None:
        path, filled = tmp_path / "mine" / "worksheet.jsonl", json.loads(text)
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        path.write_text("".join(json.dumps(line | filled[line["session"]]) + "\n" for line in lines), "utf-8")

    shown(start)
    assert (tmp_path / "mine" / "turns.jsonl").read_text("utf-8") == turns
    label(labels.replace('"stale": ["s001:t01"]', '"stale": ["s002:t01"]'))
    shown(refused)
    label(labels)
    shown(finish)
