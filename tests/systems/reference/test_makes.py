"""The reference memories of other make: each is right, taught as the ideal one is, and built in its own way."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest

from memgauge.records import Operation, Scope, Turn, Verdict
from memgauge.records.statements import Act, Statement
from memgauge.studies.golden.matrix import trusting
from memgauge.studies.golden.programs import programs
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.catalogue import open_system
from memgauge.systems.protocol import OPTIONAL, Role, supported
from memgauge.systems.reference.named import REFERENCES

if TYPE_CHECKING:
    from memgauge.systems.reference.shared import ReferenceMemory

MORNING = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - conversations live in naive local time
HOUR = timedelta(hours=1)
ALICE, BOB = Scope("alice"), Scope("bob")


@pytest.fixture(params=list(REFERENCES))
def memory(request: pytest.FixtureRequest) -> ReferenceMemory:
    """Open each of them in turn."""
    return REFERENCES[request.param]()


def tell(
    memory: ReferenceMemory,
    name: str,
    *said: Statement,
    at: datetime = MORNING,
    who: Scope = ALICE,
    ok: bool = True,
) -> list[str]:
    """Hand over one turn and what it means; return the ids that its receipt names."""
    memory.teach(name, said, trusted=ok)
    receipt = memory.ingest([Turn(name, who.user, f"words of {name}", "s", at)], who)
    return [change.memory for change in receipt.changes or ()]


def found(memory: ReferenceMemory, at: datetime = MORNING + HOUR, who: Scope = ALICE) -> str:
    """Return everything that a search returns."""
    return " ".join(hit.memory.text for hit in memory.search("city", who, 10, at).hits)


def test_it_offers_all_that_the_ideal_memory_offers(memory: ReferenceMemory) -> None:
    """Every optional protocol but learning is there, and it is a ceiling."""
    assert set(supported(memory)) == set(OPTIONAL) - {"learning"}
    assert memory.capabilities().role is Role.CEILING
    assert open_system(f"reference:{memory.name}").name == memory.name


def test_it_passes_random_programs(memory: ReferenceMemory) -> None:
    """Nothing is found wrong with it."""
    played = [run_scenario(program, type(memory), trusting()) for program in islice(programs("makes"), 8)]
    assert [ended.detail for ended in played if ended.verdict != Verdict.PASS] == []


def test_a_later_value_ends_an_earlier_one_whichever_came_first(memory: ReferenceMemory) -> None:
    """Values follow each other in the order in which they were said, not in which they arrived."""
    tell(memory, "late", Statement("city", "Rome"), at=MORNING + HOUR)
    tell(memory, "early", Statement("city", "Oslo"))
    assert "Oslo" in found(memory, MORNING + HOUR / 2)
    assert "Rome" not in found(memory, MORNING + HOUR / 2)
    assert "Oslo" not in found(memory, MORNING + HOUR)


def test_what_is_forgotten_ends_nothing_that_is_told_later(memory: ReferenceMemory) -> None:
    """It goes on ending what came before it, and a turn that arrives afterwards with an earlier day holds."""
    tell(memory, "old", Statement("city", "Bonn"), at=MORNING - HOUR)
    tell(memory, "t1", Statement("city", "Rome"))
    memory.delete([each.id for each in memory.dump(ALICE) if "Rome" in each.text], ALICE)
    assert "Bonn" not in found(memory)
    tell(memory, "late", Statement("city", "Oslo"), at=MORNING - HOUR / 2)
    assert "Oslo" in found(memory)


def test_every_history_begins_with_how_it_came_to_be(memory: ReferenceMemory) -> None:
    """Also where an id is used again after its end, and where time alone moved what was told."""
    for number, day in enumerate((MORNING, MORNING + HOUR, MORNING + 30 * HOUR)):
        tell(memory, f"a{number}", Statement("city", f"Rome{number}"), at=day)
        tell(memory, f"b{number}", Statement("city", f"Oslo{number}"), at=day + HOUR / 4)
        names = [each.id for each in memory.dump(ALICE)]
        memory.delete(names, ALICE)
        for name in names:
            ops = [entry.op for entry in memory.history(name, ALICE)]
            assert ops[0] is Operation.ADD
            after = [then for op, then in pairwise(ops) if op is Operation.DELETE]
            assert set(after) <= {Operation.ADD, Operation.DELETE}


def test_what_was_changed_by_id_is_what_is_answered(memory: ReferenceMemory) -> None:
    """The new text is found and answered, the old one is not, also after it was opened again."""
    tell(memory, "t1", Statement("city", "Rome"))
    stored = next(iter(memory.dump(ALICE)))
    memory.update(stored.id, stored.text.replace("Rome", "Oslo"), ALICE)
    memory.reopen()
    answer = memory.ask("Which city?", ALICE, MORNING + HOUR)
    assert "Oslo" in answer
    assert "Rome" not in answer + found(memory)
    assert Operation.UPDATE in [line.op for line in memory.history(stored.id, ALICE)]


@pytest.mark.parametrize("how", ["delete", "erase"])
def test_what_is_forgotten_stays_forgotten_on_disk_too(memory: ReferenceMemory, how: str) -> None:
    """Neither a replay nor opening it again brings it back, and no file holds it; others keep theirs."""
    tell(memory, "t1", Statement("city", "Rome"))
    tell(memory, "t1", Statement("city", "Oslo"), who=BOB)
    if how == "delete":
        assert memory.delete([each.id for each in memory.dump(ALICE)] * 2, ALICE) == 1
    else:
        memory.erase(ALICE)
    tell(memory, "t1", Statement("city", "Rome"))
    tell(memory, "t2", Statement("city", "Rome", act=Act.END))
    memory.reopen()
    assert not list(memory.dump(ALICE))
    assert "Rome" not in "".join(path.read_text("utf-8") for path in memory.folder.iterdir())
    assert "Oslo" in found(memory, who=BOB)


def test_opening_it_again_loses_nothing(memory: ReferenceMemory) -> None:
    """The list, the histories and the clock are what they were."""
    tell(memory, "t1", Statement("city", "Rome"), Statement("pets", "a cat", functional=False))
    tell(memory, "t2", Statement("city", "Oslo", subject="Ada", until=MORNING.date()), at=MORNING + HOUR)
    tell(memory, "t3", Statement("city", "Bern"), at=MORNING + HOUR, ok=False)
    before = list(memory.dump(ALICE))
    histories = [memory.history(each.id, ALICE) for each in before]
    context = memory.context("city", ALICE, 500)
    memory.reopen()
    assert list(memory.dump(ALICE)) == before
    assert [memory.history(each.id, ALICE) for each in before] == histories
    assert memory.context("city", ALICE, 500) == context


def test_what_is_not_believed_is_kept_apart(memory: ReferenceMemory) -> None:
    """A planted value is listed as quarantined and returned by nothing."""
    tell(memory, "t1", Statement("city", "Rome"), ok=False)
    assert [each.channel for each in memory.dump(ALICE)] == ["quarantine"]
    assert "Rome" not in found(memory) + memory.context("city", ALICE, 500) + memory.ask("city?", ALICE)


def test_scopes_are_told_apart_in_every_part(memory: ReferenceMemory) -> None:
    """Another tenant, agent or session sees nothing."""
    tell(memory, "t1", Statement("city", "Rome"))
    for other in (replace(ALICE, tenant="x"), replace(ALICE, agent="x"), replace(ALICE, session="x"), BOB):
        assert not list(memory.dump(other))
        assert not found(memory, who=other)
