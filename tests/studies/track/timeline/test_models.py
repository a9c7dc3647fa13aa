"""The schema of timelines, and its files."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.track.timeline.files import (
    fingerprint,
    line_of,
    plain,
    read_document,
    read_timeline,
    write_timeline,
)
from memgauge.studies.track.timeline.models import Event, Platform, Timeline, utc
from support.timeline import lamp

if TYPE_CHECKING:
    from pathlib import Path


def test_a_timeline_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    """Writing loses nothing, and leaves out what is only a default."""
    path = tmp_path / "deep" / "timeline.json"
    write_timeline(path, lamp())
    assert read_timeline(path) == lamp()
    assert "closed_date" not in path.read_text()
    assert next(iter(json.loads(path.read_text()))) == "schema_version"


@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.text(max_size=8), st.dictionaries(st.text(max_size=3), st.integers())),
        max_size=6,
    )
)
def test_any_timeline_survives_its_own_spelling(entries: list[tuple[int, str, dict[str, int]]]) -> None:
    """Whatever texts, times and foreign keys it holds."""
    start = datetime(2025, 1, 1, tzinfo=UTC)
    events = [
        {
            "id": f"e{number}",
            "at": start + timedelta(seconds=seconds),
            "payload": {"kind": "message", "messages": [{"sender": "a", "text": text, "extra": extra}]},
        }
        for number, (seconds, text, extra) in enumerate(sorted(entries, key=lambda one: one[0]))
    ]
    timeline = Timeline.model_validate({"name": "x", "events": events})
    assert Timeline.model_validate(json.loads(json.dumps(plain(timeline)))) == timeline


def test_an_event_knows_its_platform() -> None:
    """The platform follows from the kind of an event."""
    assert [(event.kind, event.platform) for event in lamp().events[:2]] == [
        ("ticket", Platform.LINEAR),
        ("message", Platform.SLACK),
    ]
    assert lamp().event("e6").platform is Platform.GIT
    with pytest.raises(KeyError):
        lamp().event("e99")


def test_naive_times_are_utc() -> None:
    """A time without a zone is UTC, and others are brought to it."""
    naive = datetime(2025, 3, 1, 9)  # noqa: DTZ001 - a time without a zone is the point
    assert utc(naive) == datetime(2025, 3, 1, 9, tzinfo=UTC)
    east = datetime(2025, 3, 1, 9, tzinfo=timezone(timedelta(hours=2)))
    assert utc(east).hour == 7


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"events": [*plain(lamp())["events"], plain(lamp())["events"][-1]]}, "the id 'e8' is used twice"),
        ({"events": list(reversed(plain(lamp())["events"]))}, "is earlier than the event before it"),
        ({"events": plain(lamp())["events"][4:]}, "replies to 'e2', which is no earlier event"),
        ({"questions": [{"id": "q", "text": "?", "answer": "!", "evidence": ["e77"]}]}, "'e77' is no event"),
        ({"questions": [{"id": "q", "text": "?", "answer": "!"}] * 2}, "an id is used twice"),
        ({"surprise": 1}, "Extra inputs are not permitted"),
        ({"schema_version": 2}, "Input should be 1"),
    ],
)
def test_what_does_not_hold_together_is_refused(changes: dict[str, Any], problem: str) -> None:
    """Ids are unique, time ascends, replies and evidence name what is there."""
    with pytest.raises(ValidationError, match=problem):
        lamp(**changes)


@pytest.mark.parametrize("name", ["act:1", "", "two words"])
def test_an_id_of_an_event_is_never_that_of_an_act(name: str) -> None:
    """What the agent does can not be mistaken for an event."""
    with pytest.raises(ValidationError):
        Event.model_validate({"id": name, "at": "2025-01-01", "payload": {"kind": "ticket", "title": "t"}})


def test_a_broken_file_is_refused_with_its_line(tmp_path: Path) -> None:
    """The message names file, line and field."""
    path = tmp_path / "timeline.json"
    document = plain(lamp())
    document["events"][1]["payload"]["messages"][0].pop("sender")
    path.write_text(json.dumps(document, indent=1))
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "Hear, hear" in text) - 1
    with pytest.raises(
        MalformedDataError, match=rf"timeline\.json, line {line}: \$\.events\[1\]\.payload\.messages"
    ):
        read_timeline(path)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("t.json", b"{]", "line 1: this is no JSON"),
        ("t.yaml", b"a: [", "this is no YAML"),
        ("t.json", b"\xff\xfe", "is no UTF-8 text"),
        ("t.json", b"[]", "schema_version is None"),
        ("t.yaml", b"schema_version: 7", "schema_version is 7"),
    ],
)
def test_what_is_no_timeline_says_so(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    """Broken bytes, broken syntax and another version each have a sentence."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MalformedDataError, match=problem):
        read_timeline(tmp_path / name)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    """A missing file is named."""
    with pytest.raises(DataNotFoundError, match="No such file"):
        read_document(tmp_path / "none.json")


def test_the_fingerprint_is_that_of_the_history() -> None:
    """Other questions are another instance of the same history; another event is another history."""
    assert fingerprint(lamp(questions=[])) == fingerprint(lamp())
    assert fingerprint(lamp(events=plain(lamp())["events"][:3], questions=[])) != fingerprint(lamp())


def test_a_place_is_named_even_where_no_line_is_known(tmp_path: Path) -> None:
    """A file that YAML cannot read has places all the same."""
    (tmp_path / "t.json").write_text("{]")
    assert line_of(tmp_path / "t.json", ["a", 0]).endswith("t.json: $.a[0]")
    (tmp_path / "u.json").write_text('{"a":\n [1,\n\t2]}')
    assert line_of(tmp_path / "u.json", ["a", 1]).endswith("u.json, line 3: $.a[1]")
    assert line_of(tmp_path / "u.json", ["b"]).endswith("line 1: $.b")
