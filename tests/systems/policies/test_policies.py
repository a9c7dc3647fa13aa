"""How each policy ranks."""

from __future__ import annotations

import gc
import weakref
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Scope, ScoreKind, Turn
from memgauge.retrieval.topk import by_hash
from memgauge.systems import Role, open_system
from memgauge.systems.policies.dense import DensePolicy, HybridPolicy
from memgauge.systems.policies.lexical import Bm25Policy, TfIdfPolicy
from memgauge.systems.policies.plain import Random
from memgauge.systems.reference.oracle import Oracle

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.systems import MemorySystem

ADA = Scope("ada")
TEXTS = ["beans rain rain", "the gate", "beans", "rain on the gate", "a robin"]
TURNS = [Turn(f"t{i}", "Ada", text, "s1") for i, text in enumerate(TEXTS)]


def ranked(system: MemorySystem, query: str, k: int = 60, scope: Scope = ADA) -> list[str]:
    """Write the turns and return the ids found."""
    system.ingest(TURNS, scope)
    system.flush(scope, 1)
    return [hit.memory.id for hit in system.search(query, scope, k).hits]


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("none", []),
        ("recency", ["t4", "t3", "t2", "t1", "t0"]),
        ("full", ["t0", "t1", "t2", "t3", "t4"]),
        ("bm25", ["t2", "t0"]),
        ("tfidf", ["t2", "t0"]),
    ],
)
def test_order_of_each_policy(ref: str, expected: list[str]) -> None:
    """Each policy orders by its own rule, and k cuts the list."""
    assert ranked(open_system(ref), "beans") == expected
    assert ranked(open_system(ref), "beans", 1) == expected[:1]


@pytest.mark.parametrize("policy", ["bm25", "tfidf", "hybrid:embedder=hashed"])
def test_pairs_of_letters_are_found_where_no_spaces_are_written(policy: str) -> None:
    """A run of Chinese letters is one word unless it is cut; words alone then share nothing with any question."""
    sentences = ["我昨天买了一条蓝色的小船。", "妹妹送了我一盆薄荷。", "我的牙医姓陆。"]
    turns = [Turn(f"t{number}", "user", text, "s1") for number, text in enumerate(sentences)]
    between = "," if ":" in policy else ":"
    for way, best in (("runs", []), ("pairs", ["t2"])):
        system = open_system(f"{policy}{between}unspaced={way}")
        system.ingest(turns, ADA)
        system.flush(ADA, 1)
        hits = [hit.memory.id for hit in system.search("我的牙医姓什么?", ADA, 1).hits]
        assert hits == best or (way, policy[:6]) == ("runs", "hybrid")
    with pytest.raises(UnknownNameError, match=r"Did you mean pairs|Available: runs, pairs"):
        open_system(f"{policy}{between}unspaced=pair")


@pytest.mark.parametrize(
    ("ref", "role", "kind"),
    [
        ("none", Role.FLOOR, ScoreKind.NONE),
        ("random", Role.FLOOR, ScoreKind.NONE),
        ("full", Role.FLOOR, ScoreKind.NONE),
        ("oracle", Role.CEILING, ScoreKind.NONE),
        ("bm25", Role.SYSTEM, ScoreKind.SIMILARITY),
        ("hybrid:embedder=hashed", Role.SYSTEM, ScoreKind.FUSED),
    ],
)
def test_roles_and_scores_are_declared(ref: str, role: Role, kind: ScoreKind) -> None:
    """A card says what a score of the system is good for."""
    declared = open_system(ref).capabilities()
    assert (declared.role, declared.score_kind) == (role, kind)
    assert declared.reports_changes
    assert declared.declares_sources


def test_random_depends_on_seed_scope_and_query_alone() -> None:
    """The same four give the same order; another seed, query or scope another one."""
    first = ranked(Random(seed=1), "beans")
    assert first == ranked(Random(seed=1), "beans")
    assert sorted(first) == [turn.id for turn in TURNS]
    others = [
        *(ranked(Random(seed=seed), "beans") for seed in range(2, 8)),
        *(ranked(Random(seed=1), query) for query in "abcdef"),
        *(ranked(Random(seed=1), "beans", scope=Scope(user)) for user in "abcdef"),
    ]
    assert len({tuple(order) for order in others}) > 10


@pytest.mark.parametrize("policy", [Bm25Policy(), TfIdfPolicy(), DensePolicy(embedder="hashed")])
def test_equal_scores_are_ordered_by_a_hash_of_the_id(policy: MemorySystem) -> None:
    """Ties neither follow arrival nor the text of the id."""
    turns = [Turn(f"t{i}", "Ada", "the same words", "s1") for i in range(20)]
    policy.ingest(turns, ADA)
    hits = policy.search("same words", ADA, 20).hits
    assert [hit.memory.id for hit in hits] == [turns[i].id for i in by_hash(turn.id for turn in turns)]
    assert len({hit.score for hit in hits}) == 1


def test_searches_between_writes_see_what_was_written() -> None:
    """An index that grows gives what one built at the end gives."""
    grown = Bm25Policy()
    for turn in TURNS:
        grown.ingest([turn], ADA)
        grown.search("beans", ADA, 3)
    built = Bm25Policy()
    built.ingest(TURNS, ADA)
    for query in ("beans", "rain gate", "robin"):
        assert grown.search(query, ADA, 5) == built.search(query, ADA, 5)


def test_oracle_returns_the_stored_evidence() -> None:
    """Evidence comes in the order of the gold, once, as far as it is stored; unknown questions get nothing."""
    oracle = Oracle()
    oracle.reveal({"what grows?": ["t2", "t0", "t2", "t99"]})
    assert ranked(oracle, "what grows?") == ["t2", "t0"]
    assert ranked(oracle, "what else?") == []
    oracle.reveal({"what else?": ["t1"]})
    assert ranked(oracle, "what grows?") == []


def test_hybrid_prefers_what_both_lists_have() -> None:
    """The fused order begins with the turn that words and vectors both rank first."""
    system = HybridPolicy(embedder="hashed")
    found = ranked(system, "beans")
    assert found[0] == "t2"
    assert sorted(found) == [turn.id for turn in TURNS]


def test_dense_uses_minilm_with_a_shared_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By default vectors come from MiniLM through the cache on disk; without weights the policy cannot open."""
    from memgauge.errors import MissingExtraError

    monkeypatch.setenv("MEMGAUGE_MINILM", str(tmp_path))
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    with pytest.raises(MissingExtraError):
        DensePolicy()


@pytest.mark.data
def test_dense_finds_meaning_without_shared_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the published weights a paraphrase is found."""
    from memgauge.errors import MissingExtraError
    from memgauge.retrieval.minilm import find_weights

    try:
        find_weights()
    except MissingExtraError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    assert ranked(DensePolicy(), "small bird", 1) == ["t4"]
    assert (tmp_path / "embeddings.sqlite").is_file()


@pytest.mark.parametrize(
    ("options", "text", "version"),
    [
        ("", "Ada (1 May 2024): beans", "2"),
        ("speaker=true", "Ada: beans", "1"),
        ("as_heard=false", "beans", "1"),
    ],
)
@pytest.mark.parametrize("name", ["bm25", "recency", "full", "none", "files", "oracle", "haystack"])
def test_turns_are_kept_as_heard_unless_another_form_is_asked_for(
    name: str, options: str, text: str, version: str
) -> None:
    """With speaker and day by default; the forms of papers do what they did, under the version that they had."""
    system = open_system(f"{name}:{options}" if options else name)
    system.ingest([Turn("t1", "Ada", "beans", "s1", datetime(2024, 5, 1, 12))], ADA)  # noqa: DTZ001 - naive on purpose
    assert [memory.text for memory in system.dump(ADA)] == [text]
    assert system.version == version


@pytest.mark.parametrize("name", ["flat", "gated", "hsr", "raptor", "fusion"])
def test_policies_of_a_paper_keep_its_form(name: str) -> None:
    """The shift study's policies read the words alone."""
    system = open_system(name)
    system.ingest(TURNS[:1], ADA)
    assert (next(iter(system.dump(ADA))).text, system.version) == (TEXTS[0], "1")


def test_a_full_window_drops_what_was_said_first() -> None:
    """Within its tokens it holds the latest turns, oldest first; the last one in any case."""
    whole = [turn.id for turn in TURNS]
    assert ranked(open_system("full:budget=1000"), "beans") == whole
    assert ranked(open_system("full:budget=9,as_heard=false"), "beans") == ["t2", "t3", "t4"]
    assert ranked(open_system("full:budget=1000"), "beans", k=2) == ["t3", "t4"]
    assert ranked(open_system("full:budget=1"), "beans") == ["t4"]
    with pytest.raises(ConfigError):
        open_system("full:budget=-1")


def test_a_hybrid_may_look_again() -> None:
    """The second look orders the candidates, and what it does not reach follows without a score."""
    system = HybridPolicy(embedder="hashed", rerank="lexical", candidates=2)
    system.ingest(TURNS, ADA)
    before = ranked(HybridPolicy(embedder="hashed"), "beans rain")
    hits = system.search("beans rain", ADA, 5).hits
    assert {hit.memory.id for hit in hits[:2]} == set(before[:2])
    assert [hit.memory.id for hit in hits[2:]] == before[2:]
    assert [hit.score is None for hit in hits] == [False, False, True, True, True]
    with pytest.raises(ConfigError):
        HybridPolicy(embedder="hashed", candidates=0)


@pytest.mark.parametrize("ref", ["recency", "bm25", "bm25:stem=english", "tfidf"])
def test_a_memory_that_nobody_holds_goes_at_once(ref: str) -> None:
    """With all that it was told: what lay in a circle would stay until circles are looked for."""
    system = open_system(ref)
    ranked(system, "rain")
    system.ingest([Turn("long", "Ada", "many words " * 9000, "s1")], ADA)  # cut by columns
    ranked(system, "many")
    gone = weakref.ref(system)
    gc.disable()
    try:
        del system
        assert gone() is None
    finally:
        gc.enable()
