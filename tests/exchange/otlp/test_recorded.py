"""What real libraries wrote, offline and about invented things, is read without loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.exchange.otlp.importing import import_otlp
from support.otlp import KEPT, rows

if TYPE_CHECKING:
    from memgauge.exchange.traffic.reading import Traffic

RECORDED = Path(__file__).parent / "recorded"
"""One file for each library, named after it and its version."""
EXPECTED: dict[str, list[tuple[str, str, str, list[str]]]] = {
    "openinference-instrumentation-langchain-0.1.80": [
        ("search", "ok", "", ["wears 42", "likes tea"]),
        ("search", "empty", "", []),
    ],
    "opentelemetry-instrumentation-chromadb-0.62.4": [
        ("add", "ok", "", []),
        ("search", "ok", "", ["wears 42", "likes tea"]),
        ("update", "ok", "", []),
        ("delete", "ok", "", []),
    ],
    "opentelemetry-instrumentation-qdrant-0.62.4": [
        ("upsert", "ok", "shoes", []),
        ("search", "ok", "shoes", []),
        ("delete", "ok", "shoes", []),
    ],
}


def recorded(name: str, folder: Path) -> Traffic:
    """Import what a library wrote."""
    return import_otlp([RECORDED / f"{name}.jsonl"], folder / "traffic", KEPT)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_span_of_a_real_library_is_an_operation(tmp_path: Path, name: str) -> None:
    """None is lost, unknown, or read as what it is not."""
    traffic = recorded(name, tmp_path)
    ledger = traffic.ledger
    assert ledger.spans == ledger.operations == len(EXPECTED[name])
    assert (ledger.unknown, ledger.left_out, ledger.unparsable, ledger.duplicates) == ({}, {}, 0, 0)
    whole = [
        (row["operation"], row["outcome"], row["store"], [each["text"] for each in row["records"]])
        for row in rows(traffic)
    ]
    assert whole == EXPECTED[name]


def test_what_real_libraries_say_beside_their_hits_is_kept(tmp_path: Path) -> None:
    """Who asked, k, and how many were written; a list that was not captured is unknown, not empty."""
    for name in EXPECTED:
        (tmp_path / name).mkdir()
    langchain, chroma, qdrant = (rows(recorded(name, tmp_path / name)) for name in EXPECTED)
    assert [(row["scope"], row["session"], row["query"]) for row in langchain] == [
        ("ada", "monday", "shoe size?"),
        ("ada", "monday", "nothing?"),
    ]
    assert [row["asked"] for row in chroma if row["operation"] == "search"] == [2]
    assert [each["memory"] for row in chroma for each in row["records"]] == ["m7", "m8"]
    assert [row["returned"] for row in chroma if row["operation"] != "search"] == [2, 1, 1]
    (search,) = (row for row in qdrant if row["operation"] == "search")
    assert (search["asked"], bool(search["captured"]), np.isnan(search["returned"])) == (2, False, True)
