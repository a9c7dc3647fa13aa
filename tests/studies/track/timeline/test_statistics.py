"""The seven statistics of Table 1, against counts made by hand and by another formula."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ModelError
from memgauge.llm.messages import Counted, Finish, Reply, Usage
from memgauge.reproduce import Status, reproduce
from memgauge.studies.track.timeline.memtrack import read_memtrack
from memgauge.studies.track.timeline.models import Event, Platform, Timeline
from memgauge.studies.track.timeline.references import ReferenceJudge, ReferenceWords
from memgauge.studies.track.timeline.statistics import (
    compact,
    entropy_bits,
    heterophily,
    refers,
    span_hours,
    statistics,
    table,
)
from memgauge.text.counting import DEFAULT
from memgauge.text.tokens import TOKEN_COUNTER
from support import Later, real_data
from support.timeline import lamp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.llm.messages import Request

scipy = Later("scipy.stats")


def of_platforms(order: str, step_minutes: int = 60) -> Timeline:
    """Make events in the order of letters: s, l, g."""
    payloads: dict[str, dict[str, Any]] = {
        "s": {"kind": "message", "channel": "c", "messages": [{"sender": "a", "text": "x"}]},
        "l": {"kind": "ticket", "title": "t"},
        "g": {"kind": "commit"},
    }
    minutes = [number * step_minutes for number in range(len(order))]
    times = [f"2025-01-{1 + m // 1440:02d}T{m // 60 % 24:02d}:{m % 60:02d}" for m in minutes]
    events = [
        {"id": f"e{n}", "at": at, "payload": payloads[letter]}
        for n, (letter, at) in enumerate(zip(order, times, strict=True))
    ]
    return Timeline.model_validate({"name": order, "events": events})


def event(text: str, kind: str = "message") -> Event:
    """Make one event that says something."""
    payload: dict[str, Any] = {"kind": kind, "messages": [{"sender": "a", "text": text}]}
    if kind != "message":
        payload = {"kind": kind, "title": text} if kind == "ticket" else {"kind": kind, "message": text}
    return Event.model_validate({"id": "e1", "at": "2025-01-01", "payload": payload})


class Scripted:
    """A model that says the same of everything."""

    name = "scripted:fixed"

    def __init__(self, said: str) -> None:
        self.said = said

    def complete(self, request: Request) -> Reply:
        """Say it."""
        return Reply(self.said, Finish.STOP, Usage(1, 1, Counted.ESTIMATE))


@pytest.mark.parametrize(
    ("counts", "bits", "normalised"),
    [((4, 29), 0.5328, 0.5328), ((5, 3, 2), 1.4855, 0.9372), ((7, 9), 0.9887, 0.9887)],
)
def test_entropy_is_of_base_two(counts: tuple[int, ...], bits: float, normalised: float) -> None:
    """The worked figures of the reference come out."""
    order = "".join(letter * count for letter, count in zip("lsg", counts, strict=False))
    found = statistics(of_platforms(order), DEFAULT, ReferenceWords())
    assert found.entropy_bits == pytest.approx(bits, abs=5e-5)
    assert found.entropy_normalised == pytest.approx(normalised, abs=5e-5)
    assert found.entropy_nats == pytest.approx(bits * log(2), abs=5e-5)


@given(st.lists(st.integers(0, 50), max_size=5))
def test_entropy_agrees_with_another_implementation(counts: list[int]) -> None:
    """SciPy computes the same, and nothing at all has no entropy."""
    expected = float(scipy.entropy(counts, base=2)) if sum(counts) else 0.0
    assert entropy_bits(counts) == pytest.approx(expected, abs=1e-12)


@given(st.text("slg", max_size=30))
def test_heterophily_counts_changes_of_platform(order: str) -> None:
    """It is the number of places where a platform ends, over all places between events."""
    runs = len([1 for n, letter in enumerate(order) if n == 0 or order[n - 1] != letter])
    share = heterophily(of_platforms(order).events)
    assert (share.count, share.of) == (max(runs - 1, 0), max(len(order) - 1, 0))
    assert 0 <= share.value <= 1


def test_one_platform_alone_has_no_entropy() -> None:
    """Nothing is divided by the largest value, which is nothing too."""
    found = statistics(of_platforms("sss"), DEFAULT, ReferenceWords())
    assert (found.entropy_bits, found.entropy_normalised, found.platforms) == (0, 0, {"slack": 3})


def test_span_is_in_hours() -> None:
    """From the first event to the last one; a single event spans nothing."""
    assert span_hours(of_platforms("slg", 30).events) == 1.0
    assert span_hours(of_platforms("s").events) == 0.0
    assert span_hours(()) == 0.0


def test_an_instance_is_counted() -> None:
    """Messages of threads count apart from events; tokens are those of compact JSON under a named counter."""
    found = statistics(lamp(), DEFAULT, ReferenceWords())
    assert (found.events, found.messages, found.questions) == (8, 5, 2)
    assert found.platforms == {"slack": 4, "linear": 3, "git": 1}
    assert found.token_counter == TOKEN_COUNTER
    assert found.tokens == sum(-(-len(compact(one)) // 4) for one in lamp().events)
    assert found.reference_scorer == "words-1 (heuristic)"


def test_the_table_has_seven_rows() -> None:
    """Mean and maximum over instances."""
    each = [statistics(of_platforms(order), DEFAULT, ReferenceWords()) for order in ("sl", "slgs")]
    columns = {column.name: (column.mean, column.largest) for column in table(each)}
    assert len(columns) == 7
    assert columns["events"] == (3.0, 4.0)
    assert columns["span, hours"] == (2.0, 3.0)
    assert table([]) == ()


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("see the ticket", "message", True),
        ("OPS-12 is next", "message", True),
        ("the PR is open", "message", True),
        ("fixed in #428", "message", True),
        ("merged this morning", "message", True),
        ("as said in #general", "ticket", True),
        ("@ines mentioned it", "ticket", True),
        ("as the thread says", "commit", True),
        ("as said in #general", "message", False),
        ("close the ticket", "ticket", False),
        ("a prize of 12", "message", False),
        ("mergers and gitters", "message", False),
        ("mail me@ines said", "ticket", False),
    ],
)
def test_words_that_refer_elsewhere(text: str, kind: str, expected: bool) -> None:
    """The heuristic finds a platform's own words, and a platform never refers to itself."""
    assert refers(event(text, kind), ReferenceWords()) is expected


def test_a_model_scores_strictly_above_the_threshold() -> None:
    """0.3 is no reference and 0.31 is one; the own platform's number does not count."""
    no = ReferenceJudge(Scripted('{"linear": 0.3, "slack": 1.0, "git": 0.0}'))
    yes = ReferenceJudge(Scripted('{"linear": 0.31, "slack": 0.0, "git": 0.0}'))
    assert not refers(event("x"), no)
    assert refers(event("x"), yes)
    assert yes.name == "scripted:fixed, track-references-1"
    assert yes.score(event("x"))[Platform.LINEAR] == 0.31


@pytest.mark.parametrize(
    "said",
    [
        "",
        "{}",
        '{"linear": "a", "slack": 0, "git": 0}',
        '{"linear": 2, "slack": 0, "git": 0}',
        '{"linear": true, "slack": 0, "git": 0}',
        '{"linear": 1, "slack": 0, "git": 0, "other": 1}',
        'Well: {"linear": 0.31, "slack": 0.0, "git": 0.0}',
    ],
)
def test_a_reply_that_cannot_be_read_is_no_score(said: str) -> None:
    """Nothing is invented: an unreadable reply is an error."""
    with pytest.raises(ModelError):
        ReferenceJudge(Scripted(said)).score(event("x"))


@pytest.mark.data
def test_the_archive_gives_the_figures_of_the_issue() -> None:
    """Every figure of `reproduce track` holds."""
    real_data("memtrack/test_configs/config_2.yaml")
    rows = reproduce(["track"])
    assert len(rows) == 15
    assert {row.status for row in rows} == {Status.OK}


@pytest.mark.data
def test_a_real_instance_has_threads() -> None:
    """The ten events of pw_1 hold ten messages in three of them."""
    found = read_memtrack(real_data("memtrack/test_configs/config_pw_1.yaml"))
    assert statistics(found, DEFAULT, ReferenceWords()).messages == 10


def test_absent_data_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the archive the section says what is missing."""
    monkeypatch.setattr("memgauge.studies.track.recipe.search_roots", lambda: (tmp_path,))
    rows: Sequence[Any] = reproduce(["track"])
    assert Counter(row.status for row in rows) == {Status.SKIP: len(rows)}
    assert "MEMGAUGE_DATA" in rows[0].reason
