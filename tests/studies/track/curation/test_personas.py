"""Made-up colleagues."""

from __future__ import annotations

from memgauge.studies.track.curation.personas import Personas


def test_nobody_speaks_under_the_name_of_an_account() -> None:
    """Mentions and plain names become the same made-up person; paths and addresses stay."""
    people = Personas(["octo-maker", "sam"])
    first, second = people.name("octo-maker"), people.name("SAM")
    told = people.text("@Octo-Maker and sam wrote src/sam/a.py, @stranger saw it; sample@sam.invalid, sams")
    assert (
        told
        == f"@{first} and {second} wrote src/sam/a.py, @{people.name('stranger')} saw it; sample@sam.invalid, sams"
    )


def test_there_is_a_name_for_everybody() -> None:
    """More accounts than names: nobody shares one."""
    people = Personas(f"account{number}" for number in range(100))
    assert len({people.name(f"account{number}") for number in range(100)}) == 100
