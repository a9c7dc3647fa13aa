"""A row is the JSON that the library would write, of names under the salt."""

from __future__ import annotations

import json
from asyncio import CancelledError
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.pseudonyms import Pseudonyms
from memgauge.text.tokens import count_tokens
from memgauge.watch.calls import CallOwner, MemoryCall
from memgauge.watch.rows import CallTimes, RowSpeller

if TYPE_CHECKING:
    from memgauge.watch.calls import CalledRecord

NAMES = Pseudonyms(b"s")
TIMES = CallTimes(1_790_000_000_000_000_001, 1_790_000_000_000_000_002)
WORDS = st.text(st.characters(exclude_categories=()), max_size=9)
"""Halves of surrogate pairs as well."""
SCORES = st.none() | st.floats(allow_nan=False, allow_infinity=False)
RECORDS = st.lists(st.tuples(WORDS, st.none() | WORDS | st.just("long " * 500), SCORES))
CALLS = st.builds(
    MemoryCall,
    st.sampled_from(["search", "upsert", "delete"]),
    st.builds(CallOwner, WORDS, WORDS, WORDS, WORDS),
    query=st.none() | WORDS,
    asked=st.none() | st.integers(0, (1 << 31) - 1),
    records=st.none() | RECORDS.map(tuple),
)


def _speller(*, texts: bool = False, dialect: str = "mem0") -> RowSpeller:
    return RowSpeller(dialect, NAMES, texts=texts, store="shop", whose=".".join)


def _expected(record: CalledRecord, *, texts: bool) -> list[Any]:
    memory, text, score = record
    if text is None:
        return [NAMES.memory(memory, ""), None, None, None, score]
    digest = NAMES.text_hash(text)
    return [NAMES.memory(memory, digest), digest, len(text), text if texts else None, score]


@given(call=CALLS, texts=st.booleans())
def test_a_row_is_what_the_library_writes(call: MemoryCall, texts: bool) -> None:
    """Letter for letter, whatever stands in it, and again when everything of it is known already."""
    owner, records = call.owner, call.records or ()
    user = NAMES.name("user", owner.user)
    scope = f"{NAMES.name('tenant', owner.tenant)}/{user}" if user and owner.tenant else user
    row: dict[str, Any] = {
        "operation": call.operation, "began_ns": TIMES.began_ns, "ended_ns": TIMES.ended_ns,
        "dialect": "mem0", "store": NAMES.name("store", "shop"), "scope": scope,
        "session": NAMES.name("session", owner.session), "agent": NAMES.name("agent", owner.agent),
    }  # fmt: skip
    row = {column: value for column, value in row.items() if value}
    if call.asked is not None:
        row["asked"] = call.asked
    if call.query is not None:
        row |= {"query_hash": NAMES.text_hash(call.query)} | ({"query": call.query} if texts else {})
    if call.records is None:
        row["captured"] = False
    elif call.operation == "search" and not records:
        row |= {"outcome": "empty", "returned": 0}
    else:
        row["returned"] = len(records)
        words = [text for _, text, _ in records if text is not None]
        if call.operation == "search" and len(words) == len(records):
            row["context_tokens"] = sum(map(count_tokens, words))
    if records:
        row["records"] = [_expected(record, texts=texts) for record in records]
    written, speller = json.dumps(row, separators=(",", ":")), _speller(texts=texts)
    assert [speller.spell(call, TIMES).ended() for _ in range(2)] == [written] * 2


def test_a_row_stays_as_files_of_today_have_it() -> None:
    """What is written is read by later versions, and a name of today is the name of tomorrow."""
    call = MemoryCall("search", CallOwner("ada", "shop"), "tea?", 3, (("m1", "Ada likes tea", 0.5),))
    assert _speller().spell(call, TIMES).ended(',"trace":"0a"') == (
        '{"operation":"search","began_ns":1790000000000000001,"ended_ns":1790000000000000002,"dialect":"mem0",'
        '"store":"c69201e71a819750b8a89580f63ee23f",'
        '"scope":"f394d5d0bdf533353d5f6b8dbb5f5615/4c48fdf22a2f348cce5fd530d639310e",'
        '"asked":3,"query_hash":"0bd51da34e5cf59d2293f3f75b108d12ac8973554d4308433a7581936a4b6c55",'
        '"returned":1,"context_tokens":4,"trace":"0a",'
        '"records":[["98b81232b63e93900fefdd8eb6a332a4",'
        '"46feaeaf9f9f1fd96e6263abcf85813368ff82c495e7c4c45d97b8e3dc7b688a",13,null,0.5]]}'
    )


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("ReadTimedOut", "timeout"),
        ("DeadlineExceeded", "timeout"),
        ("Fehlgröße", "error"),
        ("CancelledError", "error"),
    ],
)
def test_a_failure_is_named_and_its_records_are_what_was_asked_for(name: str, outcome: str) -> None:
    """A name of any letters is ASCII in the row; the record that a failed deletion named is still there."""
    error = type(name, (Exception,), {})("secret")
    row = _speller(dialect="").spell(
        MemoryCall("delete", records=(("m1", None, None),)), TIMES._replace(error=error)
    )
    text = row.ended()
    assert text.isascii()
    said = json.loads(text)
    assert (said["outcome"], said["reason"], said["captured"]) == (outcome, name, False)
    assert said["records"] == [[NAMES.name("memory", "m1"), None, None, None, None]]
    assert "dialect" not in said


@pytest.mark.parametrize(
    "error",
    [
        CancelledError(),
        KeyboardInterrupt(),
        GeneratorExit(),
        SystemExit(),
        type("Cancelled", (BaseException,), {})(),
    ],
)
def test_what_the_host_gives_up_is_no_failure_of_the_product(error: BaseException) -> None:
    """It is an outcome of its own; of a base exception that is not thrown by who waits, the product failed."""
    spoken = _speller().spell(MemoryCall("search"), TIMES._replace(error=error)).ended()
    assert json.loads(spoken)["outcome"] == "cancelled"
    panic = type("PanicException", (BaseException,), {})()
    spoken = _speller().spell(MemoryCall("search"), TIMES._replace(error=panic)).ended()
    assert json.loads(spoken)["outcome"] == "error"
