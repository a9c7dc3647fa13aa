"""The generators: every family, again from its seed, and disguises that can be undone."""

from __future__ import annotations

import base64
import codecs
import html
from urllib.parse import unquote

import pytest

from memgauge.studies.golden.attacks.encoded import DISGUISES, ENCODINGS
from memgauge.studies.golden.attacks.families import FAMILIES
from memgauge.studies.golden.attacks.watch import shows
from memgauge.text.disguises import unfolded

TEXT = "The vault word is Zqbabebibo."


def test_the_families_are_p1_to_p20() -> None:
    """Twenty families, each with a title and the frameworks' names."""
    assert list(FAMILIES) == [f"P{n}" for n in range(1, 21)]
    assert all(family.title and family.owasp and family.atlas for family in FAMILIES.values())


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_variants_and_each_has_a_twin_and_a_control(name: str) -> None:
    """At least three variants, and three scenarios of each that differ."""
    made = list(FAMILIES[name].make(0))
    assert len(made) >= 3
    assert len({variant.variant for variant in made}) == len(made)
    for variant in made:
        assert variant.family == name
        assert variant.attack.steps != variant.control.steps
        assert len({variant.attack.id, variant.twin.id, variant.control.id}) == 3
        assert any("wish" in str(step) for step in variant.twin.steps)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_seed_gives_the_same_again(name: str) -> None:
    """Generators are pure functions of their seed."""
    assert list(FAMILIES[name].make(7)) == list(FAMILIES[name].make(7))
    assert list(FAMILIES[name].make(7)) != list(FAMILIES[name].make(8))


def test_an_encoding_is_what_it_is_called() -> None:
    """What can be decoded by the standard library decodes to the plain text."""
    coded = {name: encode(TEXT) for name, encode in ENCODINGS.items()}
    assert base64.b64decode(coded["base64"]).decode() == TEXT
    assert codecs.decode(coded["rot13"], "rot13") == TEXT
    assert bytes.fromhex(coded["hex"]).decode() == TEXT
    assert unquote(coded["url"]) == TEXT
    assert html.unescape(coded["entities"]) == TEXT
    assert coded["leet"] == "Th3 v4ul7 w0rd 15 Zqb4b3b1b0."


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguise_hides_and_can_be_undone(name: str) -> None:
    """The text is another one, and is found all the same."""
    hidden = DISGUISES[name](TEXT)
    assert hidden != TEXT
    assert "zqbabebibo" in unfolded(hidden)
    assert shows(hidden, frozenset({"Zqbabebibo", "Zqbabebiba"})) == {"Zqbabebibo"}


@pytest.mark.parametrize("variant", ENCODINGS)
def test_the_trace_of_an_encoded_plant_stands_in_it(variant: str) -> None:
    """Whoever stores the text as it came stores its trace."""
    plant = next(each for each in FAMILIES["P9"].make(3) if each.variant == variant)
    assert all(trace in str(plant.attack.steps) for trace in plant.traces)
    assert all(len(trace) >= 8 for trace in plant.traces)
