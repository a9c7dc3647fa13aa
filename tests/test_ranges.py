"""A parameter that is a number has a range, and what lies outside is refused before anything is played."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.ranges import RANGES, range_of
from memgauge.systems.catalogue import SYSTEMS, open_system
from memgauge.systems.environments.opening import ProductPlacement
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.cli import Said

CHOICES: Final = {"aml:cycle"}
"""Numbers that are names: any other is refused with those that there are."""


def parameters() -> Iterator[tuple[str, str, inspect.Parameter]]:
    """Yield every parameter of every system that is built in, and of how products are placed."""
    factories: dict[str, Callable[..., object]] = {name: SYSTEMS.get(name) for name in SYSTEMS.builtin}
    for name, factory in (factories | {"any product": ProductPlacement}).items():
        for parameter in inspect.signature(factory).parameters.values():
            yield name, parameter.name, parameter


RANGED: Final = [
    (name, key, declared)
    for name, key, parameter in parameters()
    if (declared := range_of(parameter.annotation)) is not None
]


def test_every_number_of_every_system_declares_its_range() -> None:
    """Whoever adds a parameter says what makes sense."""
    bare = {
        f"{name}:{key}"
        for name, key, parameter in parameters()
        if str(parameter.annotation).removesuffix(" | None") in {"int", "float", "complex"}
    }
    assert bare == CHOICES
    assert len(RANGED) > 60


def test_every_usual_value_lies_in_its_range() -> None:
    """What nobody chose is legal."""
    for name, key, parameter in parameters():
        declared = range_of(parameter.annotation)
        if declared is not None and parameter.default is not None:
            assert declared.read(str(parameter.default)) == parameter.default, f"{name}:{key}"


TRIED: Final = ("bm25", "files", "fusion", "hsr", "random")
OURS: Final = sorted({(name, key) for name, key, _ in RANGED if name in TRIED})


@pytest.mark.parametrize(("name", "key"), OURS)
def test_what_lies_outside_is_refused_in_a_sentence_that_names_all(name: str, key: str) -> None:
    """The parameter, the value, and what may be given."""
    declared = next(known for system, other, known in RANGED if (system, other) == (name, key))
    for value in (declared.least - 1, declared.most + 1, *([declared.least] if declared.above else [])):
        with pytest.raises(ConfigError) as refused:
            open_system(f"{name}:{key}={value}")
        assert str(refused.value) == f"Parameter {name}:{key}={value} is not {declared.words}."


@given(st.sampled_from(sorted(RANGES)), st.floats(allow_nan=True, allow_infinity=True) | st.integers())
def test_a_range_reads_what_lies_in_it_and_nothing_else(name: str, value: float) -> None:
    """For every range and every number."""
    declared = RANGES[name]
    inside = declared.least <= value <= declared.most and not (declared.above and value == declared.least)
    if inside and (not declared.whole or isinstance(value, int)):
        assert declared.read(str(value)) == value
    else:
        with pytest.raises(ValueError, match=re.escape(str(value))):
            declared.read(str(value))


def test_a_policy_that_is_made_by_hand_is_held_to_the_same() -> None:
    """Not only what is written as a text."""
    with pytest.raises(ConfigError, match=r"^Parameter bm25:k1=-5 is not a number from 0 to 1,000\.$"):
        Bm25Policy(k1=-5)
    with pytest.raises(ConfigError, match=r"^Parameter bm25:b=nan is not a number from 0 to 1\.$"):
        Bm25Policy(b=float("nan"))


def test_a_run_of_what_makes_no_sense_is_not_begun(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends with 2, and leaves no folder."""
    monkeypatch.chdir(tmp_path)
    ended = memgauge("run", "-d", "synthetic:tiny", "-s", "bm25:k1=-5")
    assert ended.code == 2
    assert "Parameter bm25:k1=-5 is not a number from 0 to 1,000." in ended.err
    assert not list(tmp_path.iterdir())
