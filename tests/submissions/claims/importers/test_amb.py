"""Agent Memory Benchmark's files, invented in their shapes."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.submissions.claims.importers import streaming
from memgauge.submissions.claims.importers.amb import read_external, read_manifest, read_output
from memgauge.submissions.claims.importers.building import ClaimOrigin
from memgauge.submissions.claims.verdicts import ClaimVerdict, from_rows

if TYPE_CHECKING:
    from pathlib import Path

_HERE = ClaimOrigin("ann/bench@1: file", "2026-03-26")


def _written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _rows(verdicts: str, home: str = "conv-1") -> list[dict[str, Any]]:
    return [
        {
            "query_id": f"{home}_q{n}",
            "correct": {"+": True, "-": False}.get(verdict),
            "meta": {"sample_id": home},
            "context": "shed",
        }
        for n, verdict in enumerate(verdicts)
    ]


def _output(path: Path, rows: list[dict[str, Any]], **changed: object) -> Path:
    head = {
        "dataset": "locomo",
        "split": "locomo10",
        "memory_provider": "larder",
        "run_name": "first",
        "mode": "rag",
    }
    judged = {"judge_llm": "judge-1", "answer_llm": "reader-1", "accuracy": 0.75}
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump({**head, **judged, **changed, "results": rows}, file)
    return path


def test_external_results_are_claims_of_others(tmp_path: Path) -> None:
    """Every product and source becomes a sheet, read in a copy, with who spoke as the comment says."""
    row = {"accuracy": 0.71, "source_url": "https://example.org/x", "source_label": "X blog"}
    path = _written(
        tmp_path / "external_results.json",
        {
            "locomo": {
                "locomo10": [
                    {"memory": "Larder v2.3 (big)", **row, "comment": "Self-reported by Larder."},
                    {"memory": "Larder v2.3 (small)", **row, "accuracy": 0.6},
                    {"memory": "Pantry", **row, "comment": "Evaluated by a competitor (Larder)."},
                ]
            },
            "longmemeval": {"s": [{"memory": "Larder v2.3", **row}]},
        },
    )
    larder, pantry = read_external(path, _HERE)
    assert (larder.product, larder.version, larder.source.relation) == ("larder", "2.3", "vendor")
    assert [number.value for number in larder.numbers] == ["0.71", "0.6", "0.71"]
    assert (pantry.source.relation, pantry.source.seen, pantry.source.by) == ("competitor", "copy", "X blog")
    assert all(number.rows is None for number in larder.numbers)


def test_manifest_counts_are_computed_again(tmp_path: Path) -> None:
    """An entry of the manifest agrees with its count, or is found to differ."""
    entry = {
        "dataset": "locomo",
        "split": "a",
        "mode": "rag",
        "memory": "larder",
        "run_name": "r",
        "accuracy": 0.75,
    }
    right, wrong = ({**entry, "total_queries": 4, "correct": correct} for correct in (3, 2))
    sheets = read_manifest(_written(tmp_path / "results-manifest.json", [right, wrong]), _HERE)
    verdicts = [from_rows(sheet.numbers[0]).verdict for sheet in sheets]
    assert verdicts == [ClaimVerdict.AGREES, ClaimVerdict.DIFFERS]


def test_output_is_counted_by_conversation(tmp_path: Path) -> None:
    """The questions of a result file are counted again, and texts are left out."""
    rows = [*_rows("++-"), *_rows("+?", home="conv-2")]
    (sheet,) = read_output(_output(tmp_path / "locomo10.json.gz", rows), _HERE)
    (number,) = sheet.numbers
    assert number.rows is not None
    assert [(r.name, r.questions, r.right, r.unscored) for r in number.rows.each] == [
        ("conv-1", 3, 2, 0),
        ("conv-2", 1, 1, 1),
    ]
    assert (sheet.settings["locomo"].judge, sheet.settings["locomo"].answerer) == ("judge-1", "reader-1")
    assert from_rows(number).verdict is ClaimVerdict.AGREES
    assert "shed" not in sheet.model_dump_json()


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ([{"query_id": "a", "correct": "yes"}], "results[0].correct"),
        ([7], "results[0]"),
        (_rows("+") * 2, "stands twice"),
        ([], "no question has a verdict"),
    ],
)
def test_malformed_output_is_named_by_field(tmp_path: Path, rows: list[Any], named: str) -> None:
    """Whatever is wrong with a result file, file and field are named."""
    with pytest.raises(MalformedDataError) as raised:
        read_output(_output(tmp_path / "locomo10.json.gz", rows), _HERE)
    assert "locomo10.json.gz" in raised.value.what
    assert named in raised.value.what


def test_broken_packing_is_refused(tmp_path: Path) -> None:
    """A file that is cut off or not packed is refused by name, and one that is not there too."""
    whole = _output(tmp_path / "whole.json.gz", _rows("+")).read_bytes()
    (tmp_path / "cut.json.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "plain.json.gz").write_text("{}")
    for name in ("cut.json.gz", "plain.json.gz"):
        with pytest.raises(MalformedDataError, match=name):
            read_output(tmp_path / name, _HERE)
    with pytest.raises(DataNotFoundError):
        read_output(tmp_path / "none.json.gz", _HERE)


def test_file_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file from which far more comes than such files hold is left before it is read in whole."""
    monkeypatch.setattr(streaming, "SMALL", 1)
    path = tmp_path / "locomo10.json.gz"
    path.write_bytes(gzip.compress(b"{" + b" " * (1 << 20) + b"}"))
    with pytest.raises(MalformedDataError, match="unpacks to more"):
        read_output(path, _HERE)


@pytest.mark.parametrize(
    ("value", "named"),
    [([], "external"), ({"locomo": []}, "locomo"), ({"locomo": {"a": [{"accuracy": "?"}]}}, "accuracy")],
)
def test_malformed_external_results_are_named_by_field(tmp_path: Path, value: object, named: str) -> None:
    """A field of the wrong kind is named."""
    with pytest.raises(MalformedDataError, match=named):
        read_external(_written(tmp_path / "external_results.json", value), _HERE)
