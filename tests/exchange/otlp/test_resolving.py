"""Whose an operation is, and which spans are one act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.exchange.otlp import reading
from memgauge.exchange.otlp.sighting import OtlpOptions
from memgauge.exchange.otlp.sightings import CONTRADICTING
from memgauge.text.pseudonyms import Pseudonyms
from support.otlp import imported, line, memory, rows, span

if TYPE_CHECKING:
    import random
    from pathlib import Path

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"}
BY_ADA = {"user.id": "ada"}
SEARCH = memory("search_memory", **{"record.count": 0})


@pytest.mark.parametrize(
    ("spans", "resource", "expected"),
    [
        ([span(1, SEARCH | {"user.id": "ada"})], {}, ("ada", "span")),
        ([span(1, SEARCH, parent=2), span(2, {}, parent=3), span(3, {"user.id": "ada"})], {}, ("ada", "ancestor")),
        ([span(1, SEARCH, parent=3), span(2, BY_ADA, parent=3), span(3, AGENT)], {}, ("ada", "sibling")),
        ([span(1, SEARCH, parent=3), span(2, {"user.id": "ada"}, parent=3), span(3, {})], {}, ("", "none")),
        ([span(1, SEARCH)], {"user.id": "ada"}, ("ada", "resource")),
        ([span(1, SEARCH | {"user.id": "bob"})], {"user.id": "ada"}, ("bob", "span")),
        ([span(1, SEARCH | {"user.id": "bob"}, parent=2), span(2, {"user.id": "ada"})], {}, ("", "none")),
        (
            [span(1, SEARCH, parent=9), span(2, {"user.id": "a"}, parent=9), span(3, {"user.id": "b"}, parent=9),
             span(9, AGENT)],
            {"user.id": "c"},
            ("", "none"),
        ),
        ([span(1, SEARCH | {"user.id": "ada"})], {"service.namespace": "eu"}, ("eu/ada", "span")),
        ([span(1, SEARCH | {"user.id": 7})], {}, ("7", "span")),
        ([span(1, SEARCH, parent=2), span(2, {"user.id": "ada"}, parent=1)], {}, ("ada", "ancestor")),
    ],
)  # fmt: skip
def test_a_scope_is_where_it_was_found(
    tmp_path: Path, spans: list[dict[str, Any]], resource: dict[str, Any], expected: tuple[str, str]
) -> None:
    """On the span, above it, beside it under one agent, on the resource; contradictions are unknown."""
    traffic = imported(tmp_path, [line(*spans, resource=resource)])
    (row,) = rows(traffic)
    assert (row["scope"], row["scope_from"]) == expected


def test_contradictions_are_counted(tmp_path: Path) -> None:
    """A user that two spans of one path name differently, and a conversation."""
    own, above = {"user.id": "a", "session.id": "s"}, {"user.id": "b", "session.id": "t"}
    traffic = imported(tmp_path, [line(span(1, SEARCH | own, parent=2), span(2, above))])
    assert sum(traffic.ledger.noted.values()) == 2


def test_conversation_agent_and_tokens_come_from_around(tmp_path: Path) -> None:
    """The nearest agent above, the conversation of its run, the tokens of what was called below."""
    spans = [
        span(1, AGENT | {"gen_ai.conversation.id": "c1"}),
        span(2, SEARCH, parent=1),
        span(3, {"gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 4}, parent=2),
        span(4, {"gen_ai.usage.input_tokens": 10}, parent=3),
        span(5, {"gen_ai.usage.input_tokens": 900}, parent=1),
    ]
    (row,) = rows(imported(tmp_path, [line(*spans)]))
    assert (row["agent"], row["session"], row["tokens_in"], row["tokens_out"]) == ("shop", "c1", 40, 4)


def test_an_operation_wins_over_what_lies_inside_it(tmp_path: Path) -> None:
    """The call of a database below a search is the same act, however deep."""
    inner = {"db.system": "qdrant", "db.operation": "search"}
    spans = [span(1, SEARCH), span(2, {}, parent=1), span(3, inner, parent=2), span(4, inner)]
    traffic = imported(tmp_path, [line(*spans)])
    assert [row["dialect"] for row in rows(traffic)] == ["genai", "openllmetry"]
    assert traffic.ledger.left_out == {"it lies inside another operation, which counts": 1}


def test_of_two_copies_the_richer_one_counts(tmp_path: Path) -> None:
    """Delivery is at least once; the other one is counted."""
    rich, poor = span(1, SEARCH | {"user.id": "ada"}), span(1, memory("search_memory"))
    for number, order in enumerate(([rich, poor], [poor, rich])):
        folder = tmp_path / str(number)
        folder.mkdir()
        traffic = imported(folder, [line(order[0])], [line(order[1])])
        (row,) = rows(traffic)
        assert (row["scope"], traffic.ledger.duplicates, traffic.ledger.spans) == ("ada", 1, 2)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
@pytest.mark.parametrize(
    "other",
    [
        span(1, SEARCH | {"user.id": "bob"}),
        span(1, SEARCH | {"user.id": "ada"}, at=9),
        span(1, memory("delete_memory") | {"user.id": "ada"}),
        span(1, memory("search_memory", **{"query.text": "another"}) | {"user.id": "ada"}),
    ],
)
def test_what_contradicts_a_span_of_its_id_is_no_copy(
    tmp_path: Path, other: dict[str, Any], order: tuple[int, ...]
) -> None:
    """It is left out and counted as what it is; what says less of the same is a copy."""
    asked = memory("search_memory", **{"query.text": "Where?"})
    rich = span(1, asked | {"user.id": "ada", "gen_ai.agent.id": "a", "session.id": "c"})
    spans = [rich, rich, span(1, memory("search_memory")), other]
    traffic = imported(tmp_path, [line(spans[place]) for place in order])
    (row,) = rows(traffic)
    assert (row["scope"], row["agent"], traffic.ledger.duplicates) == ("ada", "a", 2)
    assert traffic.ledger.left_out == {CONTRADICTING: 1}


def test_a_root_that_another_trace_caused_belongs_to_it(tmp_path: Path) -> None:
    """Strands extracts in a trace of its own, and says which run it was for."""
    extract = {
        "gen_ai.operation.name": "memory.extract",
        "memory.parent.trace_id": span(1, {})["traceId"],
        "memory.parent.span_id": f"{1:016x}",
    }
    later = span(2, extract, traceId="f" * 32)
    traffic = imported(tmp_path, [line(later)], [line(span(1, AGENT | {"user.id": "ada"}))])
    (row,) = rows(traffic)
    assert (row["scope"], row["scope_from"], row["trace"]) == ("ada", "ancestor", "f" * 32)


def test_names_are_pseudonyms_under_a_key(tmp_path: Path) -> None:
    """No name and no word of any text is in the tables, and what was equal is."""
    spans = [
        span(
            number,
            memory(
                "create_memory", **{"records": [{"id": "m-ada", "content": "ada lives here"}], "store.id": "sada"}
            )
            | {"user.id": "ada", "session.id": "ada-1", "gen_ai.agent.id": "ada-bot"},
        )
        for number in (1, 2)
    ]
    options = OtlpOptions(Pseudonyms(b"key"))
    traffic = imported(tmp_path, [line(*spans, resource={"service.namespace": "ada-inc"})], options=options)
    assert "ada" not in str(rows(traffic))
    one, two = rows(traffic)
    for name in ("scope", "session", "agent", "store"):
        assert one[name] == two[name] != ""
    assert traffic.identity.pseudonyms == "keyed"
    assert [each["version"] for row in (one, two) for each in row["records"]] == [1, 1]


def test_sampling_is_told_as_far_as_it_is_known(tmp_path: Path) -> None:
    """A threshold in the trace state says which share of traces was kept."""
    traffic = imported(tmp_path, [line(span(1, SEARCH, traceState="ot=th:c,other=1"), span(2, SEARCH))])
    assert traffic.identity.sampling == "th:c (0.25 of traces kept) on 1 spans"


@settings(deadline=None, max_examples=6)
@given(st.randoms(use_true_random=False))
def test_order_files_and_copies_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random
) -> None:
    """However lines are ordered, split into files and repeated, the tables are the same bytes."""
    spans = [span(1, AGENT | {"gen_ai.conversation.id": "c"}), span(2, {"user.id": "ada"}, parent=1)]
    for number in range(3, 9):
        values = memory("upsert_memory", records=[{"id": f"m{number % 2}", "content": f"text {number // 3}"}])
        spans.append(span(number, values, parent=1, at=3 + number % 3, traceId=f"{1 + number % 2:032x}"))
    spans += [span(20, {"db.system": "qdrant", "db.operation": "upsert"}, parent=3, traceId=spans[2]["traceId"])]
    whole = imported(tmp_path_factory.mktemp("a"), [line(*spans)])
    mixed = [line(each) for each in spans + chance.choices(spans, k=4)]
    chance.shuffle(mixed)
    cut = chance.randrange(len(mixed))
    parted = imported(tmp_path_factory.mktemp("b"), mixed[:cut], mixed[cut:])
    for name in ("operations.parquet", "records.parquet"):
        assert (whole.folder / name).read_bytes() == (parted.folder / name).read_bytes()
    assert parted.ledger.duplicates == 4
    assert parted.ledger.model_copy(update={"rows": 1, "spans": len(spans), "duplicates": 0}) == whole.ledger


def test_how_many_processes_read_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reads its share of all lines; a broken line, a copy and the tables are the same."""
    lines = [line(span(number, SEARCH | {"user.id": "ada"}, parent=1)) for number in (2, 3, 1, 2)]
    results = []
    for workers in (1, 3):
        monkeypatch.setattr(reading, "_MUCH", 0)
        monkeypatch.setattr(reading, "_WORKERS", workers)
        monkeypatch.setattr("os.cpu_count", lambda: 3)
        folder = tmp_path / str(workers)
        folder.mkdir()
        results.append(imported(folder, [*lines, "{"], [lines[0]]))
    one, three = results
    assert one.ledger == three.ledger
    assert one.identity == three.identity
    assert (one.folder / "SEAL").read_bytes() == (three.folder / "SEAL").read_bytes()
