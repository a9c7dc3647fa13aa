"""Spans of the standard, written by a stub of OpenTelemetry that has its shape; it is never imported by us."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.watch import counted, watch
from support.watched import Mem0Like, PutOperation, SearchOperation, StoreLike, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class StubSpan:
    """A span that keeps what it is told."""

    def __init__(self, name: str, number: int, start_time: int | None, *, recording: bool) -> None:
        self.name = name
        self.number = number
        self.start_time = start_time
        self.attributes: dict[str, Any] = {}
        self.status: Any = None
        self.end_time: int | None = None
        self.ended = False
        self._recording = recording

    def is_recording(self) -> bool:
        """Whether anybody keeps it."""
        return self._recording

    def get_span_context(self) -> SimpleNamespace:
        """Name it."""
        return SimpleNamespace(trace_id=0xABC, span_id=self.number)

    def update_name(self, name: str) -> None:
        """Rename it."""
        self.name = name

    def set_attribute(self, name: str, value: Any) -> None:
        """Keep an attribute, of a kind that OpenTelemetry takes."""
        assert isinstance(value, str | int | float | bool)
        self.attributes[name] = value

    def set_status(self, status: Any) -> None:
        """Keep a status."""
        self.status = status

    def end(self, end_time: int | None = None) -> None:
        """End it, once."""
        assert not self.ended
        self.ended, self.end_time = True, end_time


class StubTrace(ModuleType):
    """Has what `opentelemetry.trace` has, and is its own provider and tracer."""

    SpanKind = SimpleNamespace(CLIENT="client")
    StatusCode = SimpleNamespace(ERROR="error")

    def __init__(self) -> None:
        super().__init__("opentelemetry.trace")
        self.spans: list[StubSpan] = []
        self.current: list[StubSpan] = []
        self.recording = True
        self.fault: Exception | None = None

    def Status(self, code: str) -> str:  # noqa: N802 - as OpenTelemetry calls it
        """Make a status."""
        return code

    def get_tracer_provider(self) -> StubTrace:
        """Return the provider."""
        return self

    def get_tracer(self, name: str, version: str) -> StubTrace:
        """Return the tracer."""
        assert (name, bool(version)) == ("memgauge.watch", True)
        return self

    def start_span(self, name: str, *, kind: str, start_time: int | None = None) -> StubSpan:
        """Begin a span, or raise."""
        if self.fault is not None:
            raise self.fault
        span = StubSpan(name, len(self.spans) + 1, start_time, recording=self.recording)
        self.spans.append(span)
        return span

    @contextmanager
    def use_span(self, span: StubSpan, **options: bool) -> Iterator[None]:
        """Make a span the current one."""
        assert not any(options.values())
        self.current.append(span)
        yield
        self.current.pop()


@pytest.fixture
def trace(monkeypatch: pytest.MonkeyPatch) -> StubTrace:
    """Let the host have configured OpenTelemetry."""
    module = StubTrace()
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", module)
    return module


def test_a_search_is_a_span_of_the_standard(trace: StubTrace, tmp_path: Path) -> None:
    """Named by its operation, with pseudonyms and the count, without words; its row names it."""
    memory = watch(Mem0Like(), tmp_path, salt="s", store="shop")
    memory.add("Ada likes tea", user_id="ada")
    memory.search("q", filters={"user_id": "ada"})
    added, searched = trace.spans
    row = rows_of(tmp_path)[1]
    assert (added.name, searched.name) == ("upsert_memory", "search_memory")
    assert searched.attributes == {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.memory.store.id": row["store"],
        "gen_ai.memory.record.count": 1,
        "user.id": row["scope"],
    }
    assert added.attributes["gen_ai.memory.record.id"] == row["records"][0][0]
    assert (row["trace"], row["span"]) == (f"{0xABC:032x}", f"{2:016x}")
    assert all(span.ended for span in trace.spans)
    assert not trace.current


def test_words_stand_in_spans_where_a_host_keeps_words(trace: StubTrace, tmp_path: Path) -> None:
    """Query and records are there as the convention spells them."""
    memory = watch(Mem0Like(), tmp_path, salt="s", texts=True)
    memory.add("Ada likes tea", user_id="ada")
    memory.search("What?", filters={"user_id": "ada"})
    attributes = trace.spans[1].attributes
    assert attributes["gen_ai.memory.query.text"] == "What?"
    (record,) = json.loads(attributes["gen_ai.memory.records"])
    assert (record["content"], record["score"]) == ("Ada likes tea", 0.5)


def test_an_error_is_the_status_of_its_span(trace: StubTrace, tmp_path: Path) -> None:
    """Its type is named, and the span before it is the current one again."""
    memory = watch(Mem0Like(), tmp_path, salt="s")
    with pytest.raises(ValueError, match=r"^$"):
        memory.search("")
    (span,) = trace.spans
    assert (span.status, span.attributes["error.type"], span.ended) == ("error", "ValueError", True)
    assert not trace.current


def test_what_a_product_does_within_a_call_lies_below_its_span(trace: StubTrace, tmp_path: Path) -> None:
    """While the product works the span is the current one."""
    seen: list[str] = []

    class Looking(Mem0Like):
        def search(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            seen.extend(span.name for span in trace.current)
            return {"results": []}

    watch(Looking(), tmp_path, salt="s").search("q")
    assert seen == ["search_memory"]


def test_operations_of_a_batch_have_spans_of_their_own_rows(trace: StubTrace, tmp_path: Path) -> None:
    """A removal that is put is named as one; a batch, whose operations are known when it ends, has no span."""
    store = watch(StoreLike(), tmp_path, salt="s")
    store.put(("a",), "k", None)
    store.batch([PutOperation(("a",), "k", {"text": "tea"}), SearchOperation(("a",))])
    assert [span.name for span in trace.spans] == ["delete_memory"]
    assert [row.get("span", "") for row in rows_of(tmp_path)] == [f"{1:016x}", "", ""]


def test_what_an_addition_removed_has_a_span_with_its_times(trace: StubTrace, tmp_path: Path) -> None:
    """It began and ended with the call that did it."""

    class Removing(Mem0Like):
        def add(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return {"results": [{"id": "a", "memory": "x", "event": "ADD"}, {"id": "b", "event": "DELETE"}]}

    watch(Removing(), tmp_path, salt="s").add("x", user_id="ada")
    added, removed = trace.spans
    rows = rows_of(tmp_path)
    assert (added.name, removed.name) == ("upsert_memory", "delete_memory")
    assert (removed.start_time, removed.end_time) == (rows[1]["began_ns"], rows[1]["ended_ns"])


def test_a_tracer_that_does_not_record_costs_nothing(trace: StubTrace, tmp_path: Path) -> None:
    """Rows are written as without it."""
    trace.recording = False
    watch(Mem0Like(), tmp_path, salt="s").search("q")
    assert "trace" not in rows_of(tmp_path)[0]
    assert not trace.spans[0].attributes


def test_a_broken_tracer_is_counted(trace: StubTrace, tmp_path: Path) -> None:
    """The host's call and its row are as they would be without it."""
    trace.fault = RuntimeError("no exporter")
    memory = watch(Mem0Like(), tmp_path, salt="s")
    assert memory.search("q") == {"results": []}
    assert counted(memory) == {"written": 1, "untraced": 1}


def test_nothing_but_the_standard_library_is_imported(tmp_path: Path) -> None:
    """A host that watches a memory has no module more than Python's own and ours for it."""
    program = """
import sys
before = set(sys.modules)
from memgauge.watch import watch
class Memory:
    add = get_all = update = delete = delete_all = search = lambda self, *a, **k: {"results": []}
watch(Memory(), sys.argv[1], salt="s").search("q")
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - set(sys.stdlib_module_names)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "['memgauge']"
