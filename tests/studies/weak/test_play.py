"""Playing a lane: what the harness counts, beside what the model was asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import SystemFault
from memgauge.studies.weak.play import WeakPlay, first_turns
from memgauge.studies.weak.record import read_lane
from memgauge.studies.weak.spec import WeakSpec
from memgauge.studies.weak.users import CommandEnd, UsersPlay, at
from memgauge.studies.weak.verdicts import WriteFate, fates, why_lost
from memgauge.systems.catalogue import open_here
from support.weak import ask, asking, body, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.records import Memory, Scope
    from memgauge.studies.weak.record import RecordedLane
    from memgauge.systems.protocol import MemorySystem


def test_requests_are_known_by_the_write_that_they_are_made_for(lane: RecordedLane) -> None:
    """Each of four turns asked once, and a settling ends them."""
    assert [write.name for write in lane.writes] == ["s01:t01", "s01:t02", "s01:t03", "s01:t04", "settling"]
    assert [exchange.during for exchange in lane.exchanges] == ["s01:t01", "s01:t02", "s01:t03", "s01:t04"]
    assert {exchange.shape for exchange in lane.exchanges} == {"json"}
    assert lane.ref == "asking:model=toy"
    assert lane.model == "toy (made up)"


def test_lost_writes_are_named_with_what_the_product_did_not_say(lane: RecordedLane) -> None:
    """Two are counted as written and are not there, one failed, one is stored."""
    assert list(fates(lane).values()) == [WriteFate.STORED, WriteFate.SILENT, WriteFate.FAILED, WriteFate.SILENT]
    reasons = why_lost(lane)
    assert list(reasons) == ["s01:t02", "s01:t03", "s01:t04"]
    assert reasons["s01:t02"] == "unknown: json: no JSON"
    assert "the third is too much" in reasons["s01:t03"]


def test_what_cannot_be_opened_is_recorded_in_its_own_words(study: Path) -> None:
    """It is a lane with a reason, and no row of lost writes."""
    gone = read_lane(study, "gone")
    assert gone is not None
    assert "refuses to be started by root" in gone.problem


def test_a_store_that_cannot_be_listed_holds_nothing_that_is_known(study: Path) -> None:
    """The listing is no settling, and its reason is that of every turn that was counted as written."""

    def unlisted(ref: str) -> MemorySystem:
        system = open_here("bm25")

        def dump(scope: Scope) -> Iterator[Memory]:
            raise SystemFault("its process was killed")

        vars(system)["dump"] = dump
        return system

    spec = WeakSpec.read(study)
    with served() as model:
        lane = WeakPlay(study, spec, opener=unlisted).lane(spec.products[0], model)
    assert [write.name for write in lane.writes][-2:] == ["settling", "listing"]
    assert all("its process was killed" in why for why in why_lost(lane).values())


def test_what_is_recorded_is_not_played_again_unless_it_is_named(study: Path) -> None:
    """A lane that is named is played anew."""
    play = WeakPlay(study, WeakSpec.read(study), opener=asking)
    assert list(play.play(served)) == []
    assert [lane.key for lane in play.play(served, ("gone",))] == ["gone"]


def test_the_stream_is_the_first_turns_and_ends_sessions() -> None:
    """Without questions: what is played is writing."""
    spec = WeakSpec.model_validate(
        {"title": "", "dataset": "synthetic:tiny", "turns": 10, "model": "toy", "cap": 1, "limit": 1, "timeout": 1}
        | {"product": [{"key": "a", "system": "a"}]}
    )
    _, stream = first_turns(spec)
    assert [type(event).__name__ for event in stream] == [
        *["Write"] * 8,
        "SessionEnd",
        *["Write"] * 2,
        "SessionEnd",
    ]


def test_a_user_of_ours_is_a_command_with_its_own_figures(study: Path, tmp_path: Path) -> None:
    """What cannot be read is a problem, in the command's own words."""
    ends = {"yes": CommandEnd(1, '{"n": {"failed": 2}}', ""), "no": CommandEnd(2, "", "there is no such thing")}
    asked: list[list[str]] = []
    for name, end in ends.items():

        def call(arguments: list[str], end: CommandEnd = end) -> CommandEnd:
            asked.append(arguments)
            ask(arguments[5], body("Was it right?"))
            return end

        folder = tmp_path / name
        folder.mkdir()
        (lane,) = UsersPlay(folder, folder / "runs", WeakSpec.read(study), call=call).play(served)
        (step,) = lane.steps
        assert step.command == "memgauge data list --model openai:toy --base-url http://127.0.0.1:PORT/v1"
        assert (step.code, step.problem) == (end.code, end.err)
        assert step.counted == {"failed": 2 if end.out else None}
        assert [exchange.during for exchange in lane.exchanges] == ["list"]
        assert read_lane(folder, "demo") == lane
    assert asked[0][:5] == ["data", "list", "--model", "openai:toy", "--base-url"]


def test_figures_are_found_by_their_path() -> None:
    """Numbers of all items are added up, and so are mappings; what is not there is nothing."""
    data = {"rows": [{"n": 1, "ends": {"a": 1}}, {"n": 2, "ends": {"a": 1, "b": 3}}], "verdict": "unfit"}
    assert at(data, ["rows", "*", "n"]) == 3
    assert at(data, ["rows", "*", "ends"]) == {"a": 2, "b": 3}
    assert at(data, ["rows", "1", "n"]) == 2
    assert at(data, ["verdict"]) == "unfit"
    assert at(data, ["rows", "7", "n"]) is None
    assert at(data, ["verdict", "*"]) is None
