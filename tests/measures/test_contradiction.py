"""Contradiction: two values of something that has one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.contradiction import Contradictions, Voice, contradictions, unresolved

voices = st.lists(
    st.builds(Voice, st.sampled_from("ab"), st.sampled_from("xyz"), st.booleans(), st.booleans()), max_size=8
)


def test_the_slot_is_the_unit() -> None:
    """Where the document counts pairs of topics, slots that differ and lists do not contradict each other."""
    colour, mode = Voice("colour", "blue"), Voice("mode", "dark")
    assert contradictions([colour, mode]) == Contradictions(2, 0)
    assert contradictions([colour, colour]).rate == 0
    assert contradictions([mode, Voice("mode", "light")]).rate == 1
    children = [Voice("children", name, functional=False) for name in ("Ada", "Bo")]
    assert contradictions(children) == Contradictions(0, 0)


def test_one_stale_value_among_many_hits_weighs_the_same() -> None:
    """The document's rate falls from 1.0 to .20 as more is returned; this one does not."""
    for more in range(1, 10):
        said = [Voice("mode", "dark")] * more + [Voice("mode", "light")]
        assert contradictions(said).rate == 1


def test_silence_is_not_perfection() -> None:
    """Where nothing functional is said, or all of it is marked as history, nothing is defined."""
    assert contradictions([]).rate is None
    assert contradictions([Voice("mode", "dark", marked=True)]).any is None


def test_what_is_marked_does_not_contradict() -> None:
    """A memory that marks the old value has resolved the conflict."""
    said = [Voice("mode", "light"), Voice("mode", "dark", marked=True)]
    assert contradictions(said).any is False
    assert unresolved(said, {"mode": {"dark", "light"}}) == 0


def test_only_conflicts_of_the_store_can_stay_unresolved() -> None:
    """A slot with one value in the store is no conflict, whatever is returned."""
    said = [Voice("mode", "dark"), Voice("mode", "light"), Voice("city", "Porto")]
    assert unresolved(said, {"mode": {"dark", "light"}, "city": {"Porto"}}) == 1
    assert unresolved(said, {"city": {"Porto"}}) is None


@given(voices, voices)
def test_more_voices_never_resolve_anything(first: list[Voice], more: list[Voice]) -> None:
    """Contradicted slots only become more, and never more than expressed ones."""
    before, after = contradictions(first), contradictions(first + more)
    assert before.contradicted <= after.contradicted <= after.expressed


@given(voices)
def test_order_and_repetition_change_nothing(said: list[Voice]) -> None:
    """Returning the same twice, or in another order, says the same."""
    assert contradictions(said) == contradictions([*reversed(said), *said])
