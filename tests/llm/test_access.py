from __future__ import annotations

import time
from itertools import pairwise
from threading import Condition, Lock
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import BudgetError, ConfigError, ModelError, TemporaryError, UnreachableError, UserError
from memgauge.llm.access import PATIENCE_S, Access, Backoff, Paced, Retrying, SpendingLimits, complete_many
from memgauge.llm.messages import Reply
from memgauge.llm.prices import Price
from memgauge.llm.provider import open_model
from memgauge.llm.scripted import Scripted
from support.model_server import KEY, NAME, answer, ask, completion, failure, serve

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from memgauge.llm.messages import Request


def echo(request: Request) -> str:
    """Reply with what was asked."""
    return request.messages[-1].text


class TestBackoff:
    """When to ask again."""

    def test_waits_double_up_to_the_longest_and_keep_out_of_step(self) -> None:
        """Each wait is between half of its step and all of it, and differs between requests."""
        backoff = Backoff(base_s=1, longest_s=8)
        for attempt, step in enumerate([1, 2, 4, 8, 8], 1):
            waits = {backoff.wait_s(str(label), attempt) for label in range(20)}
            assert len(waits) == 20
            assert all(step / 2 <= wait < step for wait in waits)

    def test_the_same_seed_waits_the_same(self) -> None:
        """Neither thread nor clock decides; the seed does."""
        assert Backoff(seed=1).wait_s("a", 1) == Backoff(seed=1).wait_s("a", 1) != Backoff(seed=2).wait_s("a", 1)

    @given(asked=st.floats(0, 1000), attempt=st.integers(1, 9))
    def test_a_provider_is_never_asked_before_its_time(self, asked: float, attempt: int) -> None:
        """Retry-After is the least."""
        assert asked <= Backoff(base_s=2).wait_s("a", attempt, asked) <= asked + 1

    def test_what_may_pass_is_tried_again(self) -> None:
        """Two failures, two waits, one reply."""
        waits: list[float] = []
        script = Scripted([TemporaryError("busy", retry_after=7), TemporaryError("busy"), "Here."])
        reply = Retrying(script, Backoff(sleep=waits.append)).complete(ask())
        assert reply.text == "Here."
        assert 7 <= waits[0] <= 7.5
        assert 1 <= waits[1] < 2
        assert len(waits) == 2

    @pytest.mark.parametrize(
        ("script", "tries", "message"),
        [
            ([TemporaryError("busy")] * 9, 3, r"busy \(given up after 3 of 3 tries\)"),
            ([TemporaryError("busy", retry_after=PATIENCE_S + 1)], 1, r"given up after 1 of 3 tries"),
            ([ModelError("never")], 1, "^never$"),
        ],
    )
    def test_it_is_given_up(self, script: list[Exception], tries: int, message: str) -> None:
        """After the last try, where the wait is too long, and at once where nothing will help."""
        model = Scripted(script)
        with pytest.raises(ModelError, match=message):
            Retrying(model, Backoff(3, sleep=lambda _: None)).complete(ask())
        assert len(model.asked) == tries


class TestPaced:
    """How fast a model is asked."""

    def test_calls_start_evenly(self) -> None:
        """Thirty a minute start two seconds apart; who comes late does not wait."""
        now = 100.0
        starts: list[float] = []

        def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds

        def start(_: Request) -> str:
            starts.append(now)
            return "ok"

        model = Paced(Scripted(start), per_minute=30, clock=lambda: now, sleep=sleep)
        for _ in range(3):
            model.complete(ask())
        now += 60
        model.complete(ask())
        assert starts == [100, 102, 104, 164]

    def test_few_run_at_a_time(self) -> None:
        """No more than allowed are on their way, and no fewer."""
        counting = Counting(until=3)
        list(complete_many(Paced(counting, concurrency=3), [ask()] * 12, workers=8))
        assert counting.most == 3


class Counting:
    """Counts how many calls run at the same time; each waits until *until* of them did."""

    name = NAME

    def __init__(self, until: int) -> None:
        self._until = until
        self._running = 0
        self._changed = Condition()
        self.most = 0

    def complete(self, request: Request) -> Reply:
        """Reply once enough run beside it."""
        with self._changed:
            self._running += 1
            self.most = max(self.most, self._running)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self._until, 30)
        reply = Scripted(["ok"]).complete(request)
        with self._changed:
            self._running -= 1
        return reply


class TestCompleteMany:
    """Many requests."""

    @given(st.lists(st.sampled_from(["ok", "slow", "bad"]), max_size=20), st.integers(1, 5))
    def test_outcomes_come_in_the_order_asked(self, texts: list[str], workers: int) -> None:
        """Whatever takes how long, and whatever fails."""

        def reply(request: Request) -> str | Exception:
            if echo(request) == "slow":
                time.sleep(0.001)
            return ModelError("bad") if echo(request) == "bad" else echo(request)

        outcomes = complete_many(Scripted(reply), map(ask, texts), workers)
        assert [str(o) if isinstance(o, ModelError) else o.text for o in outcomes] == texts

    def test_requests_are_taken_as_needed(self) -> None:
        """An endless list of requests is no problem, and nobody asks on when nobody listens."""
        model = Scripted(echo)
        outcomes = complete_many(model, (ask(str(number)) for number in iter(int, 1)), 2)
        next(outcomes)
        outcomes.close()  # type: ignore[attr-defined]
        assert len(model.asked) <= 6

    @pytest.mark.parametrize("stop", [BudgetError("enough"), ConfigError("wrong key")])
    def test_what_stops_everything_stops_it_at_its_place(self, stop: Exception) -> None:
        """What came before is yielded; a spent budget or a user's mistake is raised."""
        outcomes = complete_many(Scripted(["a", "b", stop, "c"]), [ask()] * 4, 1)
        assert [next(outcomes), next(outcomes)]
        with pytest.raises((BudgetError, UserError)):
            next(outcomes)


def test_the_first_failure_is_told_and_the_others_are_not() -> None:
    """Who waits reads why; who asks a thousand questions does not read it a thousand times."""
    told: list[str] = []
    model = Retrying(
        Scripted([TemporaryError("busy."), TemporaryError("busy."), "a", TemporaryError("busy."), "b"]),
        Backoff(sleep=lambda _: None),
        told.append,
    )
    assert [model.complete(ask()).text for _ in range(2)] == ["a", "b"]
    assert told == ["busy. Each call is made up to 5 times, with waits between."]


def test_a_server_that_stays_away_is_asked_once_a_call_until_it_is_back() -> None:
    """A thousand questions would wait for hours; the first that is answered ends it."""
    waits: list[float] = []
    away = [UnreachableError("nobody is there.")]
    model = Retrying(Scripted([*away * 9, *away, "a", *away, "b"]), Backoff(3, sleep=waits.append))
    for tries in (3, 3, 3, 1):
        waits.clear()
        with pytest.raises(UnreachableError, match=f"given up after {tries} of {tries} tries"):
            model.complete(ask())
        assert len(waits) == tries - 1
    assert [model.complete(ask()).text for _ in range(2)] == ["a", "b"]


def test_a_server_that_is_busy_is_there() -> None:
    """A refusal shows that somebody listens: from then on calls are tried again as usual."""
    away, busy = UnreachableError("nobody is there."), TemporaryError("busy.")
    model = Retrying(
        Scripted([*[away] * 6, busy, "a", away, away, busy, away, "b"]), Backoff(2, sleep=lambda _: None)
    )
    for _ in range(3):
        with pytest.raises(UnreachableError):
            model.complete(ask())
    with pytest.raises(TemporaryError, match="given up after 1 of 1 tries"):
        model.complete(ask())
    assert model.complete(ask()).text == "a"
    for _ in range(2):
        with pytest.raises(TemporaryError, match="given up after 2 of 2 tries"):
            model.complete(ask())
    assert model.complete(ask()).text == "b"


@pytest.mark.parametrize(
    "build",
    [
        lambda: Backoff(0),
        lambda: Paced(Scripted([]), concurrency=0),
        lambda: Paced(Scripted([]), per_minute=0),
        lambda: next(complete_many(Scripted([]), [ask()], 0)),
    ],
)
def test_limits_have_to_make_sense(build: object) -> None:
    """None would mean never to ask, or to ask for ever."""
    assert callable(build)
    with pytest.raises(ConfigError, match=r"is not (at least 1|above 0)"):
        build()


class TestAccess:
    """All of it together, against a server."""

    def test_busy_then_broken_then_fine(
        self, httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One reply, three calls in the ledger, two of them free failures; the second pass is free altogether."""
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        url = serve(
            httpserver, failure(429, headers={"Retry-After": "0"}), failure(500), answer(completion("Here."))
        )
        model = open_model(NAME, base_url=url, price=Price.flat(1, 10))
        limits = SpendingLimits(max_usd=1, backoff=Backoff(base_s=0.001))
        access = Access(model, limits, cassette=tmp_path / "c.sqlite")
        assert access.name == NAME
        assert access.complete(ask(max_tokens=9)).text == "Here."
        ledger = access.ledger
        assert (ledger.calls, ledger.failed, ledger.replayed) == (3, 2, 0)
        assert (ledger.input_tokens, ledger.output_tokens, ledger.estimated) == (3, 2, 0)
        assert ledger.usd == pytest.approx(23e-6)
        (again,) = complete_many(access, [ask(max_tokens=9)])
        assert isinstance(again, Reply)
        assert again.replayed
        assert access.ledger.replayed == 1
        assert access.ledger.calls == len(httpserver.log) == 3

    def test_without_a_record(self) -> None:
        """Nothing is kept, and everything else holds."""
        access = Access(Scripted(echo), SpendingLimits(max_calls=2))
        outcomes = complete_many(access, [ask("a"), ask("b"), ask("c")], 1)
        assert [next(outcomes), next(outcomes)]
        with pytest.raises(BudgetError):
            next(outcomes)
        assert access.cassette is None
        assert access.ledger.replayed == 0

    def test_a_stopped_pass_goes_on_where_it_stopped(self, tmp_path: Path) -> None:
        """The cap ends a pass; the next one pays only for the rest."""
        requests = [ask(str(number)) for number in range(5)]
        told: list[str] = []
        model = Scripted(echo, name=NAME)
        for _ in range(3):
            access = Access(model, SpendingLimits(max_calls=2, workers=3), cassette=tmp_path / "c.sqlite")
            try:
                told = [
                    reply.text
                    for reply in complete_many(access, requests, access.workers)
                    if isinstance(reply, Reply)
                ]
            except BudgetError:
                assert access.ledger.calls == 2
        assert told == list("01234")
        assert sorted(map(echo, model.asked)) == list("01234")


def test_starts_are_even_whatever_the_threads() -> None:
    """Every place in time is given to one call only."""
    lock = Lock()
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        with lock:
            waits.append(seconds)

    model = Paced(Scripted(echo), concurrency=4, per_minute=60, clock=lambda: 0.0, sleep=sleep)
    list(complete_many(model, [ask()] * 9, workers=4))
    assert all(later - earlier == 1 for earlier, later in pairwise([0.0, *sorted(waits)]))
