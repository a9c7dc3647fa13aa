"""Figures and sentences that every report shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgauge.records import (
    Contract,
    Credit,
    Denominator,
    EvidencePolicy,
    Failures,
    Items,
    Target,
    Unlabelled,
    Witness,
)
from memgauge.report import words
from report.boards import board, entry, score, second


def test_undefined_is_a_word_and_never_a_zero() -> None:
    """A score without a value is written as undefined, and a share as not available."""
    assert words.number(None) == "undefined"
    assert words.percent(None) == "n/a"


@pytest.mark.parametrize(("ms", "text"), [(0.1234, "0.12"), (12.34, "12.3"), (1234.5, "1,234")])
def test_durations_keep_three_digits(ms: float, text: str) -> None:
    """Durations are as precise as they are small."""
    assert words.milliseconds(ms) == text


def test_clean_removes_what_a_terminal_obeys() -> None:
    """Escape sequences, C1 controls, delete, lone surrogates and non-characters lose their power."""
    assert words.clean("a\x1b[31m\x9b\x7f\ud800\uffff\r\n\té") == "a\ufffd[31m\ufffd\ufffd\ufffd\ufffd\ufffd\n\té"


def test_every_contract_has_words() -> None:
    """Each value of each contract key has a sentence of its own."""
    kinds = (Target, Credit, EvidencePolicy, Items, Failures, Witness, Unlabelled)
    names = ("target", "credit", "evidence", "items", "failures", "witness", "unlabelled")
    for name, kind in zip(names, kinds, strict=True):
        said = {words.contract_sentence(Contract.parse(f"{name}={value}")) for value in kind}
        assert len(said) == len(list(kind))


def test_verdict_names_who_leads_and_who_cannot_be_told_apart() -> None:
    """The verdict follows the tie groups and compares with the floor."""
    assert words.verdict(board()) == (
        "hybrid and bm25 lead on nDCG@60 and cannot be told apart; dense follows; recency comes last. "
        "Every scored system rises above the floor random."
    )


def test_verdict_says_who_is_undefined_and_why() -> None:
    """A system without a value is named with its reason."""
    assert words.verdict(second()).endswith("dense has no nDCG@60: every search failed.")


def test_verdict_names_systems_that_do_not_clear_the_floor() -> None:
    """A system whose interval reaches the floor's is not said to rise above it."""
    weak = replace(entry("recency"), scores={m: score(m, 0.04) for m in board().measures})
    made = replace(board(), entries=(entry("bm25"), weak, entry("random")))
    assert "recency does not clearly rise above the floor random." in words.verdict(made)
    both = replace(made, entries=(replace(weak, label="other"), weak, entry("random")))
    assert "other and recency do not clearly rise" in words.verdict(both)


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ((1, 2), "hybrid leads on nDCG@60; bm25 comes last."),
        ((1, 1), "hybrid and bm25 lead on nDCG@60 and cannot be told apart."),
        ((1, None), "hybrid is the only system with a defined nDCG@60; there is nothing to compare it with."),
        ((None, None), "No system has a defined nDCG@60."),
    ],
)
def test_verdict_of_two_systems(groups: tuple[int | None, int | None], text: str) -> None:
    """Leading, being tied, being alone and nobody being placed read differently."""
    pair = zip(("hybrid", "bm25"), groups, strict=True)
    made = replace(board(), entries=tuple(replace(entry(label), tie_group=g) for label, g in pair))
    assert words.verdict(made) == text


def test_verdict_of_a_board_with_only_a_floor_compares_nothing() -> None:
    """Without systems nobody rises above the floor."""
    assert words.verdict(replace(board(), entries=(entry("random"),))) == "No system has a defined nDCG@60."


def test_verdict_counts_a_tied_middle_and_a_tied_end() -> None:
    """Plural groups in the middle and at the end use plural verbs."""
    order = zip(("oracle", "hybrid", "bm25", "dense", "recency"), (1, 2, 2, 3, 3), strict=True)
    made = replace(board(), entries=tuple(replace(entry(label), role="system", tie_group=g) for label, g in order))
    assert words.verdict(made) == (
        "oracle leads on nDCG@60; hybrid and bm25 follow and cannot be told apart; "
        "dense and recency come last and cannot be told apart."
    )
    only_floor = replace(made, entries=(replace(entry("hybrid"), tie_group=1, role="ceiling"), entry("random")))
    assert "floor" not in words.verdict(only_floor)


def test_denominators_name_only_who_differs() -> None:
    """The common denominator is said once; a system with another one is named."""
    assert words.denominators(board()) == (
        "questions scored: 1977/1986 (4 no evidence, 5 no evidence resolves); "
        "recency 1974/1986 (4 no evidence, 5 no evidence resolves, 3 timeout)"
    )


def test_intervals_and_power_are_silent_when_unknown() -> None:
    """What was not computed is not written."""
    bare = replace(score("MRR", 0.5, denominator=Denominator(1, 1)), low=None)
    assert words.interval(bare) == ""
    assert words.detectable(second()) == ""
