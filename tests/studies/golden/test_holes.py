"""Classes of defects that once got past the suite: each is seen by at least three scenarios with a hard gate."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.records import Change, Hit, Operation, Ranking, Receipt
from memgauge.studies.golden.breeding.calls import mutated
from memgauge.studies.golden.breeding.operators.identity import KEYS
from memgauge.studies.golden.breeding.trial import ordered
from memgauge.studies.golden.matrix import NOTICED, trusting
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.reference.named import REFERENCES
from memgauge.systems.reference.racy import RACY
from support.golden import shipped_scenarios

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.golden.breeding.calls import Advice, Passing
    from memgauge.studies.golden.runner import Factory
    from memgauge.systems.reference.shared import ReferenceMemory

ENOUGH = 3
"""How many scenarios with a hard gate must notice a defect; each class has one of which that is asked."""


@dataclass(frozen=True)
class Hole:
    """A defect of a class that once passed every scenario."""

    group: str
    says: str
    methods: tuple[str, ...]
    advice: Advice
    enough: int
    """How many scenarios with a hard gate must notice it, on a memory of each make."""


HOLES: list[Hole] = []
SCOPED = ("ingest", "ingest_expiring", "search", "dump", "context", "ask", "erase", "delete")


def hole(group: str, says: str, *methods: str, enough: int = ENOUGH) -> Callable[[Advice], Advice]:
    """Note what is done in the place of these methods as a defect of a class."""

    def note(advice: Advice) -> Advice:
        HOLES.append(Hole(group, says, methods, advice, enough))
        return advice

    return note


@hole("time", "it expires eight hours late", "ingest_expiring")
def _(call: Passing) -> Any:
    return call.go(expires_at=call.given["expires_at"] + timedelta(hours=8))


@hole("time", "it expires eight hours early", "ingest_expiring")
def _(call: Passing) -> Any:
    return call.go(expires_at=call.given["expires_at"] - timedelta(hours=8))


@hole("time", "it expires at midnight", "ingest_expiring")
def _(call: Passing) -> Any:
    return call.go(expires_at=call.given["expires_at"].replace(hour=0, minute=0, second=0))


@hole("meaning", "it tells it of a shoe size", "search", "context", "ask")
def _(call: Passing) -> Any:
    return _reworded(call, lambda text: f"shoe size: {re.split(': | is ', text)[-1]}")


@hole("meaning", "it tells it of somebody else", "search", "context", "ask")
def _(call: Passing) -> Any:
    return _reworded(call, lambda text: f"Wilma's {text}")


@hole("meaning", "it puts not before every text", "search", "context", "ask")
def _(call: Passing) -> Any:
    return _reworded(call, lambda text: f"NOT {text}")


@hole("meaning", "it says that it is certainly not so", "search", "context", "ask")
def _(call: Passing) -> Any:
    return _reworded(call, lambda text: f"certainly not {text}")


@hole("meaning", "it guesses where it knows nothing", "ask")
def _(call: Passing) -> Any:
    answer = call.go()
    return "It is probably 4711." if answer == "I do not know." else answer


@hole("resurrection", "it brings back what was deleted after ten sweeps", "sweep")
def _(call: Passing) -> Any:
    result = call.go()
    if call.past.since_forgetting["sweep"] >= 10:
        _bring_back(call)
    return result


@hole("resurrection", "it loses tombstones after 500 writes", "ingest")
def _(call: Passing) -> Any:
    result = call.go()
    if call.past.since_forgetting["write"] >= 500:
        _bring_back(call)
    return result


@hole("volume", "it lists somebody else on page two", "dump")
def _(call: Passing) -> Any:
    own = call.go()
    foreign = [memory for other in call.others(call.scope) for memory in call.stored(other)]
    return [*own[:20], *foreign[:1], *own[20:]] if len(own) > 20 else own


@hole("volume", "it reads 400 characters", "_understand")
def _(call: Passing) -> Any:
    lesson, text = call.go(), call.given["turn"].text
    kept = tuple(s for s in lesson.statements if not s.value or s.value in text[:400])
    return replace(lesson, statements=kept) if len(text) > 400 else lesson


@hole("volume", "it evicts the oldest after a thousand turns", "ingest")
def _(call: Passing) -> Any:
    result = call.go()
    if len(call.past.turns) > 1_000:
        oldest = [memory.id for memory in call.stored(call.scope)[:1]]
        call.plain["delete"](memories=oldest, scope=call.scope)
    return result


@hole("hiding", "it shows what was erased as past", "search")
def _(call: Passing) -> Any:
    ranking, lost = call.go(), call.past.lost.get(call.scope, [])
    ended = [Hit(replace(memory, valid_to=memory.valid_from)) for memory in lost[-1:]]
    return replace(ranking, hits=(*ranking.hits, *ended)[: max(call.given["k"], 0)])


@hole("hiding", "it notes what was erased", "search")
def _(call: Passing) -> Any:
    ranking, lost = call.go(), call.past.lost.get(call.scope, [])
    return replace(ranking, notes=(*ranking.notes, *(f"left out: {memory.text}" for memory in lost)))


@hole("hiding", "it leaves a compressed copy beside", "erase", "delete")
def _(call: Passing) -> Any:
    gone = "\n".join(memory.text for memory in call.stored(call.scope))
    result = call.go()
    (call.memory.folder / "wal.bin").write_bytes(zlib.compress(gone.encode("utf-8", "replace")))
    return result


@hole("identity", "it drops what another user said too", "ingest", "ingest_expiring")
def _(call: Passing) -> Any:
    first_teller = {turn.text: scope.user for turn, scope in reversed(call.past.turns)}
    if any(first_teller.get(turn.text, call.scope.user) != call.scope.user for turn in call.turns):
        return Receipt(())
    return call.go()


@hole("identity", "it ignores what follows a plus", *SCOPED, enough=2)
def _(call: Passing) -> Any:
    return call.go(scope=replace(call.scope, user=KEYS["without what follows a plus"](call.scope.user)))


@hole("identity", "it reads ids up to a NUL", *SCOPED, enough=1)
def _(call: Passing) -> Any:
    return call.go(scope=replace(call.scope, user=KEYS["up to a NUL"](call.scope.user)))


@hole("provenance", "it invents sources", "search")
def _(call: Passing) -> Any:
    hits = (replace(hit, memory=replace(hit.memory, sources=("t-8841",))) for hit in call.go().hits)
    return Ranking(tuple(hits))


@hole("provenance", "it names the sources of others", "search", "dump")
def _(call: Passing) -> Any:
    result = call.go()
    foreign = tuple(turn.id for turn, scope in call.past.turns if scope != call.scope)[-1:]
    if not foreign:
        return result
    if isinstance(result, Ranking):
        return Ranking(tuple(replace(h, memory=replace(h.memory, sources=foreign)) for h in result.hits))
    return [replace(memory, sources=foreign) for memory in result]


@hole("api", "it updates nothing", "update")
def _(call: Passing) -> Any:
    return Receipt((Change(Operation.UPDATE, call.given["memory"]),))


@hole("api", "it says that it began a day later", "search", "dump")
def _(call: Passing) -> Any:
    result = call.go()

    def later(memory: Any) -> Any:
        begins = memory.valid_from and memory.valid_from + timedelta(days=1)
        return replace(memory, valid_from=begins)

    if isinstance(result, Ranking):
        return Ranking(tuple(replace(hit, memory=later(hit.memory)) for hit in result.hits))
    return [later(memory) for memory in result]


@hole("api", "it writes beyond the budget", "context")
def _(call: Passing) -> Any:
    return call.go(budget=call.given["budget"] * 4)


@hole("api", "it shows the history of anybody", "history")
def _(call: Passing) -> Any:
    owners = [call.scope, *call.others(call.scope)]
    whose = (scope for scope in owners if any(m.id == call.given["memory"] for m in call.stored(scope)))
    return call.go(scope=next(whose, call.scope))


def _reworded(call: Passing, change: Callable[[str], str]) -> Any:
    result = call.go()
    if isinstance(result, Ranking):
        hits = (replace(hit, memory=replace(hit.memory, text=change(hit.memory.text))) for hit in result.hits)
        return Ranking(tuple(hits))
    return result if result in {"", "I do not know."} else "\n".join(map(change, result.splitlines()))


def _bring_back(call: Passing) -> None:
    forgotten, call.past.forgotten = call.past.forgotten, []
    for number, (turn, scope, lesson) in enumerate(forgotten):
        call.again(turn, scope, lesson, f"{turn.id}-back-{number}")


def _noticing(factory: Factory, group: str) -> Iterator[str]:
    """Yield the scenarios with a hard gate that notice what is wrong with a memory."""
    for scenario in ordered(shipped_scenarios(), group):
        if scenario.gate == "hard" and run_scenario(scenario, factory, trusting()).verdict in NOTICED:
            yield scenario.id


def _opened(reference: str, defect: Hole) -> ReferenceMemory:
    return mutated(REFERENCES[reference], dict.fromkeys(defect.methods, defect.advice))


@pytest.mark.slow
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("defect", HOLES, ids=[f"{each.group}: {each.says}" for each in HOLES])
def test_each_class_of_holes_is_seen_by_three_scenarios(defect: Hole, reference: str) -> None:
    """On a memory with one defect of the class, whatever its make, as many scenarios gate hard as it takes."""
    noticing = _noticing(partial(_opened, reference, defect), defect.group)
    assert len(list(islice(noticing, defect.enough))) == defect.enough


@pytest.mark.slow
@pytest.mark.parametrize("race", ["read-modify-write", "file-rewriter", "stale-cache"])
def test_a_lost_update_is_seen_by_three_scenarios(race: str) -> None:
    """On a memory that loses what two threads write at once, at least three scenarios gate hard."""
    assert len(list(islice(_noticing(RACY[race], "races"), ENOUGH))) == ENOUGH
