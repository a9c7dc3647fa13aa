"""A hybrid that knows how old things are."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError
from memgauge.records import Turn, Verdict
from memgauge.systems import check, open_system
from memgauge.systems.policies.dense import HybridPolicy
from memgauge.systems.policies.temporal import Temporal
from memgauge.systems.protocol import EventTime
from support.pipeline import ADA, day


def said(name: str, text: str, at: float | None) -> Turn:
    """Make one turn, said on day *at*."""
    return Turn(name, "Ada", text, "s", None if at is None else day(at))


def opened(**how: float) -> Temporal:
    """Open one that needs no weights."""
    return Temporal(embedder="hashed", **how)  # type: ignore[arg-type] # mypy takes any for all


def ranked(system: HybridPolicy, query: str = "green violin") -> list[tuple[str, float | None]]:
    """Return ids and scores, best first."""
    return [(hit.memory.id, hit.score) for hit in system.search(query, ADA, 20).hits]


def test_it_keeps_every_promise() -> None:
    """The conformance check finds nothing that fails or could not fail; it says that it uses time."""
    report = check(lambda: open_system("temporal:embedder=hashed"))
    assert report.conforms
    assert {one.verdict for one in report.checks} == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert opened().capabilities().event_time is EventTime.USED


def test_of_equal_words_the_newer_comes_first() -> None:
    """Whatever the order of arrival."""
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        system = opened()
        system.ingest([said(f"t{n}", "the green violin", 100 * n) for n in order], ADA)
        assert [name for name, _ in ranked(system)] == ["t2", "t1", "t0"]


def test_age_takes_half_of_its_share_every_half_life() -> None:
    """A score is that of the hybrid, but for what its age takes off."""
    turns = [said("t0", "the green violin", 0), said("t1", "the green violin", 60), said("t2", "other words", 120)]
    hybrid, system = HybridPolicy(embedder="hashed", c=10), opened(weight=0.4, half_life=60)
    for one in (hybrid, system):
        one.ingest(turns, ADA)
    plain = dict(ranked(hybrid))
    for name, share in (("t1", 0.5), ("t0", 0.25)):
        assert dict(ranked(system))[name] == pytest.approx((plain[name] or 0) * (0.6 + 0.4 * share))


def test_without_weight_or_times_it_is_the_hybrid() -> None:
    """Nothing is taken off where age counts for nothing or is not known."""
    texts = ["green", "green violin", "a violin", "green green violin case"]
    for weight, dated in ((0.0, True), (1.0, False)):
        turns = [said(f"t{n}", text, n * 50 if dated else None) for n, text in enumerate(texts)]
        hybrid, system = HybridPolicy(embedder="hashed", c=10), opened(weight=weight)
        for one in (hybrid, system):
            one.ingest(turns, ADA)
        assert ranked(system) == ranked(hybrid)


def test_what_has_no_time_has_no_age() -> None:
    """It is as fresh as the newest."""
    system = opened(weight=1)
    system.ingest([said("t0", "green violin", None), said("t1", "green violin", 0), said("t2", "x", 999)], ADA)
    assert [name for name, _ in ranked(system) if name != "t2"] == ["t0", "t1"]


def test_scores_fall_and_are_finite_however_old() -> None:
    """Ages of centuries and half-lives of minutes are no trouble."""
    system = opened(weight=1, half_life=0.001)
    system.ingest([said(f"t{n}", "green violin", n * 10_000) for n in range(5)], ADA)
    scores = [score or 0.0 for _, score in ranked(system)]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == 0


@pytest.mark.parametrize("how", [{"weight": -0.1}, {"weight": 1.1}, {"half_life": 0}, {"half_life": float("nan")}])
def test_shares_and_half_lives_fit(how: dict[str, float]) -> None:
    """What cannot be is refused."""
    with pytest.raises(ConfigError, match=r"is not a number (from 0 to 1|above 0 up to)"):
        opened(**how)
