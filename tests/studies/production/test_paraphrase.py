"""The same asked in other words: rules that change no meaning, a replay, and lists that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.frame.exits import OK, WRONG_USE
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.studies.production.hits import HitArrays
from memgauge.studies.production.repeats import overlaps
from memgauge.studies.production.replaying import overlap_at, rank_biased_overlap
from memgauge.studies.production.rewording import RULES, rewordings
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS
from support.recorded import operation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

STUDY = ("study", "production", "paraphrase")
QUESTION = "What's the name of Ada's cat, and where wasn't she on 3 May?"


def test_rules_say_the_same_in_other_words() -> None:
    """Each by its name; a rule that changes nothing is left out."""
    assert dict(rewordings(QUESTION, {})) == {
        "small, no marks": "what's the name of ada's cat and where wasn't she on 3 may",
        "asked politely": f"Could you please tell me: {QUESTION}",
        "keywords": "name Ada's cat not 3 May",
        "written out": "What is the name of Ada's cat, and where was not she on 3 May?",
    }
    assert [rule for rule, _ in rewordings("cat name", {})] == ["asked politely"]


@given(st.text(alphabet="abc XYZ'?!.,17é", max_size=40))
def test_no_rule_loses_a_word_with_content(text: str) -> None:
    """Whatever is asked: names, numbers and days are still there."""
    content = {word for word in tokenize(text) if word not in FUNCTION_WORDS and "'" not in word}
    for rule in RULES.values():
        assert content <= set(tokenize(rule(text)))


memories = st.lists(st.integers(0, 8), max_size=6, unique=True)


@given(st.lists(st.tuples(memories, memories), min_size=1, max_size=4))
def test_lists_are_compared_as_repeated_queries_are(pairs: list[tuple[list[int], list[int]]]) -> None:
    """Rank-biased overlap list by list is that of the arrays; overlap at k follows from Jaccard's index."""
    lists = [each for pair in pairs for each in pair]
    operation = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    zeros = np.zeros(len(operation))
    hits = HitArrays(
        operation=operation,
        rank=np.array([rank for each in lists for rank in range(1, len(each) + 1)], dtype=np.int64),
        memory=np.array([memory for each in lists for memory in each], dtype=np.int64),
        text=operation, characters=zeros, score=zeros, version=operation, named=zeros > 0, run=zeros,
        likeness=zeros,
    )  # fmt: skip
    before, after = np.arange(0, len(lists), 2), np.arange(1, len(lists), 2)
    jaccard, ordered = overlaps(hits, before, after, len(lists))
    for place, (first, second) in enumerate(pairs):
        names = [str(each) for each in first], [str(each) for each in second]
        assert rank_biased_overlap(*names) == pytest.approx(ordered[place])
        common = jaccard[place] * (len(first) + len(second)) / (1 + jaccard[place])
        longer = max(len(first), len(second))
        assert overlap_at(*names, 10) == pytest.approx(common / longer if longer else 1.0)


@given(st.lists(st.integers(0, 8), unique=True), st.lists(st.integers(0, 8), unique=True), st.integers(1, 9))
def test_what_lies_deeper_than_k_is_not_compared(first: list[int], second: list[int], k: int) -> None:
    """Lists that go on are compared as if they ended there."""
    memories, other_memories = list(map(str, first)), list(map(str, second))
    assert overlap_at(memories, other_memories, k) == overlap_at(memories[:k], other_memories[:k], 9)


def test_a_sealed_run_is_replayed_on_its_own_system(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A politeness of six words moves the lists of word matching; those that ignore the words stay as they are."""
    (run,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path / "runs")
    value = memgauge(*STUDY, run, "--n", 12, "--json").data["value"]
    rules = {rule["rule"]: rule for rule in value["rules"]}
    assert (value["questions"], value["failed"], value["system"]) == (12, 0, "bm25")
    assert rules["small, no marks"]["overlap"]["mean"] == 1.0
    assert rules["asked politely"]["ordered"]["mean"] < 1.0
    recent = memgauge(*STUDY, run, "--n", 12, "--system", "recency", "--json").data["value"]
    assert {rule["ordered"]["mean"] for rule in recent["rules"]} == {1.0}


def test_traffic_is_replayed_on_a_system_that_is_named(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path
) -> None:
    """A file replaces rules; what traffic cannot say is asked for; nothing is written to it."""
    before = sorted(small_folder.iterdir())
    shown = memgauge(*STUDY, small_folder, "--system", "bm25", "--n", 15)
    assert shown.code == OK
    assert "Asked in other words" in shown.out
    assert sorted(small_folder.iterdir()) == before
    assert "--system bm25" in memgauge(*STUDY, small_folder).err
    words = tmp_path / "words.jsonl"
    words.write_text('{"query": "Nobody asked this", "paraphrase": "Nor this"}\n', "utf-8")
    refused = memgauge(*STUDY, small_folder, "--system", "bm25", "--paraphrases", words)
    assert (refused.code, "no question is in the file" in refused.err) == (WRONG_USE, True)
    words.write_text('{"query": 1}\n', "utf-8")
    assert f"{words}:1" in memgauge(*STUDY, small_folder, "--system", "bm25", "--paraphrases", words).err


def test_a_search_whose_words_are_unknown_is_counted_and_not_asked(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """Nothing can be said in other words of it."""
    with TrafficWriter(tmp_path / "traffic") as writer:
        for number, query in enumerate(("Where is the cat?", None)):
            writer.add(*operation("search", number, "ada", query=query))
        writer.close(TrafficIdentity(recorder="test", texts=True), TrafficLedger())
    value = memgauge(*STUDY, tmp_path / "traffic", "--system", "recency", "--json").data["value"]
    assert (value["questions"], value["without_text"]) == (1, 1)


def test_two_empty_lists_are_not_alike(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Of a memory that finds nothing, nothing stays and nothing goes: undefined, with the reason."""
    (run,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path / "runs")
    asked = (*STUDY, run, "--n", 5, "--system", "support.systems:Nothing")
    assert {rule["overlap"]["mean"] for rule in memgauge(*asked, "--json").data["value"]["rules"]} == {None}
    assert "neither wording of any question found anything" in memgauge(*asked).out
