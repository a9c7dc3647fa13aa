"""Surfaces: every way in which a system gives back what it holds, each asked at every look."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from memgauge.errors import ContractBreach, SystemFault
from memgauge.studies.erasure.record import Moment, SurfaceAnswer, Whose
from memgauge.studies.erasure.residue import ResidueSearch
from memgauge.studies.erasure.verdict import LIST
from memgauge.systems.protocol import Answering, Assembling, Auditable, implements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memgauge.records import Memory, Scope
    from memgauge.studies.erasure.calls import RecordedCalls
    from memgauge.studies.erasure.people import AuditedPeople
    from memgauge.studies.erasure.values import Sought
    from memgauge.systems.protocol import MemorySystem

    Probe: TypeAlias = Callable[[], list[str]]

K: Final = 50
BUDGET: Final = 4_000
"""Characters of context that are asked for."""
_PROBED: Final = 24
"""Values that a subject is probed with; of more, the first."""


@dataclass(frozen=True)
class ProbedSubject:
    """Somebody under whose scope surfaces are asked."""

    whose: Whose
    scope: Scope
    sought: tuple[Sought, ...]
    """Whose values the probes are made of."""
    questions: tuple[str, ...] = ()
    """Paraphrases: questions that the values answer, without them."""
    memories: tuple[str, ...] = ()
    """Ids that were listed before the request, whose history is asked for."""


class SurfaceLook:
    """Asks all surfaces of one system, and looks for values in what comes back."""

    def __init__(self, calls: RecordedCalls, people: AuditedPeople) -> None:
        self._calls, self._people = calls, people
        self._subject = ResidueSearch(people.subject.sought)
        self._controls = {each.whose: ResidueSearch(each.sought) for each in people.controls}

    def at(self, moment: Moment) -> Iterator[SurfaceAnswer]:
        """Yield what each surface returned."""
        for each in self._people.probed:
            for surface, probes in self._probes(each).items():
                yield self._answer(moment, surface, each.whose, probes)

    def ask_mark(self) -> None:
        """Search for a word that stands nowhere, so that a system that writes searches down is known by it."""
        system, people = self._calls.system, self._people
        with suppress(SystemFault):
            self._calls.ask("search", lambda: system.search(people.mark.text, people.subject.scope, K))

    def _answer(self, moment: Moment, surface: str, whose: Whose, probes: Sequence[Probe]) -> SurfaceAnswer:
        texts: list[str] = []
        problem, broke = "", False
        for probe in probes:
            try:
                texts += self._calls.ask(surface, probe)
            except SystemFault as fault:
                problem = self._calls.problem(surface, fault)
                broke = broke or isinstance(fault, ContractBreach)
        values = sorted(self._subject.in_text(texts))
        control = sorted(self._controls[whose].in_text(texts)) if whose in self._controls else []
        return SurfaceAnswer(
            moment, surface, whose, len(probes), len(texts), tuple(values), tuple(control), problem, broke
        )

    def _probes(self, asked: ProbedSubject) -> Mapping[str, list[Probe]]:
        system, scope, own = self._calls.system, asked.scope, asked.whose is Whose.OWN
        texts = [each.text for each in asked.sought[:_PROBED]]
        probes: dict[str, list[Probe]] = {LIST: [partial(_listing, system, scope)]}
        probes["search: exact"] = _searches(system, scope, texts)
        if own:
            probes["search: part"] = _searches(system, scope, (text[: max(len(text) // 2, 4)] for text in texts))
            reordered = (" ".join(reversed(text.split())) for text in texts)
            probes["search: other order"] = _searches(system, scope, reordered)
        probes["search: paraphrase"] = _searches(system, scope, asked.questions)
        if implements(system, Assembling):
            probes["context"] = [partial(_context, system, scope, question) for question in asked.questions]
        if implements(system, Answering):
            probes["answer"] = [partial(_answered, system, scope, question) for question in asked.questions]
        if own and implements(system, Auditable):
            probes["history by id"] = [partial(_history, system, scope, memory) for memory in asked.memories]
        return {surface: calls for surface, calls in probes.items() if calls}


def _listing(system: MemorySystem, scope: Scope) -> list[str]:
    return list(map(_said, system.dump(scope)))


def _searches(system: MemorySystem, scope: Scope, queries: Iterable[str]) -> list[Probe]:
    return [partial(_searched, system, scope, query) for query in queries]


def _searched(system: MemorySystem, scope: Scope, query: str) -> list[str]:
    return [_said(hit.memory) for hit in system.search(query, scope, K).hits]


def _said(memory: Memory) -> str:
    """Return all that a memory says: a name or a text may be its id, its source or its channel too."""
    return "\n".join((memory.text, memory.id, *memory.sources, memory.channel))


def _context(system: Assembling, scope: Scope, question: str) -> list[str]:
    return [system.context(question, scope, BUDGET)]


def _answered(system: Answering, scope: Scope, question: str) -> list[str]:
    return [system.ask(question, scope)]


def _history(system: Auditable, scope: Scope, memory: str) -> list[str]:
    return [entry.text or "" for entry in system.history(memory, scope)]
