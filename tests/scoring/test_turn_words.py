"""What a text says of a turn: copies are seen at once, and nothing else is taken for one."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Gold, Question, Turn
from memgauge.runs.record.lineage import spelled
from memgauge.scoring.turn_words import damage_of, has_words, is_copy, missing_words
from memgauge.text.tokens import tokenize
from memgauge.text.witness import holds, plain, words_of

TEXT = st.text("ab '.:(8é\u0301", max_size=12)
WHEN = st.sampled_from([None, datetime.fromisoformat("2023-05-08")])


@given(said=TEXT, speaker=TEXT, at=WHEN, form=st.integers(0, 2), asked=TEXT)
def test_a_copy_in_any_spelling_is_whole(
    said: str, speaker: str, at: datetime | None, form: int, asked: str
) -> None:
    """No word is missing and none is another, as comparing all words says too."""
    turn = Turn("t", speaker, said, "s", at)
    text = spelled([turn])[form]
    question = Question("q", "c", f"{asked} {said} {speaker}", "")
    alone = plain(text) == plain(said)
    spoken = said if alone else f"{speaker} {said}"
    lost = (words_of(spoken) & words_of(question.text)) - words_of(text)
    assert bool(missing_words(text, turn, question, Gold("q"))) <= bool(lost)
    assert damage_of(text, turn) == "" or tokenize(text) not in map(tokenize, spelled([turn]))


@given(said=TEXT, speaker=TEXT, at=WHEN, text=TEXT, form=st.integers(0, 3))
def test_of_a_copy_nothing_has_to_be_compared(
    said: str, speaker: str, at: datetime | None, text: str, form: int
) -> None:
    """It is undamaged, misses no word, and repeats its turn where that has any."""
    turn = Turn("t", speaker, said, "s", at)
    text = [*spelled([turn]), text][form]
    if is_copy(text, turn):
        assert missing_words(text, turn, Question("q", "c", f"{said} {speaker}", ""), Gold("q")) == ()
        assert damage_of(text, turn) == ""
        assert holds(plain(text), plain(said)) == has_words(turn)
    else:
        assert form == 3 or not f"{said}{speaker}".isascii()


def test_what_is_no_copy_is_looked_at() -> None:
    """A word that is gone or changed is named, whatever stands before the text."""
    turn = Turn("t", "Ada", "I moved to Oslo in May", "s")
    question = Question("q", "c", "When did Ada move to Oslo?", "")
    assert missing_words("Ada: I moved to in May", turn, question, Gold("q")) == ("oslo",)
    assert damage_of("Ada: I moved to Bergen in May", turn) == "says “bergen” where “oslo” was said"
    assert damage_of("I moved to", turn) == "breaks off after “to”"


def test_a_name_in_place_of_a_pronoun_is_no_damage() -> None:
    """The speaker's own name, and nobody else's."""
    turn = Turn("t", "Ada Lovelace", "I like my blue house best of all", "s", None)
    assert damage_of("Ada like Ada's blue house best of all", turn) == ""
    assert damage_of("Bob like my blue house best of all", turn) == "says “bob” where “i” was said"
    assert damage_of("Ada like my red house best of all", turn) == "says “red” where “blue” was said"
