"""Files of spans as they come: lines, documents, packed, cut, or something else."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.exchange.otlp.drafts import WITHOUT_NUMBER
from memgauge.exchange.otlp.importing import import_otlp
from memgauge.exchange.otlp.sighting import OtlpOptions
from memgauge.exchange.otlp.spans import BYTES
from memgauge.text.pseudonyms import Pseudonyms
from support.otlp import MINIMAL, TRACE, imported, line, memory, rows, span

if TYPE_CHECKING:
    from pathlib import Path


def test_the_smallest_line_is_one_search(tmp_path: Path) -> None:
    """With its query, its hit and its score; its parent was never seen, which is counted."""
    traffic = imported(tmp_path, [MINIMAL])
    (row,) = rows(traffic)
    assert (row["operation"], row["outcome"], row["query"], row["returned"]) == ("search", "ok", "shoe size?", 1)
    assert (row["began_ns"], row["ended_ns"]) == (1790000000000000001, 1790000000042000001)
    (record,) = row["records"]
    assert (record["memory"], record["text"], record["score"], record["characters"]) == ("m7", "wears 42", 0.8, 8)
    assert (traffic.ledger.spans, traffic.ledger.orphans, traffic.ledger.joined) == (1, 1, 0)
    assert traffic.identity.services == ("shop-bot",)
    assert traffic.identity.sources[0].bytes == len(MINIMAL) + 1


def test_schemas_of_spans_are_named_in_order(tmp_path: Path) -> None:
    """Wherever in a file they came."""
    names = [f"https://opentelemetry.io/schemas/1.{number}.0" for number in (7, 9, 3, 8, 2, 5)]
    lines = [line(span(n, memory("search_memory")), schemaUrl=name) for n, name in enumerate(names, 1)]
    assert imported(tmp_path, lines).identity.schemas == tuple(sorted(names))


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text,
        lambda text: json.dumps(json.loads(text), indent=2),
        lambda text: f"[{text}]",
        lambda text: json.dumps([json.loads(text)], indent=1),
        lambda text: f"\n\n{text}\n\n",
        lambda text: f'{{"resourceMetrics": []}}\n{text}\n',
    ],
)
def test_lines_documents_and_arrays_are_the_same(tmp_path: Path, spell: object) -> None:
    """Metrics and blank lines between them are passed over."""
    assert callable(spell)
    (row,) = rows(imported(tmp_path, spell(MINIMAL)))
    assert row["span"] == "00f067aa0ba902b7"


def test_a_file_that_gzip_packed_is_unpacked(tmp_path: Path) -> None:
    """Known by its bytes, not by its name."""
    path = tmp_path / "data.json"
    path.write_bytes(gzip.compress(MINIMAL.encode()))
    assert len(rows(import_otlp([path], tmp_path / "traffic", OtlpOptions()))) == 1


@pytest.mark.parametrize(
    "start",
    [
        b"\x28\xb5\x2f\xfd",
        b"\x00\x00\x01\x40\x28\xb5\x2f\xfd",
        b"\x0a\x96\x01\x0a",
        b"\x00\x00\x00\x91" + MINIMAL.encode(),
    ],
)
def test_packed_and_binary_files_are_refused_with_what_helps(tmp_path: Path, start: bytes) -> None:
    """Of zstd, of a length before every message, of protobuf."""
    path = tmp_path / "data.json"
    path.write_bytes(start)
    with pytest.raises(MalformedDataError, match=r"`format: json`, without `compression`"):
        import_otlp([path], tmp_path / "traffic", OtlpOptions())
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data.json"]


def test_a_line_that_was_cut_is_counted_and_left_out(tmp_path: Path) -> None:
    """A collector that died leaves half a line; a file of nothing else is refused."""
    traffic = imported(tmp_path, [MINIMAL, MINIMAL[:-40]])
    assert traffic.ledger.left_out == {"a line that is no JSON": 1}
    assert (len(rows(traffic)), traffic.ledger.rows) == (1, 1)
    (tmp_path / "cut.json").write_text(MINIMAL[:-40])
    with pytest.raises(MalformedDataError, match="not one of its 1 lines is JSON"):
        import_otlp([tmp_path / "cut.json"], tmp_path / "other", OtlpOptions())


def test_files_without_spans_are_refused(tmp_path: Path) -> None:
    """JSON of something else, nothing at all, no file."""
    for name, text in (("else.json", '{"a": 1}\n[2]'), ("empty.json", "")):
        (tmp_path / name).write_text(text)
        with pytest.raises(MalformedDataError, match="no span in"):
            import_otlp([tmp_path / name], tmp_path / "traffic", OtlpOptions())
    with pytest.raises(DataNotFoundError, match="no file at"):
        import_otlp([tmp_path / "absent.json"], tmp_path / "traffic", OtlpOptions())


def test_spans_of_another_shape_are_counted_with_their_reason(tmp_path: Path) -> None:
    """What has no identifiers, no times or no shape is left out; its neighbours are read."""
    good = memory("search_memory", **{"record.count": 0})
    spans = [
        span(1, good),
        span(2, good, traceId="0" * 32),
        span(3, good, spanId="CvdlGRbNQ90="),
        span(4, good, startTimeUnixNano=1.79e18),
        span(5, good, endTimeUnixNano="5"),
        span(6, good, attributes=[{"value": {"stringValue": "no key"}}]),
        span(7, good, startTimeUnixNano=True, endTimeUnixNano=True),
        {"name": "nothing else"},
    ]
    traffic = imported(tmp_path, [line(*spans)])
    assert [row["span"] for row in rows(traffic)] == [f"{1:016x}"]
    assert traffic.ledger.left_out == {
        "a span that cannot be read": 4,
        "a span without a beginning before its end": 1,
        "a span without valid identifiers": 2,
    }


def test_identifiers_and_numbers_come_in_several_spellings(tmp_path: Path) -> None:
    """Upper case, integers as numbers, nanoseconds past 2^53 as numbers, a parent of zeros."""
    values = memory("search_memory")
    values_spelled = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "search_memory"}},
        {"key": "gen_ai.memory.record.count", "value": {"intValue": 0}},
    ]
    late = 9_007_199_254_740_993
    upper = span(
        11, values, traceId=TRACE.upper(), spanId="00F067AA0BA902B7", parentSpanId="0" * 16,
        startTimeUnixNano=late, endTimeUnixNano=late + 2, attributes=values_spelled,
    )  # fmt: skip
    traffic = imported(tmp_path, [line(upper)])
    (row,) = rows(traffic)
    assert (row["trace"], row["span"], row["began_ns"], row["ended_ns"]) == (
        TRACE,
        "00f067aa0ba902b7",
        late,
        late + 2,
    )
    assert (row["outcome"], traffic.ledger.orphans) == ("empty", 0)


def test_spans_without_memory_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    """With the names of those that look like it."""
    with pytest.raises(MalformedDataError, match=r"none of 2 spans .* Not known: supermemory\.recall"):
        imported(tmp_path, [line(span(1, {}, name="GET /"), span(2, {}, name="supermemory.recall"))])
    assert not (tmp_path / "traffic").exists()


def test_what_stands_in_bytes_or_is_no_score_is_counted_and_not_guessed(tmp_path: Path) -> None:
    """Base64 is not what was asked, and a text is not a score."""
    records = [
        {"id": f"m{place}", "content": "x", "score": score} for place, score in enumerate((0.5, "0.9", None))
    ]
    search = span(1, memory("search_memory", records=records))
    search["attributes"].append({"key": "gen_ai.memory.query.text", "value": {"bytesValue": "aGVsbG8="}})
    traffic = imported(tmp_path, [line(search)])
    (row,) = rows(traffic)
    assert (row["query"], row["query_hash"]) == (None, None)
    assert [record["score"] == 0.5 for record in row["records"]] == [True, False, False]
    assert traffic.ledger.noted[BYTES] == traffic.ledger.noted[WITHOUT_NUMBER] == 1


def test_no_sentence_gets_past_pseudonyms(tmp_path: Path) -> None:
    """Types of errors and names of unknown spans are kept where they are codes, and counted where they are not."""
    spans = [
        span(1, memory("search_memory", error__type="user ada was not found")),
        span(2, memory("search_memory", error__type="TimeoutError")),
        span(3, memory("search_memory", error__type="timed out for ada")),
        span(4, {}, name="memory of ada"),
        span(5, {}, name="supermemory.recall"),
    ]
    traffic = imported(tmp_path, [line(*spans)], options=OtlpOptions(Pseudonyms(b"a key of some length")))
    outcomes = [(row["outcome"], row["reason"]) for row in rows(traffic)]
    assert outcomes == [("error", "error"), ("timeout", "TimeoutError"), ("timeout", "error")]
    assert set(traffic.ledger.unknown) == {"supermemory.recall", "(a span whose name is a sentence)"}
    assert traffic.ledger.noted["an error whose type is a sentence, left out"] == 2
