"""What `memgauge reproduce fortress` counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import chaos.exploits
from chaos.exploits import Exploit, exploits, fortress
from chaos.exploits.bounded import ending
from memgauge.errors import DataNotFoundError
from memgauge.reproduce import ExplainedFigures, recompute, sections

if TYPE_CHECKING:
    from pathlib import Path


def unavailable(_: Path) -> str:
    """Need what is not here."""
    raise DataNotFoundError("There is no wall here.", "Build one.")


TOYS = (
    Exploit("stopped", "low", "nobody", "nothing", lambda _: ""),
    Exploit("succeeds", "low", "nobody", "nothing", lambda folder: f"a folder that is {folder.is_dir()}"),
    Exploit("has no chance", "low", "nobody", "nothing", unavailable),
)


def test_an_attack_is_stopped_through_or_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each counts once, and the last two are named."""
    monkeypatch.setattr(chaos.exploits, "exploits", lambda: TOYS)
    figures = fortress()
    assert figures == {"exploits": 2, "exploits_stopped": 1, "exploits_through": 1, "exploits_not_tried": 1}
    assert isinstance(figures, ExplainedFigures)
    assert figures.reasons["exploits_through"] == "succeeds: a folder that is True"
    assert figures.reasons["exploits_not_tried"] == "has no chance: There is no wall here."


def test_the_section_names_what_got_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails, and says with what."""
    monkeypatch.setattr(chaos.exploits, "exploits", lambda: TOYS)
    (section,) = (each for each in sections() if each.name == "fortress")
    rows = {row.name: row for row in recompute(section)}
    assert (str(rows["exploits_through"].status), rows["exploits_through"].reason[:8]) == ("FAIL", "succeeds")
    assert rows["exploits_not_tried"].reason.startswith("has no chance")


def test_every_attack_has_a_name_of_its_own() -> None:
    """A page names them."""
    names = [exploit.name for exploit in exploits()]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.slow
def test_all_attacks_are_stopped() -> None:
    """As many as are tried, and no fewer than are claimed."""
    figures = fortress()
    assert figures["exploits_stopped"] == figures["exploits"]


def dies(_: object) -> None:
    """End without a word."""
    raise SystemExit(3)


def test_a_call_that_ends_badly_is_no_refusal() -> None:
    """What escapes is harm, what is returned is none."""
    assert "SystemExit" in ending(dies, 1).harm
    assert ending(len, "abc").harm == ""
    assert ending(len, "abc").detail == "3"
