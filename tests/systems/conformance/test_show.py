"""Cards of systems as terminal, JSON, Markdown and HTML."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import support_cards as made
from memgauge.report.sheet import csv_text
from memgauge.report.systems import (
    SIGNS,
    card_json,
    card_terminal,
    matrix_json,
    matrix_markdown,
    matrix_terminal,
    sheets,
)
from memgauge.report.systems_page import render_systems
from memgauge.systems.conformance.aspects import ClaimState, aspects
from memgauge.systems.conformance.card import Installed, Ran
from memgauge.systems.conformance.footprint import Footprint, Spent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from memgauge.systems.conformance.card import SystemCard


@pytest.fixture
def cards() -> list[SystemCard]:
    """Make two cards: one of a product with a known failure, one that knows next to nothing."""
    full = made.card(
        "langgraph",
        "expiry (expiring)",
        offers=("expiring",),
        consistency=made.consistency(),
        golden=made.golden(RESIDUE=("erasure.x",)),
        footprint=Footprint(10, 10, 5, 100, 1000, 2.0, Spent(20, 300)),
        installed=Installed("1", "3.11", 12.0, 34.0),
        ran=(Ran("locomo", 1, 56.0, {"ok": 190, "empty": 9}, {"nDCG@10": 0.25}),),
        problems=("golden suite: no time",),
    )
    return [full, made.card("<b>hostile|")]


def printed(parts: Iterable[RenderableType]) -> str:
    """Return what a terminal of 80 columns shows."""
    console = Console(width=80, record=True, file=StringIO())
    for part in parts:
        console.print(part)
    return console.export_text()


def test_one_card_says_everything_that_is_known(cards: list[SystemCard]) -> None:
    """Rows, how it was installed and run, costs, the suite, interventions and what was not measured."""
    said = printed(card_terminal(cards[0]))
    for part in (
        "expiry (expiring)!",
        "12 s, 34 MB, Python 3.11",
        "locomo x1 in 56 s: nDCG@10 0.250 (9 empty)",
        "200 bytes a memory",
        "2.00 model calls a write",
        "20 of 25 played: 5 fail, 15 pass",
        "telemetry off",
        "Not measured: golden suite: no time",
    ):
        assert part in " ".join(said.split()), part


def test_the_matrix_shows_a_sign_for_each_row_and_words_for_what_is_wrong(cards: list[SystemCard]) -> None:
    """Many systems fit into a terminal; what is broken is told below."""
    said = printed(matrix_terminal(cards))
    assert all(one.name in said for one in aspects(cards[0]))
    assert f"{SIGNS[ClaimState.BROKEN]} expiry: expiry (expiring): expiry (expiring)!" in said
    assert "2 <b>hostile| 1" in said


def test_programs_get_cards_rows_and_failures(cards: list[SystemCard]) -> None:
    """The data is plain JSON, with the evidence of each known failure."""
    told = json.loads(json.dumps(matrix_json(cards)))
    assert [one["card"]["ref"] for one in told["systems"]] == ["langgraph", "<b>hostile|"]
    assert told["systems"][0] == json.loads(json.dumps(card_json(cards[0])))
    found = {one["number"]: one["found"] for one in told["failures"]}
    assert found[4] == [["langgraph", "check 'expiry (expiring)'"]]
    assert found[1] == []


def test_markdown_holds_every_table_and_escapes(cards: list[SystemCard]) -> None:
    """Hostile names stay text, and every row has as many cells as its head."""
    text = matrix_markdown(cards)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {sheet.title}" for sheet in sheets(cards)
    ]
    assert "<b>" not in text
    assert "| 4 | what expired is served |" in text
    assert "expiry (expiring)!" in text


def test_the_page_holds_the_tables_and_escapes(cards: list[SystemCard]) -> None:
    """One self-contained page without scripts, in which hostile names stay text."""
    page = render_systems(cards, identity={"memgauge": "x"})
    assert "2 systems; 2 known failures found" in page
    assert "<b>hostile" not in page
    assert "<script" not in page
    assert all(sheet.title in page for sheet in sheets(cards))


def test_cards_without_known_failures_have_no_table_of_them(cards: list[SystemCard]) -> None:
    """A stranger's memory is not measured against other products' failures."""
    assert [sheet.key for sheet in sheets(cards[1:])] == ["matrix", "findings", "facts", "interventions"]
    assert [sheet.key for sheet in sheets(cards)][-1] == "failures"
    assert csv_text(sheets(cards)[0])
