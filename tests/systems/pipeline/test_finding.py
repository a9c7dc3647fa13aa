"""Finding: what may be returned at which moment, and in which order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import MissingExtraError
from memgauge.records.statements import ME
from memgauge.retrieval.embedders import CachedEmbedder, HashedEmbedder
from memgauge.systems.pipeline.asking import ParsedQuestion
from memgauge.systems.pipeline.finding import Finder, open_vectors
from memgauge.systems.pipeline.items import PipelineItem
from support.pipeline import day

if TYPE_CHECKING:
    from datetime import datetime

NOTHING = ParsedQuestion(())
EMPLOYER = ParsedQuestion(("employer",))


def fact(name: str, value: str, start: float | None, end: float | None = None) -> PipelineItem:
    """Make a fact of the user's employer."""
    begins, ends = (None if at is None else day(at) for at in (start, end))
    text = f"my employer is {value}"
    return PipelineItem(
        name, text, (name,), begins, begins, ends, owner="Ada", subject=ME, slot="employer", value=value
    )


def note(name: str, text: str, at: float | None = 0, **rest: object) -> PipelineItem:
    """Make a turn."""
    return PipelineItem(name, text, (name,), None if at is None else day(at), role="user", **rest)  # type: ignore[arg-type]


def ids(
    finder: Finder,
    query: str,
    asked: ParsedQuestion = NOTHING,
    now: datetime | None = None,
    *,
    k: int = 9,
    **how: bool,
) -> list[str]:
    """Return the ids that are found."""
    return [item.id for item, _ in finder.find(query, asked, now, k, history=how.get("history", False))]


def finder_of(*items: PipelineItem) -> Finder:
    """Index items by words and shared letters."""
    finder = Finder(HashedEmbedder())
    finder.take(items)
    return finder


def test_asked_slots_come_first_latest_first() -> None:
    """Whatever the words are, a fact of the slot that is asked for leads; history shows all versions."""
    finder = finder_of(fact("f1", "Acme", 0, 5), fact("f2", "Globex", 5), note("t1", "Who pays me pays me well."))
    assert ids(finder, "Who pays me?", EMPLOYER, day(9))[0] == "f2"
    assert ids(finder, "Who pays me?", EMPLOYER, day(9), history=True)[:2] == ["f2", "f1"]
    assert ids(finder, "Who pays me?", EMPLOYER, day(2))[0] == "f1"


def test_a_slot_that_only_this_memory_knows_is_found_by_its_name() -> None:
    """A question names it in so many words, in the plural too."""
    token = replace(fact("f1", "QD-1", 0), slot="spare door code", text="my spare door code is QD-1")
    finder = finder_of(token, *(note(f"t{n}", "spare door spare door code code codes") for n in range(3)))
    assert ids(finder, "What are my spare door codes?", now=day(3))[0] == "f1"


def test_facts_of_others_are_no_answer_about_the_user() -> None:
    """Bob's employer is found where Bob is named, and does not lead."""
    other = replace(fact("f1", "Acme", 0), subject="Bob", text="Bob's employer is Acme")
    finder = finder_of(other, fact("f2", "Globex", 0))
    assert ids(finder, "employer of Bob", EMPLOYER) == ["f2", "f1"]
    assert ids(finder, "my employer", EMPLOYER) == ["f2"]


@given(
    st.lists(
        st.tuples(
            *(st.none() | st.integers(0, 20) for _ in range(4)),
            st.booleans(),
            st.booleans(),
            st.sampled_from("ab"),
        ),
        min_size=1,
        max_size=12,
    ),
    st.none() | st.integers(0, 20),
    st.booleans(),
)
def test_what_is_visible_is_what_the_rules_say(
    rows: list[tuple[int | None, int | None, int | None, int | None, bool, bool, str]],
    now: int | None,
    history: bool,
) -> None:
    """The search over arrays returns exactly the items that the rules of visibility name one by one."""
    moment = None if now is None else day(now)
    items = []
    for number, (at, start, end, expires, covered, is_fact, word) in enumerate(rows):
        said, begins, ends, gone = (None if one is None else day(one) for one in (at, start, end, expires))
        slot = "zither" if is_fact else None
        item = PipelineItem(f"i{number}", f"violin {word}", (), said, begins, ends, covered=covered, expires=gone)
        items.append(replace(item, slot=slot, value="x"))
    expected = set()
    for item in items:
        known = item.slot is not None or item.at is None or moment is None or item.at.date() <= moment.date()
        telling = item.expires is None or (moment is not None and moment < item.expires)
        ended = item.valid_to is not None and (moment is None or item.valid_to <= moment)
        begun = item.slot is None or item.valid_from is None or moment is None or item.valid_from <= moment
        passed = not ended or (history and item.slot is not None)
        if known and telling and begun and passed and not item.covered:
            expected.add(item.id)
    assert set(ids(finder_of(*items), "violin", now=moment, k=99, history=history)) == expected


def test_a_change_without_a_new_text_keeps_the_place() -> None:
    """The index is the same as one made afresh from what is known now."""
    first = [fact("f1", "Acme", 0), note("t1", "green violin"), note("t2", "red violin"), fact("f2", "Globex", 5)]
    later = [replace(first[0], valid_to=day(5), version=2), *first[1:]]
    grown = finder_of(*first)
    grown.take(later[:1])
    for query in ("violin", "employer Acme", "green Globex"):
        for moment in (None, day(2), day(9)):
            again = finder_of(*later).find(query, EMPLOYER, moment, 9, history=False)
            assert grown.find(query, EMPLOYER, moment, 9, history=False) == again


def test_scores_fall_and_the_top_begins_the_longer_list() -> None:
    """Scores are finite and in order, also where facts lead; k only cuts."""
    finder = finder_of(
        *(fact(f"f{n}", f"Acme{n}", n) for n in range(9)), *(note(f"t{n}", "my violin") for n in range(30))
    )
    hits = finder.find("Is my employer a violin?", EMPLOYER, None, 60, history=False)
    scores = [score for _, score in hits]
    assert scores == sorted(scores, reverse=True)
    assert np.isfinite(scores).all()
    assert finder.find("Is my employer a violin?", EMPLOYER, None, 10, history=False) == hits[:10]


def test_nothing_in_nothing_out() -> None:
    """An empty index finds nothing."""
    assert ids(Finder(None), "violin") == []
    assert ids(finder_of(note("t1", "violin")), "violin", k=0) == []


def test_a_lasting_store_embeds_without_a_cache() -> None:
    """Vectors of what may be erased are kept in no other file; a stand-in needs none."""
    assert open_vectors("none", lasting=True) is None
    assert isinstance(open_vectors("hashed", lasting=True), HashedEmbedder)
    for lasting in (True, False):
        try:
            assert isinstance(open_vectors("minilm", lasting=lasting), CachedEmbedder) is not lasting
        except MissingExtraError:
            assert open_vectors("semantic", lasting=lasting) is None
            with pytest.raises(MissingExtraError):
                open_vectors("minilm", lasting=lasting)
