"""A turn as one hears it."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.copies import copies
from memgauge.text.heard import as_heard, spellings, spells

NOON = datetime(2023, 5, 8, 12)  # noqa: DTZ001 - turns carry naive local times


@pytest.mark.parametrize(
    ("speaker", "at", "heard"),
    [
        ("Ada", NOON, "Ada (8 May 2023): beans"),
        ("Ada", None, "Ada: beans"),
        ("", NOON, "(8 May 2023): beans"),
        ("", None, "beans"),
    ],
)
def test_speaker_and_day_stand_before_the_words_as_far_as_they_are_known(
    speaker: str, at: datetime | None, heard: str
) -> None:
    """What nobody knows is not made up, and leaves no mark behind."""
    assert as_heard("beans", speaker, at) == heard


@given(st.text(min_size=1), st.sampled_from(["Ada", "", "user"]), st.none() | st.just(NOON))
def test_the_words_stand_at_the_end_as_they_were_said(words: str, speaker: str, at: datetime | None) -> None:
    """Nothing of them is lost or changed."""
    assert as_heard(words, speaker, at).endswith(words)


def test_a_turn_as_heard_is_a_copy_of_it() -> None:
    """Who reads raw evidence finds it in this form too, however short the turn is."""
    for words in ("Thanks!", "I planted beans near the gate.", "Wow, that is great to hear, Bob!"):
        assert copies(as_heard(words, "Ada", NOON), [words])


@given(
    st.text("ab: (8)", max_size=9),
    st.text("ab: ", max_size=4),
    st.sampled_from(["a", ""]),
    st.none() | st.just(NOON),
)
def test_a_spelling_is_told_without_being_written(text: str, said: str, speaker: str, at: datetime | None) -> None:
    """A text is a spelling of what was said exactly where it is among those that are written."""
    for each in (text, *spellings(said, speaker, at)):
        assert spells(each, said, speaker, at) == (each in spellings(said, speaker, at))
