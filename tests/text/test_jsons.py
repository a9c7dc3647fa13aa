"""The reader of JSON: values, or one kind of error."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import MalformedDataError
from memgauge.text.jsons import (
    DEPTH,
    IDENTITY,
    REPLY,
    RESULTS,
    json_file,
    json_lines,
    json_of,
    object_of,
    object_within,
)


def _values(floats: st.SearchStrategy[float]) -> st.SearchStrategy[object]:
    return st.recursive(
        st.none() | st.booleans() | st.integers() | floats | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=20,
    )


VALUES = _values(st.floats(allow_nan=False))
FINITE = _values(st.floats(allow_nan=False, allow_infinity=False))


@given(VALUES)
def test_json_is_read_as_ever(value: object) -> None:
    """Texts and bytes, in any encoding that JSON may have."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=True).encode("utf-16")):
        assert json_of(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting property name"),
        ("[" * 100_000, "lies more than 100 deep"),
        ('{"a":' * 100_000, "lies more than 100 deep"),
        ("[" * (DEPTH + 1) + "]" * (DEPTH + 1), "lies more than 100 deep"),
        ("9" * 5000, "too many digits"),
    ],
)
def test_what_is_no_json_is_one_error(text: str, why: str) -> None:
    """Depth and digits as well as grammar; a reader that knows one error knows all."""
    with pytest.raises(json.JSONDecodeError, match=why):
        json_of(text)


def test_json_may_lie_as_deep_as_is_said() -> None:
    """Many brackets side by side are no depth."""
    deep = "[" * DEPTH + "]" * DEPTH
    assert json.dumps(json_of(deep)) == deep
    assert json_of(f"[{','.join(['[]'] * 500)}]") == [[]] * 500


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "the name 'c' stands twice"),
        ('{"digits": 1, "digits": 2}', "the name 'digits' stands twice"),
        ("[NaN]", "NaN is no finite number"),
        ("-Infinity", "-Infinity is no finite number"),
        ("1e999", "1e999 is no finite number"),
        ("[" * 100_000, "lies more than 100 deep"),
        ("9" * 5000, "too many digits"),
    ],
)
def test_an_exact_reader_refuses_what_can_be_read_in_two_ways(text: str, why: str) -> None:
    """A name twice, a number that is none; depth and digits as ever."""
    for limits in (REPLY, IDENTITY):
        with pytest.raises(json.JSONDecodeError, match=why):
            json_of(text, limits)


@given(FINITE)
def test_exact_readers_read_the_same(value: object) -> None:
    """Limits refuse, and never change a value."""
    assert json_of(json.dumps(value), REPLY) == json_of(json.dumps(value)) == value


def test_files_keep_what_python_wrote() -> None:
    """NaN, and of a name that stands twice the last."""
    assert math.isnan(json_of("NaN"))
    assert json_of('{"a": 1, "a": 2}') == {"a": 2}


def test_a_reply_has_a_size() -> None:
    """A megabyte is no verdict, as text or as bytes; a file may be larger."""
    text = json.dumps("x" * (1 << 20))
    for large in (text, text.encode()):
        with pytest.raises(json.JSONDecodeError, match="larger than 1,048,576"):
            json_of(large, REPLY)
    assert len(json_of(text)) == 1 << 20


@given(st.text() | st.binary())
def test_an_object_is_read_or_nothing(text: str | bytes) -> None:
    """No text raises."""
    try:
        value = json_of(text)
    except ValueError:
        value = None
    assert object_of(text) == (value if isinstance(value, dict) else None)


@pytest.mark.parametrize("text", ["[1]", "{", '"a"', "", b"\xff", "[" * 100_000])
def test_what_is_no_object_is_nothing(text: str | bytes) -> None:
    """Whatever else it is."""
    assert object_of(text) is None


@pytest.mark.parametrize("text", ['{"a": {"b": 1}}', '```json\n{"a": {"b": 1}}\n```', 'So: {"a": {"b": 1}}.'])
def test_the_object_of_a_reply_is_read_within_prose(text: str) -> None:
    """Bare, inside a fence, or after a sentence."""
    assert object_within(text) == {"a": {"b": 1}}


@pytest.mark.parametrize("text", ["", "no", "[1]", "}{", '{"a": 1} {"a": 2}', '{"a": 1, "a": 2}'])
def test_a_reply_without_one_object_is_an_error(text: str) -> None:
    """None, two of them, or one that says two things."""
    with pytest.raises(json.JSONDecodeError):
        object_within(text)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"a":\n  nothing}', r"a\.json:2: not JSON: Expecting value at column 3\. Ask again\."),
        (b'"\xff"', r"a\.json: not text: .*\. Ask again\."),
    ],
)
def test_a_file_that_is_no_json_is_named_with_its_place(tmp_path: Path, content: bytes, why: str) -> None:
    """File, line, column, and what to do."""
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(MalformedDataError, match=why):
        json_file(path, "Ask again.")


def test_a_file_is_read_and_an_absent_one_is_its_callers_affair(tmp_path: Path) -> None:
    """Only the caller knows whether there has to be one."""
    (tmp_path / "a.json").write_text('{"a": 1}', "utf-8")
    assert json_file(tmp_path / "a.json") == {"a": 1}
    for read in (json_file, lambda path: list(json_lines(path))):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "none.json")


@given(st.lists(VALUES))
def test_lines_are_parted_by_newlines_alone(values: list[object]) -> None:
    """Other marks that end a line of text are part of a value; blank lines count and say nothing."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_text("".join(f"\n{json.dumps(value, ensure_ascii=True)}\n" for value in values), "utf-8")
        assert list(json_lines(path)) == [(2 * number, value) for number, value in enumerate(values, 1)]
        path.write_text('"a\u2028b\x85"\n', "utf-8")
        assert list(json_lines(path)) == [(1, "a\u2028b\x85")]


@pytest.mark.parametrize(
    ("line", "why"), [(b"{", r"a\.jsonl:3: not JSON: .* at column \d\."), (b'"\xff"', r"a\.jsonl:3: not text: ")]
)
def test_a_line_that_is_no_json_is_named(tmp_path: Path, line: bytes, why: str) -> None:
    """File and line; what stands before it was read."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n\n" + line + b"\n2\n")
    rows = json_lines(path)
    assert next(rows) == (1, 1)
    with pytest.raises(MalformedDataError, match=why):
        next(rows)


def test_bytes_that_are_no_text_are_an_error() -> None:
    """The decoder's own, which names the byte."""
    with pytest.raises(UnicodeDecodeError):
        json_of(b'"\xff"')


def test_files_of_results_say_nothing_twice_and_may_hold_measures_that_are_none() -> None:
    """A name twice has two meanings; NaN is what tools write for a measure of nothing."""
    assert json_of('{"recall": NaN}', RESULTS).keys() == {"recall"}
    with pytest.raises(json.JSONDecodeError, match="the name 'a' stands twice"):
        json_of('[{"a": 1, "a": 1}]', RESULTS)
