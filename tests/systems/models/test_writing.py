"""A local model answers under a name that holds its weights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import UserError
from memgauge.llm.cassette import Cassette, Mode
from memgauge.llm.messages import Counted, Finish, Message, Request
from memgauge.systems.models.routing import LENT
from memgauge.systems.models.writing import open_writer_model
from support.engines import ToyVectors, ToyWriter, serving

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.models.serving import LocalServer


def lent(server: LocalServer, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let *server* be the one of an installed model."""
    monkeypatch.setattr(server, "_settings", server._settings.__class__(name, "", "", cap=4))
    monkeypatch.setenv(LENT, json.dumps({name: server.url}))


def test_a_record_is_kept_under_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other weights once said is no reply of these."""
    pytest.importorskip("pydantic_ai", reason="needs the extra llm")
    engine = ToyWriter(finish="stop")
    with serving(engine) as server:
        lent(server, "smollm2", monkeypatch)
        model = open_writer_model("local:smollm2")
        assert model.name == "local:smollm2@cdcdcdcdcdcd"
        kept = Cassette(model, tmp_path / "replies.sqlite", Mode.RECORD)
        request = Request(model.name, (Message("user", "Count."),), {"temperature": 0})
        replies = [kept.complete(request) for _ in range(2)]
        assert [reply.replayed for reply in replies] == [False, True]
        assert (replies[0].text.split(), replies[0].finish) == (["0", "1", "2", "3"], Finish.STOP)
        assert replies[0].usage.counted is Counted.PROVIDER
        assert len(engine.bodies) == 1


def test_what_writes_nothing_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An embedding model answers no question, and what is not installed says how it is."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    with serving(ToyVectors()) as server:
        lent(server, "e5", monkeypatch)
        with pytest.raises(UserError, match="local:e5 embeds texts and writes none"):
            open_writer_model("local:e5")
    with pytest.raises(UserError, match="memgauge models install smollm2"):
        open_writer_model("local:smollm2")
