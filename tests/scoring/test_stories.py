"""Questions worth reading, with what everybody returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import UnknownNameError
from memgauge.measures import parse
from memgauge.records import Contract, Gold
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.stories import stories, telling
from support.handmade import five_questions, many_questions, question

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.board import QuestionStory

FIVE = GoldTable.read(five_questions())
HIT = parse("Hit@3")


def judged(runs: dict[str, Run], *labels: str, contract: str = "") -> list[JudgedRun]:
    """Judge runs on the five questions."""
    return [align(runs[f"five {label}"], FIVE, Contract.parse(contract), 60) for label in labels]


def tell(runs: dict[str, Run], wanted: str, *labels: str, contract: str = "") -> QuestionStory:
    """Tell one question."""
    (story,) = stories(judged(runs, *labels, contract=contract), FIVE, HIT, {wanted: "asked for"})
    return story


def test_disputed_questions_come_first_then_failed_then_excluded(runs: dict[str, Run]) -> None:
    """Each is chosen once and says why; floors and ceilings have no say."""
    chosen = telling(judged(runs, "Notebook", "Backwards", "oracle"), FIVE, HIT, limit=6)
    assert chosen == {
        "c1-q1": "systems disagree", "c1-q5": "systems disagree", "c1-q3": "not scored", "c1-q4": "not scored",
    }  # fmt: skip
    assert list(chosen.values()) == sorted(chosen.values(), reverse=True)
    failing = telling(judged(runs, "Failing", contract="failures=zero"), FIVE, HIT, limit=6)
    assert sorted(failing.values()) == ["every system fails", "every system fails", "not scored", "not scored"]


def test_without_systems_the_others_are_asked(runs: dict[str, Run]) -> None:
    """A board of floors still has stories."""
    chosen = telling(judged(runs, "Nothing"), FIVE, HIT, limit=3)
    assert list(chosen.values()) == ["every system fails", "not scored", "not scored"]


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 30])
def test_no_more_are_chosen_than_asked_for(runs: dict[str, Run], limit: int) -> None:
    """What other kinds leave free goes to disputed questions."""
    gold = GoldTable.read(many_questions())
    both = [align(runs[f"many {label}"], gold, Contract(), 60) for label in ("Notebook", "Backwards")]
    chosen = telling(both, gold, HIT, limit)
    assert len(chosen) == min(limit, 24)
    assert set(chosen.values()) <= {"systems disagree"}


def test_a_story_shows_gold_and_every_system(runs: dict[str, Run]) -> None:
    """Evidence comes with its text, hits with rank, score, sources and whether they earned credit."""
    story = tell(runs, "c1-q2", "Notebook", "Failing")
    assert (story.question, story.conversation, story.category, story.text) == (
        "c1-q2", "c1", "fact", "What about 2?",
    )  # fmt: skip
    assert (story.answers, story.why, story.excluded, story.erratum) == (("an answer",), "asked for", "", "")
    assert story.evidence == (("t3", "Ada: Mist sleeps on the piano."),)
    good, bad = story.systems
    assert [(hit.rank, hit.memory, hit.credited) for hit in good.hits] == [
        (1, "m-t1", False), (2, "m-t2", False), (3, "m-t3", True),
    ]  # fmt: skip
    assert (good.hits[2].text, good.hits[2].sources, good.hits[2].lineage) == (
        "Mist sleeps on the piano.", ("t3",), "exact",
    )  # fmt: skip
    assert (good.label, good.outcome, good.value) == ("Notebook", "ok", 1.0)
    assert (bad.outcome, bad.value, bad.hits) == ("error", None, ())
    assert bad.reason.startswith("search raised LookupError")


@pytest.mark.parametrize(
    ("contract", "system", "credited"),
    [
        ("target=raw", "Notebook", True),
        ("target=canonical", "Notebook", False),
        ("target=raw", "Digest", False),
        ("target=canonical", "Digest", True),
        ("target=source", "Digest", True),
    ],
)
def test_credit_is_shown_under_the_contract(
    runs: dict[str, Run], contract: str, system: str, credited: bool
) -> None:
    """A derived memory is credited where derived forms count, and only there."""
    story = tell(runs, "c1-q2", system, contract=contract)
    assert any(hit.credited for hit in story.systems[0].hits) is credited


def test_an_excluded_question_says_why(runs: dict[str, Run]) -> None:
    """Evidence that points nowhere is shown as it was written; a doubt is quoted."""
    story = tell(runs, "c1-q4", "Notebook")
    assert (story.excluded, story.evidence) == ("no evidence resolves", (("<t4>", ""),))
    assert story.systems[0].value is None
    assert tell(runs, "c1-q4", "Notebook", contract="evidence=repair").evidence == (
        ("t4", "Ben: I moved to Porto in March."),
    )
    assert tell(runs, "c1-q3", "Notebook").excluded == "no evidence"
    assert tell(runs, "c1-q5", "Notebook").erratum == "wrong: the label is doubted"


def test_a_question_that_was_not_run_is_told_without_hits(runs: dict[str, Run]) -> None:
    """The gold is there, and the system says that it was not asked; abstaining is put into words."""
    more = (question(1), question(2))
    golds = (Gold("c1-q1"), Gold("x", abstain=True))
    gold = GoldTable(FIVE.identity, (more[0], question(9)), golds)
    (story,) = stories([align(runs["five Notebook"], gold, Contract(), 60)], gold, HIT, {"c1-q9": "asked for"})
    assert story.answers == ("(the conversation does not say)",)
    assert (story.systems[0].outcome, story.systems[0].reason, story.systems[0].hits) == ("not run", "", ())


def test_an_unknown_question_gets_a_suggestion(runs: dict[str, Run]) -> None:
    """The nearest ids are named, not thousands."""
    with pytest.raises(UnknownNameError, match=r"Unknown question 'c1-q22'\. Did you mean .*c1-q2.* Available: c"):
        tell(runs, "c1-q22", "Notebook")


def test_a_bundle_without_texts_still_tells(runs: dict[str, Run], tmp_path: Path) -> None:
    """Where the text of a memory was left out, the story says so."""
    path = bundle(runs["five Notebook"].folder, tmp_path / "b.zip", without_text=True)
    with unbundled(path) as folder:
        (story,) = stories([align(load(folder), FIVE, Contract(), 60)], FIVE, HIT, {"c1-q2": ""})
    assert {hit.text for hit in story.systems[0].hits} == {"(text not in this bundle)"}
