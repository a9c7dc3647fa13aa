"""The server that takes its time, and what it sees of a grid."""

from __future__ import annotations

import itertools
import threading
import time
from types import SimpleNamespace

import pytest

from memgauge.llm.messages import Message, Request
from memgauge.llm.prices import Price
from memgauge.llm.provider import open_model
from memgauge.studies.context import loopback
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.loopback import Loopback
from memgauge.studies.context.recipe_speed import busy

FREE = Price.flat(0, 0, source="loopback")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on this machine asks for no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_it_answers_as_a_provider_does_and_goes_away() -> None:
    """Calls are counted, time is added up, and nothing stays behind."""
    with Loopback(0.02) as server:
        model = open_model("openai:loopback", base_url=server.url, price=FREE)
        replies = [model.complete(Request(model.name, (Message("user", str(n)),), {})) for n in range(3)]
    assert [reply.text for reply in replies] == ["I don't know"] * 3
    assert server.calls == 3
    assert server.busy >= 3 * 0.02 * 0.7
    assert "memgauge-loopback" not in {thread.name for thread in threading.enumerate()}


def test_a_grid_is_asked_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four workers have four calls with the server at a time, each waiting for the others; alone, one is."""
    grid = SampleGrid(("kv", "set"), (500,), (0.0, 0.5), samples=4)
    four, calls = threading.Barrier(4), itertools.count()

    def meet(_: float) -> None:
        if next(calls):  # the first opens the client
            four.wait(30)

    monkeypatch.setattr(loopback, "time", SimpleNamespace(sleep=meet, perf_counter=time.perf_counter))
    assert busy(grid, 0.1, 4) > 0
    assert (next(calls), four.broken) == (17, False)
    monkeypatch.undo()
    assert busy(grid, 0.01, 1) <= 1.0


def test_samples_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures about speed are those that the project claims."""
    from memgauge.reproduce import sections
    from memgauge.studies.context import recipe_speed

    monkeypatch.setattr(recipe_speed, "SAMPLES", 30)
    monkeypatch.setattr(recipe_speed, "busy", lambda: 0.95)
    found = recipe_speed.speed()
    (section,) = (one for one in sections() if one.name == "context-speed")
    assert {figure.name for figure in section.figures} == set(found)
    assert found["seconds_for_10000_samples"] > 0
