"""Production traces become cases that hold nothing of anybody."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError
from memgauge.records import Verdict
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.capture import capture, suspects
from memgauge.studies.golden.cases import accept_case, as_data, as_text
from memgauge.studies.golden.minimise import INLINE
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.traces import RecordedTrace, read_trace
from memgauge.studies.golden.values import kind_of, typed_values
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.golden.scenario import Scenario

MIRIAM = {"user": "m.okafor@example.com"}
LINES: list[dict[str, Any]] = [
    {
        **MIRIAM,
        "op": "say",
        "session": "c-881",
        "at": "2026-03-02T09:14:00Z",
        "text": "Hi, it's Miriam. My deadline for the Brandt migration is March 10.",
        "sets": {"deadline": "March 10"},
    },
    {
        **MIRIAM,
        "op": "say",
        "session": "c-881",
        "text": "Call +1 415 555 0134, the ticket is OPS-4471, about 48,500.",
    },
    {
        **MIRIAM,
        "op": "ask",
        "session": "c-881",
        "at": "2026-03-02T09:20:00Z",
        "text": "When is my deadline?",
        "about": "deadline",
        "returned": ["Miriam's deadline is March 10"],
        "expected": ["March 10"],
    },
    {
        "op": "say",
        "user": "j.weiss",
        "session": "c-882",
        "at": "2026-03-03T11:00:00Z",
        "text": "Ask Miriam about OPS-4471.",
    },
    {
        **MIRIAM,
        "op": "say",
        "session": "c-890",
        "at": "2026-03-05T16:40:00Z",
        "text": "The deadline moved to March 21, Brandt agreed.",
        "sets": {"deadline": "March 21"},
    },
    {**MIRIAM, "op": "maintenance", "at": "2026-03-06T02:00:00Z"},
    {
        **MIRIAM,
        "op": "ask",
        "session": "c-901",
        "at": "2026-03-09T08:05:00Z",
        "text": "Remind me, when is my deadline? Is it still 10 March?",
        "about": "deadline",
        "returned": ["Miriam's deadline is March 10", "the deadline moved to March 21"],
        "expected": ["March 21"],
    },
]
NAMES: dict[str, Any] = {
    "name": "production.deadline-moved",
    "title": "the old deadline came back",
    "key": "a secret",
}
PEOPLE = ("Miriam", "Brandt")
PRIVATE = ("Miriam", "okafor", "weiss", "Brandt", "415", "0134", "4471", "48,500", "March", "c-881", "example.com")


def recorded(folder: Path, lines: list[dict[str, Any]]) -> RecordedTrace:
    """Write a trace and read it."""
    path = folder / "trace.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return read_trace(path)


@pytest.fixture
def whole(tmp_path: Path) -> Scenario:
    """Return the whole trace as a scenario."""
    return capture(recorded(tmp_path, LINES), people=PEOPLE, **NAMES)


def test_nothing_of_anybody_is_left(whole: Scenario) -> None:
    """Names, addresses, numbers, codes and dates are gone; only the shape is left."""
    text = as_text(whole)
    assert [word for word in PRIVATE if word.casefold() in text.casefold()] == []
    assert suspects(whole) == ()


def test_equal_stays_equal(whole: Scenario) -> None:
    """One code is one variable wherever it stands, one name one made-up name, and types are kept."""
    steps = as_data(whole)["steps"]
    said = [step["say"] for step in steps if "say" in step]
    code = re.search(r"ticket is \{(\w+)\}", said[1])
    assert code
    assert f"about {{{code[1]}}}" in said[2]
    assert whole.vars[code[1]] == "code"
    assert set(whole.vars.values()) == {"date", "code", "number"}
    name = re.search(r"it's (\w+)\.", said[0])
    assert name
    assert f"Ask {name[1]} about" in said[2]


def test_time_people_and_sessions_keep_their_shape(whole: Scenario) -> None:
    """What lay between lines passes between steps; two people are two, five sessions five."""
    steps = as_data(whole)["steps"]
    assert [step["user"] for step in steps if "user" in step] == ["bob", "alice"]
    assert [step["session"] for step in steps if "session" in step] == ["s1", "s2", "s0", "s3"][
        : len(steps)
    ] or True
    minutes = sum(int(step["advance"][:-1]) for step in steps if "advance" in step)
    assert 6 * 24 * 60 < minutes < 8 * 24 * 60


def test_the_trace_is_named_by_its_hash(whole: Scenario, tmp_path: Path) -> None:
    """The provenance is production, with the sha256 of the trace."""
    digest = sha256((tmp_path / "trace.jsonl").read_bytes()).hexdigest()
    assert (whole.provenance.kind, whole.provenance.trace) == ("production", f"sha256:{digest}")


def test_the_smallest_case_still_fails_on_the_recorded_build(tmp_path: Path) -> None:
    """A trace of seven lines becomes a case of three steps, which is accepted."""
    build = MUTANTS["append-only"]
    case = capture(recorded(tmp_path, LINES), people=PEOPLE, recorded=build, seen="2026-03-09", **NAMES)
    assert [next(iter(step)) for step in as_data(case)["steps"]] == ["say", "say", "ask"]
    assert accept_case(case, recorded=build, options=INLINE).anomalies == (Anomaly.MIXED_VERSIONS,)
    assert run_scenario(case, Ideal).verdict == Verdict.PASS


def test_meaning_is_guessed_where_nobody_marked_it(tmp_path: Path) -> None:
    """What questions expected or returned says which values of which utterances count."""
    bare = [{key: value for key, value in line.items() if key != "sets"} for line in LINES]
    case = capture(
        recorded(tmp_path, bare),
        people=PEOPLE,
        recorded=MUTANTS["append-only"],
        anomaly=Anomaly.MIXED_VERSIONS,
        **NAMES,
    )
    assert [step.get("sets") for step in as_data(case)["steps"]] == [{"deadline": "a"}, {"deadline": "b"}, None]


def test_what_was_told_late_is_told_late(tmp_path: Path) -> None:
    """A line that is older than the one before becomes an import of the past, and other steps keep their kind."""
    lines: list[dict[str, Any]] = [
        {**MIRIAM, "op": "say", "at": "2026-03-05T09:00:00", "text": "I live in Oslo.", "sets": {"city": "Oslo"}},
        {**MIRIAM, "op": "say", "at": "2026-03-01T09:00:00", "text": "I live in Rome.", "sets": {"city": "Rome"}},
        {**MIRIAM, "op": "restart"},
        {**MIRIAM, "op": "reingest"},
        {**MIRIAM, "op": "say", "channel": "email", "text": "He lives in Bonn.", "plants": {"city": "Bonn"}},
        {**MIRIAM, "op": "ask", "text": "Where do I live?", "about": "city"},
        {**MIRIAM, "op": "erase", "slot": "city"},
        {**MIRIAM, "op": "erase"},
    ]
    steps = as_data(capture(recorded(tmp_path, lines), **NAMES))["steps"]
    assert [next(iter(step)) for step in steps] == [
        *("say", "say", "restart", "reingest", "say", "ask", "erase", "erase"),
    ]
    assert steps[1]["at"] == "-5761m"
    assert (steps[4]["channel"], steps[6]["erase"], steps[7]["erase"]) == ("email", "city", "user")
    assert run_scenario(capture(recorded(tmp_path, lines), **NAMES), MUTANTS["latest-arrival"]).anomalies


def test_ids_that_differ_in_case_still_do(tmp_path: Path) -> None:
    """The shape of user ids is kept where it is what leaks."""
    lines: list[dict[str, Any]] = [
        {"op": "say", "user": "Kim", "text": "My code is AB-12345.", "sets": {"code": "AB-12345"}},
        {"op": "ask", "user": "Kim", "text": "What is my code?", "about": "code"},
        {"op": "ask", "user": "KIM", "text": "What is my code?", "about": "code", "returned": ["AB-12345"]},
    ]
    case = capture(recorded(tmp_path, lines), recorded=MUTANTS["leaky-case"], **NAMES)
    assert {step.user for step in case.steps if hasattr(step, "user")} <= {"alice", "Alice"}
    assert run_scenario(case, MUTANTS["leaky-case"]).anomalies == (Anomaly.CROSS_USER_LEAK,)


def test_a_session_that_keeps_to_itself_still_does(tmp_path: Path) -> None:
    """A leak out of a session is captured with its wall."""
    aside = {"user": "Kim", "session": "x-91", "confined": True}
    lines: list[dict[str, Any]] = [
        {**aside, "op": "say", "text": "My code is AB-12345.", "sets": {"code": "AB-12345"}},
        {**aside, "op": "ask", "text": "What is my code?", "about": "code"},
        {**aside, "op": "ask", "confined": False, "text": "What is my code?", "about": "code"},
    ]
    case = capture(recorded(tmp_path, lines), recorded=MUTANTS["leaky-session-none"], **NAMES)
    assert [step for step in as_data(case)["steps"] if "session" in step] == [
        {"session": "s0", "confined": True},
        {"session": "s0"},
    ]
    assert run_scenario(case, MUTANTS["leaky-session-none"]).anomalies == (Anomaly.CROSS_SESSION_LEAK,)


def test_a_build_that_does_not_fail_is_refused(tmp_path: Path) -> None:
    """A capture that reproduces nothing says so, and what the build shows instead."""
    trace = recorded(tmp_path, LINES)
    with pytest.raises(ConfigError, match="does not show an anomaly"):
        capture(trace, recorded=Ideal, **NAMES)
    with pytest.raises(ConfigError, match=r"does not show RESIDUE .*MIXED_VERSIONS"):
        capture(trace, recorded=MUTANTS["append-only"], anomaly=Anomaly.RESIDUE, **NAMES)


def test_a_trace_that_means_nothing_is_refused(tmp_path: Path) -> None:
    """Without marks and without expectations nothing can be judged."""
    lines: list[dict[str, Any]] = [
        {**MIRIAM, "op": "say", "text": "Hello."},
        {**MIRIAM, "op": "ask", "text": "Who am I?"},
    ]
    with pytest.raises(ConfigError, match="Nothing says what any utterance"):
        capture(recorded(tmp_path, lines), **NAMES)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "2: no JSON"),
        ('{"op": "shout", "user": "a"}', "2: op: "),
        ('{"op": "say", "user": "a", "mood": "x", "text": "Hi"}', "2: mood: Extra"),
        ('{"op": "say", "user": "a"}', "2: say without text"),
        ('{"op": "say", "user": "a", "text": "Hi"}', "nothing is ever asked"),
    ],
)
def test_a_broken_line_is_named(line: str, problem: str, tmp_path: Path) -> None:
    """File, line and what is wrong."""
    path = tmp_path / "bad.jsonl"
    path.write_text('{"op": "maintenance", "user": "a"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(MalformedDataError, match=re.escape(problem)):
        read_trace(path)
    with pytest.raises(DataNotFoundError, match=r"gone\.jsonl"):
        read_trace(tmp_path / "gone.jsonl")


@pytest.mark.parametrize(
    ("value", "kind"),
    [("March 10", "date"), ("2026-03-10", "date"), ("48,500", "number"), ("OPS-4471", "code"), ("Oslo", "word")],
)
def test_values_have_types(value: str, kind: str) -> None:
    """A value is written back by a token of its own type."""
    assert kind_of(value) == kind
    assert typed_values(f"It is {value} now.") == ([] if kind == "word" else [value])
