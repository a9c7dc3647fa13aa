"""The documents' harness, ours inside: what is defined, what is bounded, and what their definitions give."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.measures.writing import Stated
from memgauge.studies.quality.evaluator import EvalCase, EvalResult, MemoryEntry, MemoryEvaluator, memory_eval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
STAFF = "Staff Engineer"
NAMES = (
    "precision_at_3",
    "precision_at_5",
    "recall_at_5",
    "recall_at_10",
    "temporal_accuracy",
    "contradiction_rate",
)
SUITE = [
    EvalCase(query="colour", relevant_ids=["mem_001"], topic="preferences"),
    EvalCase("title", ["mem_010"], "employment", temporal_ground_truth=STAFF),
    EvalCase(query="alice", relevant_ids=["mem_020", "mem_021"], topic="projects"),
    EvalCase("indent", ["mem_030"], "coding_preferences", contradictory_ids=["mem_031"]),
    EvalCase("manager", ["mem_040"], "work_feedback"),
]
"""The shape of the document's five cases."""


def entry(name: str | None, content: str = "", topic: str = "job", day: int = 0) -> MemoryEntry:
    """Write one returned memory."""
    metadata = {} if name is None else {"id": name}
    return MemoryEntry(content or f"content of {name}", topic, NOON + timedelta(days=day), "s1", metadata)


@dataclass(frozen=True)
class Shelf:
    """A store whose answers are written down; a query that is not raises."""

    lists: Mapping[str, Sequence[Any]]

    def search(self, query: str, limit: int) -> Sequence[Any]:
        """Look the answer up."""
        return self.lists[query][:limit]


def evaluate(lists: Mapping[str, Sequence[Any]], cases: list[EvalCase]) -> EvalResult:
    """Evaluate what is written down."""
    return MemoryEvaluator(Shelf(lists)).evaluate(cases)


def one(entries: Sequence[Any], case: EvalCase) -> EvalResult:
    """Evaluate one case."""
    return evaluate({case.query: entries}, [case])


def ideal() -> dict[str, list[MemoryEntry]]:
    """Answer the suite with every relevant id and nothing else."""
    return {
        case.query: [entry(name, case.temporal_ground_truth or "", case.topic) for name in case.relevant_ids]
        for case in SUITE
    }


def test_code_written_for_the_document_runs_and_prints() -> None:
    """Construction, evaluation and formatting as in the document, with an ideal store: 1 everywhere."""
    evaluator = MemoryEvaluator(Shelf(ideal()))
    results = evaluator.evaluate(SUITE)
    printed = [f"{getattr(results, name):.3f}" for name in NAMES]
    assert printed == ["1.000"] * 5 + ["0.000"]
    assert results.total_cases == 5
    assert evaluator.store.search("title", 1)[0].content == STAFF


def test_the_document_could_not_have_given_its_ideal_more_than_its_ceiling() -> None:
    """The same lists as published: P@3 .400, P@5 .240; and full marks where time is not asked."""
    published = evaluate(ideal(), SUITE).published
    assert published["precision_at_3"] == pytest.approx(0.4)
    assert published["precision_at_5"] == pytest.approx(0.24)
    assert published["recall_at_5"] == published["temporal_accuracy"] == 1


def test_a_store_that_returns_nothing_is_not_rewarded() -> None:
    """As published .8 for time and a perfect contradiction rate; ours 0 and undefined, with the reason."""
    results = evaluate({case.query: [] for case in SUITE}, SUITE)
    assert results.published["temporal_accuracy"] == pytest.approx(0.8)
    assert results.published["contradiction_rate"] == 0
    assert results.temporal_accuracy == results.recall_at_5 == 0
    assert f"{results.precision_at_3:.3f} {results.contradiction_rate:.3f}" == "nan nan"
    assert str(results.scores["precision_at_3"].denominator) == "0/5 (5 nothing returned)"
    assert str(results.scores["temporal_accuracy"].denominator) == "1/5 (4 no temporal truth)"
    why = "0/5 (4 no contradictory ids, 1 no version returned)"
    assert str(results.scores["contradiction_rate"].denominator) == why


JOB = EvalCase("job", ["new"], "job", STAFF, ["old"])
OLD, NEW = entry("old", "Senior Engineer", day=1), entry("new", STAFF, day=2)


@pytest.mark.parametrize(
    ("found", "ours", "published"),
    [
        pytest.param([NEW, OLD], (1, 1), (1, 1), id="both, current first"),
        pytest.param([OLD, NEW], (0, 1), (1, 1), id="both, stale first"),
        pytest.param([OLD, *[entry(f"x{n}", day=-1) for n in range(8)], NEW], (0, 1), (1, 1), id="current at 10"),
        pytest.param([NEW, entry("raise", "5 % raise", day=9)], (1, 0), (0, 1), id="a later fact, another slot"),
        pytest.param([entry("new", "is a staff engineer now")], (1, 0), (0, 0), id="a paraphrase"),
        pytest.param([NEW, entry("old", "Senior Engineer", day=9)], (1, 1), (0, 1), id="backfilled later"),
        pytest.param([NEW, entry("fact-7", "staff  engineer")], (1, 0), (1, 1), id="said twice"),
        pytest.param([entry("fact-7", "staff  engineer")], (1, nan), (0, 0), id="the truth under another id"),
        pytest.param([entry("dark", topic="a"), entry("light", topic="b")], (0, nan), (0, 0), id="neither"),
        pytest.param([NEW, entry("old", topic="work")], (1, 1), (1, 0), id="two labels"),
        pytest.param([OLD], (0, 0), (0, 0), id="stale alone"),
        pytest.param([], (0, nan), (0, 0), id="nothing"),
    ],
)
def test_time_and_contradiction(
    found: list[MemoryEntry], ours: tuple[float, float], published: tuple[float, float]
) -> None:
    """Versions are told by id, and by the truth's own words; topics and times of storing decide nothing."""
    results = one(found, JOB)
    assert (results.temporal_accuracy, results.contradiction_rate) == pytest.approx(ours, nan_ok=True)
    theirs = results.published
    assert (theirs["temporal_accuracy"], theirs["contradiction_rate"]) == pytest.approx(published)


def test_a_repeated_id_counts_once() -> None:
    """Five copies of the one relevant memory: recall 1 and not 5, precision 1 of 1, and .8 are duplicates."""
    results = one([entry("new")] * 5, JOB)
    assert (results.recall_at_5, results.precision_at_5) == (1, 1)
    assert results.scores["duplicates"].value == pytest.approx(0.8)
    assert results.scores["returned"].value == 1
    assert results.published["recall_at_5"] == 5


def test_a_question_without_an_answer_is_for_another_measure() -> None:
    """No relevant ids: neither precision nor recall, whatever is returned."""
    results = one([entry("x")], EvalCase("dog", [], "pets"))
    assert isnan(results.precision_at_3)
    assert isnan(results.recall_at_10)
    assert results.published["recall_at_10"] == 0


@pytest.mark.parametrize(
    "broken", [["no entry"], [entry("x"), None], 7, [MemoryEntry("c", "t", NOON, "s", {"id": []})]]
)
def test_a_search_that_fails_is_counted_and_stops_nothing(broken: Any) -> None:
    """What raises, and what returns no entries, is excluded by name; the other cases are scored."""
    results = evaluate({**ideal(), "title": broken}, [*SUITE, EvalCase("unheard of", ["a"], "t")])
    assert results.precision_at_3 == results.recall_at_5 == 1
    assert str(results.scores["recall_at_5"].denominator) == "4/6 (2 error)"
    assert results.errors[0].startswith("search 'title': ")
    assert results.errors[1] == "search 'unheard of': KeyError: 'unheard of'"
    assert results.published["recall_at_5"] == 1


def test_no_cases_have_no_means() -> None:
    """Nothing asked: everything undefined, and nothing raised."""
    results = evaluate({}, [])
    assert all(isnan(getattr(results, name)) and isnan(results.published[name]) for name in NAMES)
    assert results.scores["returned"].reason == "no case has a value"


def test_intervals_are_over_cases_and_one_case_has_none() -> None:
    """Half right of 40 cases lies between .3 and .7; a single case shows no spread."""
    cases = [EvalCase(f"q{n}", ["a"], "t") for n in range(40)]
    score = evaluate({f"q{n}": [entry("ab"[n % 2])] for n in range(40)}, cases).scores["recall_at_5"]
    assert score.value == 0.5
    assert score.low is not None
    assert score.high is not None
    assert 0.3 < score.low < 0.45
    assert 0.55 < score.high < 0.7
    alone = one([entry("new")], JOB).scores["recall_at_5"]
    assert (alone.value, alone.low, alone.reason) == (1, None, "one case has no interval")


names = st.sampled_from(["a", "b", "c", "d", None])
lists = st.lists(names, max_size=10)
few = st.lists(st.sampled_from("abcde"), max_size=3, unique=True)


@settings(max_examples=50)
@given(st.lists(st.tuples(lists, few, few, st.booleans()), max_size=4))
def test_every_mean_is_a_share(drawn: list[tuple[list[str | None], list[str], list[str], bool]]) -> None:
    """In [0, 1] or NaN, and every denominator has all cases."""
    cases = [
        EvalCase(str(n), right, "t", "a" if dated else None, wrong)
        for n, (_, right, wrong, dated) in enumerate(drawn)
    ]
    results = evaluate({str(n): [entry(i) for i in found] for n, (found, *_) in enumerate(drawn)}, cases)
    for name in NAMES:
        value = getattr(results, name)
        assert isnan(value) or 0 <= value <= 1
        assert results.scores[name].denominator.total == len(cases)


@settings(max_examples=50)
@given(lists, few, few)
def test_duplicates_change_nothing_but_their_own_count(
    found: list[str | None], right: list[str], wrong: list[str]
) -> None:
    """A list and the same without repeated ids have equal measures."""
    case = EvalCase("q", right, "t", "a", wrong)
    thrice = [name for name in found if name is not None]
    once = one([entry(name) for name in dict.fromkeys(thrice)], case)
    again = one([entry(name) for name in thrice], case)
    for name in (*NAMES, "returned"):
        assert once.scores[name] == again.scores[name]


@settings(max_examples=50)
@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True), lists)
def test_what_is_relevant_first_is_ideal(right: list[str], rest: list[str | None]) -> None:
    """All relevant ids and nothing else is 1; what follows them leaves recall and time at 1."""
    case = EvalCase("q", right, "t", "truth")
    alone = one([entry(name) for name in right], case)
    assert (alone.precision_at_3, alone.precision_at_5, alone.recall_at_5, alone.temporal_accuracy) == (1, 1, 1, 1)
    followed = one([entry(name) for name in (*right, *rest)], case)
    assert followed.recall_at_5 == followed.recall_at_10 == followed.temporal_accuracy == 1


@dataclass(frozen=True)
class Kept:
    """A stored item or a recalled memory."""

    memory_id: str
    text: str


@dataclass(frozen=True)
class Golden:
    """The document's golden facts."""

    facts: Sequence[Any]


@dataclass(frozen=True)
class Query:
    """A query with what it should recall."""

    text: str
    expected_memory_ids: set[str]
    subject: str = "Ada"
    scopes: tuple[str, ...] = ("home",)
    now: datetime = NOON


@dataclass(frozen=True)
class Notebook:
    """A store that recalls what shares a word with the query."""

    kept: Sequence[Any] = ()
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def all_for_eval(self) -> Sequence[Any]:
        """Return everything."""
        return self.kept

    def recall(self, subject: str, scopes: Any, text: str, budget: int, now: datetime) -> list[Any]:
        """Look for a common word."""
        self.asked.append((subject, scopes, text, budget, now))
        return [one for one in self.kept if set(one.text.split()) & set(text.split())]


def recall(subject: Any, scopes: Any, text: Any, budget: int, store: Any, now: Any) -> Iterable[Any]:
    """Recall as the document's free function does."""
    yield from store.recall(subject, scopes, text, budget, now)


FACTS = Golden(["Ada drinks tea", "Ada lives in Paris"])
BOOK = Notebook([Kept("m1", "ada drinks tea"), Kept("m2", "Ada lives in Rome")])
QUERIES = [Query("what drinks", {"m1"}), Query("lives where", {"m2", "m3"}), Query("any dog", set())]


def test_memory_eval_has_the_four_keys_of_the_document() -> None:
    """One of two items is true, one of two facts is known; precision and recall by query, where defined."""
    result = memory_eval(BOOK, FACTS, QUERIES, recall=recall, budget=50)
    assert dict(result) == {
        "write_precision": 0.5,
        "write_recall": 0.5,
        "read_precision": 1.0,
        "read_recall": 0.75,
    }
    assert str(result.scores["read_recall"].denominator) == "2/3 (1 nothing to find)"
    assert result.scores["write_recall"].low == pytest.approx(0.0945, abs=1e-3)
    assert result.published["read_recall"] == pytest.approx(0.5)
    assert BOOK.asked[-1] == ("Ada", ("home",), "any dog", 50, NOON)
    assert memory_eval(BOOK, FACTS, QUERIES) == result


def test_an_empty_store_is_neither_perfect_nor_an_error() -> None:
    """Precision undefined, recall 0, on both sides."""
    result = memory_eval(Notebook(), FACTS, QUERIES)
    assert (result["write_recall"], result["read_recall"]) == (0, 0)
    assert isnan(result["write_precision"])
    assert isnan(result["read_precision"])
    assert result.published["read_precision"] == 0


def test_one_over_broad_memory_accounts_for_one_fact() -> None:
    """It matches every fact; as published that is recall 1, ours is one of three."""
    broad = Notebook([Kept("m1", "everything about Ada")])
    result = memory_eval(broad, Golden(["a", "b", "c"]), [], matches=lambda fact, item: True)
    assert result["write_recall"] == pytest.approx(1 / 3)
    assert result.published["write_recall"] == 1


def test_copies_of_a_true_memory_are_not_precise() -> None:
    """Ten copies of one fact: precision .1, as published 1; what is right beyond the facts stays right."""
    copies = Notebook([Kept(f"m{n}", "Ada drinks tea") for n in range(10)])
    result = memory_eval(copies, FACTS, [])
    assert (result["write_precision"], result.published["write_precision"]) == (0.1, 1)
    book = Notebook([*BOOK.kept, Kept("m4", "Ada has a cat")])
    judged = memory_eval(book, FACTS, [], is_correct=lambda item, golden: "Rome" not in item.text)
    assert judged["write_precision"] == pytest.approx(2 / 3)


def test_of_two_items_for_one_fact_the_right_one_is_counted() -> None:
    """A wrong version that matches by subject does not push out the right one, in either order."""
    right, wrong = Kept("m1", "lives in Paris"), Kept("m2", "lives in Rome")
    for kept in ([right, wrong], [wrong, right]):
        result = memory_eval(
            Notebook(kept),
            Golden(["home"]),
            [],
            matches=lambda fact, item: True,
            is_correct=lambda item, golden: "Paris" in item.text,
        )
        assert (result["write_precision"], result["write_recall"]) == (0.5, 1)


def test_structured_facts_are_compared_by_their_parts() -> None:
    """Subject, slot, value and validity decide, whatever the class."""
    fact = Stated("Ada", "drink", "tea", NOON)
    assert memory_eval(Notebook([fact]), Golden([fact]), [])["write_precision"] == 1
    assert memory_eval(Notebook([fact]), Golden([Stated("Ada", "drink", "tea")]), [])["write_precision"] == 0


def test_what_cannot_be_compared_or_recalled_is_said() -> None:
    """A store without recall, and items without words, are mistakes of the caller."""
    with pytest.raises(ConfigError, match="has no method recall"):
        memory_eval(Shelf({}), FACTS, [])
    with pytest.raises(ConfigError, match="Cannot tell what a int says"):
        memory_eval(Notebook([7]), FACTS, [])


class Broken(Notebook):
    """A store that cannot be read."""

    def all_for_eval(self) -> Sequence[Any]:
        """Fail."""
        raise OSError("disk gone")

    def recall(self, subject: str, scopes: Any, text: str, budget: int, now: datetime) -> list[Any]:
        """Fail for one query."""
        if text == "what drinks":
            raise TimeoutError
        return [Kept("m2", "")]


def test_what_a_broken_store_raises_is_recorded() -> None:
    """No write side, the failed query excluded, both errors by name."""
    result = memory_eval(Broken(), FACTS, QUERIES)
    assert result.errors == ("all_for_eval: OSError: disk gone", "recall 'what drinks': TimeoutError")
    assert isnan(result["write_precision"])
    assert isnan(result["write_recall"])
    assert isnan(result.published["write_recall"])
    assert str(result.scores["write_recall"].denominator) == "0/2 (2 error)"
    assert str(result.scores["read_recall"].denominator) == "1/3 (1 error, 1 nothing to find)"
    assert result["read_recall"] == 0.5
