"""The ledger as a whole: what lies where, and what is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.submissions.claims.ledger import claims_figures, figures_of, judged_ledger, read_claims
from memgauge.submissions.claims.verdicts import ClaimVerdict
from memgauge.submissions.sheets.writing import sheet_text
from support import ROOT
from support.claims import claim_sheet, claimed

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.claims.ledger import JudgedClaim

_ROWS = [{"name": "all", "questions": 60, "right": 51}]


def _ledger(root: Path, *numbers: object, product: str = "larder") -> Path:
    folder = root / "claims" / product
    folder.mkdir(parents=True)
    (folder / "page.toml").write_text(sheet_text(claim_sheet(*numbers)))  # type: ignore[arg-type] # numbers
    return root


def test_numbers_are_counted_by_verdict(tmp_path: Path) -> None:
    """Every number is counted once, by the verdict that says most."""
    like, unlike = (
        claimed(value, _ROWS, kind="total", name=name) for name, value in (("a", "85.0"), ("b", "90.0"))
    )
    assert claims_figures(_ledger(tmp_path, like, unlike, claimed(name="c"))) == {
        "claims": 3,
        "products": 1,
        "sources": 1,
        "claims_recomputed": 2,
        "agrees": 1,
        "differs": 1,
        "not_comparable": 0,
        "not_recomputable": 1,
    }


def test_no_ledger_and_wrong_folders_are_named(tmp_path: Path) -> None:
    """A folder without a ledger, and a sheet in the folder of another product, are refused by name."""
    with pytest.raises(DataNotFoundError, match="claims"):
        list(read_claims(tmp_path))
    with pytest.raises(MalformedDataError, match=r"claims/pantry/page\.toml: product"):
        list(read_claims(_ledger(tmp_path, product="pantry")))


def test_misspelt_field_is_named(tmp_path: Path) -> None:
    """A key that nobody knows is refused with file and field."""
    path = _ledger(tmp_path) / "claims/larder/page.toml"
    path.write_text(path.read_text().replace("seen =", "sene ="))
    with pytest.raises(MalformedDataError, match=r"claims/larder/page\.toml: source\.s"):
        list(read_claims(tmp_path))


@pytest.fixture(scope="module")
def published() -> tuple[JudgedClaim, ...]:
    """Judge the ledger of the checkout."""
    return judged_ledger(ROOT / "results")


def test_published_ledger_holds_what_it_promises(published: tuple[JudgedClaim, ...]) -> None:
    """Sixty numbers of a dozen products, each with a source; ten of them computed again, each with an interval."""
    figures = figures_of(published)
    assert figures["claims"] >= 60
    assert figures["products"] >= 12
    assert figures["claims_recomputed"] >= 10
    assert sum(figures[verdict.name.lower()] for verdict in ClaimVerdict) == figures["claims"]
    for claim in published:
        assert claim.sheet.source.where
        assert claim.finding.reason
        if claim.recomputed:
            assert claim.rows.beside is not None
            assert claim.rows.beside.low is not None


def test_published_ledger_says_why_it_compares_nothing_with_our_runs(published: tuple[JudgedClaim, ...]) -> None:
    """Whatever is not compared with a run of ours names at least one reason that the sheet gives."""
    beside = [run for claim in published for run in claim.runs]
    assert beside
    assert all(run.reason.startswith("because ") for run in beside if run.verdict is ClaimVerdict.NOT_COMPARABLE)
