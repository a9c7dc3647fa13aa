"""What the shift study says in words and figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.llm.answerers import open_answerer
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.manifest import Limits
from memgauge.stats import Agreement, Interval
from memgauge.studies.shift import words
from memgauge.studies.shift.findings.result import Route
from memgauge.studies.shift.protocol.spec import PRESETS
from memgauge.studies.shift.published import TABLE_1
from memgauge.studies.shift.study import Cast, conduct
from support.shift_result import study

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = Interval(None, None, None, 0, "no question")


def test_a_number_comes_with_its_interval_and_the_published_one() -> None:
    """Brackets for ours, parentheses for theirs, a sign for differences."""
    value = Interval(0.5678, 0.5, 0.6, 10)
    assert words.spoken(words.score(value, 0.568)) == "0.568 [0.500, 0.600] (0.568)"
    assert words.spoken(words.difference(value)) == "+0.568 [+0.500, +0.600]"
    assert words.spoken(words.difference(Interval(-0.1, None, None, 1, "one unit"))) == "-0.100"
    assert words.spoken(words.rank(Agreement(-0.3, 5), 0.25)) == "-0.30 (0.25)"
    assert words.spoken(words.rank(value)) == "0.57 [0.50, 0.60]"


def test_what_is_undefined_says_why() -> None:
    """No number is made up where there is none."""
    assert words.spoken(words.score(NOTHING)) == "undefined: no question"
    assert words.spoken(words.difference(NOTHING)) == "undefined: no question"
    assert words.spoken(words.score(replace(NOTHING, reason=""), 0.5)) == "undefined: nothing to average (0.500)"
    assert words.rank(Agreement(None, 1, "fewer than two to order")).under == "fewer than two to order"
    assert words.rank(NOTHING).under == "no question"


def test_recovery_takes_time_or_does_not_come() -> None:
    """Who does not care is back at once; who never comes back says so; the deficit is an area."""
    result, _ = study({"flat": (0.9, 0.1), "hsr": (0.5, 0.5)}, (0, 100))
    flat, hsr = result.rows
    assert words.back(flat, 100).text == "not yet"
    assert "clean level" in words.back(flat, 100).under
    assert words.back(hsr, 0).text == "T=1"
    assert float(words.deficit(flat, 100).text) > 5
    assert float(words.deficit(hsr, 0).text) == 0


def test_published_numbers_are_found_where_they_were_printed() -> None:
    """A policy or a burst that the paper does not have has none."""
    assert words.published_overall("flat") == TABLE_1["flat"][0]
    assert words.published_recovery("hsr", 0) == TABLE_1["hsr"][1]
    assert words.published_recovery("hsr", 100) == TABLE_1["hsr"][2]
    assert words.published_recovery("hsr", 50) is None
    assert words.published_recovery("mine", 100) is None
    assert words.published_overall("mine") is None
    assert words.published_ranks(100) == (0.6, -0.3)
    assert words.published_ranks(7) == (None, None)


def test_the_verdict_names_both_leaders_and_what_lies_between_them() -> None:
    """Another leader after bursts, a clear gap."""
    sentence = words.verdict(study({"flat": (0.9, 0.1), "hsr": (0.5, 0.5)}, (0, 100))[0])
    assert sentence.startswith(
        "flat is highest overall on the clean stream, but hsr is highest after bursts of 100 turns. "
    )
    assert "Its lead over flat there holds over conversations: +0." in sentence


def test_a_leader_who_stays_is_compared_with_the_next() -> None:
    """The same leader twice, and a gap that is noise."""
    sentence = words.verdict(study({"low": (0.1, 0.1), "b": (0.8, 0.5), "a": (0.9, 0.52)}, (0, 100))[0])
    assert sentence.startswith("a is highest overall on the clean stream, and also after bursts of 100 turns. ")
    assert "Its lead over b there does not hold over conversations: +0." in sentence
    assert sentence.endswith("contains 0.")


def test_without_a_burst_the_verdict_speaks_of_boundaries() -> None:
    """m=0 alone is a natural boundary."""
    sentence = words.verdict(study({"flat": (0.9, 0.1), "hsr": (0.2, 0.5)}, (0,))[0])
    assert "and also after session boundaries" in sentence


def test_equals_lead_together_and_one_policy_leads_nobody() -> None:
    """Ties are named together; who is alone leads nobody; without scores nobody leads."""
    result, _ = study({"a": (1.0, 1.0), "b": (1.0, 1.0), "c": (0.5, 0.1)}, (0, 100))
    sentence = words.verdict(result)
    assert sentence.startswith(
        "a and b are highest overall on the clean stream, and also after bursts of 100 turns."
    )
    assert "The lead over c there holds" in sentence
    assert words.verdict(study({"a": (0.5, 0.5)}, (0, 100))[0]) == "a was played alone, so nobody leads."
    rows = tuple(replace(row, overall=NOTHING) for row in result.rows)
    assert words.verdict(replace(result, rows=rows)) == "No policy has a defined score, so nobody leads."


def test_a_gap_without_an_interval_does_not_hold() -> None:
    """One conversation gives no interval over conversations."""
    result, _ = study({"flat": (0.9, 0.1), "hsr": (0.5, 0.5)}, (0, 100))
    bare = replace(
        result.gaps[0], over_conversations=Interval(-0.4, None, None, 1, "one conversation"), p_adjusted=None
    )
    assert not words.holds(bare)
    sentence = words.verdict(replace(result, gaps=(bare,)))
    assert sentence.endswith("does not hold over conversations: +0.400 (no interval: one conversation).")
    empty = replace(bare, over_conversations=NOTHING)
    assert "undefined: no question" in words.verdict(replace(result, gaps=(empty,)))


def test_what_a_router_chose_is_told_in_shares() -> None:
    """Each arm with its share of the questions."""
    route = Route("ucb", 0, {"flat": 0.25, "hsr": 0.75}, "hsr", NOTHING, NOTHING)
    assert words.chosen(route) == "hsr 75%, flat 25%"


def test_notes_name_what_is_missing(tmp_path: Path) -> None:
    """Evidence that names no turn, questions that failed, and bursts that ran out of turns are told."""
    spec = replace(PRESETS["clean"], bursts=(0, 9_999))
    opened = open_dataset("synthetic:tiny")
    reported = conduct(
        opened,
        spec,
        Cast(("flat",), ("faulty:raises",)),
        tmp_path,
        preset="clean",
        answerer=open_answerer("none"),
        limits=Limits(),
        executor=Inline(),
        draws=20,
    )
    evidence, failed, behind, short = words.notes(reported)
    assert behind == words.RIGHT_BEHIND
    assert "entries of evidence, of which" in evidence
    assert failed.startswith("faulty:raises failed on 50 questions")
    assert "are shorter than 9999" in short
    assert words.notes(replace(reported, short=0, evidence=0, unmatched=0))[0].startswith("0 entries")
    unpinned = replace(reported, dataset=replace(reported.dataset, pinned=False), left_out="Dense is left out.")
    assert words.notes(unpinned)[-2:] == (
        "The data is not known to be the published file.",
        "Dense is left out.",
    )
