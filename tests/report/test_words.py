"""Figures and sentences that every report shares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.records import (
    BOARD,
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
from memgauge.report.board import document
from memgauge.show.numbers import milliseconds, number, percent
from memgauge.show.safety import clean
from report.boards import board, entry, score, second

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.board import Board, Entry


def test_undefined_is_a_word_and_never_a_zero() -> None:
    """A score without a value is written as undefined, and a share as not available."""
    assert number(None) == "undefined"
    assert percent(None) == "n/a"


@pytest.mark.parametrize(("ms", "text"), [(0.1234, "0.12"), (12.34, "12.3"), (1234.5, "1,234")])
def test_durations_keep_three_digits(ms: float, text: str) -> None:
    """Durations are as precise as they are small."""
    assert milliseconds(ms) == text


def test_clean_removes_what_a_terminal_obeys() -> None:
    """Escape sequences, C1 controls, delete, lone surrogates and non-characters lose their power."""
    assert clean("a\x1b[31m\x9b\x7f\ud800\uffff\r\n\té") == "a\ufffd[31m\ufffd\ufffd\ufffd\ufffd\ufffd\n\té"


def test_every_contract_has_words() -> None:
    """Each value of each contract key has a sentence of its own."""
    kinds = (Target, Credit, EvidencePolicy, Items, Failures, Witness, Unlabelled)
    names = ("target", "credit", "evidence", "items", "failures", "witness", "unlabelled")
    for name, kind in zip(names, kinds, strict=True):
        said = {words.contract_sentence(Contract.parse(f"{name}={value}")) for value in kind}
        assert len(said) == len(list(kind))


def ranked(*labels: str, ranks: Sequence[tuple[int, int, int] | None]) -> Board:
    """Make a board of systems with these ranks, each with the least and the greatest that it may have."""
    entries = tuple(_held(entry(label), held) for label, held in zip(labels, ranks, strict=True))
    return replace(board(), contract=BOARD, entries=entries)


def _held(made: Entry, ranks: tuple[int, int, int] | None) -> Entry:
    place, low, high = ranks or (None, None, None)
    return replace(made, rank=place, rank_low=low, rank_high=high)


def test_verdict_names_who_may_be_the_best_and_who_is_behind() -> None:
    """The verdict follows the confidence sets of ranks and compares with the floor."""
    assert words.verdict(board()) == (
        "Of a perfect order, what is needed first, hybrid reaches 56 % within its first 60 hits (nDCG@60). "
        "hybrid and bm25 may each be the best: 10 conversations cannot tell them apart. "
        "dense and recency are behind. Every ranked system rises above the floor random."
    )


@pytest.mark.parametrize(
    ("tried", "text"),
    [
        ("dense", "dense reaches 50 % within its first 60 hits (nDCG@60): rank 3 of 4."),
        ("random", "random reaches 3.6 % within its first 60 hits (nDCG@60): not ranked."),
        ("hybrid", ""),
        ("nobody", ""),
    ],
)
def test_the_memory_that_was_tried_is_spoken_of_first(tried: str, text: str) -> None:
    """What it reaches and its rank, but where the verdict begins with it."""
    told = words.own_result(board(), tried)
    assert told.endswith(text)
    assert bool(told) is bool(text)
    assert document(board(), tried=tried).lead.startswith(told)


def test_verdict_says_who_is_undefined_and_why() -> None:
    """A system without a value is named with its reason."""
    assert words.verdict(second()).endswith("dense has no nDCG@60: every search failed.")


def test_verdict_names_systems_that_do_not_clear_the_floor() -> None:
    """A system whose interval reaches the floor's is not said to rise above it."""
    weak = replace(entry("recency"), scores={m: score(m, 0.04) for m in board().measures})
    made = replace(board(), entries=(entry("bm25"), weak, entry("random")))
    assert "recency is behind, and does not clearly rise above the floor random." in words.verdict(made)
    both = replace(made, entries=(replace(weak, label="other"), weak, entry("random")))
    assert "other and recency are behind, and do not clearly rise" in words.verdict(both)
    level = replace(made, entries=(entry("bm25"), replace(weak, rank_low=1), entry("random")))
    assert "recency does not clearly rise above the floor random." in words.verdict(level)


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        (
            ((1, 1, 1), (2, 2, 2)),
            "It leads: no other ranked system may be the best. bm25 is behind.",
        ),
        (
            ((1, 1, 2), (2, 1, 2)),
            "hybrid and bm25 may each be the best: 10 conversations cannot tell them apart.",
        ),
        (((1, 1, 1), None), "It is the only ranked system; there is nothing to compare it with."),
    ],
)
def test_verdict_of_two_systems(ranks: tuple[tuple[int, int, int] | None, ...], text: str) -> None:
    """Leading, perhaps being the best and being alone read differently, after what was reached in plain words."""
    reached = "Of a perfect order, what is needed first, hybrid reaches 56 % within its first 60 hits (nDCG@60). "
    assert words.verdict(ranked("hybrid", "bm25", ranks=ranks)) == reached + text


def test_nobody_leads_where_nobody_is_ranked() -> None:
    """Without a ranked system the verdict names no leader."""
    assert words.verdict(ranked("hybrid", "bm25", ranks=(None, None))) == "No system has a defined nDCG@60."


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        ("Recall@10", "Of what is needed to answer, bm25 hands over 50 % within its first 10 hits (Recall@10)"),
        (
            "Hit@1",
            "For 50 % of the questions, bm25 hands over something that is needed within its first 1 hit (Hit@1)",
        ),
        ("MRR", "Of a perfect order, something needed first, bm25 reaches 50 % within all that it returns (MRR)"),
        ("MAP@5", "bm25 reaches 0.500 on MAP@5"),
        ("Precision(conv=cap)@5", "bm25 reaches 0.500 on Precision(conv=cap)@5"),
    ],
)
def test_a_measure_is_said_in_everyday_words(measure: str, text: str) -> None:
    """What everybody can understand is said so; any other measure by its name and figure."""
    made = replace(entry("bm25"), scores={measure: score(measure, 0.5)})
    assert words.in_words(measure, made) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0 %"), (0.004, "0.4 %"), (0.1, "10 %"), (0.715, "72 %"), (1.0, "100 %")]
)
def test_shares_have_digits_only_where_they_matter(value: float, text: str) -> None:
    """A share is said without digits unless it is small."""
    assert words.share(value) == text


def test_a_budget_of_tokens_is_said_in_words() -> None:
    """Who leads on evidence within a budget is said as somebody understands it who is handed the text."""
    made = ranked("hybrid", "bm25", ranks=((1, 1, 1), (2, 2, 2)))
    name = "Recall@2000tok"
    budgeted = tuple(replace(e, scores={name: score(name, 0.5)}) for e in made.entries)
    assert words.verdict(replace(made, measures=(name,), entries=budgeted)).startswith(
        "Of what is needed to answer, hybrid hands over 50 % within the 2,000 tokens that a reader pays for"
    )


def test_who_does_not_rise_above_its_own_floor_never_leads() -> None:
    """A system whose own memories do as well in random order is ahead at most."""
    made = ranked("hybrid", "bm25", ranks=((1, 1, 1), (2, 2, 2)))
    flat = replace(made, entries=(replace(made.entries[0], no_lead="chooses nothing"), made.entries[1]))
    assert "It is ahead, but nobody leads: it chooses nothing." in words.verdict(flat)
    assert " leads " not in words.verdict(flat)


def test_both_reasons_why_nobody_leads_are_said() -> None:
    """Conversations do not tell two apart, and a third is cut at k: each is a reason of its own."""
    made = ranked("hybrid", "bm25", "dense", ranks=((1, 1, 2), (2, 1, 2), (3, 1, 3)))
    name = "Recall@2000tok"
    entries = [replace(e, scores={name: score(name, 0.5)}) for e in made.entries]
    cut = replace(entries[2], short_of={2_000: 90})
    assert (
        "hybrid, bm25 and dense may each be the best: 10 conversations cannot tell them apart, and lists of dense "
        "end at k=60 before 2,000 tokens are full, and more may lie below; play and score with --k 90 or more."
    ) in words.verdict(replace(made, measures=(name,), entries=(*entries[:2], cut)))


def test_nobody_is_held_against_a_floor_by_what_k_cut() -> None:
    """A floor whose lists end at k may be higher, and a system below it too; all else is told as ever."""
    made, name = ranked("hybrid", "bm25", ranks=((1, 1, 1), (2, 2, 2))), "Recall@2000tok"
    values = {"hybrid": 0.9, "bm25": 0.1, "none": 0.2}
    floor = replace(entry("bm25"), label="none", role="floor", rank=None)
    entries = {e.label: replace(e, scores={name: score(name, values[e.label])}) for e in (*made.entries, floor)}

    def said(*cut: str) -> str:
        short = {label: {2_000: 90} if label in cut else {} for label in entries}
        listed = tuple(replace(e, short_of=short[label]) for label, e in entries.items())
        return words.verdict(replace(made, measures=(name,), entries=listed))

    assert "above the floor none" in said()
    assert "the floor" not in said("none")
    assert "the floor" not in said("bm25")
    assert "above the floor none" in said("hybrid")


def test_a_change_of_order_by_claims_is_said() -> None:
    """Where believing what systems claim would order them otherwise, a note says how."""
    made = ranked("hybrid", "bm25", ranks=((1, 1, 1), (2, 2, 2)))
    claims = tuple(replace(e, claimed=score("nDCG@60", v)) for e, v in zip(made.entries, (0.6, 0.9), strict=True))
    claimed = replace(made, entries=claims)
    assert words.by_claims(claimed) == "By what the systems claim of themselves the order would be bm25, hybrid."
    assert words.by_claims(claimed) in [note.text for note in document(claimed).notes]
    assert words.by_claims(made) == ""


def test_a_contract_that_ranks_nobody_says_why() -> None:
    """Values that systems could choose the questions of are shown without ranks, and the reason is said."""
    made = replace(ranked("hybrid", "bm25", ranks=(None, None)), contract=Contract())
    assert words.verdict(made).startswith("Nobody is ranked under this contract: failed searches are left out")


def test_who_is_marked_stands_in_no_verdict() -> None:
    """An unranked system is not named; the marks below the table say why."""
    made = ranked("hybrid", "bm25", ranks=((1, 1, 1), None))
    marked = replace(made, entries=(made.entries[0], replace(made.entries[1], marks=("a stand-in",))))
    assert "bm25" not in words.verdict(marked)
    alone = replace(marked, entries=marked.entries[1:])
    assert words.verdict(alone) == "Nobody is ranked; the marks below the table say why."


def test_verdict_of_a_board_with_only_a_floor_compares_nothing() -> None:
    """Without systems nobody rises above the floor."""
    bare = replace(board(), contract=BOARD, entries=(entry("random"),))
    assert words.verdict(bare) == "Nobody is ranked: here are floors and ceilings alone."


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


def test_a_difference_that_cannot_be_is_not_named() -> None:
    """Where so few conversations show no difference at all, the sentence says so and asks for more."""
    sentence = words.detectable(replace(board(), minimum_detectable=1.4))
    assert "no difference" in sentence
    assert "1.4" not in sentence
    assert "truly differed by 0.999" in words.detectable(replace(board(), minimum_detectable=0.999))


def test_a_board_says_for_how_many_comparisons_its_power_is() -> None:
    """One of every two ranked systems; floors are in none."""
    made = replace(board(), minimum_detectable=0.1)
    assert " chance, corrected for 6 pairs of systems; half" in words.detectable(made)
    ranked_entries = [each for each in made.entries if each.rank is not None]
    floors = [each for each in made.entries if each.rank is None]
    two = replace(made, entries=(*ranked_entries[:2], *floors))
    assert floors
    assert " chance, by one comparison; half" in words.detectable(two)
