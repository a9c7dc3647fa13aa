"""Git events become commits whose hashes follow from the timeline alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import MalformedDataError
from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.history import EventCommit, events_in, write_events
from memgauge.studies.track.git.repository import empty_repository
from memgauge.studies.track.timeline.models import Commit, Event, SlackEvent, SlackMessage

if TYPE_CHECKING:
    from pathlib import Path

START = datetime(2025, 3, 3, 10, 30, tzinfo=UTC)


def event(number: int, **said: object) -> Event:
    """Make a Git event, one a day."""
    return Event(id=f"e{number}", at=START + timedelta(days=number), payload=Commit.model_validate(said))


def limits(number: int) -> str:
    """Write the file that the events change."""
    return f"LIMIT_OF_TABS = {number}\n"


EVENTS = (
    event(0, author="Bob", message="Limit the tabs", commit_id="9f2a1b7", files={"tabs.py": limits(4)}),
    event(
        1,
        author="Zoë Ö",
        message="Raise the limit\n\nUsers asked.",
        commit_id="e5f1g7h",
        pr="#12",
        files={"tabs.py": limits(12), "docs/tabs.md": "Twelve tabs.\n"},
    ),
    event(2, message="", files={"tabs.py": None}, files_changed=("gone.py",)),
)
HASHES = ["0b2a774c84da", "31a885c345aa", "435542a6b46b"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make an empty repository."""
    return empty_repository(tmp_path / "r.git", "main")


def test_hashes_are_always_the_same(repository: Path) -> None:
    """Author, date, message and content alone make the hash; these were computed once and never change."""
    written = write_events(repository, EVENTS, "main")
    assert [one.sha[:12] for one in written] == HASHES
    shown = git("log", "--format=%an <%ae> %aI %cI %s", at=repository).decode().splitlines()
    assert shown[-1] == (
        "Bob <bob@timeline.invalid> 2025-03-03T10:30:00+00:00 2025-03-03T10:30:00+00:00 Limit the tabs"
    )
    assert shown[1].startswith("Zoë Ö <zo@timeline.invalid> 2025-03-04")
    assert shown[0].startswith("unknown <unknown@timeline.invalid> 2025-03-05")


def test_it_does_not_matter_when_events_are_committed(repository: Path, tmp_path: Path) -> None:
    """One by one or all at once, the chain is the same."""
    once = write_events(repository, EVENTS, "main")
    other = empty_repository(tmp_path / "other.git", "main")
    assert [write_events(other, [one], "main")[0] for one in EVENTS] == list(once)
    assert once[1].tells == ("e5f1g7h", "Raise the limit", "LIMIT_OF_TABS = 12", "Twelve tabs.")
    assert write_events(other, [], "main") == ()


def test_the_timelines_own_names_are_kept_as_trailers(repository: Path) -> None:
    """A commit id that is no hash, a pull request and changed files are there to be read."""
    write_events(repository, EVENTS, "main")
    trailers = git("log", "--format=%(trailers)", at=repository).decode()
    assert "Timeline-Commit: e5f1g7h\nPull-Request: #12" in trailers
    assert "Changed-File: gone.py" in trailers


def test_files_are_set_and_removed(repository: Path) -> None:
    """What an event says of a file is what the commit holds."""
    write_events(repository, EVENTS[:2], "main")
    assert git("show", "main:tabs.py", at=repository) == b"LIMIT_OF_TABS = 12\n"
    write_events(repository, EVENTS[2:], "main")
    assert git("ls-tree", "-r", "--name-only", "main", at=repository) == b"docs/tabs.md\n"


def test_a_new_branch_starts_where_the_first_one_stands(repository: Path) -> None:
    """A merge to another branch opens it; the next one goes on there."""
    fixes = [event(n, message=f"Hot fix {n}", merged_to="release/2") for n in (5, 6)]
    events = [EVENTS[0], *fixes]
    first, second, third = write_events(repository, events, "main")
    chain = git("rev-list", "release/2", at=repository).decode().split()
    assert chain == [third.sha, second.sha, first.sha]
    assert git("rev-parse", "main", at=repository).decode().strip() == first.sha


def test_other_events_are_no_commits(repository: Path) -> None:
    """What was said on Slack is left alone."""
    said = Event(
        id="s", at=START, payload=SlackEvent(messages=(SlackMessage(sender="Bob", text="hi"),), channel="dev")
    )
    assert write_events(repository, [said], "main") == ()


@pytest.mark.parametrize("path", ["../x", "/x", "a/../b", ".git/config", "a/.GIT/x", "a//b", "a\nb", ""])
def test_a_path_that_leads_out_is_refused(repository: Path, path: str) -> None:
    """No event writes outside its repository or into its insides."""
    with pytest.raises(MalformedDataError, match=r"event e9: .* is no path inside a repository"):
        write_events(repository, [event(9, message="m", files={path: "x"})], "main")


@pytest.mark.parametrize("branch", ["../main", "a b", "x.lock", "a..b", "/a", "a~1"])
def test_a_branch_that_is_no_name_is_refused(repository: Path, branch: str) -> None:
    """What git would not take as a branch is named as a mistake of the timeline."""
    with pytest.raises(MalformedDataError, match="is no name for a branch"):
        write_events(repository, [event(9, message="m", merged_to=branch)], "main")


@settings(max_examples=12)
@given(
    author=st.text(max_size=20), message=st.text(max_size=60), name=st.text("ab \"\\'é.-", min_size=1, max_size=8)
)
def test_whatever_an_event_says_can_be_committed(
    author: str, message: str, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Names, messages and paths of any letters make one commit that git finds whole."""
    repository = empty_repository(tmp_path_factory.mktemp("any") / "r.git", "main")
    path = f"x{name}"
    (one,) = write_events(repository, [event(0, author=author, message=message, files={path: message})], "main")
    assert git("rev-parse", "main", at=repository).decode().strip() == one.sha
    assert git("cat-file", "blob", f"main:{path}", at=repository).decode() == message
    git("fsck", "--strict", at=repository)


def test_a_text_reveals_events_by_hash_name_subject_and_new_lines(repository: Path) -> None:
    """Each of the ways in which a commit shows counts, and nothing shorter does."""
    written = write_events(repository, EVENTS, "main")
    assert events_in(f"commit {written[1].sha[:7]}", written) == ("e1",)
    assert events_in(f"commit {written[1].sha[:6]}", written) == ()
    assert events_in("reverted e5f1g7h today", written) == ("e1",)
    assert events_in("* Limit the tabs", written) == ("e0",)
    assert events_in("1: LIMIT_OF_TABS = 12", written) == ("e1",)
    assert events_in("nothing to see", written) == ()


def test_a_line_that_was_there_before_reveals_nothing(repository: Path) -> None:
    """Only what a commit brought is its own; moving or repeating a line is not."""
    first = event(0, message="One one one", files={"a.py": "SHARED_LINE = True\n"})
    second = event(1, message="Two two two", files={"b.py": "SHARED_LINE = True\nOWN_LINE_HERE = 1\n"})
    written = write_events(repository, [first, second], "main")
    assert events_in("SHARED_LINE = True", written) == ("e0",)
    assert events_in("OWN_LINE_HERE = 1", written) == ("e1",)


def test_a_short_subject_is_not_taken_for_a_find() -> None:
    """A message like "Fix" stands in too many texts."""
    assert events_in("Fix it", [EventCommit("e", "a" * 40, "main", ())]) == ()
