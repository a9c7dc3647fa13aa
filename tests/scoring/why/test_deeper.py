"""A search asked again and deeper."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import UnknownNameError
from memgauge.runs.record.manifest import StreamPart
from memgauge.runs.record.searches import RankedMemory, SearchMoment, StoredMemory, StoredState
from memgauge.scoring.why.attempts import moment_in_run
from memgauge.scoring.why.deeper import DeepRanking, asked_of_run, asked_of_traffic

if TYPE_CHECKING:
    from memgauge.records import Case
    from memgauge.runs.record.store import Run

SHOES = StoredMemory("m1", StoredState.STORED, scope="ada", text="Ada wears shoes of size 42.")
RAIN = StoredMemory("m2", StoredState.STORED, scope="ada", text="It rained on the shoes.")
MOMENT = SearchMoment(
    "t/s", "traffic", "ada", query="shoes of which size?", k=1,
    hits=(RankedMemory(1, "m2", 1, text=RAIN.text),),
    stored=(
        SHOES, RAIN, replace(SHOES, memory="m3", scope="bob"),
        replace(RAIN, memory="m4", state=StoredState.REMOVED),
    ),
)  # fmt: skip


def asked(run: Run) -> tuple[Case, SearchMoment]:
    """Return a conversation and its last question."""
    question = str(run.questions["question"][-1])
    home = str(run.questions["conversation"][-1])
    case = next(case for case in open_dataset("synthetic:tiny").cases() if case.conversation.id == home)
    text = next(each.text for each in case.questions if each.id == question)
    return case, moment_in_run(run, question, text)


def test_the_same_system_says_the_same_again(defective: dict[str, Run]) -> None:
    """Every rank of the record comes back with its text and score, and what is expected where it stood."""
    run = defective["bm25"]
    case, moment = asked(run)
    deep = asked_of_run(run.manifest, case, moment, "bm25", 500)
    assert (deep.problem, deep.same, deep.compared) == ("", len(moment.hits), len(moment.hits))
    assert [hit.score for hit in deep.hits[: deep.same]] == [hit.score for hit in moment.hits]
    third = moment.hits[2]
    assert [hit.rank for hit in deep.bearing(third.sources, [], [])] == [3]


def test_a_deeper_list_goes_on_where_the_record_ends(defective: dict[str, Run]) -> None:
    """A memory that a short list left out is found at its rank, and the first ranks agree."""
    run = defective["defective:tiny"]
    case, moment = asked(run)
    deep = asked_of_run(run.manifest, case, moment, "bm25", 500)
    assert len(deep.hits) > len(moment.hits)
    below = deep.hits[len(moment.hits)]
    assert [hit.rank for hit in deep.bearing([], [below.memory], [])] == [below.rank]


def test_what_answers_otherwise_is_seen(defective: dict[str, Run]) -> None:
    """Another system's list does not agree with the record, and says from where on."""
    run = defective["bm25"]
    case, moment = asked(run)
    deep = asked_of_run(run.manifest, case, moment, "support.systems:Backwards", 60)
    assert deep.same < deep.compared
    assert deep.hits[deep.same].text != moment.hits[deep.same].text


def test_what_cannot_be_asked_is_said(defective: dict[str, Run]) -> None:
    """A name that does not exist is an error; a failing system, a ceiling and an unknown stream are sentences."""
    run = defective["bm25"]
    case, moment = asked(run)
    with pytest.raises(UnknownNameError, match="nosuch"):
        asked_of_run(run.manifest, case, moment, "nosuch", 60)
    failing = asked_of_run(run.manifest, case, moment, "support.systems:Failing", 60)
    assert "LookupError" in failing.problem
    promises = {**run.manifest.system.capabilities, "role": "ceiling"}
    ceiling = run.manifest.model_copy(
        update={"system": run.manifest.system.model_copy(update={"capabilities": promises})}
    )
    assert "told the evidence" in asked_of_run(ceiling, case, moment, "oracle", 60).problem
    strange = run.manifest.model_copy(update={"stream": StreamPart(protocol="nosuch")})
    assert "nosuch" in asked_of_run(strange, case, moment, "bm25", 60).problem


def test_traffic_is_written_as_it_stood_and_asked_for_more() -> None:
    """What is live in the scope is written, and nothing else; the expected one is found by its name."""
    deep = asked_of_traffic(MOMENT, "bm25", 100)
    assert (deep.problem, deep.played.startswith("the 2 memories that were live")) == ("", True)
    assert {hit.text and hit.text.rpartition(": ")[2] for hit in deep.hits} == {SHOES.text, RAIN.text}
    assert [hit.rank for hit in deep.bearing(["m1"], ["m1"], [])] == [1]


@pytest.mark.parametrize(
    "moment", [replace(MOMENT, query=None), replace(MOMENT, stored=(replace(SHOES, text=None), RAIN))]
)
def test_content_that_was_not_captured_is_not_invented(moment: SearchMoment) -> None:
    """Without the words of the search, or of a memory that was live, nothing is asked."""
    deep = asked_of_traffic(moment, "bm25", 100)
    assert deep == DeepRanking("bm25", 100, "", problem=deep.problem)
    assert "content was not captured" in deep.problem
