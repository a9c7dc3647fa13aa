"""Measures as values: text form, equality, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.measures import BUDGETS, MEASURES, Judged, Measure, Reads, parse

if TYPE_CHECKING:
    from collections.abc import Callable


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Draw any measure that can be written."""
    name = draw(st.sampled_from(MEASURES.names()))
    formula = MEASURES.get(name)
    params = tuple((key, draw(st.sampled_from(values))) for key, values in formula.options.items())
    if formula.ladder or formula.cutoff is None:
        return Measure(name, None, params)
    if formula.tokens and draw(st.booleans()):
        return Measure(name, None, params, draw(st.integers(1, 10_000)))
    length = st.integers(1, 10_000)
    return Measure(name, draw(length if formula.cutoff else length | st.none()), params)


@given(measures(), st.sampled_from([str, str.upper, str.lower]))
def test_text_and_value_are_one(measure: Measure, spell: Callable[[str], str]) -> None:
    """Read every measure of the registry back from its own text, whatever the case of its name."""
    text = str(measure)
    again = parse(text.replace(measure.name, spell(measure.name)))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == text


@given(measures())
def test_a_measure_is_refused_where_it_cannot_be_computed_and_says_who_gives_it(measure: Measure) -> None:
    """Only what a measure is read from is enough for it."""
    reads = measure.formula.reads
    assert measure.required(reads) is measure
    with pytest.raises(ConfigError, match=r"which is not at hand here.*`.*` gives it"):
        measure.required(*(set(Reads) - {reads}))


@pytest.mark.parametrize("name", MEASURES.names())
def test_every_entry_says_what_it_is(name: str) -> None:
    """A sentence, a direction, a unit, what it is undefined for, and how it is written."""
    formula = MEASURES.get(name)
    assert formula.sentence.endswith(".")
    assert formula.undefined
    assert formula.unit
    assert formula.direction.endswith("is better")
    assert str(parse(name + formula.grammar.strip("[]").partition(" or")[0].replace("@k", "@5"))).startswith(name)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" ndcg@60 ", "nDCG@60"),
        ("mrr", "MRR"),
        ("MRR@010", "MRR@10"),
        ("precision( conv = k )@5", "Precision@5"),
        ("Precision(conv=returned)@5", "Precision(conv=returned)@5"),
        ("recall@02000tok", "Recall@2000tok"),
        ("recallcurve", "RecallCurve"),
        ("temporal( STRICT )@05", "Temporal(strict)@5"),
        ("rouge-l", "ROUGE-L"),
        ("f1(Articles)", "F1(articles)"),
        ("contradiction", "Contradiction"),
    ],
)
def test_text_becomes_canonical(text: str, canonical: str) -> None:
    """Bring spacing, case, zeros and defaults into one form."""
    assert str(parse(text)) == canonical


def test_an_unknown_name_gets_a_suggestion() -> None:
    """Suggest the nearest measure for a misspelt one."""
    with pytest.raises(UnknownNameError, match="Did you mean nDCG"):
        parse("ndgc@10")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Recall", "needs a cutoff.*Recall@10"),
        ("Recall@0", "first 0 hits.*at least 1"),
        ("Recall@-3", "first -3 hits"),
        ("Recall@10001", "first 10,001 hits.*10,000 at most"),
        ("Recall@ten", "is not a measure"),
        ("Recall(conv=k)@5", "no parameter 'conv'.*none"),
        ("Precision(convention=k)@5", "no parameter 'convention'.*conv"),
        ("Precision(conv=best)@5", "cannot be 'best'.*returned"),
        ("Precision(returned)@5", "not one key=value"),
        ("Precision(conv=k,conv=cap)@5", "not one key=value"),
        ("Recall@0tok", "first 0 tokens.*at least 1.*Recall@2000tok"),
        ("Recall@10tokens", "is not a measure"),
        ("Precision@2000tok", "Precision has no token budget.*Precision@10"),
        ("F1@10", "F1 looks at no cutoff.*F1 alone"),
        ("RecallCurve@10", "looks at every budget.*RecallCurve alone"),
        ("RecallCurve@2000tok", "looks at every budget"),
    ],
)
def test_what_does_not_fit_says_how_it_would(text: str, message: str) -> None:
    """Name the mistake and the remedy."""
    with pytest.raises(ConfigError, match=message):
        parse(text)


def test_depth_is_the_cutoff() -> None:
    """Tell how many ranks a measure needs."""
    assert (parse("Hit@7").depth, parse("MRR").depth) == (7, None)


@pytest.mark.parametrize("name", ["Contradiction", "AnyContradiction", "Unresolved", "SetF1"])
def test_measures_of_what_is_said_look_at_everything_where_no_cutoff_is_named(name: str) -> None:
    """Those of rankings want one."""
    assert (parse(name).depth, parse(f"{name}@5").depth) == (None, 5)


def test_budgets_are_those_that_a_measure_looks_at() -> None:
    """Tell within how many tokens a ranking has to be judged; a cutoff needs none."""
    assert parse("Hit@7").budgets == ()
    assert parse("Hit@700tok").budgets == (700,)
    assert parse("RecallCurve").budgets == BUDGETS


def test_hits_that_were_judged_by_rank_have_no_value_within_tokens() -> None:
    """Refuse to take ranks for tokens, or one budget for another."""
    table = np.ones((1, 2))
    judged = Judged(table, table, np.ones(1), np.ones(1, np.int32), np.ones(1, np.int32), table)
    with pytest.raises(ConfigError, match="judged within its token budget"):
        parse("Recall@500tok").rows(judged)


def test_too_shallow_a_judgement_is_refused() -> None:
    """Refuse to look at more ranks than were judged."""
    table = np.zeros((1, 3))
    judged = Judged(table, table, np.ones(1), np.ones(1, np.int32), np.ones(1, np.int32), table)
    with pytest.raises(ConfigError, match="Judge with k=5"):
        parse("Recall@5").rows(judged)
