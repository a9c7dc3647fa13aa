"""A model server that is overloaded: what was paid for is kept, and the next pass asks for the rest alone."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ModelError
from memgauge.llm.access import Access, Backoff, SpendingLimits, complete_many
from memgauge.llm.messages import Reply
from memgauge.llm.provider import open_model
from support.model_server import NAME, answer, ask, bodies, completion, failure

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

STORM = (429, 500, 502, 503, 529)


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_costs_patience_and_no_reply(
    httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Two thirds of all calls fail; whatever was answered is asked for once, and in the end all is there."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-no-real-key")
    chance = random.Random(seed)  # noqa: S311 - no secret

    def respond(asked: Asked) -> Response:
        if chance.random() < 2 / 3:
            wait = {"Retry-After": "0"} if chance.random() < 0.5 else None
            return failure(chance.choice(STORM), headers=wait)
        return answer(completion(asked.get_json()["messages"][-1]["content"]))

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(respond)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    limits = SpendingLimits(workers=4, backoff=Backoff(attempts=2, sleep=lambda _: None))
    requests = [replace(ask(f"question {n}"), model=NAME) for n in range(12)]
    for _ in range(30):
        access = Access(open_model(NAME), limits, cassette=tmp_path / "c.sqlite")
        outcomes = list(complete_many(access, requests, workers=4))
        assert all(isinstance(each, Reply | ModelError) for each in outcomes)
        if all(isinstance(each, Reply) for each in outcomes):
            break
    assert [each.text for each in outcomes if isinstance(each, Reply)] == [f"question {n}" for n in range(12)]
    answered = [
        body["messages"][-1]["content"]
        for body, code in zip(bodies(httpserver), codes(httpserver), strict=True)
        if code == 200
    ]
    assert sorted(answered) == sorted({*answered})


def codes(server: HTTPServer) -> list[int]:
    """List how every request ended."""
    return [response.status_code for _, response in server.log]
