"""A failure that people confirmed becomes a golden case: the whole way, from traffic to a suite that gates."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.frame.exits import FAILED, OK, WRONG_USE
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.capturing import FailureCapture, FailureKind
from memgauge.studies.production.telling import other_part, telling_part
from memgauge.text.pseudonyms import Pseudonyms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

HOUR = 3_600 * 10**9
STUDY = ("study", "production")
LISBON, PORTO = "Ada lives in a flat in Lisbon with her cat.", "Ada lives in a flat in Porto with her cat."
CODE = "The alarm code of the summer house is 4471, said the caretaker."
KEY = "The spare key lies under the third pot."
QUERY = "Where does Ada live?"


def _operation(kind: TrafficKind, hour: int, user: str, texts: dict[str, str], query: str = "") -> Any:
    at = 1_790_000_000_000_000_000 + hour * HOUR
    records = [
        TrafficRecord(name, Pseudonyms().text_hash(text), len(text), text, 0.9) for name, text in texts.items()
    ]
    named: dict[str, Any] = {"query": query, "query_hash": Pseudonyms().text_hash(query)} if query else {}
    operation = TrafficOperation(
        kind, at, at + 10**6, scope=user, store="s", trace="0" * 31 + "1", span=f"{hour:016x}", **named
    )
    return operation, records


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Traffic:
    """Record a service that returns what was replaced, what was deleted, what is another's, what is no answer."""
    folder = tmp_path_factory.mktemp("faulty") / "traffic"
    add, update, search = TrafficKind.ADD, TrafficKind.UPDATE, TrafficKind.SEARCH
    rows = [
        _operation(add, 1, "ada", {"flat": LISBON}),
        _operation(add, 2, "ada", {"code": CODE, "key": KEY}),
        _operation(update, 10, "ada", {"flat": PORTO}),
        _operation(TrafficKind.DELETE, 11, "ada", {"key": ""}),
        _operation(search, 20, "ada", {"flat": LISBON}, QUERY),
        _operation(search, 21, "ada", {"key": KEY}, "Where is the spare one?"),
        _operation(search, 22, "bob", {"code": CODE}, "How do I get into the summer house?"),
        _operation(search, 23, "ada", {"code": CODE}, "When does the train leave?"),
        _operation(search, 24, "ada", {}, "What is her cat called?"),
        _operation(search, 25, "ada", {"flat": PORTO}, QUERY),
    ]
    with TrafficWriter(folder) as writer:
        for operation, records in rows:
            writer.add(operation, records)
        writer.close(TrafficIdentity(recorder="watch", texts=True), TrafficLedger())
    return Traffic.read(folder)


def name(hour: int) -> str:
    """Name the search of an hour."""
    return f"{'0' * 31}1/{hour:016x}"


@pytest.mark.parametrize(
    ("row", "kind", "steps"),
    [
        (4, FailureKind.STALE, ["say", "say", "ask"]),
        (5, FailureKind.DELETED, ["say", "ask", "erase", "maintenance", "restart", "reingest", "ask"]),
        (6, FailureKind.LEAKED, ["say", "ask", "ask"]),
        (7, FailureKind.WRONG, ["say", "ask", "ask"]),
    ],
)
def test_the_fewest_lines_tell_a_failure(faulty: Traffic, row: int, kind: FailureKind, steps: list[str]) -> None:
    """Only what touches the memory that failed, in the order of time."""
    failure = FailureCapture(faulty, TrafficArrays.of(faulty)).of("q", row)
    assert not isinstance(failure, str)
    assert (failure.kind, [line["op"] for line in failure.lines]) == (kind, steps)
    assert [line["at"] for line in failure.lines] == sorted(line["at"] for line in failure.lines)
    assert failure.lines[-1]["returned"]


def test_a_replacement_is_told_by_what_differs(faulty: Traffic) -> None:
    """The old word, and the new one that should have come."""
    failure = FailureCapture(faulty, TrafficArrays.of(faulty)).of("q", 4)
    assert not isinstance(failure, str)
    assert [line["sets"] for line in failure.lines[:2]] == [{"does": "Lisbon"}, {"does": "Porto"}]
    assert failure.lines[2]["expected"] == ["Porto"]


def test_what_cannot_be_told_says_why(faulty: Traffic, small: Traffic) -> None:
    """An empty list forbids nothing."""
    assert "nothing came back" in str(FailureCapture(faulty, TrafficArrays.of(faulty)).of("q", 8))


@pytest.mark.parametrize(
    ("older", "newer", "parts"),
    [
        (LISBON, PORTO, ("Lisbon", "Porto")),
        ("Due on 3 May.", "Due on 12 June.", ("3 May", "12 June")),
        ("The cat is grey.", "The cat is grey and old.", ("grey", "old")),
        ("a", "a", ("a", "a")),
        ("!!", "??", ("!!", "??")),
    ],
)
def test_two_versions_are_told_apart(older: str, newer: str, parts: tuple[str, str]) -> None:
    """By the first words of one that stand in the place of words of the other."""
    assert other_part(older, newer) == parts
    assert parts[0] in older
    assert parts[1] in newer


def test_one_text_is_told_by_its_most_telling_word() -> None:
    """A number, else a name, else the longest; and none that was asked for."""
    assert telling_part(CODE, "the code of 4472") == "4471"
    assert telling_part("We met Miriam there.", "who?") == "Miriam"
    assert telling_part("We met Miriam somewhere.", "where is Miriam") == "somewhere"


@pytest.mark.parametrize(
    ("hour", "mutant", "anomaly"),
    [
        (20, "keeps-first", "STALE_READ"),
        (21, "soft-erase", "RESURRECTION"),
        (22, "echo-all", "CROSS_USER_LEAK"),
        (23, "confabulates", "CONFABULATION"),
    ],
)
def test_from_traffic_to_a_case_that_gates(
    memgauge: Callable[..., Said], faulty: Traffic, tmp_path: Path, hour: int, mutant: str, anomaly: str
) -> None:
    """Confirmed, captured, made smallest, proven; a correct memory passes the suite, and the faulty one fails."""
    done = memgauge(
        *STUDY, "capture", faulty.folder, tmp_path / "labels", tmp_path / "t", "--confirm", name(hour), "--json"
    )
    assert done.code == OK, done.err
    (path,) = done.data["traces"].values()
    suite = tmp_path / "incidents.memsuite.yaml"
    case = memgauge(
        "study", "golden", "capture", path, "--id", "incident.one", "--title", "it came back", "--key", "secret",
        "-s", f"mutant:{mutant}", "--out", suite, "--json",
    )  # fmt: skip
    assert case.code == OK, case.out + case.err
    assert anomaly in case.data["anomalies"]
    assert "Lisbon" not in suite.read_text("utf-8")
    for system, code in (("ideal", OK), (f"mutant:{mutant}", FAILED)):
        ended = memgauge(
            "study", "golden", "run", "-s", system, "--suite", suite, "--out", tmp_path / f"{system[:4]}.json"
        )
        assert ended.code == code, ended.out + ended.err


def test_what_people_called_a_miss_is_captured(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a sample: labels first; a hit is none, and a search that does not exist is refused."""
    labels, answers = tmp_path / "labels", tmp_path / "answers.jsonl"
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    memgauge(*STUDY, "label", small_folder, labels, "--rater", "ada", "--n", 20)
    drawn = json.loads((labels / "draw.json").read_text("utf-8"))["value"]["questions"]
    lines = [
        {"question": question["name"], "verdict": "miss" if place % 2 else "hit"}
        for place, question in enumerate(drawn)
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    memgauge(*STUDY, "label", small_folder, labels, "--rater", "ada", "--answers", answers)
    done = memgauge(*STUDY, "capture", small_folder, labels, tmp_path / "traces", "--json")
    assert len(done.data["traces"]) + len(done.data["refused"]) == 10
    assert len(list((tmp_path / "traces").iterdir())) == len(done.data["traces"]) > 5
    refused = memgauge(*STUDY, "capture", small_folder, labels, tmp_path / "traces", "--confirm", "a/b")
    assert (refused.code, "no search a/b" in refused.err) == (WRONG_USE, True)
