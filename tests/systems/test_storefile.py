"""Stores as files."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.records import Form, Memory
from memgauge.systems.storefile import read_store, spell_store

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2024, 3, 1, 9, 30)  # noqa: DTZ001 - the time of a conversation is naive
HEADER = {"store": "mine", "dataset": "handmade", "sha256": "0"}
MEMORIES = {
    "c1": (Memory("a", "Ada has a cat.", Form.CANONICAL, ("t1", "t2"), event_at=AT),),
    "c2": (Memory("a", "Ben left.", Form.SUMMARY, ("t1",)),),
}


def written(tmp_path: Path, *lines: object) -> Path:
    """Write a header and *lines*."""
    path = tmp_path / "store.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in ({"format": 1, **HEADER}, *lines)]
    path.write_text("\n".join(texts) + "\n")
    return path


def row(name: str, *sources: str, **more: object) -> dict[str, object]:
    """Spell one memory."""
    return {
        "id": name,
        "conversation": "c1",
        "text": "x",
        "form": "canonical",
        "sources": list(sources),
    } | more


def test_a_store_survives_its_file(tmp_path: Path) -> None:
    """What is written is read again, and the same store has the same bytes."""
    text = spell_store(HEADER, MEMORIES)
    path = tmp_path / "store.jsonl"
    path.write_text(text)
    store = read_store(path)
    assert store.memories == MEMORIES
    assert store.header["store"] == "mine"
    assert spell_store(HEADER, store.memories) == text


def test_sources_that_are_memories_are_followed_to_turns(tmp_path: Path) -> None:
    """A path of edges descends from the turns of its edges, each once."""
    path = written(tmp_path, row("path", "e1", "e2", form="path"), row("e1", "t1", "t2"), row("e2", "t2", "t3"))
    assert read_store(path).memories["c1"][0].sources == ("t1", "t2", "t3")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], ":2: the line itself: Invalid JSON"),
        ([row("a", "t1", form="fact")], ":2: form: Input should be"),
        ([row("a", "t1", text="")], ":2: text: String should have at least 1 character"),
        ([row("a", "t1"), row("a", "t2")], ":3: id: 'a' stands in line 2 already"),
        ([row("a", "b"), row("b", "a")], "a -> b -> a is a circle"),
        ([row("a", "a")], "a -> a is a circle"),
        ([row("a", event_at="soon")], ":2: event_at: "),
        ([row("a", colour="red")], ":2: colour: Extra inputs"),
        ([], "the store is empty"),
    ],
)
def test_a_broken_store_is_refused_with_its_place(tmp_path: Path, lines: list[object], said: str) -> None:
    """File, line and field are named."""
    with pytest.raises(MalformedDataError, match=r"store\.jsonl") as caught:
        read_store(written(tmp_path, *lines))
    assert said in str(caught.value)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    """A missing, an empty, a foreign file, and one of another format."""
    with pytest.raises(DataNotFoundError, match="Cannot read"):
        read_store(tmp_path / "none.jsonl")
    for content, said in (
        (b"", "is empty"),
        (b"\xff", "not UTF-8"),
        (b'{"format": 2, "store": "x"}\n', "format 2"),
    ):
        path = tmp_path / "bad.jsonl"
        path.write_bytes(content)
        with pytest.raises(MalformedDataError, match=said):
            read_store(path)
