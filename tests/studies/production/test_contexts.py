"""What is injected: what repeats in it, what answers have of it, and which versions came with a drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.studies.production.arrays import DAY_NS, TrafficArrays
from memgauge.studies.production.columns import MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.confounders import arrivals, beside
from memgauge.studies.production.daily import daily
from memgauge.studies.production.health import health_rows
from memgauge.studies.production.likeness import NEAR, jaccard, likenesses, shingles
from memgauge.studies.production.mix import mixes

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.production.health import HealthRow

WORDS = "the parcel for ada waits at the harbour until the end of the week and nobody else may take it from there"


def searches(folder: Path, *lists: list[TrafficRecord], texts: bool = True) -> dict[str, HealthRow]:
    """Write one search of a scope of its own for each list, and measure."""
    with TrafficWriter(folder / "traffic") as writer:
        for number, records in enumerate(lists):
            operation = TrafficOperation(
                operation=TrafficKind.SEARCH, scope=f"u{number}", began_ns=number, ended_ns=number + 1,
                returned=len(records),
            )  # fmt: skip
            writer.add(operation, records)
        writer.close(TrafficIdentity(recorder="test", texts=texts), TrafficLedger())
    arrays = TrafficArrays.of(Traffic.read(folder / "traffic"))
    return {row.key: row for row in health_rows(arrays)}


def record(memory: str, text: str | None, **more: int) -> TrafficRecord:
    """Spell a record whose hash is its text."""
    length = None if text is None else len(text)
    return TrafficRecord(memory=memory, hash=text, characters=length, text=text, **more)


def test_a_record_that_says_nearly_the_same_is_counted_with_its_tokens(tmp_path: Path) -> None:
    """One word more at the end is near, another text is not; 26 tokens of two lists are 13 a list."""
    again = f"{WORDS.upper()} again"
    rows = searches(
        tmp_path,
        [record("a", WORDS), record("b", again), record("c", "size 42")],
        [record("a", WORDS), record("c", "her cat is called Miu")],
    )
    assert (rows["near twice"].cases, rows["near twice"].value.n) == (1, 5)
    assert (rows["near list"].cases, rows["near list"].value.n) == (1, 2)
    tokens = -(-len(again) // 4)
    assert (rows["repeated tokens"].value.mean, rows["repeated tokens"].value.n) == (tokens / 2, 2)


def test_without_texts_the_hash_still_tells_what_stands_twice(tmp_path: Path) -> None:
    """Likeness is undefined with its reason; the same text under two names is not."""
    lists = [record("a", None)._replace(hash="x"), record("b", None)._replace(hash="x")]
    rows = searches(tmp_path, lists, texts=False)
    assert rows["near twice"].value.mean is None
    assert "hash" in rows["near twice"].value.reason
    assert rows["same text"].cases == 1


def test_what_no_answer_repeats_is_counted_by_hit_by_search_and_in_tokens(tmp_path: Path) -> None:
    """Runs of five words are traceable; a search without an answer is no case of anything."""
    rows = searches(
        tmp_path,
        [record("a", "x" * 40, traceable=5), record("b", "x" * 80, traceable=4)],
        [record("a", "x" * 40, traceable=0), record("c", "short")],
        [record("a", "x" * 40)],
    )
    assert (rows["traceable"].cases, rows["traceable"].value.n) == (1, 3)
    assert (rows["untraced"].cases, rows["untraced"].value.n) == (1, 2)
    assert rows["untraced tokens"].value.mean == (20 + 10) / 2


texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map(" ".join)


@given(st.lists(st.lists(texts, max_size=5), max_size=4))
def test_likeness_is_that_of_every_pair(lists: list[list[str]]) -> None:
    """Beside a comparison of each text with each earlier one of its list."""
    everything = [text for each in lists for text in each]
    codes = {text: number for number, text in enumerate(dict.fromkeys(everything))}
    numbers = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    found = likenesses(numbers, np.array([codes[text] for text in everything], dtype=np.int64), everything)
    expected = [
        max((jaccard(shingles(text), shingles(other)) for other in each[:place]), default=0.0)
        for each in lists
        for place, text in enumerate(each)
    ]
    assert found.tolist() == pytest.approx([value if value > NEAR else 0.0 for value in expected])


def test_a_version_that_came_is_named_beside_the_weeks_of_an_alarm(tmp_path: Path) -> None:
    """From week 3 on a quarter of searches is of a new version: its week, its share, and the mix that moved."""
    with TrafficWriter(tmp_path / "traffic") as writer:
        for number in range(28 * 4):
            day = number // 4
            new = day >= 14 and number % 4 == 0
            operation = TrafficOperation(
                operation=TrafficKind.SEARCH, scope=f"u{number % 5}", began_ns=number * DAY_NS // 4 + 1,
                ended_ns=number * DAY_NS // 4 + 2, service="shop 1.5" if new else "shop 1.4", model="m",
            )  # fmt: skip
            writer.add(operation)
        writer.close(TrafficIdentity(recorder="test"), TrafficLedger())
    arrays = TrafficArrays.of(Traffic.read(tmp_path / "traffic"))
    (version,) = came = arrivals(arrays, 4)
    assert (version.what, version.name, version.week) == ("service", "shop 1.5", 3)
    assert (version.share, version.most) == (0.25, 0.25)
    mixed = mixes(arrays, 4)
    assert [mix.models for mix in mixed] == [0, 0, 0, 0]
    expected = "service shop 1.5 came in week 3"
    assert beside(range(3, 4), came, mixed) == (expected, "17% of the mix of services moved by week 3")
    assert beside(range(1, 2), came, ()) == ()


@pytest.mark.parametrize(("summary", "drawn"), [(Summary.SHARE, True), (Summary.MEAN, False)])
def test_what_never_was_is_no_alarm_when_it_is_once(summary: Summary, drawn: bool) -> None:
    """A share that was 0 may have a case, and not everything; a mean without spread is not charted."""
    spec = MeasureSpec("key", "group", "name", "of", "none", summary)
    day = np.repeat(np.arange(28), 50)
    once, always = np.zeros(len(day)), np.zeros(len(day))
    once[day == 24] = np.arange(50) == 0
    always[day >= 24] = 1.0
    charts = [daily(MeasuredColumn(spec, values, np.arange(len(day))), day, 28) for values in (once, always)]
    assert [chart.chart is not None for chart in charts] == [drawn, drawn]
    assert [chart.left for chart in charts] == ([None, (24, 1)] if drawn else [None, None])
    assert drawn or "nothing says what is usual" in charts[0].reason


def test_likeness_in_a_long_list_is_that_of_every_pair() -> None:
    """A few hundred texts that differ in a word here and there, of which most are never compared."""
    rng = np.random.default_rng(5)
    base = [f"w{number}" for number in range(60)]
    texts = []
    for _ in range(300):
        words = base[: rng.integers(1, 61)]
        for place in rng.integers(0, len(words), rng.integers(0, 3)):
            words[place] = f"v{rng.integers(4)}"
        texts.append(" ".join(words))
    codes = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    places = np.array([codes[text] for text in texts], dtype=np.int64)
    likeness = likenesses(np.zeros(len(texts), dtype=np.int64), places, texts)
    cut = [shingles(text) for text in texts]
    highest = [
        max((jaccard(cut[place], other) for other in cut[:place]), default=0.0) for place in range(len(cut))
    ]
    assert likeness.tolist() == pytest.approx([value if value > NEAR else 0.0 for value in highest])
    assert 0 < sum(NEAR < value < 1 for value in highest) < len(highest)
