"""People: the subject, somebody who must survive, and a stranger; invented and planted, or found in the store."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, SystemFault
from memgauge.studies.erasure.record import MadeCall, Whose
from memgauge.studies.erasure.surfaces import ProbedSubject
from memgauge.studies.erasure.values import (
    LEAST,
    Sought,
    canaries,
    canary_word,
    former_of,
    invented_users,
    names_of,
    sought_in,
)
from memgauge.systems.protocol import Mutable, implements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Memory, Scope
    from memgauge.studies.erasure.calls import RecordedCalls
    from memgauge.studies.erasure.plan import ErasurePlan
    from memgauge.studies.erasure.values import Canary


@dataclass(frozen=True)
class AuditedPeople:
    """Everybody under whose scope is looked."""

    subject: ProbedSubject
    controls: tuple[ProbedSubject, ...]
    stranger: ProbedSubject
    names: tuple[Sought, ...]
    """Of the subject and its memories."""
    short: int
    """Texts that are too short to be looked for."""
    mark: Sought
    """A word that is searched for and stands nowhere: where it is found, searches are written down."""
    writes: tuple[MadeCall, ...]

    @property
    def probed(self) -> Iterator[ProbedSubject]:
        """Yield those who are asked about."""
        yield from (self.subject, *self.controls, self.stranger)


def people_of(plan: ErasurePlan, calls: RecordedCalls) -> AuditedPeople:
    """Plant a canary between its controls, or list who is there."""
    writes: list[MadeCall] = []
    controls: tuple[ProbedSubject, ...]
    short, invented = 0, invented_users(plan.seed)
    if plan.planted:
        user = invented.subject
        subject = _plant(plan, calls, user, Whose.OWN, writes)
        longer = _plant(plan, calls, invented.longer, Whose.CONTROL, writes)
        controls = (longer, _plant(plan, calls, invented.shorter, Whose.SHORTER, writes))
    else:
        user = plan.user
        subject = _present(calls, plan.scope(user), Whose.OWN, plan.texts)
        short = _short([*(memory.text for memory in listed(calls, plan.scope(user))), *plan.texts])
        controls = (_present(calls, plan.scope(plan.control), Whose.CONTROL, ()),) if plan.control else ()
    others = [name for control in controls for name in (control.scope.user, *control.memories)]
    return AuditedPeople(
        subject,
        controls,
        ProbedSubject(Whose.STRANGER, plan.scope(invented.stranger), subject.sought),
        names_of(user, subject.memories, others),
        short,
        Sought("mark", "mark", canary_word(plan.seed, "mark", 7)),
        tuple(writes),
    )


def require_free_names(plan: ErasurePlan, calls: RecordedCalls) -> None:
    """Refuse to plant a canary under the name of somebody who is there, and would be deleted with it.

    Raises:
        ConfigError: Something is listed under an invented name.
    """
    for user in invented_users(plan.seed).planted:
        if listed(calls, plan.scope(user)):
            raise ConfigError(
                f"{user}, whom this report would invent and delete, is in the store.", "Say another --seed."
            )


def listed(calls: RecordedCalls, scope: Scope) -> list[Memory]:
    """List what is stored under a scope; nothing where that fails."""
    with suppress(SystemFault):
        return calls.ask("dump", lambda: calls.system.dump(scope))
    return []


def _present(calls: RecordedCalls, scope: Scope, whose: Whose, texts: Sequence[str]) -> ProbedSubject:
    memories = listed(calls, scope)
    sought = sought_in([*(memory.text for memory in memories), *texts])
    return ProbedSubject(whose, scope, sought, (), tuple(memory.id for memory in memories))


def _short(texts: Sequence[str]) -> int:
    return sum(0 < len(text.strip()) < LEAST for text in texts)


def _plant(
    plan: ErasurePlan, calls: RecordedCalls, user: str, whose: Whose, writes: list[MadeCall]
) -> ProbedSubject:
    """Write invented facts, one call each, and change the first of them where that can be done."""
    scope = plan.scope(user)
    first, *rest = canaries(user, plan.seed, plan.now().replace(tzinfo=None))
    changed = implements(calls.system, Mutable)
    before = former_of(first, plan.seed) if changed else first
    for canary in (before, *rest):
        turn = canary.turn
        given = f"{canary.sought.label} ({canary.sought.kind}) of {user}"
        writes.append(calls.write_down("ingest", given, partial(calls.system.ingest, [turn], scope)))
    writes.append(calls.write_down("flush", user, partial(calls.system.flush, scope, plan.timeout_s)))
    if changed:
        _change(plan, calls, scope, (before, first), writes)
    sought = tuple(canary.sought for canary in ((before, first, *rest) if changed else (first, *rest)))
    questions = tuple(canary.question for canary in (first, *rest))
    return ProbedSubject(whose, scope, sought, questions, tuple(memory.id for memory in listed(calls, scope)))


def _change(
    plan: ErasurePlan, calls: RecordedCalls, scope: Scope, canary: tuple[Canary, Canary], writes: list[MadeCall]
) -> None:
    """Update the memories that hold the former value, and leave what else they say."""
    former, present = canary
    mutable, former_value = calls.system, re.compile(re.escape(former.sought.text), re.IGNORECASE)
    assert implements(mutable, Mutable)  # noqa: S101 - whoever calls has looked
    for memory in listed(calls, scope):
        text, n_changed = former_value.subn(lambda _: present.sought.text, memory.text)
        if n_changed:
            given = f"{former.sought.label} to {present.sought.label} of {scope.user}"
            update = calls.write_down("update", given, partial(mutable.update, memory.id, text, scope))
            writes.append(update)
    writes.append(calls.write_down("flush", scope.user, partial(calls.system.flush, scope, plan.timeout_s)))
