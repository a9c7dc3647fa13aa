"""What somebody's judge said of spans is read, joined to them, and kept beside traffic."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import MalformedDataError
from memgauge.exchange.otlp import reading
from memgauge.exchange.otlp.evaluations import EVENT, FILE, JOINED, ORPHANED, REPEATED, read_evaluations
from memgauge.exchange.otlp.sighting import OtlpOptions
from support.otlp import TRACE, attributes, imported, line, memory, span

if TYPE_CHECKING:
    from pathlib import Path

SEARCH = memory("search_memory", **{"record.count": 0})
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.response.id": "reply-1"}


def evaluation(name: str, **more: Any) -> dict[str, Any]:
    """Name the attributes of an evaluation."""
    return {"gen_ai.evaluation.name": name} | {
        f"gen_ai.evaluation.{key.replace('__', '.')}": value for key, value in more.items()
    }


def logged(values: dict[str, Any], number: int = 0, **more: Any) -> dict[str, Any]:
    """Spell a record of a log, about a span where it has a number."""
    about = {"traceId": TRACE.upper(), "spanId": f"{number:016x}"} if number else {}
    return {"timeUnixNano": "7", "eventName": EVENT, "attributes": attributes(values)} | about | more


def log_line(*records: dict[str, Any]) -> str:
    """Spell a request with records of a library's log."""
    scope = {"scope": {"name": "grader", "version": "2"}, "logRecords": list(records)}
    return json.dumps({"resourceLogs": [{"resource": {"attributes": []}, "scopeLogs": [scope]}]})


def test_events_and_records_of_a_log_are_joined_to_their_span(tmp_path: Path) -> None:
    """By the span that they lie on or name, else by the reply; each under the name of who wrote it."""
    spans = line(
        span(1, SEARCH, events=[(EVENT, evaluation("relevance", score__value=0.5, score__label="so so"))]),
        span(2, CHAT),
    )
    logs = log_line(
        logged(evaluation("relevance", score__value=1, explanation="it is there"), 1),
        logged(evaluation("tone", score__label="kind") | {"gen_ai.response.id": "reply-1"}),
        logged(evaluation("tone") | {"gen_ai.response.id": "reply-2"}),
        logged(evaluation("lost"), 9),
        logged(
            evaluation("old", score__value="much") | {"event.name": EVENT, "error.type": "timeout"},
            2,
            eventName="",
        ),
        logged({}, 1),
        logged(evaluation("other"), 1, eventName="something else"),
    )
    traffic = imported(tmp_path, [logs], [spans])
    rows = [(each.span, *each.evaluation) for each in read_evaluations(traffic.folder / FILE)]
    first, second = (f"{TRACE}/{number:016x}" for number in (1, 2))
    assert rows == [
        (first, "shop-bot", "relevance", 0.5, "so so", None, ""),
        (first, "grader 2", "relevance", 1.0, "", "it is there", ""),
        (second, "grader 2", "old", None, "", None, "timeout"),
        (second, "grader 2", "tone", None, "kind", None, ""),
    ]
    assert traffic.ledger.noted[JOINED] == 4
    assert traffic.ledger.left_out == {ORPHANED: 2, "an evaluation without a name": 1}
    assert traffic.ledger.spans == 2


def test_what_comes_twice_counts_once_whoever_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delivery is at least once; how many processes read, and in which order, changes nothing."""
    spans = [line(span(n, SEARCH)) for n in range(1, 30)]
    logs = [log_line(logged(evaluation("relevance", score__value=n / 30), n)) for n in range(1, 30)]
    texts = []
    for number, (workers, lines) in enumerate([(1, [*spans, *logs]), (3, [*reversed([*spans, *logs]), *logs])]):
        shared = reading.shared
        monkeypatch.setattr(reading, "read_files", lambda *given, n=workers, do=shared: do(*given, n))
        folder = tmp_path / str(number)
        folder.mkdir()
        traffic = imported(folder, lines)
        texts.append((traffic.folder / FILE).read_bytes())
        assert traffic.ledger.noted[JOINED] == 29
        assert traffic.ledger.noted.get(REPEATED, 0) == 29 * number
    assert texts[0] == texts[1]


def test_explanations_are_texts(tmp_path: Path) -> None:
    """They are left out unless a user wants texts, as queries are."""
    lines = [line(span(1, SEARCH, events=[(EVENT, evaluation("relevance", explanation="Ada's shoes"))]))]
    traffic = imported(tmp_path, lines, options=OtlpOptions())
    (row,) = read_evaluations(traffic.folder / FILE)
    assert (row.evaluation.name, row.evaluation.explanation) == ("relevance", None)


def test_without_evaluations_there_is_no_file(tmp_path: Path) -> None:
    """And nothing in the ledger."""
    traffic = imported(tmp_path, [line(span(1, SEARCH))])
    assert not (traffic.folder / FILE).exists()
    assert not list(read_evaluations(traffic.folder / FILE))
    assert (traffic.ledger.noted, traffic.ledger.left_out) == ({}, {})


@pytest.mark.parametrize("text", ["{}", '{"of": "a/b", "name": 1}', "nonsense", "[1]"])
def test_a_broken_file_is_refused_at_its_line(tmp_path: Path, text: str) -> None:
    """With its number."""
    path = tmp_path / FILE
    path.write_text(text)
    with pytest.raises(MalformedDataError, match=":1: "):
        list(read_evaluations(path))
