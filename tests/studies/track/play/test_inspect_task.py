"""The same instances under Inspect, where it is installed."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import MissingExtraError
from memgauge.studies.track.play.inspect_task import _without_null, inspect_task
from memgauge.studies.track.play.instance import Setup
from memgauge.studies.track.play.plan import Named
from support.track.play import timeline

if TYPE_CHECKING:
    from pathlib import Path


def test_its_absence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package there is a sentence that says how to get it."""
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(MissingExtraError, match="pip install inspect-ai"):
        inspect_task([Named(timeline())])


def test_optional_arguments_are_not_null_there() -> None:
    """Inspect's schemas have one type each."""
    schema = {"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}}
    assert _without_null(schema) == {"type": "object", "properties": {"limit": {"type": "integer"}}}


def test_a_scripted_model_plays_under_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls, failures and answers are rows as in our own runs, and the score is ours."""
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path))
    inspect = pytest.importorskip("inspect_ai")
    types = importlib.import_module("inspect_ai.model")

    def output(**given: Any) -> Any:
        made = types.ModelOutput.for_tool_call("mockllm/model", **given)
        made.usage = types.ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return made

    replies = [
        output(tool_name="list_tickets", tool_arguments={}),
        output(tool_name="fly", tool_arguments={}),
        output(tool_name="answer", tool_arguments={"text": "dana"}),
        output(tool_name="answer", tool_arguments={"text": "2025-06-03"}),
        output(tool_name="answer", tool_arguments={"text": "8"}),
    ]
    model = types.get_model("mockllm/model", custom_outputs=replies)
    task = inspect_task([Named(timeline())], Setup(sandbox="off"))
    (log,) = inspect.eval(task, model=model, display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["memgauge_correctness"]
    assert score.value == pytest.approx(2 / 3)
    assert (score.metadata["tc"], score.metadata["success_rate"]) == (2, 0.5)
    assert [row["tool"] for row in sample.metadata["memgauge"]["calls"]] == ["list_tickets", "fly"]
