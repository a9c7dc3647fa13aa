"""Memories as readers: through their own answers, their context or their recall."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.records import Hit, Memory, Ranking, Scope
from memgauge.studies.attribution.cells import BY_NAME, AnswerSource
from memgauge.studies.attribution.memories import ROUND, Remembering, first_about, spelled
from memgauge.studies.attribution.question import shown
from memgauge.studies.attribution.study import attribute
from memgauge.systems.catalogue import open_system
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.reference.wired import WIRINGS, Wired

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Receipt, Turn
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.systems.protocol import MemorySystem


@pytest.mark.parametrize("wiring", WIRINGS)
def test_a_wiring_around_a_real_memory_is_recognised(wiring: str, questions: tuple[SlotQuestion, ...]) -> None:
    """Through turns, searches and words, exactly as without."""
    card = attribute(Remembering.of(Wired(wiring)), questions[:4])
    assert card.nearest == (wiring,)
    assert card.broken == card.failures == ()


@pytest.mark.parametrize("ref", ["bm25", "recency", "ideal", "pipeline:embedder=none"])
def test_a_memory_that_works_is_right_from_memory(ref: str, questions: tuple[SlotQuestion, ...]) -> None:
    """Whatever of it is read."""
    card = attribute(Remembering.of(open_system(ref), ref=ref), questions[:4])
    assert card.ends["right, from memory"] == 4
    assert card.rates.abstention.share.mean == 1
    assert card.log.logged_and_moving == 4
    assert card.reader == ref


def test_a_memory_that_keeps_nothing_is_never_right(questions: tuple[SlotQuestion, ...]) -> None:
    """It abstains, and nothing moves it."""
    card = attribute(Remembering.of(open_system("none")), questions[:4])
    assert (card.ends["abstained"], card.log.neither) == (4, 4)


def test_influence_that_no_search_shows_breaks_it(questions: tuple[SlotQuestion, ...]) -> None:
    """The same memory with its log hidden."""
    card = attribute(Remembering.of(Wired("memory-first", logs=False)), questions[:4])
    assert card.broken == ("UNLOGGED_INFLUENCE: 4 effects that no log shows",)


@pytest.mark.parametrize(("cites", "faithful"), [("memory", 0.0), ("all", 1 / 3), ("used", 1.0)])
def test_citations_by_id_are_held_against_effects(
    cites: str, faithful: float, questions: tuple[SlotQuestion, ...]
) -> None:
    """Memories are named by the ids under which they are stored."""
    card = attribute(Remembering.of(Wired("document-first", cites=cites)), questions[:4])
    assert card.citations.faithfulness.share.mean == pytest.approx(faithful)
    assert card.citations.phantoms == 0


def test_an_invented_id_is_a_phantom(questions: tuple[SlotQuestion, ...]) -> None:
    """Nobody stored it."""

    class Inventing(Wired):
        def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
            return "New York\nSources: 4711, document"

    (told,) = Remembering.of(Inventing()).read([shown(questions[0], BY_NAME["agree"])])
    assert told.cited == frozenset({"?", "document"})


class Wordy(Bm25Policy):
    """Builds a text of what it finds, headed by a line that says nothing."""

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Put hits below each other."""
        return "\n".join(["Known of the user:", *(hit.memory.text for hit in self.search(query, scope, 5).hits)])[
            :budget
        ]


def test_layers_are_what_a_memory_has() -> None:
    """The nearest to an answer, unless another is named; what it has not is refused."""
    assert Remembering.of(open_system("bm25")).layer == "recall"
    assert Remembering.of(open_system("ideal")).layer == "answer"
    assert Remembering.of(Wordy()).layer == "context"
    assert Remembering.of(open_system("ideal"), "context").carries == frozenset({AnswerSource.MEMORY})
    assert Remembering.of(open_system("ideal")).carries == frozenset(AnswerSource)
    with pytest.raises(ConfigError, match=r"bm25 has no layer 'answer'. Take one of recall"):
        Remembering.of(open_system("bm25"), "answer")


def test_context_is_read_line_by_line(questions: tuple[SlotQuestion, ...]) -> None:
    """The first line that names the slot is the answer."""
    for system in (Wordy(), open_system("ideal")):
        card = attribute(Remembering.of(system, "context"), questions[:4])
        assert (card.ends["right, from memory"], card.details["layer"]) == (4, "context")
    assert first_about("home city", ["My home is far", "The city, at home"]) == "The city, at home"
    assert first_about("home city", ["My home is far"]) == ""


class Broken(Bm25Policy):
    """Fails in one place."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Fail, or store."""
        if self._where == "ingest":
            raise RuntimeError("disk is full")
        return super().ingest(turns, scope)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Fail, hang, or search."""
        if self._where == "search":
            raise RuntimeError("index is gone")
        if self._where == "hang":
            time.sleep(5)
        return super().search(query, scope, k, as_of)

    def reset(self) -> None:
        """Fail, or forget."""
        if self._where == "reset":
            raise RuntimeError("will not")
        super().reset()


@pytest.mark.parametrize(
    ("where", "said"),
    [("ingest", "disk is full"), ("search", "index is gone"), ("reset", "will not"), ("hang", "did not return")],
)
def test_what_a_memory_raises_is_a_failure_in_the_record(
    where: str, said: str, questions: tuple[SlotQuestion, ...]
) -> None:
    """Never an answer, and never the end of the study."""
    card = attribute(Remembering.of(Broken(where), timeout_s=0.2), questions[:2])
    assert card.ends["failed"] == 2
    assert any(said in why for why in card.failures)


def test_a_memory_that_is_taught_may_fail_too(questions: tuple[SlotQuestion, ...]) -> None:
    """Teaching is a call of foreign code like any other."""

    class Unteachable(Bm25Policy):
        def teach(self, turn: str, statements: object, *, trusted: bool) -> None:
            raise ValueError("not today")

    (told,) = Remembering.of(Unteachable()).read([shown(questions[0], BY_NAME["agree"])])
    assert "not today" in told.failed


class Shared(Bm25Policy):
    """Keeps everybody's memories on one shelf."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store for all."""
        return super().ingest(turns, Scope("all"))

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search what anybody said."""
        return super().search(query, Scope("all"), k, as_of)


def test_a_value_that_comes_from_another_ask_is_a_leak(questions: tuple[SlotQuestion, ...]) -> None:
    """Every ask has a scope of its own."""
    card = attribute(Remembering.of(Shared()), questions)
    assert any(one.startswith("LEAK") for one in card.broken)


def test_everything_is_forgotten_now_and_then(questions: tuple[SlotQuestion, ...]) -> None:
    """Because some memories slow down with all that they hold; scopes stay different."""
    resets: list[int] = []
    scopes: set[Scope] = set()

    class Counting(Bm25Policy):
        def reset(self) -> None:
            resets.append(len(scopes))
            super().reset()

        def flush(self, scope: Scope, timeout_s: float) -> None:
            scopes.add(scope)
            super().flush(scope, timeout_s)

    ask = shown(questions[0], BY_NAME["absent"])
    told = list(Remembering.of(Counting()).read([ask] * (ROUND + 1)))
    assert resets == [0, ROUND]
    assert len(scopes) == len(told) == ROUND + 1


class Rewriting(Bm25Policy):
    """Stores texts of its own under ids of its own, without lineage."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return its own wording."""
        found = super().search(query, scope, k, as_of)
        hits = (Hit(Memory(f"m{n}", f"note: {hit.memory.text}"), hit.score) for n, hit in enumerate(found.hits))
        return Ranking(tuple(hits), found.score_kind)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List its own wording."""
        return (Memory(f"m{n}", f"note: {one.text}") for n, one in enumerate(super().dump(scope)))


def test_a_memory_without_lineage_is_recognised_by_its_text(questions: tuple[SlotQuestion, ...]) -> None:
    """The value is a nonce, so its text tells where it came from."""
    memory: MemorySystem = Rewriting()
    (told,) = Remembering.of(memory).read([shown(questions[0], BY_NAME["swap-memory"])])
    assert told.logged is not None
    assert "memory" in told.logged


def test_documents_and_state_stand_below_the_question(questions: tuple[SlotQuestion, ...]) -> None:
    """Nothing is said of what is absent."""
    question = questions[0]
    assert spelled(shown(question, BY_NAME["only-memory"])) == "What is my home city?"
    text = spelled(shown(question, BY_NAME["conflict"]))
    assert text.index("home city?") < text.index(question.own[1]) < text.index(question.own[2])
