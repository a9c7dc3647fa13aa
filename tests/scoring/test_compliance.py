"""Compliance tests: honest memories pass all, and each way of cheating is caught by the test meant for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, IdentityError, UnknownNameError
from memgauge.frame.options import ScoreOptions
from memgauge.runs.record.store import find_runs, load
from memgauge.scoring.compliance import TESTS, Complied, ExpectedEffect, Tolerance, named_tests
from memgauge.scoring.complied import compliance, complied
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.played_pair import PlayedPair, PlayedSide
from support.compliance import Laboratory, failed, undecided

if TYPE_CHECKING:
    from pathlib import Path

FROZEN: dict[str, object] = {"until": "2024-12-31"}
CHEATS: tuple[tuple[str, dict[str, object], tuple[str, ...]], ...] = (
    ("ByHeart", {"way": "text"}, ("old-values", "removed-evidence", "search-before-write")),
    ("ByHeart", {"way": "place"}, ("removed-bystanders",)),
    ("Learner", {"n": 0}, ("question-order-again",)),
    ("Cached", {"n": 0}, ("early-questions",)),
    ("Leaking", {"n": 0}, ("withheld-scope", "withheld-speaker")),
    ("LabelReader", {"n": 0}, ("renamed-ids-again",)),
    ("Persistent", {"n": 0}, ("reset-then-search",)),
    ("Undeleting", {"n": 0}, ("deletion-then-search", "erasure-then-search")),
    ("FrozenClock", FROZEN, ("shifted-clock",)),
)
"""Ways to cheat, and the tests that are meant for them."""
VARIANTS: tuple[tuple[str, dict[str, object], tuple[str, ...]], ...] = (
    ("ByHeart", {"way": "id", "n": 1}, ("renamed-ids",)),
    ("Nearest", {}, ("old-values", "removed-evidence")),
    ("Learner", {"n": 1}, ("early-questions", "question-order-again")),
    ("Learner", {"n": 2}, ("questions-twice",)),
    ("Cached", {"n": 1}, ("early-questions",)),
    ("Leaking", {"n": 3}, ("withheld-scope",)),
    ("Leaking", {"n": 4}, ("withheld-scope",)),
    ("Undeleting", {"n": 1}, ("erasure-then-search",)),
    ("Undeleting", {"n": 2}, ("deletion-then-search",)),
)
"""Other ways to do the same."""


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    """Keep a small world, and the runs on it."""
    return Laboratory(tmp_path_factory.mktemp("compliance"))


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    """Keep a world of more users, which ways need that show in fewer questions."""
    return Laboratory(tmp_path_factory.mktemp("larger"), users=8)


def opened(laboratory: Laboratory, name: str, parameters: dict[str, object]) -> str:
    """Write the file that opens a cheat, with what it learned by heart."""
    assert laboratory.world
    heart = {"path": str(laboratory.heart)} if name in {"ByHeart", "Nearest"} else {}
    return laboratory.cheat(name, **parameters, **heart)


@pytest.mark.parametrize(("name", "parameters", "tests"), CHEATS)
def test_every_cheat_is_caught_by_the_test_meant_for_it(
    laboratory: Laboratory, name: str, parameters: dict[str, object], tests: tuple[str, ...]
) -> None:
    """Of what a cheat does, the tests for it say that it differs, with an interval or a question to look at."""
    assert_caught(laboratory, name, parameters, tests)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters", "tests"), VARIANTS)
def test_every_way_to_cheat_is_caught(
    larger: Laboratory, name: str, parameters: dict[str, object], tests: tuple[str, ...]
) -> None:
    """However it is done."""
    assert_caught(larger, name, parameters, tests)


def assert_caught(
    laboratory: Laboratory, name: str, parameters: dict[str, object], tests: tuple[str, ...]
) -> None:
    """Assert that the tests meant for a cheat say that it differs."""
    made = laboratory.comply(opened(laboratory, name, parameters), *tests)
    assert failed(made) == set(tests)
    assert all(each.example for each in made.verdicts)
    assert all(each.conversations > 1 and each.n for each in made.verdicts)


def test_an_honest_memory_passes_every_test(laboratory: Laboratory) -> None:
    """BM25 is as it must be in all of them."""
    made = laboratory.comply("bm25")
    assert [each.test for each in made.verdicts] == list(TESTS)
    assert {each.verdict for each in made.verdicts} == {Complied.YES}


@pytest.mark.slow
@pytest.mark.parametrize(
    "ref", ["dense:embedder=hashed", "hybrid:embedder=hashed", "files", "full", "recency", "pipeline", "tfidf"]
)
def test_no_honest_memory_is_accused(larger: Laboratory, ref: str) -> None:
    """Whatever a memory of ours does, no test says that it differs."""
    assert failed(larger.comply(ref)) == set()


def test_who_returns_nothing_shows_nothing(laboratory: Laboratory) -> None:
    """A memory that is always silent is accused of nothing; what it could never show is not called passed."""
    made = laboratory.comply("none", "removed-evidence", "search-before-write", "renamed-ids")
    ended = {each.test: each.verdict for each in made.verdicts}
    assert ended == {
        "removed-evidence": Complied.OPEN,
        "search-before-write": Complied.YES,
        "renamed-ids": Complied.YES,
    }


def test_what_a_memory_does_not_offer_could_not_be_run(laboratory: Laboratory) -> None:
    """Without a way to delete or to erase there is a reason instead of a verdict."""
    made = laboratory.comply("support.systems:Notebook", "deletion-then-search", "erasure-then-search")
    reasons = undecided(made)
    assert "it offers no way to delete every memory" in reasons["deletion-then-search"]
    assert "it offers no way to erase the scope" in reasons["erasure-then-search"]


def test_one_conversation_is_too_few_to_tell(tmp_path: Path) -> None:
    """A difference in one conversation is not called one; the same on every question is the same."""
    alone = Laboratory(tmp_path, users=1)
    path = opened(alone, "Cached", {"n": 0})
    made = alone.comply(path, "early-questions", "question-order")
    assert [each.verdict for each in made.verdicts] == [Complied.YES, Complied.OPEN]
    assert made.verdicts[1].reason


def test_verdicts_are_read_from_frozen_runs_alone(laboratory: Laboratory) -> None:
    """The same runs give the same verdicts again, in whichever order they come behind the original."""
    tests = ("renamed-ids", "withheld-scope")
    made = laboratory.comply("bm25", *tests)
    runs = [run for run in map(load, find_runs([laboratory.folder / "runs"])) if run.label == "bm25"]
    original = [
        run for run in runs if run.manifest.stream.protocol == "clean" and not run.manifest.dataset.options
    ]
    others = [run for run in reversed(runs) if run not in original]
    again = compliance([*original, *others], named_tests(tests), ScoreOptions().settings(), Tolerance(), 0)
    assert again == made


def test_runs_that_differ_in_more_are_refused(laboratory: Laboratory) -> None:
    """A pair of two systems, or of another change, is no pair."""
    for system in ("bm25", "none"):
        laboratory.comply(system, "renamed-ids")
    runs = [load(folder) for folder in find_runs([laboratory.folder / "runs"])]
    gold = {ref: GoldTable.read(open_dataset(ref)) for ref in {run.manifest.dataset.ref for run in runs}}

    def side(label: str, change: str) -> PlayedSide:
        run = next(
            run
            for run in runs
            if (run.label, run.manifest.dataset.options.get("change", "")) == (label, change)
            and run.manifest.stream.protocol == "clean"
        )
        return PlayedSide(run, gold[run.manifest.dataset.ref])

    settings = replace(ScoreOptions().settings(), measures=("Recall@10",))
    for name, label in (("renamed-ids", "none"), ("renamed-values", "bm25"), ("question-order", "bm25")):
        with pytest.raises(IdentityError):
            complied(TESTS[name], PlayedPair(side("bm25", ""), side(label, "renamed-ids")), settings, Tolerance())


def test_every_test_says_what_it_changes_and_what_it_catches() -> None:
    """A test changes the stream or the dataset, and never both."""
    for name, test in TESTS.items():
        assert test.name == name
        assert bool(test.stream) is not bool(test.change)
        assert test.about
        assert test.catches
    assert {test.expected for test in TESTS.values()} == set(ExpectedEffect)
    assert named_tests(["renamed-ids", "old-values"]) == (TESTS["old-values"], TESTS["renamed-ids"])


def test_mistakes_are_named() -> None:
    """An unknown test, and a tolerance within which nothing could fail or hold, are refused."""
    with pytest.raises(UnknownNameError, match="renamed-id"):
        named_tests(["renamed-id"])
    for wrong in (Tolerance(0.0), Tolerance(1.5), Tolerance(0.05, -1.0), Tolerance(float("nan"))):
        with pytest.raises(ConfigError):
            wrong.required()
