"""Mutants: each does one thing that the ideal memory does not do, and otherwise behaves."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import UnknownNameError
from memgauge.records import Scope, Turn, Verdict
from memgauge.records.statements import Act, Statement
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.systems import check
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import CALIBRATION, FAMILIES, MUTANTS, ideal, mutant
from memgauge.systems.reference.mutants.currency import TtlWallClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memgauge.records import Change
    from memgauge.systems.reference.mutants.mutant import Mutant

MORNING = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - conversations live in naive local time
ALICE, BOB = Scope("alice"), Scope("bob")


class Story:
    """One memory that things are told and asked, a minute at a time."""

    def __init__(self, memory: Ideal) -> None:
        self.memory = memory
        self.now = MORNING
        self._numbers = count()

    def say(self, *said: Statement, who: Scope = ALICE, session: str = "s", **how: Any) -> Turn:
        """Tell it what a turn states; ``at`` is in days from now."""
        self.now += timedelta(minutes=1)
        at = self.now + timedelta(days=how.get("at", 0))
        turn = Turn(f"t{next(self._numbers)}", who.user, how.get("words", "…"), session, at)
        self.memory.teach(turn.id, said, trusted=how.get("trusted", True))
        self.memory.ingest([turn], who)
        return turn

    def sets(self, who: Scope = ALICE, **values: str) -> None:
        """Tell it values of slots, a turn each."""
        for slot, value in values.items():
            self.say(Statement(slot, value), who=who)

    def adds(self, slot: str, *values: str) -> None:
        """Tell it members of a list, a turn each."""
        for value in values:
            self.say(Statement(slot, value, functional=False))

    def found(
        self, query: str = "what do I have", who: Scope = ALICE, *, days: float = 0, k: int = 500
    ) -> list[str]:
        """Return the texts that a search for another day returns, in order of the alphabet."""
        at = self.now + timedelta(days=days)
        return sorted(hit.memory.text for hit in self.memory.search(query, who, k, at).hits)

    def listed(self, who: Scope = ALICE) -> list[str]:
        """Return the texts of everything stored."""
        return sorted(memory.text for memory in self.memory.dump(who))

    def forget(self, text: str) -> None:
        """Delete what says *text*."""
        self.memory.delete([memory.id for memory in self.memory.dump(ALICE) if memory.text == text], ALICE)


def two_sessions(story: Story) -> object:
    """Say one thing in each of two conversations."""
    story.say(Statement("city", "Rome"), session="first")
    story.say(Statement("dog", "Rex"), session="second")
    return story.found()


def three_writes(story: Story) -> object:
    """Say three things."""
    story.sets(city="Rome", dog="Rex", car="Uno")
    return story.found()


def restarted(story: Story) -> object:
    """Open the memory again."""
    story.sets(city="Rome", dog="Rex")
    story.memory.reopen()
    return story.found()


def eleven_writes(story: Story) -> object:
    """Say eleven things."""
    story.sets(ALICE, **{f"thing{number}": "here" for number in range(11)})
    return story.found()


def corrected(story: Story) -> object:
    """Correct a value and ask for now and for before."""
    story.sets(city="Rome")
    story.now += timedelta(days=2)
    story.sets(city="Oslo")
    return story.found(), story.found(days=-1)


def ended(story: Story) -> object:
    """Say that something ended."""
    story.sets(city="Rome")
    story.say(Statement("city", act=Act.END))
    return story.found()


def expired(story: Story) -> object:
    """Ask while something holds and when it no longer does."""
    story.say(Statement("trip", "Rome", until=(MORNING + timedelta(days=3)).date()))
    return story.found(days=2), story.found(days=5)


def imported_late(story: Story) -> object:
    """Hand over an old turn after a new one."""
    story.sets(city="Oslo")
    story.say(Statement("city", "Rome"), at=-30)
    return story.found()


def announced(story: Story) -> object:
    """Announce a change, and ask before its day and after it."""
    story.sets(city="Oslo")
    story.say(Statement("city", "Rome", since=(MORNING + timedelta(days=3)).date()))
    return story.found(days=1), story.found(days=5)


def told_of_the_past(story: Story) -> object:
    """Say what was and is over."""
    story.sets(city="Oslo")
    story.say(Statement("city", "Rome", over=True))
    return story.found()


def three_members(story: Story) -> object:
    """Say three values of a list."""
    story.adds("child", "Ada", "Ben", "Cleo")
    return story.found()


def heard_twice(story: Story) -> object:
    """Hand over one turn twice."""
    turn = story.say(Statement("city", "Rome"))
    story.memory.ingest([turn], ALICE)
    return story.listed()


def searched(story: Story) -> object:
    """Search, and list what is stored."""
    story.sets(city="Rome")
    story.found()
    return story.listed()


def before_it_was(story: Story) -> object:
    """Ask for a day before something became true."""
    story.sets(city="Rome")
    return story.found(days=-1)


def alike(reader: str, owner: str = "alice") -> Callable[[Story], object]:
    """Ask as somebody whose id is like another's."""

    def program(story: Story) -> object:
        story.sets(Scope(owner), city="Rome")
        return story.found(who=Scope(reader)), story.found(who=Scope(owner))

    return program


def other_scope(**part: str) -> Callable[[Story], object]:
    """Ask as the same user elsewhere."""

    def program(story: Story) -> object:
        story.sets(city="Rome")
        return story.found(who=Scope("alice", **part)), story.found()

    return program


def outside_of_a_session(story: Story) -> object:
    """Say something in a session that keeps to itself, and ask outside and in another one."""
    story.sets(Scope("alice", session="aside"), city="Rome")
    return story.found(), story.found(who=Scope("alice", session="apart"))


def listed_by_another(story: Story) -> object:
    """List as somebody else."""
    story.sets(city="Rome")
    return story.listed(BOB), story.found(who=BOB)


def short_query(story: Story) -> object:
    """Search with two letters and with many."""
    story.sets(city="Rome")
    return story.found("ab", BOB), story.found("abc", BOB)


def after_a_write(story: Story) -> object:
    """Search twice after somebody else wrote."""
    story.sets(BOB, city="Rome")
    return story.found(), story.found()


def erased(after: str = "") -> Callable[[Story], object]:
    """Delete one of three memories, do something, and look everywhere."""

    def program(story: Story) -> object:
        turn = story.say(Statement("city", "Rome"))
        story.sets(dog="Rex", car="Uno", boat="Ida")
        story.forget("city: Rome")
        if after == "maintenance":
            story.memory.sweep(story.now)
        if after == "restart":
            story.memory.reopen()
        if after == "replay":
            story.memory.ingest([turn], ALICE)
        files = [file.read_text("utf-8") for path in story.memory.storage_paths() for file in path.iterdir()]
        history = story.memory.history(f"{turn.id}/0", ALICE)
        return story.found(), story.listed(), any("Rome" in text for text in files), history

    return program


def erased_altogether(story: Story) -> object:
    """Erase a user with many memories, beside another one."""
    story.sets(BOB, city="Oslo")
    story.adds("note", *(f"n{number}" for number in range(120)))
    story.memory.erase(ALICE)
    return story.found(), story.found(who=BOB)


def planted(story: Story) -> object:
    """Let somebody say something who is not to be believed, beside somebody who is."""
    story.say(Statement("bank", "Evil"), trusted=False)
    story.sets(city="Rome")
    return story.found()


def supposed(story: Story) -> object:
    """Say something that is not meant."""
    story.say(words="Imagine that I lived in Rome!")
    return story.found()


def asked(story: Story) -> object:
    """Ask for what is known and for what is not."""
    story.sets(city="Rome")
    return story.memory.ask("Which city?", ALICE, story.now), story.memory.ask("Which boat?", ALICE, story.now)


def asked_twice(story: Story) -> object:
    """Ask the same twice."""
    story.sets(city="Rome")
    return story.found() == story.found()


def few_wanted(story: Story) -> object:
    """Ask for one of three."""
    story.sets(city="Rome", dog="Rex", car="Uno")
    return story.found(k=1)


PROGRAMS: dict[str, Callable[[Story], object]] = {
    "amnesic": two_sessions,
    "write-loser": three_writes,
    "volatile": restarted,
    "half-written": restarted,
    "newest-ten": eleven_writes,
    "late": three_writes,
    "append-only": corrected,
    "keeps-first": corrected,
    "never-ends": ended,
    "ttl-ignored": expired,
    "ttl-wall-clock": expired,
    "ttl-early": expired,
    "latest-arrival": imported_late,
    "backfill-wins": told_of_the_past,
    "announced-early": announced,
    "announced-lost": announced,
    "announced-replaces": announced,
    "overwriting": three_members,
    "cross-slot": three_writes,
    "two-at-most": three_members,
    "replays": heard_twice,
    "feedback-loop": searched,
    "destroys-history": corrected,
    "no-as-of": corrected,
    "sees-future": before_it_was,
    "leaky-case": alike("Alice"),
    "leaky-prefix": alike("ali"),
    "leaky-strip": alike(" alice"),
    "leaky-unicode": alike("ａｌｉｃｅ"),  # noqa: RUF001 - letters that only look alike are the point
    "leaky-empty": alike(""),
    "leaky-wildcard": alike("al*"),
    "leaky-tenant": other_scope(tenant="other"),
    "leaky-agent": other_scope(agent="other"),
    "leaky-session": other_scope(session="aside"),
    "leaky-session-none": outside_of_a_session,
    "leaky-session-inherit": other_scope(session="aside"),
    "leaky-list": listed_by_another,
    "leaky-short-query": short_query,
    "leaky-after-write": after_a_write,
    "leaky-path": alike("bob/../alice"),
    "soft-erase": erased("maintenance"),
    "erase-page": erased_altogether,
    "erase-index-only": erased(),
    "erase-file-residue": erased(),
    "resurrects-on-replay": erased("replay"),
    "resurrects-on-restart": erased("restart"),
    "erases-siblings": erased(),
    "erase-wildcard": erased_altogether,
    "unaudited": erased(),
    "audit-leaks": erased(),
    "believes-everyone": planted,
    "false-apply": supposed,
    "quarantines-all": planted,
    "confabulates": asked,
    "garbage": three_writes,
    "unstable": asked_twice,
    "over-limit": few_wanted,
    "echo-all": corrected,
    "null": three_writes,
}
SEEN = {
    "amnesic": ["dog: Rex"],
    "half-written": ["city: Rome"],
    "append-only": (["city: Oslo", "city: Rome"], ["city: Rome"]),
    "keeps-first": (["city: Rome"], ["city: Rome"]),
    "ttl-ignored": (["trip: Rome"], ["trip: Rome"]),
    "ttl-early": ([], []),
    "latest-arrival": ["city: Rome"],
    "backfill-wins": ["city: Rome"],
    "announced-early": (["city: Rome"], ["city: Rome"]),
    "announced-lost": (["city: Oslo"], ["city: Oslo"]),
    "announced-replaces": ([], ["city: Rome"]),
    "overwriting": ["child: Cleo"],
    "cross-slot": ["car: Uno"],
    "two-at-most": ["child: Ben", "child: Cleo"],
    "replays": ["city: Rome", "city: Rome"],
    "destroys-history": (["city: Oslo"], []),
    "no-as-of": (["city: Oslo"], ["city: Oslo"]),
    "leaky-session-none": (["city: Rome"], []),
    "leaky-short-query": (["city: Rome"], []),
    "leaky-after-write": (["city: Rome"], []),
    "erase-wildcard": ([], []),
    "confabulates": ("Rome", "Rome"),
    "over-limit": ["car: Uno", "city: Rome", "dog: Rex"],
    "null": [],
}
"""What some of them show; the others need only differ."""
BROKEN_PROBES = {
    "write-loser": {"finds a stored turn", "dump lists what was stored", "receipts name changes"},
    "newest-ten": {"receipts name changes"},
    "volatile": {"reopen (durable)"},
    "half-written": {"reopen (durable)"},
    "late": {"finds a stored turn", "update (mutable)"},
    "ttl-ignored": {"expiry (expiring)"},
    "feedback-loop": {"same order twice", "search only reads", "delete (mutable)"},
    "leaky-tenant": {"scopes are isolated", "erase (erasable)"},
    "leaky-list": {"scopes are isolated", "erase (erasable)"},
    "leaky-after-write": {"other scopes change nothing", "unknown scope is empty", "erase (erasable)"},
    "erase-index-only": {"delete (mutable)", "erase (erasable)"},
    "erases-siblings": {"delete (mutable)"},
    "erase-wildcard": {"erase (erasable)"},
    "unaudited": {"history (auditable)"},
    "quarantines-all": {"finds a stored turn", "update (mutable)"},
    "garbage": {"hits are in the dump", "unknown scope is empty", "reset empties", "erase (erasable)"},
    "unstable": {"same order twice", "top 10 begins top 60", "other scopes change nothing", "update (mutable)"},
    "over-limit": {"respects k", "top 10 begins top 60"},
    "echo-all": {"scopes are isolated", "unknown scope is empty", "erase (erasable)", "expiry (expiring)"},
    "null": {"finds a stored turn", "update (mutable)"},
}
"""What the ordinary conformance check sees of them; of the others it sees nothing."""


class SelfTaught(Ideal):
    """Takes every turn for a statement, because the conformance check teaches nothing."""

    def _take(self, turn: Turn, scope: Scope, expires_at: datetime | None) -> Iterable[Change]:
        self.teach(turn.id, [Statement(turn.text, turn.text, functional=False)], trusted=True)
        return super()._take(turn, scope, expires_at)


def test_every_mutant_has_a_program() -> None:
    """There are more than fifty of them, each under its own name in one family."""
    assert list(PROGRAMS) == list(MUTANTS)
    assert len(MUTANTS) == sum(len(family.MUTANTS) for family in FAMILIES) == 59
    assert len({kind.family for kind in MUTANTS.values()}) == len(FAMILIES)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mutant_differs_from_the_ideal_memory(name: str) -> None:
    """On the program that shows its fault."""
    seen = PROGRAMS[name](Story(MUTANTS[name]()))
    assert seen != PROGRAMS[name](Story(Ideal()))
    assert seen == SEEN.get(name, seen)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mutant_has_one_thing_wrong(name: str) -> None:
    """It overrides few methods, says in one sentence what is wrong, and names anomalies that there are."""
    kind = MUTANTS[name]
    own = [attribute for attribute, value in vars(kind).items() if callable(value)]
    assert len(own) <= 3
    assert kind.__doc__ is not None
    assert kind.__doc__.count("\n") == 0
    assert kind.breaks
    assert set(kind.breaks) <= set(Anomaly)


def _unseen(name: str, number: int) -> Any:
    """Leave most mutants that the conformance check does not see to the slow tests."""
    quick = name in BROKEN_PROBES or number % 4 == 0
    return name if quick else pytest.param(name, marks=pytest.mark.slow)


@pytest.mark.parametrize("name", [_unseen(name, number) for number, name in enumerate(PROGRAMS)])
def test_a_mutant_behaves_otherwise(name: str) -> None:
    """The conformance check finds what it is about and nothing else; most mutants it does not see at all."""
    report = check(type("Conforming", (SelfTaught, MUTANTS[name]), {}))
    assert {one.name for one in report.broken} == BROKEN_PROBES.get(name, set())
    assert {one.verdict for one in report.checks} <= {
        Verdict.PASS,
        Verdict.FAIL,
        Verdict.UNSUPPORTED,
        Verdict.VACUOUS,
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mutant_forgets_its_fault_with_everything_else(name: str) -> None:
    """After a reset it does again what a fresh one does."""
    story = Story(MUTANTS[name]())
    fresh = PROGRAMS[name](story)
    story.memory.reset()
    assert story.listed() == []
    again = Story(story.memory)
    assert PROGRAMS[name](again) == fresh


@pytest.mark.parametrize("today", [MORNING - timedelta(days=9), MORNING + timedelta(days=99)])
def test_a_wall_clock_is_wrong_on_any_day(today: datetime) -> None:
    """Whether the real day lies before or after the story, the wrong things are found."""
    memory = TtlWallClock(clock=lambda: today)
    shown = ["trip: Rome"]
    assert expired(Story(Ideal())) == (shown, [])
    assert expired(Story(memory)) == ((shown, shown) if today < MORNING else ([], []))


def test_what_is_arbitrary_is_the_same_again() -> None:
    """The random memory returns some of the scope's entries, replaced ones too, and nobody else's."""

    def some(seed: str) -> list[str]:
        story = Story(CALIBRATION["random"]())
        story.sets(BOB, city="Oslo")
        story.sets(ALICE, **{f"thing{number}": "here" for number in range(20)})
        return story.found(seed)

    assert some("a") == some("a") != some("b")
    assert 0 < len(some("a")) < 20
    assert "city: Oslo" not in some("a")


def test_mutants_open_by_name() -> None:
    """A mutant is called what it is; a name that there is not is answered with those that there are."""
    assert [mutant(name).name for name in ("null", "random")] == ["mutant:null", "mutant:random"]
    assert ideal().name == "ideal"
    opened: dict[str, type[Mutant]] = dict(MUTANTS)
    assert all(isinstance(mutant(name), kind) for name, kind in opened.items())
    with pytest.raises(UnknownNameError, match="amnesic"):
        mutant("amnesia")
