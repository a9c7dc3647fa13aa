"""Values of the protocol travel unchanged, and what does not fit is named."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ContractBreach
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, Scope, ScoreKind, Turn
from memgauge.systems.protocol import AuditEntry, Capabilities, Consistency, EventTime, Role, Unit
from memgauge.systems.wire.methods import METHODS, Entries, Memories
from memgauge.systems.wire.values import from_json, to_json

texts = st.text(max_size=20)
times = st.none() | st.datetimes().map(lambda at: at.replace(fold=0))
memories = st.builds(
    Memory,
    texts,
    texts,
    st.sampled_from(Form),
    st.lists(texts, max_size=3).map(tuple),
    st.integers(1, 9),
    times,
    times,
    times,
    times,
    texts,
)
scopes = st.builds(Scope, texts, texts, st.none() | texts, st.none() | texts)
changes = st.builds(Change, st.sampled_from(Operation), texts)
scores = st.none() | st.floats(allow_nan=False)
values = st.one_of(
    st.builds(Turn, texts, texts, texts, texts, times, texts),
    st.builds(Receipt, st.none() | st.lists(changes, max_size=3).map(tuple), st.none() | texts),
    st.builds(
        Ranking,
        st.lists(st.builds(Hit, memories, scores), max_size=3).map(tuple),
        st.sampled_from(ScoreKind),
        st.lists(texts, max_size=2).map(tuple),
    ),
    st.builds(Memories, st.lists(memories, max_size=3).map(tuple)),
    st.builds(METHODS["search"].params, texts, scopes, st.integers(0, 100), times),
    st.builds(METHODS["flush"].params, scopes, st.floats(0, 100)),
    st.builds(
        Entries, st.lists(st.builds(AuditEntry, st.sampled_from(Operation), times, st.none() | texts)).map(tuple)
    ),
    st.builds(
        Capabilities,
        st.sampled_from(Unit),
        st.sampled_from(Consistency),
        st.sampled_from(EventTime),
        st.sampled_from(ScoreKind),
        st.booleans(),
        st.booleans(),
        st.none() | st.integers(1, 99),
        st.booleans(),
        st.lists(texts, max_size=2).map(tuple),
        st.lists(texts, max_size=2).map(tuple),
        st.sampled_from(Role),
    ),
)


@given(values)
def test_every_value_comes_back_as_it_was(value: object) -> None:
    """Through JSON and back nothing changes, types included."""
    back = from_json(type(value), json.loads(json.dumps(to_json(value))), "it")
    assert back == value
    assert repr(back) == repr(value)


def test_defaults_are_not_written() -> None:
    """A memory with an id and a text is an object with two fields; an empty receipt differs from none."""
    assert to_json(Memory("m1", "beans")) == {"id": "m1", "text": "beans"}
    assert to_json(Receipt()) == {}
    assert to_json(Receipt(())) == {"changes": []}


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (
            Ranking,
            {"hits": [{"memory": {"id": "a", "text": "b"}}, {"memory": {"id": 7, "text": "b"}}]},
            "it.hits[1].memory.id: 7 stands where a text belongs",
        ),
        (
            Memory,
            {"id": "a", "text": "b", "source": ["t1"]},
            "it: there is no field 'source'; did you mean sources?",
        ),
        (Memory, {"id": "a"}, "it: the field 'text' is missing"),
        (Memory, {"id": "a", "text": "b", "form": "odd"}, "it.form: 'odd' stands where one of raw, canonical"),
        (Memory, {"id": "a", "text": "b", "form": []}, "it.form: [] stands where one of raw, canonical"),
        (Memory, {"id": "a", "text": "b", "event_at": "noon"}, "it.event_at: 'noon' stands where a time like"),
        (Memory, {"id": "a", "text": "b", "event_at": 3}, "it.event_at: 3 stands where a time like"),
        (
            Memory,
            {"id": "a", "text": "b", "version": True},
            "it.version: True stands where a whole number belongs",
        ),
        (Memory, "m1", "it: 'm1' stands where an object belongs"),
        (Memories, {"memories": {}}, "it.memories: {} stands where a list belongs"),
        (
            Hit,
            {"memory": {"id": "a", "text": "b"}, "score": "high"},
            "it.score: 'high' stands where a number belongs",
        ),
        (Memories, {"memory": 1}, "did you mean memories?"),
        (Capabilities, {"reports_changes": "yes"}, "it.reports_changes: 'yes' stands where true or false belongs"),
        (Memory, {"id": "x" * 99}, "the field 'text' is missing"),
        (Memory, {"id": ["x" * 99], "text": ""}, "…"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(kind: type, value: object, said: str) -> None:
    """The error names the field, what stands there and what belongs there."""
    with pytest.raises(ContractBreach) as caught:
        from_json(kind, value, "it")
    assert said in str(caught.value)


def test_times_carry_no_zone() -> None:
    """A time with a zone could not be compared with those of turns."""
    at = datetime(2024, 3, 4, tzinfo=UTC).isoformat()
    with pytest.raises(ContractBreach, match="has a time zone"):
        from_json(Memory, {"id": "a", "text": "b", "stored_at": at}, "it")


def test_a_whole_number_is_a_score() -> None:
    """Languages without floats write 3 for 3.0."""
    assert from_json(Hit, {"memory": {"id": "a", "text": "b"}, "score": 3}, "it").score == 3.0
