"""Traffic becomes a run and a dataset without gold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.exchange.otlp.sighting import OtlpOptions
from memgauge.exchange.traffic.freezing import freeze_traffic
from memgauge.runs.record.store import load
from memgauge.scoring.verify import passed, verify
from memgauge.text.pseudonyms import Pseudonyms
from support.otlp import KEPT, TRACE, imported, line, memory, span

if TYPE_CHECKING:
    from pathlib import Path

WROTE = [{"id": "m7", "content": "wears 42"}]
SPANS = [
    span(1, memory("create_memory", records=WROTE) | {"user.id": "ada", "session.id": "monday"}),
    span(2, memory("search_memory", records=WROTE, **{"query.text": "size?"}) | {"user.id": "ada"}),
    span(3, memory("search_memory", **{"record.count": 0}) | {"session.id": "s"}),
    span(4, memory("search_memory", records=[*WROTE, *WROTE])),
]


@pytest.mark.parametrize("options", [KEPT, OtlpOptions(Pseudonyms(b"key"))])
def test_a_run_of_traffic_is_a_run_like_any_other(tmp_path: Path, options: OtlpOptions) -> None:
    """It is sealed and agrees with itself, with texts or without; freezing it again changes nothing."""
    traffic = imported(tmp_path, [line(*SPANS)], options=options)
    frozen = freeze_traffic(traffic, tmp_path / "runs", "day")
    assert passed(verify(frozen.run))
    run = load(frozen.run)
    assert run.questions["outcome"].tolist() == ["ok", "empty", "ok"]
    assert run.questions["returned"].tolist() == [1, 0, 1]
    assert any("did not see it" in note for note in run.manifest.system.capabilities["interventions"])
    assert freeze_traffic(traffic, tmp_path / "runs", "day") == frozen


def test_conversations_are_users_else_sessions_else_traces(tmp_path: Path) -> None:
    """What was written are turns, what was asked are questions, and nothing is right or wrong."""
    traffic = imported(tmp_path, [line(*SPANS)])
    dataset = open_dataset(freeze_traffic(traffic, tmp_path / "runs", "day").dataset)
    cases = list(dataset.cases())
    assert [case.conversation.id for case in cases] == ["ada", "session/s", f"trace/{TRACE}"]
    (turn,) = cases[0].conversation.turns()
    assert (turn.text, turn.session, turn.role) == ("wears 42", "monday", "memory")
    assert [question.text for question in cases[0].questions] == ["size?"]
    assert cases[0].questions[0].id == f"{TRACE}/{2:016x}"
    assert [turn.role for turn in cases[1].conversation.turns()] == ["unseen"]
    assert all(gold.why_no_anchors() for gold in dataset.gold())
