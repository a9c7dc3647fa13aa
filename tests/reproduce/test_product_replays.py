"""Cards of the attribution study are asked again where the product is at hand, and come out as they are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.reproduce import ExplainedFigures, Status, reproduce
from memgauge.reproduce.product_cards import card_of
from memgauge.reproduce.product_replays import counted, replayed
from memgauge.results import plain
from memgauge.studies.attribution.cards import CARDS, CardSet
from memgauge.studies.attribution.memories import Remembering
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.study import attribute
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.attribution.study import Attribution


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep environments of this machine out of it."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the card of a memory of files."""
    reader = Remembering.of(open_system("grep"), "recall", k=1, ref="grep")
    card = attribute(reader, make_questions(4))
    reader.close()
    return written(card, tmp_path_factory.mktemp("cards") / "grep.json")


def written(card: Attribution, path: Path) -> Path:
    """Write one card as the study does."""
    path.write_text(json.dumps(plain(CARDS.of(CardSet((card,), card.questions, 0)))), encoding="utf-8")
    return path


def test_a_card_comes_out_again(file: Path) -> None:
    """All five of its shares."""
    again = replayed("grep", file)
    assert (again.cells, again.differing, again.absent) == (5, (), "")


def test_a_card_of_something_else_differs(file: Path, tmp_path: Path) -> None:
    """What is said of a memory that finds nothing is not what this one does."""
    card = card_of(file)
    silent = Remembering.of(open_system("none"), "recall", k=1, ref="none")
    other = attribute(silent, make_questions(4))
    silent.close()
    wrong = replace(card, rates=other.rates)
    assert "right" in replayed("grep", written(wrong, tmp_path / "wrong.json")).differing


def test_what_is_not_at_hand_is_not_asked(file: Path, tmp_path: Path) -> None:
    """Another version, or a product that is not installed, is said with its remedy."""
    card = card_of(file)
    older = replace(card, details={**card.details, "version": "1"})
    assert replayed("grep", written(older, tmp_path / "older.json")).absent.endswith("its card is of 1.")
    absent = replace(card, reader="qdrant")
    assert (
        "memgauge systems install qdrant" in replayed("qdrant", written(absent, tmp_path / "absent.json")).absent
    )


def test_what_was_not_asked_is_counted_with_its_reason(file: Path, tmp_path: Path) -> None:
    """And is neither a cell that agrees nor one that differs."""
    absent = replace(card_of(file), reader="qdrant")
    cards = [replayed("grep", file), replayed("qdrant", written(absent, tmp_path / "absent.json"))]
    figures = counted(cards)
    assert isinstance(figures, ExplainedFigures)
    assert [figures[name] for name in ("cards", "cards_replayed", "cells_replayed", "cells_that_differ")] == [
        2,
        1,
        5,
        0,
    ]
    assert figures.reasons["cards_replayed"].startswith("qdrant: ")


@pytest.mark.slow
def test_shipped_cards_come_out_again() -> None:
    """Those of memories of files, everywhere."""
    assert {row.status for row in reproduce(["product-replays"])} == {Status.OK}
