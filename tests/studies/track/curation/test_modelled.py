"""Drafts by a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ModelError, ReplayMiss
from memgauge.llm.access import Access
from memgauge.llm.messages import Finish, Request
from memgauge.llm.scripted import Scripted, scripted_reply
from memgauge.studies.track.curation import bench
from memgauge.studies.track.curation.record import MisleadingEvent
from memgauge.studies.track.curation.seed import Approach, Seed, write_seed
from memgauge.studies.track.timeline.models import SlackEvent
from support.track.curation import TASK, drafted, put_shipped

if TYPE_CHECKING:
    from pathlib import Path

TALK = {
    "id": "n1",
    "at": "2025-03-03T08:30:00Z",
    "payload": {
        "kind": "message",
        "reply_to": "e09",
        "messages": [{"sender": "tariq", "text": "Is it the cache?"}],
    },
}
REPLY = {
    "id": "n2",
    "at": "2025-03-03T08:31:00Z",
    "payload": {"kind": "message", "reply_to": "n1", "messages": [{"sender": "wen", "text": "We have no cache."}]},
}
ROLES = {"n1": {"kind": "counterfactual", "superseded_by": "n2"}, "n2": {"kind": "distractor"}}


@pytest.fixture
def seeded(tmp_path: Path) -> Path:
    """Return a folder that holds no more than a task."""
    write_seed(tmp_path / "one", Seed(name="one", approach=Approach.TOP_DOWN, task=TASK))
    return tmp_path / "one"


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """Return a folder with an instance that nobody has touched by hand."""
    folder = put_shipped(tmp_path / "one", signed=False)
    (folder / "timeline.json").unlink()
    write_seed(folder, Seed(name="slow-checkout", approach=Approach.TOP_DOWN, task=TASK))
    bench.draft(folder, Scripted([drafted()]))
    return folder


def test_a_model_drafts_what_a_task_says(seeded: Path) -> None:
    """Its events become an instance, and the record names model, prompt and task."""
    model = Scripted(["Here it is:\n" + drafted()])
    work = bench.draft(seeded, model)
    assert (len(work.timeline.events), len(work.timeline.questions)) == (32, 4)
    assert work.timeline.repository is not None
    assert {team.name for team in work.timeline.teams} == {"Payments", "Platform"}
    (step,) = work.record.steps
    assert step.by.startswith("scripted, track-draft-1 (")
    assert (step.kind, step.told, len(step.added)) == ("draft", TASK, 36)
    assert "Ada wants a search" in model.asked[0].messages[1].text


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("I would rather not.", "there is no JSON object"),
        ('{"events": [', "there is no JSON object"),
        ('{"events": [}', "Expecting"),
        ('{"events": [{"id": "e01"}]}', "events.0.at: Field required"),
        ('{"events": [], "questions": [{"id": "q", "text": "?", "answer": "a", "evidence": ["e1"]}]}', "no event"),
        ('{"events": [], "roles": {"e1": {"kind": "distractor"}}}', "no event is called e1"),
    ],
)
def test_a_model_may_mend_what_does_not_fit(seeded: Path, broken: str, why: str) -> None:
    """It is told why, in the same conversation."""
    model = Scripted([broken, drafted()])
    assert bench.draft(seeded, model).timeline.events
    told = model.asked[1].messages
    assert [message.role for message in told] == ["system", "user", "assistant", "user"]
    assert why in told[3].text


def test_a_model_that_cannot_is_given_up(seeded: Path) -> None:
    """Three tries; a reply that was cut off is not tried again. Nothing is written."""
    with pytest.raises(ModelError, match=r"in 3 tries; the last problem: there is no JSON object"):
        bench.draft(seeded, Scripted(["no"] * 3))
    cut = Scripted([scripted_reply(Request("scripted", ()), drafted(), finish=Finish.LENGTH)])
    with pytest.raises(ModelError, match="did not finish its draft"):
        bench.draft(seeded, cut)
    assert not (seeded / "timeline.json").exists()


def test_a_draft_replays_from_its_record(seeded: Path, tmp_path: Path) -> None:
    """The second time, nothing is asked and the bytes are the same; without the record, nothing is made up."""
    cassette = tmp_path / "replies.sqlite"
    bench.draft(seeded, Access(Scripted([drafted()]), cassette=cassette))
    first = (seeded / "timeline.json").read_bytes(), (seeded / "curation.json").read_bytes()
    (seeded / "timeline.json").unlink()
    bench.draft(seeded, Access(Scripted([]), cassette=cassette, mode="replay"))
    assert first == ((seeded / "timeline.json").read_bytes(), (seeded / "curation.json").read_bytes())
    (seeded / "timeline.json").unlink()
    write_seed(seeded, Seed(name="one", approach=Approach.TOP_DOWN, task="Something else."))
    with pytest.raises(ReplayMiss):
        bench.draft(seeded, Access(Scripted([drafted()]), cassette=cassette, mode="replay"))


def test_what_a_person_wrote_stays(finished: Path) -> None:
    """A model changes what it was asked to, and neither changes nor drops what was edited by hand."""
    path = finished / "timeline.json"
    edited = json.loads(path.read_text("utf-8"))
    edited["events"][4]["payload"]["messages"][0]["text"] = "The soup truck is gone."
    edited["questions"][2]["text"] = "How many orders are gone for good?"
    path.write_text(json.dumps(edited), encoding="utf-8")
    theirs = json.loads(drafted())
    theirs["events"] = [event for event in theirs["events"] if event["id"] != "e05"]
    theirs["events"][0]["payload"]["message"] = "Begin"
    theirs["roles"] = {"e11": {"kind": "counterfactual", "superseded_by": "e26"}}
    model = Scripted([json.dumps(theirs)])
    work = bench.revise(finished, "Say less in the first commit.", model)
    assert work.timeline.event("e01").payload.model_dump()["message"] == "Begin"
    kept = work.timeline.event("e05").payload
    assert isinstance(kept, SlackEvent)
    assert kept.messages[0].text == "The soup truck is gone."
    assert work.timeline.questions[2].text == "How many orders are gone for good?"
    assert [step.kind for step in work.record.steps] == ["draft", "edit", "revise"]
    assert (work.record.approach, work.record.pinned) == (Approach.HYBRID, frozenset({"e05", "q3"}))
    assert work.record.steps[-1].changed == ("e01",)
    assert work.record.roles == {"e11": MisleadingEvent(kind="counterfactual", superseded_by="e26")}
    asked = model.asked[0].messages[1].text
    assert "Say less in the first commit." in asked
    assert "e05, q3" in asked


def test_what_misleads_gets_ids_of_ours(finished: Path) -> None:
    """Replies and corrections among the new events follow their new names."""
    work = bench.distract(finished, 2, model=Scripted([json.dumps({"events": [TALK, REPLY], "roles": ROLES})]))
    assert work.record.roles == {
        "x01": MisleadingEvent(kind="counterfactual", superseded_by="x02"),
        "x02": MisleadingEvent(kind="distractor"),
    }
    second = work.timeline.event("x02").payload
    assert isinstance(second, SlackEvent)
    assert second.reply_to == "x01"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"events": [TALK], "roles": {}}, "these events have no role: n1"),
        ({"events": [REPLY], "roles": {"n2": {"kind": "distractor"}}}, "which is no earlier event"),
        (
            {"events": [TALK], "roles": {"n1": {"kind": "counterfactual", "superseded_by": "e99"}}},
            "no event is called e99",
        ),
    ],
)
def test_what_misleads_has_to_fit(finished: Path, said: dict[str, Any], why: str) -> None:
    """Roles for everything, and only events that are there."""
    with pytest.raises(ModelError, match=why):
        bench.distract(finished, 1, model=Scripted([json.dumps(said)] * 3))


def test_what_misleads_may_not_tell(finished: Path) -> None:
    """An event that says an answer is refused."""
    told = json.loads(json.dumps(TALK))
    told["payload"]["messages"][0]["text"] = "I counted 212 myself."
    said = json.dumps({"events": [told], "roles": {"n1": {"kind": "distractor"}}})
    with pytest.raises(ModelError, match="n1 says '212', which answers q3"):
        bench.distract(finished, 1, model=Scripted([said] * 3))
