"""The ideal memory: it keeps every promise that a memory can make, as far as it is told what turns mean."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from memgauge.records import Operation, Scope, Turn, Verdict
from memgauge.records.statements import Act, Statement
from memgauge.systems import check
from memgauge.systems.protocol import OPTIONAL, Role, supported
from memgauge.systems.reference.ideal import Ideal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.records import Change

MORNING = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - conversations live in naive local time
DAY = timedelta(days=1)
ALICE, BOB = Scope("alice"), Scope("bob")


class SelfTaught(Ideal):
    """Takes every turn for a statement, because the conformance check teaches nothing."""

    def _take(self, turn: Turn, scope: Scope, expires_at: datetime | None) -> Iterable[Change]:
        self.teach(turn.id, [Statement(turn.text, turn.text, functional=False)], trusted=True)
        return super()._take(turn, scope, expires_at)


def tell(
    memory: Ideal, name: str, *said: Statement, at: datetime = MORNING, who: Scope = ALICE, trusted: bool = True
) -> None:
    """Hand over one turn and what it means."""
    memory.teach(name, said, trusted=trusted)
    memory.ingest([Turn(name, who.user, f"words of {name}", "s", at)], who)


def found(memory: Ideal, at: datetime = MORNING + DAY, who: Scope = ALICE, query: str = "city") -> list[str]:
    """Return the texts that a search returns, best first."""
    return [hit.memory.text for hit in memory.search(query, who, 10, at).hits]


def test_it_conforms() -> None:
    """Taught to take every turn for a fact, it passes every check of conformance, the optional ones too."""
    report = check(SelfTaught)
    assert report.broken == ()
    assert {one.verdict for one in report.checks} <= {Verdict.PASS, Verdict.UNSUPPORTED}
    assert set(supported(Ideal())) == set(OPTIONAL) - {"learning"}
    assert Ideal().capabilities().role is Role.CEILING


def test_what_it_is_not_taught_it_does_not_keep() -> None:
    """Talk that means nothing leaves nothing behind."""
    memory = Ideal()
    tell(memory, "t1")
    assert not list(memory.dump(ALICE))


def test_the_order_of_time_counts_and_not_that_of_telling() -> None:
    """An older value that arrives late holds until the newer one began, and the newer one goes on."""
    memory = Ideal()
    tell(memory, "new", Statement("city", "Oslo"), at=MORNING)
    tell(memory, "old", Statement("city", "Rome"), at=MORNING - 9 * DAY)
    assert found(memory) == ["city: Oslo"]
    assert found(memory, MORNING - DAY) == ["city: Rome"]
    assert found(memory, MORNING - 10 * DAY) == []


def test_what_was_is_over_whether_or_not_it_says_since_when() -> None:
    """What is told of the past ended on the day that is named, or when it was told."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome", over=True))
    tell(memory, "t2", Statement("job", "cook", over=True, until=date(2026, 1, 2)))
    assert found(memory) == []
    assert found(memory, MORNING - timedelta(hours=1)) == ["city: Rome"]
    assert set(found(memory, MORNING - 4 * DAY)) == {"city: Rome", "job: cook"}


def test_lists_grow_and_shrink() -> None:
    """Members hold beside each other until one is removed."""
    memory = Ideal()
    for name in ("Ada", "Ben"):
        tell(memory, name, Statement("child", name, functional=False))
    tell(memory, "t", Statement("child", "Ada", act=Act.END, functional=False), at=MORNING + DAY)
    assert found(memory, MORNING + timedelta(hours=1)) == ["child: Ben", "child: Ada"]
    assert found(memory, MORNING + 2 * DAY) == ["child: Ben"]


def test_the_last_day_counts() -> None:
    """What holds until a day holds on that day, and not on the next; the interface may end it sooner."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome", until=date(2026, 1, 7)))
    assert found(memory, MORNING + 2.5 * DAY) == ["city: Rome"]
    assert found(memory, MORNING + 2.7 * DAY) == []
    memory.teach("t2", [Statement("boat", "Ida")], trusted=True)
    memory.ingest_expiring(Turn("t2", "alice", "…", "s", MORNING), ALICE, MORNING + DAY)
    assert found(memory, MORNING + DAY) == ["city: Rome"]


def test_context_knows_the_time_that_was_told_last() -> None:
    """A context has no time of its own: it takes that of the last search, turn or maintenance."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome", until=date(2026, 1, 7)))
    assert memory.context("city", ALICE, 100) == "- city: Rome\n"
    assert not memory.context("city", ALICE, 5)
    memory.sweep(MORNING + 9 * DAY)
    assert not memory.context("city", ALICE, 100)


def test_it_answers_about_the_slot_that_is_asked_for() -> None:
    """A slot that ended is not answered with another of a like name, and what is unknown is not answered."""
    memory = Ideal()
    assert memory.ask("Who is my coach?", ALICE) == "I do not know."
    tell(memory, "t1", Statement("tennis coach", "Ann"), Statement("diving coach", "Bo"))
    assert memory.ask("Who is my tennis coach?", ALICE, MORNING + DAY) == "Ann"
    tell(memory, "t2", Statement("tennis coach", act=Act.END), at=MORNING + DAY)
    assert memory.ask("Who is my tennis coach?", ALICE, MORNING + 2 * DAY) == "I do not know."
    assert memory.ask("Who is my diving coach?", ALICE, MORNING + 2 * DAY) == "Bo"
    assert memory.ask("Which boat?", ALICE, MORNING + 2 * DAY) == "I do not know."


def test_what_is_not_to_be_believed_is_kept_apart() -> None:
    """It is listed as quarantined, found by nobody, and takes nothing's place."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome"))
    tell(memory, "t2", Statement("city", "Oslo"), trusted=False)
    assert found(memory) == ["city: Rome"]
    assert [(one.text, one.channel) for one in memory.dump(ALICE)] == [
        ("city: Rome", ""),
        ("city: Oslo", "quarantine"),
    ]


def test_forgetting_leaves_a_trace_without_the_value() -> None:
    """The value is gone from the store, the files and the audit, and neither replay nor restart brings it back."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome"))
    tell(memory, "t2", Statement("boat", "Ida"))
    assert memory.delete(["t1/0"], BOB) == 0
    assert memory.delete(["t1/0"], ALICE) == 1
    memory.ingest([Turn("t1", "alice", "…", "s", MORNING)], ALICE)
    memory.sweep(MORNING + DAY)
    memory.reopen()
    assert found(memory) == ["boat: Ida"]
    (folder,) = memory.storage_paths()
    assert all(b"Rome" not in file.read_bytes() for file in folder.iterdir())
    assert [(one.op, one.text) for one in memory.history("t1/0", ALICE)] == [
        (Operation.ADD, None),
        (Operation.DELETE, None),
    ]
    memory.erase(ALICE)
    assert not list(memory.dump(ALICE))


def test_updates_keep_the_id() -> None:
    """A text is replaced and counted; what is not there is not changed."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome"))
    assert [one.op for one in memory.update("t1/0", "city: Oslo", ALICE).changes or ()] == [Operation.UPDATE]
    assert [(one.id, one.text, one.version) for one in memory.dump(ALICE)] == [("t1/0", "city: Oslo", 2)]
    assert [one.op for one in memory.update("t1/0", "city: Oslo", BOB).changes or ()] == [Operation.NOOP]


def test_reset_leaves_nothing() -> None:
    """Neither entries, nor meanings, nor what was heard, nor files."""
    memory = Ideal()
    tell(memory, "t1", Statement("city", "Rome"))
    (folder,) = memory.storage_paths()
    memory.reset()
    assert list(folder.iterdir()) == []
    assert memory._now() is None
    tell(memory, "t1", Statement("city", "Oslo"))
    assert found(memory) == ["city: Oslo"]
