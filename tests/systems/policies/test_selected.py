"""The shift study's policies as memories."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.records import Receipt, Scope, Turn
from memgauge.systems import open_system
from memgauge.systems.policies.selected import Hsr

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.systems import MemorySystem

ADA = Scope("ada")
SAID = [
    ("garden", "the beans in the garden came up"),
    ("garden", "we watered the beans"),
    ("music", "the piano needs tuning"),
    ("music", "beans are also a band, said the piano tuner"),
    ("", "beans beans beans from nowhere"),
    ("travel", "the train to the coast was late"),
]
TURNS = [Turn(f"t{n}", "Ada", text, session) for n, (session, text) in enumerate(SAID)]


def found(system: MemorySystem, query: str, k: int = 3, turns: list[Turn] = TURNS) -> list[str]:
    """Write the turns and return the ids found."""
    for turn in turns:
        system.ingest([turn], ADA)
    return [hit.memory.id for hit in system.search(query, ADA, k).hits]


def test_flat_finds_by_words_and_prefers_the_later_of_equals() -> None:
    """Copies come latest first, and what belongs to no session is found like the rest."""
    copies = [Turn(f"c{n}", "Bob", "watered beans", "s") for n in range(3)]
    assert found(open_system("flat"), "watered beans", turns=copies) == ["c2", "c1", "c0"]
    assert found(open_system("flat"), "beans", 1) == ["t4"]


def test_the_gate_closes_where_nothing_is_similar() -> None:
    """Below the gate nothing is returned; a lower gate lets it through."""
    assert found(open_system("gated"), "was anyone ever late for dinner with an umbrella at the coast") != []
    assert found(open_system("gated:gate=0.9"), "a train") == []
    assert found(open_system("gated:gate=0.9"), "anything", turns=[]) == []


def test_hsr_looks_into_the_best_sessions_only() -> None:
    """With one summary allowed only its session is searched; a turn of no session is never found."""
    assert set(found(open_system("hsr:top=1"), "beans in the garden")) == {"t0", "t1"}
    assert "t4" not in found(open_system("hsr"), "beans", 6)


def test_summaries_can_be_supplied(tmp_path: Path) -> None:
    """What a file says of a session replaces its first turns, for the user that it names."""
    path = tmp_path / "summaries.json"
    path.write_text(json.dumps({"ada": {"music": "all about beans in the garden", "garden": "nothing"}}))
    assert set(found(Hsr(top=1, summaries=str(path)), "beans in the garden")) == {"t2", "t3"}
    path.write_text(json.dumps({"bob": {"music": "all about beans in the garden"}}))
    assert set(found(Hsr(top=1, summaries=str(path)), "beans in the garden")) == {"t0", "t1"}


@pytest.mark.parametrize(
    ("content", "what"), [("{", "the file itself"), ('{"ada": 3}', "ada"), ('{"ada": {"s": 3}}', "ada.s")]
)
def test_broken_summaries_are_named_by_their_place(tmp_path: Path, content: str, what: str) -> None:
    """A file that is not {user: {session: text}} is a mistake with its place."""
    path = tmp_path / "summaries.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=f"{path}: {what}: .*"):
        Hsr(summaries=str(path))
    with pytest.raises(ConfigError, match="Cannot read summaries from"):
        Hsr(summaries=str(tmp_path / "absent"))


def test_the_tree_leaves_out_far_branches() -> None:
    """A question about one of four things is answered from two branches and the latest turns."""
    words = ["garden beans rain", "piano tuning music", "train coast ticket", "soup pepper lunch"]
    turns = [Turn(f"{n}", "Ada", f"{words[n % 4]} {chr(97 + n // 4) * 3}", "s") for n in range(100)]
    hits = found(open_system("raptor:buffer=4,seed=3"), "garden beans", 100, turns)
    assert set(hits) >= {str(n) for n in range(0, 100, 4)} | {"97", "98", "99"}
    assert len(hits) < 100


def test_what_came_after_the_tree_is_a_candidate_until_it_is_grown_anew() -> None:
    """A turn heard since is found though no branch knows it; a new session regrows the tree."""
    system = open_system("raptor")
    found(system, "beans")
    system.ingest([Turn("new", "Ada", "an umbrella", "travel")], ADA)
    assert [hit.memory.id for hit in system.search("umbrella", ADA, 1).hits] == ["new"]
    system.ingest([Turn("next", "Ada", "an umbrella and a coat", "sea")], ADA)
    assert [hit.memory.id for hit in system.search("umbrella coat", ADA, 1).hits] == ["next"]


def test_fusion_prefers_what_is_recent() -> None:
    """Of two equal texts the later one scores higher; without fading both are equal."""
    turns = [Turn(f"{n}", "Ada", "beans" if n in {0, 60} else "rain", "s") for n in range(61)]
    system = open_system("fusion")
    found(system, "beans", 2, turns)
    first, second = system.search("beans", ADA, 2).hits
    assert (first.memory.id, second.memory.id) == ("60", "0")
    assert first.score is not None
    assert second.score is not None
    assert first.score > second.score
    plain = open_system("fusion:alpha=0")
    found(plain, "beans", 2, turns)
    assert len({hit.score for hit in plain.search("beans", ADA, 2).hits}) == 1


@pytest.mark.parametrize("ref", ["flat", "hsr", "raptor", "bm25", "recency", "random", "dense:embedder=hashed"])
def test_a_budget_keeps_the_newest(ref: str) -> None:
    """Every policy can be given a capacity; what falls out is reported as deleted."""
    system = open_system(f"{ref}{',' if ':' in ref else ':'}capacity=2")
    changes = [change for turn in TURNS for change in (system.ingest([turn], ADA) or Receipt()).changes or ()]
    assert [memory.id for memory in system.dump(ADA)] == ["t4", "t5"]
    assert [change.memory for change in changes if change.op == "delete"] == ["t0", "t1", "t2", "t3"]
    assert {hit.memory.id for hit in system.search("beans train", ADA, 9).hits} <= {"t4", "t5"}


def test_a_budget_of_nothing_is_refused() -> None:
    """A memory that keeps nothing is no memory."""
    with pytest.raises(ConfigError, match="flat:capacity=0 is not a whole number from 1 to"):
        open_system("flat:capacity=0")
