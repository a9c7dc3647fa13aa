"""MemoryAgentBench: facts that newer facts replace, and long texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.memoryagentbench.facts import NumberedFact, RivalFacts, facts_in, resting_on, stated_by
from memgauge.datasets.places import FieldPath
from memgauge.datasets.validate import validate
from memgauge.errors import ConfigError, MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.memoryagentbench.dataset import MemoryAgentBench

FACTS = [
    "The capital of Oldmark is Varn.",
    "Ada Quill is married to Bo Reed.",
    "The author of A Fish Is a Friend is Ada Quill.",
    "The capital of Oldmark is Lund, O.M..",
    "The univeristy where Bo Reed was educated is Varn College.",
    "Bo Reed's child is Cy.",
    "Something else entirely.",
    "The capital of Oldmark is Tamm.",
]


def row(source: str = "factconsolidation_sh_6k", **changed: Any) -> dict[str, Any]:
    """One row, as it is published."""
    lines = "\n".join(f"{number}. {text}" for number, text in enumerate(FACTS))
    return {
        "context": f"Here is a list of facts:\n{lines}\n",
        "questions": ["What is the capital of Oldmark?", "Who is Ada Quill married to?", "Which colour?"],
        "answers": [["Lund, O.M."], ["Bo Reed"], ["blue"]],
        "metadata": {"source": source, "qa_pair_ids": [f"{source}_no{n}" for n in range(3)], "demo": None},
        **changed,
    }


def opened(tmp_path: Path, *rows: dict[str, Any], options: str = "") -> MemoryAgentBench:
    """Open rows as one list of JSON."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return open_dataset(f"memoryagentbench:{path}{options}")  # type: ignore[return-value] # known as a protocol only


def test_a_turn_is_a_fact_with_its_number(tmp_path: Path) -> None:
    """The rule that the larger number wins needs the number in the text; the heading is no fact."""
    dataset = opened(tmp_path, row())
    assert not validate(dataset)
    (case,) = dataset.cases()
    turns = list(case.conversation.turns())
    assert [turn.id for turn in turns] == [f"f{n:05d}" for n in range(len(FACTS))]
    assert turns[3].text == "3. The capital of Oldmark is Lund, O.M.."
    assert {question.category for question in case.questions} == {"sh"}


def test_evidence_is_inferred_and_says_so_and_older_rivals_are_stale(tmp_path: Path) -> None:
    """Of three facts about one capital, the answer's is evidence, the smaller number stale, the larger a doubt."""
    capital, married, colour = opened(tmp_path, row()).gold()
    assert capital.anchors() == ("f00003",)
    assert capital.evidence[0].raw == "inferred by memgauge, not labelled: fact 3"
    assert capital.stale == ("f00000",)
    assert capital.erratum is not None
    assert (capital.erratum.kind, capital.erratum.corrupts_answer) == ("knowledge-update", True)
    assert (married.anchors(), married.stale, married.erratum) == (("f00001",), (), None)
    assert (colour.anchors(), colour.stale) == ((), None)


def test_several_hops_have_no_evidence(tmp_path: Path) -> None:
    """A chain of facts is nowhere labelled and not guessed."""
    dataset = opened(tmp_path, row("factconsolidation_mh_6k"))
    assert {question.category for case in dataset.cases() for question in case.questions} == {"mh"}
    assert not any(gold.evidence or gold.stale for gold in dataset.gold())


def test_truth_has_subject_slot_and_value_and_no_dates(tmp_path: Path) -> None:
    """A fact of no known form is a turn without truth, and counted."""
    dataset = opened(tmp_path, row())
    facts = {fact.turns[0]: fact for fact in dataset.truth()}
    assert "f00006" not in facts
    author = facts["f00002"]
    assert (author.subject, author.slot, author.value) == ("A Fish Is a Friend", "The author of … is", "Ada Quill")
    assert (facts["f00000"].subject, facts["f00000"].slot) == (facts["f00003"].subject, facts["f00003"].slot)
    assert {fact.valid_from for fact in facts.values()} == {None}
    counts = dataset.describe()
    wanted = {"facts": 8, "facts_unread": 1, "evidence_inferred": 2, "with_rival": 1, "without_rival": 1}
    assert {name: counts[name] for name in wanted} == wanted
    assert counts["gold_is_older"] == 1


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The capital of Oldmark is Varn.", ("Oldmark", "The capital of … is", "Varn")),
        ("Varn is a citizen of Oldmark.", ("Varn", "… is a citizen of", "Oldmark")),
        ("Ada worked in the city of Lund, O.M..", ("Ada", "… worked in the city of", "Lund, O.M.")),
        ("Bo Reed's child is Cy.", ("Bo Reed", "…'s child is", "Cy")),
        (
            "The name of the current head of state in Oldmark is Bo.",
            ("Oldmark", "The name of the current head of state in … is", "Bo"),
        ),
        (
            "The univeristy where Bo was educated is Varn College.",
            ("Bo", "The univeristy where … was educated is", "Varn College"),
        ),
    ],
)
def test_known_forms_are_read(text: str, stated: tuple[str, str, str]) -> None:
    """Their slips of spelling are theirs."""
    assert stated_by(text) == stated


def test_what_two_facts_answer_alike_is_left_open() -> None:
    """Nothing is guessed where two facts share as many words with the question."""
    facts = [
        NumberedFact(0, "Ada was born in the city of Varn."),
        NumberedFact(1, "Bo was born in the city of Varn."),
    ]
    assert resting_on("Who was born there?", ["Varn"], facts) is None
    assert resting_on("Where was Bo born?", ["Varn"], facts) == facts[1]
    assert resting_on("Where was Bo born?", ["Tamm"], facts) is None
    assert resting_on("Who sings?", ["Ada"], facts) == facts[0]


WORDS = st.from_regex(r"[A-Z][a-z]{2,8}", fullmatch=True)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8, unique_by=lambda pair: pair))
def test_rivals_are_the_facts_of_one_subject(pairs: list[tuple[str, str]]) -> None:
    """Each fact's rivals are exactly the others with its subject and relation."""
    facts = [
        NumberedFact(n, f"{subject} was born in the city of {value}.") for n, (subject, value) in enumerate(pairs)
    ]
    known = RivalFacts.of(facts)
    for number, (subject, _) in enumerate(pairs):
        others = [n for n, (other, _) in enumerate(pairs) if other == subject and n != number]
        assert list(known.rivals(number)) == others


@given(st.lists(st.text(st.characters(exclude_characters="\n\r")), min_size=1, max_size=9))
def test_facts_are_read_back_as_written(texts: list[str]) -> None:
    """Every line after the heading, in its order."""
    context = "Here:\n" + "\n".join(f"{n}. {text}" for n, text in enumerate(texts)) + "\n"
    assert [fact.text for fact in facts_in(FieldPath("f"), context)] == texts


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"context": "Facts:\n0. a.\n2. b."},
            r"row 0 \(counted from 0\): field \$\.context: line 3 is not fact number 1",
        ),
        ({"context": "no fact"}, r"context: no numbered fact"),
        ({"answers": [["a"]]}, r"\$\.answers: 1 entries beside 3 questions"),
        ({"answers": [["a"], [], ["b"]]}, r"\$\.answers\[1\]: no accepted answer"),
        ({"questions": "one"}, r"\$\.questions: Input should be a valid list"),
        ({"metadata": {}}, r"\$\.metadata\.source: Field required"),
        ({"metadata": {"source": "factconsolidation_sh", "qa_pair_ids": ["a"]}}, r"qa_pair_ids: 1 entries"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    """File, row and field."""
    with pytest.raises(MalformedDataError, match=message):
        list(opened(tmp_path, row(**changed)).cases())


def test_other_parts_are_chunks_without_evidence(tmp_path: Path) -> None:
    """Whole sentences up to so many tokens; a second row of a source has ids of its own."""
    text = " ".join(f"This is sentence number {n} of a long tale." for n in range(40))
    other = row("eventqa_full", context=text)
    dataset = opened(tmp_path, other, other, options=",chunk_tokens=50")
    assert not validate(dataset)
    first, second = dataset.cases()
    assert [case.conversation.id for case in (first, second)] == ["eventqa_full", "eventqa_full#2"]
    turns = list(first.conversation.turns())
    assert len(turns) > 5
    assert " ".join(turn.text for turn in turns) == text
    assert all(turn.text.endswith(".") for turn in turns)
    assert not any(gold.evidence for gold in dataset.gold())
    assert {question.category for question in first.questions} == {"eventqa"}


def test_sessions_of_facts_follow_the_budget(tmp_path: Path) -> None:
    """As the official code cuts its messages; no fact is lost or cut."""
    (case,) = opened(tmp_path, row(), options=",chunk_tokens=30").cases()
    assert len(case.conversation.sessions) > 2
    assert [turn.id for turn in case.conversation.turns()] == [f"f{n:05d}" for n in range(len(FACTS))]
    with pytest.raises(ConfigError, match="holds no sentence"):
        open_dataset("memoryagentbench:conflict,chunk_tokens=3")


def test_parquet_and_lines_give_the_same(tmp_path: Path) -> None:
    """The published form is Parquet with a nested column."""
    lines, parquet = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    lines.write_text(json.dumps(row()) + "\n", encoding="utf-8")
    with duckdb.connect() as db:
        db.read_json(str(lines)).write_parquet(str(parquet))
    one, other = (open_dataset(f"memoryagentbench:{path}") for path in (lines, parquet))
    assert list(one.cases()) == list(other.cases())
    assert list(one.gold()) == list(other.gold())
