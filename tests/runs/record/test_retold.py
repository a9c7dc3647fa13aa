"""Rows of conversations that no engine played are those that an engine would have written."""

from __future__ import annotations

from memgauge.records import Form, Lineage, Memory, Outcome
from memgauge.runs.record.lineage import TracedVersion, digest
from memgauge.runs.record.retold import RetoldRows
from memgauge.text.tokens import count_tokens
from support.handmade import question


def version(row: int, name: str, text: str, number: int = 1) -> TracedVersion:
    """Make a version of a memory."""
    memory = Memory(name, text, Form.RAW, ("t1",))
    return TracedVersion(row, memory, number, Form.RAW, memory.sources, Lineage.DECLARED, digest(text))


def test_a_memory_is_written_once_and_behind_the_questions() -> None:
    """By its key: another text under the same id is another version with a row of its own."""
    retold = RetoldRows("c1", 3)
    first = retold.keep("a", lambda row: version(row, "m1", "one two"))
    again = retold.keep("a", lambda row: version(row, "m1", "never made"))
    assert again is first
    assert retold.versions("m1") == 1
    second = retold.keep("b", lambda row: version(row, "m1", "three", retold.versions("m1") + 1))
    retold.question(question(1), 0, Outcome.OK, [(second, 0.5), (first, None)], k=5, written=24, notes=("n",))
    retold.question(question(2), 1, Outcome.UNSUPPORTED, None, k=5, written=24, reason="no search")
    case, ok, unsupported, *memories, end = retold.rows()
    assert (case["t"], case["number"]) == ("case", 3)
    assert (ok["memories"], ok["scores"], ok["notes"]) == ([1, 0], [0.5, None], ["n"])
    assert ok["tokens"] == count_tokens("one two") + count_tokens("three")
    assert ok["coverage"] == len("one twothree") / 24
    assert (unsupported["memories"], unsupported["tokens"], unsupported["reason"]) == ([], None, "no search")
    assert [(row["t"], row["row"], row["version"], row["text"]) for row in memories] == [
        ("memory", 0, 1, "one two"),
        ("memory", 1, 2, "three"),
    ]
    assert (end["t"], end["failed"]) == ("end", 1)
