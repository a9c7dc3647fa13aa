from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import main
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.precisionmembench.dataset import PrecisionMemBench
from memgauge.records import Verdict
from memgauge.studies.golden.beliefs import BeliefScenarios, scenarios_of
from memgauge.studies.golden.loading import load_suite
from memgauge.studies.golden.minimise import INLINE
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS

if TYPE_CHECKING:
    from pathlib import Path


def belief(key: str, content: str, **changes: Any) -> dict[str, Any]:
    """One belief of the benchmark's shape."""
    fixed = {"user_id": "test-user", "type": "entity", "canonical_name": key, "scope": ["domain:boats"]}
    return {
        "_id": key,
        "content": content,
        "epistemic_status": "active",
        "superseded_by": None,
        "created_at": "2026-03-01T00:00:00Z",
        **fixed,
        **changes,
    }


def case(key: str, query: str, wanted: list[str]) -> dict[str, Any]:
    """One case of the benchmark's shape."""
    expect = {"relevantBeliefs": {"shouldOnlyInclude": wanted}}
    return {"caseId": key, "category": "Alias", "scope": ["domain:boats"], "query": query, "expect": expect}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Beliefs of which one was superseded twice, one is a stranger's, and one has braces."""
    gone = {"epistemic_status": "superseded"}
    beliefs = [
        belief("b-hull", "The hull is of {oak}."),
        belief("b-v0", "Uses red sails.", superseded_by="b-v1", **gone),
        belief("b-v1", "Uses tan sails.", superseded_by="b-v2", created_at="2026-03-02T00:00:00Z", **gone),
        belief("b-v2", "Uses white sails."),
        belief("b-other", "Rows alone.", user_id="other-user"),
    ]
    asked = [case("Hull?", "What is the hull of?", ["b-hull"]), case("none", "Where is the moon?", [])]
    files = {"beliefs.seed.json": beliefs, "retrieval.cases.2.json": asked, "session-retrieval.cases.0.json": []}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


@pytest.fixture
def made(folder: Path) -> BeliefScenarios:
    """The scenarios of the folder."""
    dataset = open_dataset(f"precisionmembench:{folder}")
    assert isinstance(dataset, PrecisionMemBench)
    return scenarios_of(dataset)


def test_a_case_becomes_a_scenario_that_can_be_passed_and_failed(made: BeliefScenarios) -> None:
    """The ideal memory passes; one that keeps the past and one that returns nothing do not."""
    (scenario,) = made.scenarios
    assert scenario.id == "precisionmembench.hull"
    assert run_scenario(scenario, Ideal, INLINE).verdict == Verdict.PASS
    assert scenario.kills == ("null", "append-only")
    for name in scenario.kills:
        assert run_scenario(scenario, MUTANTS[name], INLINE).verdict == Verdict.FAIL


def test_a_chain_of_beliefs_is_one_slot(made: BeliefScenarios) -> None:
    """What was superseded twice sets the slot of the last one, in its order, and the last one is asked for."""
    steps = [step.model_dump() for step in made.scenarios[0].steps]
    slots = [slot for step in steps if "say" in step for slot in step["sets"]]
    assert slots == ["b-other", "b-v2", "b-v2", "b-hull", "b-v2"]
    assert [step["about"] for step in steps if "ask" in step] == ["b-hull", "b-v2"]
    assert all(step["k"] == 4 for step in steps if "ask" in step)


def test_what_calls_for_nothing_is_left_out_by_name(made: BeliefScenarios) -> None:
    """The language cannot ask for an empty set, so the question is named."""
    assert made.empty == ("none",)


def test_the_command_writes_a_suite(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The suite loads without a broken scenario; a second time the file is not overwritten."""
    out = folder / "beliefs.memsuite.yaml"
    words = ["study", "golden", "beliefs", f"precisionmembench:{folder}", "--out", str(out)]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code
    assert "1 scenarios" in capsys.readouterr().out
    loaded = load_suite(out)
    assert not loaded.broken
    assert [each.id for each in loaded.suite.scenarios] == ["precisionmembench.hull"]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "is there already" in capsys.readouterr().err


def test_other_data_holds_no_beliefs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only this benchmark can be turned."""
    with pytest.raises(SystemExit):
        main(["study", "golden", "beliefs", "synthetic:tiny", "--out", str(tmp_path / "x.memsuite.yaml")])
    assert "holds no beliefs" in capsys.readouterr().err
