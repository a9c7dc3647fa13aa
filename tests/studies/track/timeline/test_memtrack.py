"""The importer of the original archive: lenient about spelling, strict about loss."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.track.timeline.accounting import account
from memgauge.studies.track.timeline.files import read_document
from memgauge.studies.track.timeline.memtrack import documents_of, find_configs, read_memtrack
from memgauge.studies.track.timeline.models import Commit, SlackEvent, Ticket
from support import real_data
from support.timeline import CONFIG, HISTORY, write_archive

if TYPE_CHECKING:
    from pathlib import Path


def changed(number: int, **content: Any) -> list[dict[str, Any]]:
    """Change the content of one event; ``None`` removes a key."""
    history = copy.deepcopy(HISTORY)
    known = history[number]["generation_meta_data"]
    history[number]["generation_meta_data"] = {
        key: value for key, value in {**known, **content}.items() if value is not None
    }
    return history


def test_an_instance_is_read_whole(tmp_path: Path) -> None:
    """Player, repository, Linear's setting, questions with answers, and events of three platforms."""
    timeline = read_memtrack(write_archive(tmp_path))
    assert timeline.name == "memtrack-lamp"
    assert (timeline.player.name, timeline.player.max_turns) == ("CodeAgent", 40)
    assert timeline.repository is not None
    assert timeline.repository.commit == "abc1234"
    assert timeline.admins == ("CodeAgent",)
    assert timeline.milestones[0].name == "Spring"
    assert [(one.id, one.answer) for one in timeline.questions] == [("q1", "omar"), ("q2", "96")]
    assert [str(event.platform) for event in timeline.events] == [entry["platform"] for entry in HISTORY]
    assert timeline.events[0].at == datetime(2025, 3, 1, 9, tzinfo=UTC)
    assert any("sales" in note for note in timeline.notes)


def test_every_value_is_accounted_for(tmp_path: Path) -> None:
    """What the schema does not know is kept under its own key."""
    path = write_archive(tmp_path)
    timeline = read_memtrack(path)
    found = account([read_document(one) for one in documents_of(path)], timeline)
    assert found.lost == ()
    assert {"Timeline.monitoring", "Player.model", "Ticket.weight", "Event.generation_type"} <= set(found.extra)
    assert timeline.events[0].payload.extra == {"weight": 3}


def test_what_an_import_lost_is_named(tmp_path: Path) -> None:
    """The account does not trust the importer: a value that is gone is found."""
    path = write_archive(tmp_path)
    timeline = read_memtrack(path)
    poorer = timeline.model_copy(update={"events": timeline.events[:-1]})
    found = account([read_document(one) for one in documents_of(path)], poorer)
    assert "20250305T0900" in found.lost
    assert "completed" in found.lost


def test_the_forms_of_slack_become_one(tmp_path: Path) -> None:
    """Channels lose their mark, one recipient is a list of one, threads and replies become messages."""
    events = read_memtrack(write_archive(tmp_path)).events
    first, direct, replies, thread = (event.payload for event in events if isinstance(event.payload, SlackEvent))
    assert (first.channel, first.extra["channel"]) == ("devices", "#devices")
    assert direct.recipients == ("CodeAgent",)
    assert (replies.reply_to, [one.sender for one in replies.messages]) == ("e002", ["omar", "ines"])
    assert [one.text for one in thread.messages] == ["All green?", "All green."]


def test_a_reply_to_nothing_opens_a_thread(tmp_path: Path) -> None:
    """The name of what is not there is kept, and the decision noted."""
    for named in ("20240101T0000", "yesterday"):
        timeline = read_memtrack(write_archive(tmp_path, history=changed(4, thread_of=named)))
        payload = timeline.events[4].payload
        assert isinstance(payload, SlackEvent)
        assert (payload.reply_to, payload.extra["thread_of"]) == ("", named)
        assert any(named in note for note in timeline.notes)


def test_a_history_is_brought_into_order(tmp_path: Path) -> None:
    """Ids keep the order of the file, equal times stay as they stood, and the note says that it was sorted."""
    history = copy.deepcopy([HISTORY[5], HISTORY[0], HISTORY[1], HISTORY[2]])
    history[3]["timestamp"] = history[2]["timestamp"]
    timeline = read_memtrack(write_archive(tmp_path, history=history))
    assert [event.id for event in timeline.events] == ["e002", "e003", "e004", "e001"]
    assert any("sorted" in note for note in timeline.notes)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("20250301T0900", "2025-03-01T09:00:00+00:00"),
        ("2025-03-01T09:00:30", "2025-03-01T09:00:30+00:00"),
        ("2025-03-01T09:00+02:00", "2025-03-01T07:00:00+00:00"),
    ],
)
def test_times_are_read_in_any_iso_form(tmp_path: Path, written: str, read: str) -> None:
    """A spelling other than the archive's own is kept."""
    history = [{**HISTORY[0], "timestamp": written}]
    (event,) = read_memtrack(write_archive(tmp_path, history=history)).events
    assert event.at.isoformat() == read
    assert event.extra.get("timestamp", "20250301T0900") == written


def test_odd_values_are_kept_as_they_were(tmp_path: Path) -> None:
    """Numbers become texts, a single label a list, and the original stands in extra; null is absence."""
    history = changed(0, priority=1, labels="radio", lead=None, team="#devices")
    history[0]["generation_meta_data"]["status"] = None
    history[5]["platform"] = "Git"
    timeline = read_memtrack(write_archive(tmp_path, history=history))
    ticket, commit = timeline.events[0].payload, timeline.events[5]
    assert isinstance(ticket, Ticket)
    assert (ticket.priority, ticket.labels, ticket.team, ticket.status) == ("1", ("radio",), "devices", None)
    assert ticket.extra == {"priority": 1, "labels": "radio", "team": "#devices", "weight": 3}
    assert isinstance(commit.payload, Commit)
    assert commit.extra["platform"] == "Git"


def test_days_of_yaml_become_text(tmp_path: Path) -> None:
    """An unquoted day is a day to YAML and a text to us."""
    path = write_archive(tmp_path)
    path.write_text(path.read_text().replace("'2025-03-01'", "2025-03-01"))
    assert read_memtrack(path).milestones[0].start_date == "2025-03-01"


@pytest.mark.parametrize(
    ("history", "where", "problem"),
    [
        (
            changed(1, sender=None),
            r"history_lamp\.json, line 23: \$\[1\]\.generation_meta_data",
            "'sender' is missing",
        ),
        (changed(4, replies=None), r"\$\[4\]", "nobody says anything"),
        (changed(4, replies="no"), r"\$\[4\]\.generation_meta_data\.replies", "expected a list"),
        (changed(4, replies=["no"]), r"replies\[0\]", "expected a mapping, found str 'no'"),
        (changed(0, title=" "), r"\$\[0\]\.generation_meta_data\.title", "'title' is missing"),
        (changed(0, lead=["a"]), r"\.lead", "expected a text, found list"),
        (changed(0, labels=[["a"]]), r"\.labels", "expected a list of texts"),
        ([{**HISTORY[0], "timestamp": "soon"}], r"line 3: \$\[0\]\.timestamp", "'soon' is no time"),
        ([{**HISTORY[0], "platform": "mail"}], r"\$\[0\]\.platform", "'mail' is none of slack, linear, git"),
        (["text"], r"\$\[0\]", "expected a mapping"),
        ({"events": 1}, "line 1", "a history is a list of events"),
    ],
)
def test_what_cannot_be_read_names_file_line_and_field(
    tmp_path: Path, history: Any, where: str, problem: str
) -> None:
    """The message leads to the place."""
    with pytest.raises(MalformedDataError, match=problem) as caught:
        read_memtrack(write_archive(tmp_path, history=history))
    assert caught.match(where)


@pytest.mark.parametrize(
    ("part", "value", "problem"),
    [
        ("expected_answers", ["omar"], r"expected_answers: 2 questions have 1 expected answers"),
        ("event_history", "nowhere.json", "the history 'nowhere.json' is not there"),
        ("event_history", None, "'event_history' is missing"),
    ],
)
def test_a_broken_configuration_is_refused(tmp_path: Path, part: str, value: Any, problem: str) -> None:
    """Answers fit questions, and the history is there."""
    config = {**CONFIG, "benchmark": {**CONFIG["benchmark"], part: value}}
    with pytest.raises((MalformedDataError, DataNotFoundError), match=problem):
        read_memtrack(write_archive(tmp_path, config=config))


def test_a_number_of_turns_is_one(tmp_path: Path) -> None:
    """`max_turns: many` is refused."""
    config = {**CONFIG, "agent": {"max_turns": "many"}}
    with pytest.raises(MalformedDataError, match=r"agent\.max_turns: 'many' is no number of turns"):
        read_memtrack(write_archive(tmp_path, config=config))


def test_little_is_enough(tmp_path: Path) -> None:
    """Without agent, repository and Linear, defaults hold."""
    timeline = read_memtrack(write_archive(tmp_path, config={"benchmark": CONFIG["benchmark"]}))
    assert timeline.repository is None
    assert timeline.player.max_turns == 100


def test_a_history_alone_is_an_instance_without_questions(tmp_path: Path) -> None:
    """A bare list of events is read too."""
    write_archive(tmp_path)
    path = tmp_path / "test_event_histories" / "event_history_lamp.json"
    timeline = read_memtrack(path)
    assert (timeline.name, len(timeline.events), timeline.questions) == ("event_history_lamp", len(HISTORY), ())
    assert account([read_document(one) for one in documents_of(path)], timeline).lost == ()


def test_instances_are_found_in_folders(tmp_path: Path) -> None:
    """Configurations first, histories where there are none, and a sentence where there is nothing."""
    path = write_archive(tmp_path)
    assert find_configs(tmp_path) == (path,)
    assert find_configs(path) == (path,)
    path.unlink()
    assert find_configs(tmp_path)[0].name == "event_history_lamp.json"
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataNotFoundError, match="holds no instance"):
        find_configs(tmp_path / "empty")


@pytest.mark.data
@pytest.mark.parametrize("name", ["2", "pw_1"])
def test_real_instances_lose_nothing(name: str) -> None:
    """Two instances of the archive: every value is accounted for."""
    path = real_data(f"memtrack/test_configs/config_{name}.yaml")
    timeline = read_memtrack(path)
    found = account([read_document(one) for one in documents_of(path)], timeline)
    assert found.values > 100
    assert found.lost == ()
    assert json.dumps(timeline.model_dump(mode="json"))
