"""Ruling out: a text that is not read bears no value."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.golden.ruling_out import may_bear
from memgauge.studies.golden.spellings import MONTHS_BY_NAME, ORDINALS, keys_of, written
from memgauge.studies.golden.tokens import KINDS, TokenIndex, token
from memgauge.text.dates import spell_date

JOINTS = [
    " ",
    "",
    "-",
    "/",
    ".",
    ",",
    ", ",
    " of ",
    " de ",
    "\u5e74",
    "\u6708",
    "\u00a0",
    "_",
    "'",
    "th ",
    "st of ",
    "\n",
]
FOREIGN = str.maketrans("0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669")
NUMBERED = [f"{number:0{width}}" for number in (*range(1, 32), 64, 99) for width in (1, 2)]
PARTS = st.sampled_from(
    [
        *NUMBERED,
        "2064",
        "1964",
        "0064",
        *MONTHS_BY_NAME,
        *ORDINALS,
        "Sept",
        "\u017feptember",
        "thousand",
        "twelve",
        "JN",
        "zq",
    ]
)
JOINED = st.lists(st.tuples(PARTS, st.sampled_from(JOINTS)), max_size=8).map(
    lambda pairs: "".join(part + joint for part, joint in pairs)
)
TEXTS = st.one_of(JOINED, JOINED.map(lambda text: text.translate(FOREIGN)), st.text(max_size=60))


@given(TEXTS)
def test_every_key_of_a_text_may_be_borne_by_it(text: str) -> None:
    """What a text bears is never ruled out, however it is written there."""
    assert all(may_bear(text, [key]) for key in written(text).keys)


@given(st.dates(date(1000, 1, 1), date(2400, 1, 1)), st.sampled_from(JOINTS), st.text(max_size=20))
def test_no_spelling_of_a_day_is_ruled_out(day: date, joint: str, around: str) -> None:
    """Days in digits and in words, in any order of their parts, stand in a text or may stand in it."""
    keys = keys_of(spell_date(day))
    for parts in ((day.year, day.month, day.day), (day.day, day.month, day.year), (day.month, day.day, day.year)):
        text = around + joint.join(map(str, parts)) + around
        assert may_bear(text, keys) or keys.isdisjoint(written(text).keys)


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_text_is_read_where_it_bears_a_value(kind: str) -> None:
    """Of long texts only those that may bear a value are read, and each value is found in those."""
    values = [token("seed", f"value{number}", kind) for number in range(4)]
    index, filler = TokenIndex(values), "Nothing else was said that day, in 1234 words or 31.12. " * 100
    assert index.found(filler) == set()
    assert index.found(f"{filler} {values[0]} {filler}") == {values[0]}


def test_what_bears_none_is_ruled_out() -> None:
    """Other words, numbers, codes and days are no reason to read a text."""
    day = date(2064, 8, 13)
    keys = {"zqmezudelu", "#391024", "jn887904", *keys_of(spell_date(day))}
    beside = " ".join(spell_date(day + timedelta(days=step)) for step in (-31, -1, 1, 31))
    text = f"Zqmezudelo, 39 1 0 2 5, JN-88 79 05, 3.8.64, 13 July and 2064-08-14: {beside}."
    assert not may_bear(text, keys)
