"""What is doubtful about an instance is found and placed."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.studies.track.timeline.files import plain
from memgauge.studies.track.timeline.lint import LintLevel, lint, lint_together
from memgauge.studies.track.timeline.observable import unseen
from support.timeline import lamp


def codes(**changes: Any) -> set[tuple[str, str]]:
    """Return code and place of every finding."""
    return {(finding.code, finding.where) for finding in lint(lamp(**changes))}


def asked(text: str = "Who?", answer: str = "omar", **fields: Any) -> dict[str, Any]:
    """Make a question."""
    return {"id": "q1", "text": text, "answer": answer, **fields}


def test_a_good_question_is_no_finding() -> None:
    """An answer that stands in an event is observable; one that does not is said to be elsewhere."""
    found = {finding.where: finding for finding in lint(lamp()) if finding.code == "not-observable"}
    assert list(found) == ["lamp q2"]
    assert found["lamp q2"].level is LintLevel.WARNING
    assert "'96'" in found["lamp q2"].what


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (asked(answer="  "), "unanswerable"),
        (asked(answer="N/A"), "unanswerable"),
        (asked(text=" "), "unanswerable"),
        (asked(answer="zebra"), "not-observable"),
    ],
)
def test_questions_without_an_answer(question: dict[str, Any], code: str) -> None:
    """Nothing to answer with, nothing to ask, and nothing to see."""
    assert (code, "lamp q1") in codes(questions=[question])


def test_a_question_about_a_repository_needs_one() -> None:
    """Without a repository it cannot be answered; with one it need not stand in an event."""
    question = asked(answer="zebra", source="repository")
    assert ("unanswerable", "lamp q1") in codes(questions=[question], repository=None)
    assert not {code for code, where in codes(questions=[question]) if where == "lamp q1"}


def test_evidence_makes_an_unseen_answer_a_note() -> None:
    """Somebody has said where it follows from."""
    (found,) = [
        one for one in lint(lamp(questions=[asked(answer="2", evidence=["e1"])])) if one.where == "lamp q1"
    ]
    assert found.level is LintLevel.NOTE


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("Omar", ()),
        ("omar, in_progress", ()),
        ("2025-03-05", ()),
        ("20250305", ()),
        ("2025-03-10", ()),
        ("[FINAL ANSWER] Spring", ()),
        ("omar; zebra", ("zebra",)),
        ("4", ("4",)),
        ("buffer holds 48", ()),
    ],
)
def test_what_can_be_read_in_the_events(answer: str, missing: tuple[str, ...]) -> None:
    """Parts are looked for apart, days in any spelling, marks not at all, and numbers only whole."""
    assert unseen(answer, lamp()) == missing


def test_repeated_events_and_questions_are_found() -> None:
    """The same content at the same time is a duplicate; an update is none."""
    events = plain(lamp())["events"]
    twice = [*events[:2], {**events[1], "id": "again"}, *events[2:]]
    assert ("duplicate-event", "lamp again") in codes(events=twice)
    assert not any(code == "duplicate-event" for code, _ in codes())
    both = [asked(), {**asked(text="who"), "id": "q9"}]
    assert ("duplicate-question", "lamp q9") in codes(questions=both)


def test_odd_spelling_is_noted() -> None:
    """Statuses, commit ids, channels by case, and messages that go nowhere."""
    events = plain(lamp())["events"]
    events[0]["payload"]["status"] = "paused"
    events[1]["payload"]["extra"] = {"channel": "#devices"}
    events[5]["payload"]["commit_id"] = "e5f1g7h"
    events[6]["payload"] |= {"channel": "Devices", "recipients": []}
    found = codes(events=events)
    assert ("status", "lamp e1") in found
    assert ("channel-spelling", "lamp e2") in found
    assert ("commit-id", "lamp e6") in found
    assert ("channel-spelling", "lamp") in found
    events[6]["payload"]["channel"] = ""
    assert ("no-place", "lamp e7") in codes(events=events)


def test_emptiness_is_an_error() -> None:
    """An instance in which nothing happens measures nothing; without questions it is only a history."""
    found = {finding.code: finding.level for finding in lint(lamp(events=[], questions=[]))}
    assert (found["no-events"], found["no-questions"]) == (LintLevel.ERROR, LintLevel.NOTE)


def test_git_without_content_is_noted() -> None:
    """Events of Git need a repository, and content comes from a file beside it or from the events themselves."""
    assert ("git-missing", "lamp") in codes(repository=None)
    assert ("git-missing", "lamp") not in codes()
    events = plain(lamp())["events"]
    del events[5]["payload"]["files"]
    assert ("git-missing", "lamp") in codes(events=events)
    assert ("git-missing", "lamp") not in codes(events=events, repository={"name": "lamp", "path": "lamp.bundle"})
    assert ("git-missing", "lamp") not in codes(events=events[:5], repository=None, questions=[])


def test_notes_of_an_import_are_findings() -> None:
    """What the importer decided is shown again."""
    assert ("imported", "lamp") in codes(notes=["It was sorted."])


def test_instances_of_one_history_are_one_sample() -> None:
    """Copies are named together."""
    (finding,) = lint_together([lamp(), lamp(name="copy", questions=[]), lamp(events=[], questions=[])])
    assert (finding.code, finding.where) == ("shared-history", "lamp, copy")
