"""OmniMemEval's published tables, invented in their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.submissions.claims.importers.building import ClaimOrigin
from memgauge.submissions.claims.importers.omnimemeval_tables import read_tables
from memgauge.submissions.claims.verdicts import ClaimVerdict, from_rows

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = """# Benchmark Results

## Evaluation Setup

| Component | Configuration |
| --- | --- |
| Answer model | `reader-1` |
| Judge model | `judge-1` |

## LoCoMo

| Category | Count | Description |
| --- | ---: | --- |
| Single-Hop | 1,000 | one |
| Multi-Hop | 100 | several |

### Reproduced Results

| Backend | Deployment | Single-Hop | Multi-Hop | Overall | Context Tokens |
| --- | --- | ---: | ---: | ---: | ---: |
| Larder | cloud | 80.00 | 50.00 | 77.27 | 17,395 |
| MemOS | cloud | 90.00 | 40.00 | 90.00 | 5,400 |
| Pantry | cloud | - | - | - | - |

### Published Reference Results

| Backend | Single-Hop | Multi-Hop | Overall | Source |
| --- | ---: | ---: | ---: | --- |
| Larder | - | - | 92.5 | [larder research](https://example.org/larder) |

## LongMemEval

| Category | Count | Description |
| --- | ---: | --- |
| single-session-user | 30 | facts |
| multi-session | 70 | several |

### Reproduced Results

| Backend | Deployment | SS-User | Multi-S | Overall |
| --- | --- | ---: | ---: | ---: |
| Larder | local | 100.00 | 50.00 | 65.00 |
"""


def test_tables_are_numbers_with_their_categories(tmp_path: Path) -> None:
    """A product's numbers of one source are one sheet, each computed again from the categories beside it."""
    path = tmp_path / "benchmark-results.md"
    path.write_text(_TEXT)
    larder, memos, quoted = read_tables(path, ClaimOrigin("omni@1"))
    assert [number.name for number in larder.numbers] == ["locomo-overall", "longmemeval-overall"]
    assert [from_rows(number).verdict for number in larder.numbers] == [ClaimVerdict.AGREES] * 2
    assert (larder.source.relation, memos.source.relation) == ("competitor", "vendor")
    setting = larder.settings["locomo"]
    assert (setting.questions, setting.judge, setting.answerer) == (1100, "judge-1", "reader-1")
    assert from_rows(memos.numbers[0]).verdict is ClaimVerdict.DIFFERS
    assert (quoted.source.seen, quoted.source.url, quoted.source.by) == (
        "copy",
        "https://example.org/larder",
        "larder research",
    )
    assert quoted.numbers[0].rows is None
    assert quoted.settings["locomo"].judge == "not stated"


def test_document_without_results_is_refused(tmp_path: Path) -> None:
    """A document that holds no table of results is refused by name."""
    path = tmp_path / "readme.md"
    path.write_text("# Hello\n\n| a | b |\n| - | - |\n| 1 | 2 |\n")
    with pytest.raises(MalformedDataError, match=r"readme\.md"):
        read_tables(path, ClaimOrigin())


def test_size_that_is_no_size_leaves_the_number_alone(tmp_path: Path) -> None:
    """A category of more questions than there are has no size, and its number no rows."""
    path = tmp_path / "benchmark-results.md"
    path.write_text(_TEXT.replace("| 1,000 |", f"| {'9' * 5000} |"))
    larder, *_ = read_tables(path, ClaimOrigin())
    assert larder.numbers[0].rows is None
    assert larder.settings["locomo"].questions == "not stated"
