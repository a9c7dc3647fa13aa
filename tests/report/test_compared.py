"""What a comparison says: verdicts, power and equality in words that are true of the test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgauge.report.compared import document, documents, notes, p_value, verdict_sentence
from memgauge.results import plain
from memgauge.scoring.compare import Comparison, Difference
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.ended import ShortLists
from memgauge.scoring.ended_pairs import EndedPair
from memgauge.show.fitting import fitted
from memgauge.show.html import page
from memgauge.show.markdown import markdown
from memgauge.show.terminal import printed

SHOWN = Difference(
    "nDCG@10", 0.3, 0.4, 0.1, 0.05, 0.15, 0.06, 0.14, 279, 60, 20, "t on CR2 errors", 0.001, 0.005, 0.07,
    Conclusion.BETTER, clusters=8,
)  # fmt: skip


def comparison(difference: Difference, margin: float | None = None) -> Comparison:
    """Compare two runs on one measure."""
    return Comparison("a", "b", "system", "target=source", (difference,), 0, margin)


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (Conclusion.BETTER, "b is better than a on nDCG@10"),
        (Conclusion.WORSE, "b is worse than a on nDCG@10"),
        (Conclusion.HIGHER, "b is higher than a on nDCG@10, not confirmed after correction"),
        (Conclusion.OPEN, "b and a cannot be told apart on nDCG@10"),
        (Conclusion.EQUAL, "b and a are equal within 0.02 on nDCG@10"),
        (Conclusion.SAME, "b and a are the same on every question on nDCG@10"),
    ],
)
def test_every_verdict_has_its_own_sentence(verdict: Conclusion, sentence: str) -> None:
    """What cannot be told apart, what is equal and what is not confirmed are different sentences."""
    figures = "+0.100 [+0.050, +0.150] over 279 shared questions."
    assert verdict_sentence(replace(SHOWN, verdict=verdict), "a", "b", 0.02) == f"{sentence}: {figures}"


def test_conversations_that_all_differ_alike_say_why_nothing_is_shown() -> None:
    """Nothing beside everything over five conversations: all that is known of chance is how signs may fall."""
    alike = replace(SHOWN, verdict=Conclusion.OPEN, difference=-1.0, low=None, high=None, clusters=5, se=0.0)
    said = verdict_sentence(alike, "a", "b")
    assert said.endswith(" which chance alone would bring about once in 16 times: measure more conversations.")
    assert "All 5 conversations" not in verdict_sentence(replace(alike, se=0.1), "a", "b")
    assert "All 5 conversations" not in verdict_sentence(replace(alike, difference=0.0), "a", "b")


def test_one_conversation_says_why_nothing_was_tested() -> None:
    """Without a test there is no verdict, no interval and no power, but a reason."""
    alone = replace(
        SHOWN, verdict=Conclusion.NONE, low=None, high=None, clusters=1, minimum_detectable=None, reason="only one"
    )
    assert verdict_sentence(alone, "a", "b").startswith(
        "Nothing can be said of b beside a on nDCG@10, because only"
    )
    assert list(notes(comparison(alone))) == ["No interval and no test: only one."]


def test_notes_say_what_was_tested_and_with_which_chance() -> None:
    """Conversations, correction and the detectable difference stand there, equality where it was asked for."""
    tested, power = notes(comparison(SHOWN))
    assert "over 8 conversations" in tested
    assert power == "A true difference of 0.070 in nDCG@10 would get a verdict with a chance of 80 %."
    of_two = replace(comparison(SHOWN), together=2)
    assert list(notes(of_two))[1].endswith("with a chance of 80 %, corrected for 1 measure of 2 comparisons.")
    undecided = comparison(replace(SHOWN, verdict=Conclusion.OPEN))
    assert "Cannot be told apart is not equal" in list(notes(undecided))[-1]
    assert list(notes(comparison(SHOWN, 0.02)))[-1].startswith("Equal within the margin of 0.02")
    alone = comparison(replace(SHOWN, verdict=Conclusion.LOWER))
    assert "not confirmed after correction" in list(notes(alone))[-1].lower()
    less = comparison(replace(SHOWN, measure="Contradiction@5"))
    assert list(notes(less))[-1] == "Less is better in Contradiction@5."
    unknown = replace(SHOWN, minimum_detectable=None, reason="no spread")
    assert list(notes(comparison(unknown)))[-1] == "What would have been seen is unknown: no spread."


BOTH = EndedPair(ShortLists(60, 8_000, 280), ShortLists(60, 4_000, 310), Conclusion.BETTER)
CUT = replace(
    SHOWN, measure="Recall@8000tok", verdict=Conclusion.CUT, minimum_detectable=None,
    ended=BOTH,
)  # fmt: skip
ENDS = "lists of a and b end at k=60 before 4,000 tokens are full"


def test_what_k_cuts_is_not_told_on_any_surface() -> None:
    """Sentence, table and notes say whose lists end where, what was seen in them, and which k would do."""
    made = comparison(CUT)
    sentence = verdict_sentence(CUT, "a", "b")
    assert sentence == (
        f"Whether b is better than a on Recall@8000tok is not told, because {ENDS}; of what was kept: "
        "+0.100 [+0.050, +0.150] over 279 shared questions."
    )
    said = list(notes(made))
    (told,) = said[1:]
    assert told == (
        f"Recall@8000tok: {ENDS}. More of either may lie below, so nobody is called better, worse or equal there, "
        "and how small a difference would have been seen is not known. Play and score both with --k 310 or more."
    )
    shown = document(made)
    for surface in (page(shown), markdown(shown), printed(shown)):
        words = " ".join(surface.split())
        assert "not told: lists end at k" in words
        assert "of what was kept: better" in words
        assert "--k 310 or more" in words
    data = plain(shown.data)["differences"][0]
    assert (data["verdict"], data["ended"]["shown"], data["minimum_detectable"]) == (
        "not told: lists end at k", "better", None,
    )  # fmt: skip
    assert data["ended"]["b"] == {"k": 60, "before": 4_000, "enough": 310}


def test_a_cut_run_that_is_ahead_is_so_by_that_or_more() -> None:
    """A bound is told as one; which is better stays, and nothing is said of what would have been seen."""
    ahead = replace(CUT, verdict=Conclusion.BETTER, ended=replace(BOTH, a=None))
    ends = "lists of b end at k=60 before 4,000 tokens are full"
    assert verdict_sentence(ahead, "a", "b").startswith(
        f"b is better than a on Recall@8000tok, by this or more ({ends}): +0.100"
    )
    assert list(notes(comparison(ahead)))[-1] == (
        f"Recall@8000tok: {ends}. More of b may lie below, which could only add to what is told. "
        "Play and score both with --k 310 or more."
    )
    (table,) = document(comparison(ahead)).tables
    cell = table.rows[0][-1]
    assert (cell.text, cell.under, cell.mark) == ("better", "(or more)", "told")


def test_a_comparison_of_k_is_told_as_one() -> None:
    """Where the two were to keep different numbers of memories, k is what is compared."""
    ended = EndedPair(ShortLists(30, 1_000, 90), ShortLists(60, 4_000, 310), Conclusion.BETTER, of_k=True)
    limits = replace(CUT, verdict=Conclusion.BETTER, ended=ended)
    ends = "lists of a at k=30 and of b at k=60 end before 1,000 tokens are full"
    assert f"b is better than a on Recall@8000tok, as one of k ({ends}): " in verdict_sentence(limits, "a", "b")
    assert list(notes(comparison(limits)))[-1].endswith("so the difference is told as one of k.")


def test_a_baseline_of_an_earlier_version_may_be_cut() -> None:
    """What its file does not say is not known, and that is said."""
    made = replace(comparison(SHOWN), unknown_ends=("Recall@8000tok",))
    assert "before the budgets of 1 measure are full (Recall@8000tok) is not known" in list(notes(made))[-1]


def test_small_p_values_are_bounded() -> None:
    """A p-value below what the test can tell is written as a bound, and one that is undefined as that."""
    assert [p_value(p) for p in (None, 0.00001, 0.04321)] == ["undefined", "< 0.0001", "0.0432"]


def test_a_comparison_is_a_table_that_fits_80_columns() -> None:
    """Value, difference, interval and verdict are never left out; the rest is on the page, or where room is."""
    (table,) = document(comparison(SHOWN)).tables
    shown, dropped = fitted(table, 80)
    assert shown.heads[:4] == ("measure", "a", "b", "difference")
    assert shown.heads[-1] == "verdict"
    assert "over questions" in dropped
    assert table.rows[0][3].under == "[+0.050, +0.150]"
    assert table.rows[0][3].low == SHOWN.low


def test_the_wild_bootstrap_brings_its_own_columns() -> None:
    """Both p-values stand beside the corrected one where it was asked for, and neither where it was not."""
    (bare,) = document(comparison(SHOWN)).tables
    (wild,) = document(comparison(replace(SHOWN, p_wild=0.01))).tables
    assert set(wild.heads) - set(bare.heads) == {"p (CR2)", "p (wild)"}


def test_runs_of_one_name_are_told_apart() -> None:
    """Two columns of one head would be one in a data frame."""
    (table,) = document(replace(comparison(SHOWN), b="a")).tables
    assert table.heads[1:3] == ("a", "a (b)")
    (table,) = document(replace(comparison(SHOWN), a="m:Memory main", b="m:Memory 014f8ff")).tables
    assert table.heads[1:3] == ("main", "014f8ff")


def test_questions_scored_on_one_side_are_counted() -> None:
    """What is left out of a comparison is said before anything else."""
    assert next(notes(replace(comparison(SHOWN), unpaired=3))) == (
        "3 questions scored on one side only and left out."
    )


def test_several_comparisons_are_sections_and_one_list_of_data() -> None:
    """Every comparison keeps its sentence, its table and its notes; programs get a list, of one too."""
    each = comparison(SHOWN)
    made = documents([each, each])
    assert len({table.key for table in made.tables}) == 2
    assert plain(made.data) == plain([each, each])
    assert plain(documents([each]).data) == plain([each])


def test_a_difference_that_only_the_correction_hides_is_told_apart_from_a_board() -> None:
    """A board tests its first measure alone, so that both are true of the same two runs."""
    one = comparison(replace(SHOWN, verdict=Conclusion.HIGHER))
    assert not any("A board tests" in note for note in notes(one))
    hidden = replace(one, differences=(*one.differences, SHOWN))
    (told,) = [note for note in notes(hidden) if note.startswith("Not confirmed after correction")]
    assert told.endswith("`-m` with one measure compares as it does.")
    assert not any("A board tests" in note for note in notes(comparison(SHOWN)))
