"""The ledger of claims on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


def _published(path: Path, right: int = 9) -> Path:
    rows = {
        f"q{n}": {
            "question_id": f"q{n}",
            "evaluation": {
                "metric_id": "m", "disposition": "judged", "denominator": 1,
                "judge_decision": "yes" if n < right else "no", "numerator": int(n < right),
            },
        }
        for n in range(10)
    }  # fmt: skip
    path.write_text(json.dumps(rows))
    return path


def test_published_ledger_is_shown(memgauge: Callable[..., Said]) -> None:
    """The whole ledger is counted by product, and one product is shown with its sources."""
    assert "published numbers" in memgauge("results", "claims", ROOT / "results").out
    data = memgauge("results", "claims", ROOT / "results", "--product", "openviking", "--json").data
    assert {claim["product"] for claim in data["claims"]} == {"openviking"}
    assert all(claim["source"]["where"] for claim in data["claims"])


def test_unknown_product_is_named_with_its_neighbours(memgauge: Callable[..., Said]) -> None:
    """A product that nobody claims anything of is answered with those that are like it."""
    said = memgauge("results", "claims", ROOT / "results", "--product", "mem00")
    assert said.code == 2
    assert "Did you mean mem0" in said.err


def test_imported_rows_are_shown_with_a_verdict(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """What is imported lies in the ledger as a sheet, and is computed again; the same file twice adds nothing."""
    first = _published(tmp_path / "larder.json")
    for _ in range(2):
        said = memgauge("results", "import-claims", "oamb", first, "--out", tmp_path / "reg", "--where", "a/b@1")
        assert said.code == 0
    assert len(list((tmp_path / "reg/claims").glob("*/*.toml"))) == 1
    (claim,) = memgauge("results", "claims", tmp_path / "reg", "--json").data["claims"]
    assert (claim["verdict"], claim["source"]["where"]) == ("agrees", "a/b@1")
    assert claim["rows"]["value"]["low"] < 0.9 < claim["rows"]["value"]["high"]


def test_newer_results_are_written_beside(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Another file of the same name never overwrites a sheet."""
    for right in (9, 8):
        file = _published(tmp_path / "larder.json", right)
        assert memgauge("results", "import-claims", "oamb", file, "--out", tmp_path / "reg").code == 0
    assert len(memgauge("results", "claims", tmp_path / "reg", "--json").data["claims"]) == 2


def test_mistakes_are_told_without_a_traceback(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A folder without a ledger, an unknown format, a day that is none, and a file that is another's are told."""
    other = tmp_path / "larder.json"
    other.write_text("[]")
    for arguments in (
        ("claims", tmp_path),
        ("import-claims", "oambb", other, "--out", tmp_path),
        ("import-claims", "amb-output", other, "--out", tmp_path),
        ("import-claims", "oamb", _published(tmp_path / "b.json"), "--out", tmp_path, "--on", "yesterday"),
    ):
        said = memgauge("results", *arguments)
        assert said.code == 2
        assert "Traceback" not in said.err
