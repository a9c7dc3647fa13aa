"""Stores as files."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError
from memgauge.records import Form, Memory
from memgauge.systems.storefile import read_store, require_store_of, spell_store

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


def test_a_memory_named_like_its_turn_descends_from_the_turn(tmp_path: Path) -> None:
    """A store of turns names each by itself."""
    assert read_store(written(tmp_path, row("t1", "t1"))).memories["c1"][0].sources == ("t1",)


def test_long_chains_are_followed(tmp_path: Path) -> None:
    """A thousand versions, each made from the one before, and each from it twice."""
    rows = [row(f"v{n}", f"v{n - 1}" if n else "t1", f"v{n - 1}" if n else "t2") for n in range(3000)]
    memories = read_store(written(tmp_path, *rows)).memories["c1"]
    assert memories[-1].sources == ("t1", "t2")


@given(st.lists(st.text(min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=5))
def test_any_text_survives(texts: list[str]) -> None:
    """Marks that other readers take for the end of a line, too."""
    memories = {"c": tuple(Memory(f"m{n}", text, Form.CANONICAL, ("t1",)) for n, text in enumerate(texts))}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.jsonl"
        path.write_bytes(spell_store(HEADER, memories).encode("utf-8", "replace"))
        found = read_store(path).memories["c"]
    expected = [text.encode("utf-8", "replace").decode() for text in texts]
    assert [memory.text for memory in found] == expected


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], ":2: the line itself: Invalid JSON"),
        ([row("a", "t1", form="fact")], ":2: form: Input should be"),
        ([row("a", "t1", text="")], ":2: text: String should match"),
        ([row("a", "t1"), row("a", "t2")], ":3: id: 'a' stands in line 2 already"),
        ([row("a", "b"), row("b", "a")], "a -> b -> a is a circle"),
        ([row("a", text=" ")], ":2: text: String should match"),
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


def test_a_store_of_other_data_is_refused(tmp_path: Path) -> None:
    """Its memories would descend from turns that are not there; one that says nothing of its data is taken."""
    path = written(tmp_path, row("a", "t1"))
    with pytest.raises(ConfigError, match=r"was made of handmade .*, not of own:mine"):
        require_store_of(f"bm25:store={path},k1=1.2", "own:mine", "1" * 64)
    require_store_of(f"bm25:store={path}", "handmade", "0")
    require_store_of("bm25", "own:mine", "1" * 64)
    path.write_text(path.read_text().replace('"sha256": "0"', '"sha256": ""'))
    require_store_of(f"bm25:store={path}", "own:mine", "1" * 64)
