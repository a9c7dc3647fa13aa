"""Names: registries, lazy targets, installed packages, and references with parameters."""

from __future__ import annotations

import string
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.registry import Ref, Registry, arguments_for, load_target, parse_ref, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GROUP = "memgauge.test_colours"


def registry(**builtin: str) -> Registry[str]:
    """Make a registry whose built-in entries are lazy targets."""
    return Registry("colour", GROUP, builtin)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that brings two colours, one of them under a built-in name."""
    (tmp_path / "mg_colours.py").write_text(
        "teal = 'teal of a package'\nred = 'red of a package'\n", encoding="utf-8"
    )
    info = tmp_path / "mg_colours-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mg-colours\nVersion: 1.0\n", encoding="utf-8")
    lines = f"[{GROUP}]\nteal = mg_colours:teal\nred = mg_colours:red\n"
    (info / "entry_points.txt").write_text(lines, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def test_an_entry_may_be_an_object() -> None:
    """What is registered as an object is returned as it is."""
    numbers: Registry[int] = Registry("number", GROUP, {"one": 1})
    assert numbers.get("one") == 1


def test_an_entry_may_be_a_lazy_target() -> None:
    """A target is imported when it is used."""
    assert registry(digits="string:digits").get("digits") == string.digits


def test_naming_a_lazy_target_does_not_import_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing and testing for names leaves the target's module alone."""
    (tmp_path / "mg_never_imported.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    lazy = registry(late="mg_never_imported:x")
    assert lazy.names() == ("late",)
    assert "late" in lazy
    assert "mg_never_imported" not in sys.modules


@pytest.mark.usefixtures("installed")
def test_an_installed_package_joins_but_cannot_shadow() -> None:
    """Entry points add names; a built-in name keeps its built-in meaning."""
    colours = registry(red="string:digits")
    assert colours.names() == ("red", "teal")
    assert colours.get("teal") == "teal of a package"
    assert colours.get("red") == string.digits


def test_an_unknown_name_is_answered_with_the_nearest_and_all() -> None:
    """The error suggests what is close, whatever the case, and lists what there is."""
    with pytest.raises(UnknownNameError) as caught:
        registry(LoCoMo="a:b", beam="a:c").get("locmo")
    assert str(caught.value) == "Unknown colour 'locmo'. Did you mean LoCoMo? Available: LoCoMo, beam."


def test_nothing_near_is_no_suggestion() -> None:
    """Without a close name the error only lists."""
    assert str(unknown_name("colour", "xyz", ["red", "blue"])) == "Unknown colour 'xyz'. Available: blue, red."


def test_thousands_of_names_do_not_bury_the_nearest() -> None:
    """Where a list would fill screens the error says how many there are, and what they look like."""
    error = unknown_name("question", "Lisbon", ["lisbon", *(f"q{number}" for number in range(1976))])
    shown = "There are 1,977, such as lisbon, q0, q1."
    assert str(error) == f"Unknown question 'Lisbon'. Did you mean lisbon? {shown}"


def test_a_missing_module_is_named() -> None:
    """A target whose module does not exist says which module is missing."""
    with pytest.raises(ConfigError, match=r"Cannot import 'no_such_module:x': no module named 'no_such_module'"):
        load_target("no_such_module:x")


def test_a_module_that_lacks_a_dependency_names_the_dependency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target that exists but imports something missing blames the missing one."""
    (tmp_path / "mg_needs_more.py").write_text("import no_such_dependency\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match="no module named 'no_such_dependency'"):
        load_target("mg_needs_more:x")


def test_a_missing_attribute_suggests_the_nearest() -> None:
    """A typo in the attribute is answered like a typo in a name."""
    with pytest.raises(UnknownNameError, match=r"attribute of module string 'digit'.*Did you mean digits"):
        load_target("string:digit")


WORD = st.text(alphabet=string.ascii_letters + string.digits + "-_./", min_size=1, max_size=12)


@given(name=WORD, variant=WORD | st.just(""), params=st.dictionaries(WORD, WORD | st.just(""), max_size=4))
def test_a_reference_survives_its_text_form(name: str, variant: str, params: Mapping[str, str]) -> None:
    """Reading what a reference prints gives the same reference."""
    ref = Ref(name, variant, params)
    assert parse_ref(str(ref)) == ref


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("locomo", Ref("locomo")),
        ("longmemeval:/data/s.json", Ref("longmemeval", "/data/s.json")),
        ("synthetic: small , seed = 1", Ref("synthetic", "small", {"seed": "1"})),
        ("synthetic:seed=1", Ref("synthetic", "", {"seed": "1"})),
        ("flat:", Ref("flat")),
        ("filter:where=a=b", Ref("filter", "", {"where": "a=b"})),
    ],
)
def test_a_reference_is_read(text: str, expected: Ref) -> None:
    """A name may carry a variant and parameters, with spaces around them."""
    assert parse_ref(text) == expected


def test_a_reference_has_one_variant_at_most() -> None:
    """A second bare word is refused with a hint at key=value."""
    with pytest.raises(ConfigError, match=r"two variants, 'small' and 'large'.*key=value"):
        parse_ref("synthetic:small,large")


def paint(
    colour: str, coats: int = 1, *, glossy: bool = False, thinner: float | None = None, tools: object = ()
) -> None:
    """Take a parameter of every kind that a reference can fill."""


def test_arguments_are_converted_by_annotation() -> None:
    """Text becomes what the parameter is; other types and values stay as they are."""
    given = {"colour": "7", "coats": "2", "glossy": "TRUE", "thinner": "0.5", "tools": "brush"}
    converted = {"colour": "7", "coats": 2, "glossy": True, "thinner": 0.5, "tools": "brush"}
    assert arguments_for(paint, "painter", "bob", given) == converted
    assert arguments_for(paint, "painter", "bob", {"colour": "7", "coats": 3}) == {"colour": "7", "coats": 3}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Cannot open painter bob: missing a required argument: 'colour'"),
        ({"color": "red"}, "Unknown parameter of painter bob 'color'. Did you mean colour"),
        ({"variant": "matt"}, "Unknown variant or parameter of painter bob 'matt'"),
        ({"colour": "red", "coats": "two"}, "Parameter bob:coats=two is not a whole number"),
        ({"colour": "red", "glossy": "1"}, "Parameter bob:glossy=1 is not true or false"),
        ({"colour": "red", "thinner": "x"}, "Parameter bob:thinner=x is not a number"),
        ({"colour": "red", "thinner": "nan"}, "Parameter bob:thinner=nan is not a number"),
        ({"colour": "red", "thinner": "1e999"}, "Parameter bob:thinner=1e999 is not a number"),
    ],
)
def test_arguments_that_do_not_fit_are_named(given: Mapping[str, object], message: str) -> None:
    """An error says which parameter of what is unknown, missing or wrong."""
    with pytest.raises((ConfigError, UnknownNameError), match=message):
        arguments_for(paint, "painter", "bob", given)


def test_only_what_a_module_defines_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what it imports, nor constants, nor names of Python's."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "offering.py").write_text(
        "import os\nfrom pathlib import Path\nSIZE = 3\ndef made(): ...\nclass Mine: ...\ndef _own(): ...\n"
    )
    with pytest.raises(UnknownNameError, match=r"Available: Mine, made\.$"):
        load_target("offering:Nope")


@pytest.mark.parametrize("text", ["bm25:k1=2,k1=3", "bm25: k1=2, k1 =2", "mem0:fast,k1=2,b=1,k1=3"])
def test_a_parameter_is_given_once(text: str) -> None:
    """Neither of two values is taken for the one that was meant."""
    with pytest.raises(ConfigError, match=r"gives k1 twice, '2' and '[23]'\. Give it once"):
        parse_ref(text)
