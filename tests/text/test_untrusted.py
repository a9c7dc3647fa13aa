"""JSON and YAML of strangers: values, or one kind of error."""

from __future__ import annotations

import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.untrusted import toml_of, yaml_of


@given(st.dictionaries(st.text("ab :-\n"), st.text("ab :-\n#'") | st.integers() | st.none()))
def test_yaml_is_read_with_its_places(value: object) -> None:
    """The tree and the values come of one text."""
    node, found = yaml_of(yaml.safe_dump({"held": value}))
    assert found == {"held": value}
    assert isinstance(node, yaml.MappingNode)


def test_an_empty_text_is_nothing() -> None:
    """It has no tree."""
    assert yaml_of("") == (None, None)


LAUGHS = "\n".join(["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LAUGHS, "its aliases unfold to too much"),
        ("&a [*a]", "an alias holds itself"),
        ("a: &a {b: *a}", "an alias holds itself"),
        ("[" * 150 + "]" * 150, "lies more than 100 deep"),
        ("[" * 100_000, "lies more than 100 deep"),
        ("!!python/object/apply:os.system [true]", "could not determine a constructor"),
        ("!!timestamp x", "does not fit its tag"),
        ("!!bool x", "does not fit its tag"),
        ("!!int x", "does not fit its tag"),
        ("2024-13-45", "does not fit its tag"),
        ("9" * 5000, "does not fit its tag"),
        ("{[a]: 1}", "unhashable"),
        ("a: *nobody", "undefined alias"),
        ("a: 1\nb: {c: 2, c: 3}", "the key 'c' stands twice"),
    ],
)
def test_what_is_no_yaml_is_one_error(text: str, why: str) -> None:
    """Aliases, tags, depth and values that do not fit."""
    with pytest.raises(yaml.YAMLError, match=why):
        yaml_of(text)


def test_an_alias_may_stand_for_what_was_said() -> None:
    """A merged mapping is what it is elsewhere."""
    assert yaml_of("a: &a {b: 1}\nc: {<<: *a, d: 2}")[1] == {"a": {"b": 1}, "c": {"b": 1, "d": 2}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = 1", ""),
        ("a = ", "Invalid value"),
        ("a = " + "9" * 5000, "too many digits"),
        ("a = " + "[" * 9999, "deep"),
    ],
)
def test_what_is_no_toml_is_one_error(text: str, why: str) -> None:
    """Whatever the library lets through comes out as its own error."""
    if not why:
        assert toml_of(text) == {"a": 1}
        return
    with pytest.raises(tomllib.TOMLDecodeError, match=why):
        toml_of(text)
