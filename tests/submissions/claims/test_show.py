"""What a reader sees of claims: numbers, verdicts, sources, and the right of reply."""

from __future__ import annotations

from memgauge.results import plain
from memgauge.show.markdown import markdown
from memgauge.show.terminal import printed
from memgauge.submissions.claims.ledger import ClaimFile, judged
from memgauge.submissions.claims.show import claims_document
from support.claims import claim_sheet, claimed

_ROWS = [{"name": "all", "questions": 60, "right": 51, "unscored": 4}]


def _document(**changed: object) -> str:
    sheet = claim_sheet(claimed("90.0", _ROWS, kind="total"), **changed)
    return " ".join(printed(claims_document(judged([ClaimFile("claims/larder/page.toml", sheet)], ()))).split())


def test_number_stands_beside_its_recount() -> None:
    """Published and recomputed stand side by side with the interval, the verdict and both denominators."""
    text = _document()
    assert "90.0 %" in text
    assert "85.00 %" in text
    assert "[73.9 %, 91.9 %]" in text
    assert "differs" in text
    assert "4 without a verdict, 79.69 % where they are wrong" in text
    assert "ann/larder#1" in text


def test_right_of_reply_is_printed() -> None:
    """A reply is printed in full; before there is one, it is said whether the maker was asked."""
    assert "not asked yet" in _document()
    assert "asked on 2026-11-01, no reply yet" in _document(reply={"informed_on": "2026-11-01"})
    told = {"informed_on": "2026-11-01", "reply": "We ran it again.", "replied_on": "2026-11-09"}
    assert "“We ran it again.” (2026-11-09)" in _document(reply=told)


def test_several_products_are_counted_first() -> None:
    """With several products a table of counts comes first, and each keeps a section of its own."""
    files = [
        ClaimFile(f"claims/{name}/page.toml", claim_sheet(product=name, title=name.title()))
        for name in ("larder", "pantry")
    ]
    document = claims_document(judged(files, ()))
    assert next(document.tables).heads[:2] == ("product", "numbers")
    assert "## Larder" in markdown(document)
    assert [claim["product"] for claim in plain(document.data)["claims"]] == ["larder", "pantry"]
