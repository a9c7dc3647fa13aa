"""What rules can tell about an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.track.scoring.verdicts import LONGEST, by_rules


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("2025-05-15", "20250515"),
        ("It was on May 15, 2025.", "20250515"),
        ("[FINAL ANSWER] 547", "547"),
        ("There are 9 files.", "9"),
        ("nine", "9"),
        ("The file is prepare.py.", "prepare.py"),
        ("completed", "done"),
        ("It is in_progress", "in progress"),
        ("charlie, in_progress and urgent", "in_progress, charlie"),
        ("ORD-1234", "ord-1234"),
        ("wen, on March 28, 2025", "wen, 2025-03-28"),
        ("dana took it", "dana"),
        ("Sarah", "sarah"),
        ("version v1.4.2", "v1.4.2"),
        ("yes, it was", "yes"),
    ],
)
def test_the_same_fact_in_other_words_is_right(text: str, gold: str) -> None:
    """Dates, numbers, words for a status, markers and lists are read, not compared as texts."""
    found = by_rules(text, gold)
    assert (found.score, found.correct) == (1.0, True)
    assert found.settled


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("2025-05-16", "20250515"),
        ("4858.9001", "547"),
        ("setup.py", "prepare.py"),
        ("v1.4.3", "v1.4.2"),
        ("v1.4.2 or v1.4.3", "v1.4.2"),
        ("v1.4.2, after v1.4.1", "v1.4.2"),
        ("dana or lee", "dana"),
        ("not dana", "dana"),
        ("180-250", "180-200"),
        ("1.4.9", "1.4.2"),
        ("either 9 or 10", "9"),
        ("no", "yes"),
    ],
)
def test_another_fact_is_wrong(text: str, gold: str) -> None:
    """Hedging between two values states neither, and a part of a version or a range is not the whole."""
    found = by_rules(text, gold)
    assert (found.score, found.correct, found.settled) == (0.0, False, False)


PEOPLE = ("mira", "jonas", "oskar", "wen", "ann", "ann lee")


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("It is not POOL_LIMIT", "POOL_LIMIT"),
        ("everything except POOL_LIMIT", "POOL_LIMIT"),
        ("not 212", "212"),
        ("any number other than 212", "212"),
        ("not 2025-03-28", "2025-03-28"),
        ("never mira", "mira"),
        ("anyone but mira", "mira"),
        ("It wasn\u2019t mira", "mira"),
        ("rather than mira", "mira"),
        ("not 40, 48", "40, 48"),
    ],
)
def test_what_is_denied_is_not_stated(text: str, gold: str) -> None:
    """Whatever the accepted answer is; and a judge may still be asked."""
    verdict = by_rules(text, gold, PEOPLE)
    assert (verdict.score, verdict.correct, verdict.settled) == (0.0, False, False)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("mira, oskar, wen, jonas", "mira"),
        ("mira oskar wen jonas", "mira"),
        ("It was mira (before her it was jonas)", "mira"),
        ("vault, vpn, jira", "vault"),
        ("POOL_LIMIT, RETRY_LIMIT, LOG_SAMPLE", "POOL_LIMIT"),
        ("POOL_LIMIT with RETRY_LIMIT", "POOL_LIMIT"),
        ("8 16 24 32", "24"),
    ],
)
def test_whoever_names_every_candidate_has_named_none(text: str, gold: str) -> None:
    """People of the history, names as code has them, values, and items of a list beside the accepted one."""
    assert by_rules(text, gold, PEOPLE).score == 0.0


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("ann lee did it", "ann lee"),
        ("mira, on 28 March", "mira"),
        ("POOL_LIMIT in pool_settings.py, as the URL says", "POOL_LIMIT"),
        ("no, it is off", "no"),
        ("not enabled", "not enabled"),
        ("make prepare, and then port 7410", "make prepare, 7410"),
    ],
)
def test_what_belongs_to_an_answer_takes_nothing_back(text: str, gold: str) -> None:
    """Details of another kind, a name within a name, and a denial that was asked for."""
    assert by_rules(text, gold, PEOPLE).score == 1.0


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("wen, on March 28, 2025", 1.0),
        ("Wen looks after it, and it arrives on 28 March 2025.", 1.0),
        ("wen, 2025-03-28, 2025-04-04", 2 / 3),
        ("mira, jonas, oskar, wen; 2025-03-14, 2025-03-28", 2 / 6),
        ("mira, 2025-03-28", 1 / 3),
    ],
)
def test_a_list_is_a_share_of_all_that_could_be_its_items(text: str, score: float) -> None:
    """A recital of people and dates holds the right ones, and much beside them."""
    assert by_rules(text, "wen, 2025-03-28", PEOPLE).score == pytest.approx(score)


def test_a_list_gets_the_share_that_it_names() -> None:
    """Half of the items are half a point, and not correct."""
    found = by_rules("alice", "alice, bob")
    assert (found.score, found.correct, found.how) == (0.5, False, "list")


def test_silence_is_wrong_and_no_judge_helps() -> None:
    """An empty answer states nothing."""
    found = by_rules(" `` ", "dana")
    assert (found.score, found.how, found.settled) == (0.0, "silence", True)


def test_reciting_everything_answers_nothing() -> None:
    """An answer far longer than the accepted one is not searched for it."""
    found = by_rules("dana " + "and so on " * LONGEST, "dana")
    assert (found.score, found.correct) == (0.0, False)
    assert "longer than" in found.reason


def test_free_text_is_unscored_without_a_judge() -> None:
    """What rules cannot tell has no score, and says why; the same words are right all the same."""
    gold = "the loader retried because the token had expired in staging"
    assert by_rules("tokens ran out", gold).score is None
    assert "judge" in by_rules("tokens ran out", gold).reason
    assert by_rules("it was not the loader, or so it seems", gold).score is None
    assert by_rules(gold.upper(), gold).score == 1.0


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_a_score_is_a_share_or_says_why_there_is_none(text: str, gold: str) -> None:
    """Any two texts can be compared; full marks and correct are the same thing."""
    found = by_rules(text, gold)
    assert (found.score is None and bool(found.reason)) or 0 <= (found.score or 0) <= 1
    assert (found.correct is True) == (found.score == 1.0)
