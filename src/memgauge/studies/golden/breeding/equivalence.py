"""Whether a mutant is one: differential play beside the reference that it was bred from.

A mutant counts if somewhere in the recorded play something that a caller can see is different: a returned value,
an error, or which files there are. The play is drawn over the whole contract and from the state machine; it knows
no scenario, and reaches some 2,000 memories, 500 users, 65,000 characters a turn, and a hundred sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from memgauge.foreign import call_foreign
from memgauge.records import Scope
from memgauge.studies.golden.breeding.wild import MOVES, ROUNDS, SHAPES, WildStory
from memgauge.studies.golden.matrix import trusting
from memgauge.studies.golden.programs import programs
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.reference.named import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.golden.breeding.bred import Bred
    from memgauge.studies.golden.breeding.trial import BredRow
    from memgauge.systems.reference.shared import ReferenceMemory

PROGRAMS = 40
"""Random programs of the state machine whose calls are recorded."""
SEED = "wild/1"
_STEPS = tuple(timedelta(minutes=m) for m in (1, 1, 1, 7, 61, 1_500))


@dataclass(frozen=True)
class RecordedCall:
    """One call as it was made, and what came of it on the reference."""

    method: str
    given: dict[str, Any]
    outcome: str


def difference(mutant: Bred, rounds: int | None = None) -> str:
    """Say by which call a mutant differs from its reference; empty where none of the recorded ones does."""
    for name, calls in _recordings(mutant.reference, rounds):
        memory = mutant()
        for number, call in enumerate(calls, 1):
            if outcome(memory, call.method, call.given) != call.outcome:
                return f"differs in {name} at call {number}, {_worded(call)}"
    return ""


def judged(row: BredRow, mutant: Bred, rounds: int | None = None) -> BredRow:
    """Say of a survivor by what it differs, or that it is equivalent."""
    from memgauge.studies.golden.breeding.trial import EQUIVALENT

    by = difference(mutant, rounds)
    return replace(row, reason=by) if by else replace(row, fate=EQUIVALENT, reason="differs in no recorded call")


def outcome(memory: ReferenceMemory, method: str, given: dict[str, Any]) -> str:
    """Make a call and return a digest of all that its caller can see."""
    value = call_foreign(lambda: _seen(memory, method, given))
    return _digest(value)


def _seen(memory: ReferenceMemory, method: str, given: dict[str, Any]) -> Any:
    value = getattr(memory, method)(**given)
    if method == "storage_paths":
        beside = memory.folder.parent.glob(f"{memory.folder.name}*")
        return sorted(path.name.removeprefix(memory.folder.name) for path in (*beside, *memory.folder.iterdir()))
    return value


def _worded(call: RecordedCall) -> str:
    given = {name: value for name, value in call.given.items() if name not in {"turns", "turn", "statements"}}
    return f"{call.method}({', '.join(f'{name}={str(value)[:60]!r}' for name, value in given.items())})"


def _recordings(reference: str, rounds: int | None) -> Iterator[tuple[str, Sequence[RecordedCall]]]:
    names = ROUNDS if rounds is None else ROUNDS[:rounds]
    for number, shape in enumerate(names):
        yield f"wild play {number} ({shape})", _story(reference, shape, number)
        if number == 2:
            yield from ((f"random program {n}", calls) for n, calls in enumerate(_programs(reference)))


@lru_cache(maxsize=256)
def _story(reference: str, shape: str, number: int) -> tuple[RecordedCall, ...]:
    """Draw a story on the reference itself, so that the ids in it are real."""
    memory = REFERENCES[reference]()
    dice = Random(f"{SEED}/{reference}/{number}")  # noqa: S311 - play that can be repeated, not a secret
    story = WildStory(dice, SHAPES[shape], lambda scope: [each.id for each in memory.dump(scope)])
    weights, calls = SHAPES[shape].weights, list[RecordedCall]()
    while len(calls) < SHAPES[shape].calls:
        move = dice.choices(list(weights), list(weights.values()))[0]
        story.now += dice.choice(_STEPS)
        if move == "advance":
            story.now += dice.choice(_STEPS) * 60
            continue
        method, given = MOVES[move](story)
        for turn in given.get("turns", [given["turn"]] if "turn" in given else []):
            meaning, trusted = next((m, ok) for t, _, m, ok in story.turns if t is turn)
            taught = {"turn": turn.id, "statements": meaning, "trusted": trusted}
            calls.append(RecordedCall("teach", taught, outcome(memory, "teach", taught)))
        calls.append(RecordedCall(method, given, outcome(memory, method, given)))
    return (*calls, *_last_look(memory, story))


def _last_look(memory: ReferenceMemory, story: WildStory) -> Iterator[RecordedCall]:
    """Look at everything that is left, whoever it belongs to."""
    for scope in dict.fromkeys(
        [*story.scopes[:40], *(scope for _, scope, *_ in story.turns[:40]), Scope("nobody")]
    ):
        for method, given in (
            ("dump", {"scope": scope}),
            ("search", {"query": "What is my notary?", "scope": scope, "k": 50, "as_of": story.now}),
        ):
            yield RecordedCall(method, given, outcome(memory, method, given))


@lru_cache(maxsize=4)
def _programs(reference: str) -> tuple[tuple[RecordedCall, ...], ...]:
    """Record what random programs of the state machine call."""
    recorded = []
    for program in islice(programs(SEED), PROGRAMS):
        calls: list[RecordedCall] = []
        run_scenario(program, lambda calls=calls: _recorder(reference, calls), trusting())  # type: ignore[misc]
        recorded.append(tuple(calls))
    return tuple(recorded)


_PUBLIC = (
    *("teach", "ingest", "ingest_expiring", "search", "dump", "context", "ask", "update", "delete", "erase"),
    *("sweep", "history", "reopen", "storage_paths"),
)


def _recorder(reference: str, calls: list[RecordedCall]) -> ReferenceMemory:
    """Open a reference that writes down its outermost calls."""
    import inspect

    plain = REFERENCES[reference]
    depth: list[None] = []

    def noting(name: str) -> Any:
        parameters = list(inspect.signature(getattr(plain, name)).parameters)[1:]

        def method(memory: ReferenceMemory, /, *args: Any, **named: Any) -> Any:
            given = {**dict(zip(parameters, args, strict=False)), **named}
            if depth:
                return getattr(plain, name)(memory, **given)
            depth.append(None)
            try:
                value = getattr(plain, name)(memory, **given)
                seen = value if name != "storage_paths" else None
                if name == "storage_paths":
                    seen = sorted(
                        path.name.removeprefix(memory.folder.name) for path in (memory.folder, memory.file)
                    )
                calls.append(RecordedCall(name, given, _digest(seen)))
                return value
            finally:
                depth.pop()

        return method

    body: dict[str, Any] = {name: noting(name) for name in _PUBLIC}
    memory: ReferenceMemory = type("Recorded", (plain,), {**body, "__module__": plain.__module__})()
    return memory


def _digest(value: Any) -> str:
    value = tuple(value) if isinstance(value, list) else value
    return sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()[:16]
