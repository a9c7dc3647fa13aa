"""What a reply copies from a prompt is taken out, and nothing else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.studies.weak.quoting import RUN, without_quotes

WORDS = st.lists(st.sampled_from("abcdefghijklmnop"), max_size=40).map(" ".join)
PROMPT = "You are a careful assistant that writes down all facts as JSON and nothing else"


def test_a_stretch_of_the_prompt_is_counted_in_its_place() -> None:
    """What stands before and after stays as it was."""
    reply = '{"facts": ["A careful, assistant that WRITES down all facts as JSON!"]}'
    assert without_quotes(reply, PROMPT) == ('{"facts": ["[10 words of the prompt]!"]}', 10)


def test_our_own_words_may_be_quoted() -> None:
    """A turn of ours stands in the prompt too."""
    turn = "today the tram was packed but never mind that at all"
    reply = f"user: {turn} user: {turn}"
    assert without_quotes(reply, f"{PROMPT} user: {turn}", [turn]) == (reply, 0)
    assert without_quotes(reply, f"{PROMPT} user: {turn}")[1] == 24


@settings(max_examples=30)
@given(WORDS, WORDS)
def test_nothing_is_left_that_quotes(reply: str, prompt: str) -> None:
    """Whatever is repeated, and however often."""
    rest, quoted = without_quotes(reply, prompt)
    words = prompt.split()
    runs = [" ".join(words[n : n + RUN]) for n in range(len(words) - RUN + 1)]
    assert not [run for run in runs if run in rest]
    assert (quoted == 0) == (rest == reply)
