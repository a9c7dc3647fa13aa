"""Drafts by rules."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.studies.track.curation.assemble import assembled, numbered
from memgauge.studies.track.curation.candidates import candidates, choose
from memgauge.studies.track.curation.dump import read_dump
from memgauge.studies.track.curation.review import switches
from memgauge.studies.track.curation.ruled_issue import draft_issue, plain_words
from memgauge.studies.track.curation.ruled_task import draft_task
from memgauge.studies.track.curation.seed import Approach, IssueOrigin, Seed
from memgauge.studies.track.timeline.models import Commit, SlackEvent, Ticket
from support.track.curation import TASK

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def origin(cloned: tuple[Path, Path, dict[str, str]]) -> IssueOrigin:
    """Return the issue that can be used."""
    clone, dump, _ = cloned
    found = choose(candidates(clone, read_dump(dump)))
    assert found.change is not None
    return IssueOrigin(
        repository="slugs", branch="trunk", clone=str(clone), issue=found.issue, change=found.change
    )


def test_an_issue_is_told_on_three_platforms(origin: IssueOrigin) -> None:
    """Report, ticket, talk, change and end each stand where they belong, in the order in which they happened."""
    draft = draft_issue(origin)
    kinds = [event.kind for event in draft.events]
    assert (kinds.count("message"), kinds.count("ticket"), kinds.count("commit")) == (6, 3, 1)
    timeline = assembled(Seed(name="s", approach=Approach.BOTTOM_UP, origin=origin), draft, "repository.bundle")
    assert timeline.repository is not None
    assert (timeline.repository.branch, timeline.repository.commit) == ("trunk", origin.change.base)
    (commit,) = (event.payload for event in timeline.events if isinstance(event.payload, Commit))
    assert (commit.files, commit.pr) == (origin.change.files, "#11")
    assert timeline.teams[0].members


def test_the_hardest_question_needs_all_three(origin: IssueOrigin) -> None:
    """Five hops, three changes of platform, and an answer that is what the change did."""
    draft = draft_issue(origin)
    timeline = assembled(Seed(name="s", approach=Approach.BOTTOM_UP, origin=origin), draft)
    hard, who, when = timeline.questions
    assert (hard.hops, switches(hard, timeline), hard.answer) == (5, 3, "old.txt, slugs/cut.py")
    assert (who.answer in hard.text, when.answer) == (False, "2025-02-06")


def test_no_account_is_named(origin: IssueOrigin) -> None:
    """Real people stay out of an instance."""
    written = draft_issue(origin).model_dump_json()
    assert "octo-" not in written
    assert "e.invalid" not in written


def test_a_message_is_what_somebody_would_say() -> None:
    """No code, quotation, heading, picture or address; long texts end early."""
    text = "# Title\n> quoted\nSee [the page](https://a.invalid) at https://b.invalid\n"
    text += "```\ncode\n```\n![x](y.png) now"
    assert plain_words(text, 9) == "See the page at now"
    assert plain_words(text, 2) == "See the …"


def test_a_task_becomes_a_skeleton() -> None:
    """One event a sentence, on the platform that it speaks of, by the person who acts; nothing is asked."""
    draft = draft_task(TASK)
    assert [event.kind for event in draft.events] == [
        "message", "ticket", "message", "commit", "ticket", "message",
    ]  # fmt: skip
    opened, closed = (event.payload for event in draft.events if isinstance(event.payload, Ticket))
    assert (opened.lead, opened.status, closed.title, closed.status) == ("ben", "todo", opened.title, "done")
    talk = draft.events[2].payload
    assert isinstance(talk, SlackEvent)
    assert (talk.messages[0].sender, talk.recipients) == ("ada", ("ben",))
    assert draft.questions == ()
    timeline = assembled(Seed(name="Search It", approach=Approach.TOP_DOWN), draft)
    assert timeline.repository is not None
    assert timeline.repository.name == "search-it"
    assert draft_task(TASK) == draft


def test_an_empty_task_is_refused() -> None:
    """Nothing follows from nothing."""
    with pytest.raises(ConfigError, match="says nothing"):
        draft_task(" \n - \n")


@given(sentences=st.lists(st.text("AbBen ticketcommit,", min_size=1, max_size=40), min_size=1, max_size=12))
def test_every_task_makes_an_instance(sentences: list[str]) -> None:
    """Whatever is told: as many events as lines that say something, on working days, one after another."""
    told = [line for line in sentences if line.strip(" -*\t")]
    if not told:
        return
    events = assembled(Seed(name="s", approach=Approach.TOP_DOWN), draft_task("\n".join(sentences))).events
    assert len(events) == len(told)
    assert all(event.at.weekday() < 5 for event in events)
    assert all(one.at < other.at for one, other in pairwise(events))


def test_new_ids_avoid_those_that_are_there() -> None:
    """Ids that are taken are passed over."""
    assert numbered("x", {"x01", "x03"}, 3) == ["x02", "x04", "x05"]
