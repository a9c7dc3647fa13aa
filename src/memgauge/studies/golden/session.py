"""The Python interface: a memory that is talked to in a test, with the names of the chapter that asked for it.

What is done is played by the runner's own play, so that the ledger judges it beside the test's own asserts, and
can be kept as a scenario. A reference memory understands no English: *meanings* say once, beside the construction,
what the sentences of a test mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from memgauge.errors import ConfigError
from memgauge.records import Operation
from memgauge.studies.golden.anomalies import roots
from memgauge.studies.golden.contents import demands
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.live import Live
from memgauge.studies.golden.scenario import (
    Advance,
    AskStep,
    Assert,
    Assertion,
    Erase,
    Maintenance,
    Restart,
    Say,
    Scenario,
    SessionStep,
    User,
)
from memgauge.studies.golden.values import MEANING, kind_of, mentions
from memgauge.studies.golden.writer import variable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.checking import AnomalyFinding
    from memgauge.studies.golden.runner import Factory

EVERYTHING = "everything"
_EVENTS = {"erasure": Operation.DELETE, "write": Operation.ADD}


class MemoryUnderTest:
    """One memory under test, its users' sessions and its audit."""

    def __init__(
        self,
        factory: Factory,
        *,
        meanings: Mapping[str, Mapping[str, str]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        timeout_s: float = 30,
    ) -> None:
        """Open a memory; *meanings* map sentences to slots and values, *categories* names of erasure to slots."""
        self._live = Live(Driver.opening(factory, timeout_s=timeout_s))
        self._live.driver.reset()
        self._meanings = meanings or {}
        self._categories = categories or {}
        self._names: dict[str, str] = {}
        self._slots: dict[str, None] = {}
        self._sessions = 0
        self._at: tuple[User, SessionStep] | None = None
        self._unjudged: list[str] = []
        self.audit = AuditLog(self._live)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the memory."""
        self._live.driver.close()

    def session(
        self, user: str, *, tenant: str = "default", agent: str | None = None, confined: bool = False
    ) -> UserSession:
        """Begin a conversation, which may be *confined* to itself: known in it alone, and knowing nothing else."""
        self._sessions += 1
        session = SessionStep(session=f"s{self._sessions}", confined=confined)
        return UserSession(self, User(user=user, tenant=tenant, agent=agent), session)

    def advance(self, by: str) -> None:
        """Let time pass: ``3d``."""
        self._live.do(Advance(advance=by))

    def maintain(self) -> None:
        """Let the memory tidy up."""
        self._live.do(Maintenance(maintenance=1))

    def restart(self) -> None:
        """Close and open the memory."""
        self._live.do(Restart(restart="process"))

    @property
    def findings(self) -> tuple[AnomalyFinding, ...]:
        """What the ledger found wrong so far."""
        return tuple(self._live.findings)

    @property
    def anomalies(self) -> tuple[Anomaly, ...]:
        """The same by name, without what follows from another."""
        return roots(finding.anomaly for finding in self.findings)

    def as_scenario(self, name: str, title: str, **more: Any) -> Scenario:
        """Return what was done as a scenario, with a token in the place of every value.

        Raises:
            ConfigError: A question cannot be judged, since nobody knows what it is about.
        """
        if self._unjudged:
            raise ConfigError(
                f"Nothing says what {self._unjudged[0]!r} is about.", "Name the slot: .ask(text, about=...)."
            )
        kinds = {key: kind for key, kind in self._live.kinds.items() if kind != "word"}
        requires = tuple(dict.fromkeys(need for step in self._live.done for need in demands(step)))
        fixed = {"id": name, "title": title, "vars": kinds, "requires": requires, "steps": tuple(self._live.done)}
        return Scenario.model_validate({"family": "session", **more, **fixed})

    def turn_to(self, user: User, session: SessionStep) -> None:
        """Let somebody speak, in one of their conversations."""
        if self._at is None or self._at[0] != user:
            self._live.do(user)
        if self._at is None or self._at[1] != session:
            self._live.do(session)
        self._at = (user, session)

    def say(self, text: str, meaning: Mapping[str, Any]) -> None:
        """Say *text*, which means what is given or was said of it at the construction."""
        if not MEANING & meaning.keys() and "ends" not in meaning:
            meaning = {**meaning, "sets": self._meanings.get(text, {})}
        data: dict[str, Any] = {**meaning}
        for key in sorted(MEANING & meaning.keys()):
            data[key] = {slot: self._variable(str(value)) for slot, value in meaning[key].items()}
            self._slots.update(dict.fromkeys(meaning[key]))
        for value in sorted(self._names, key=len, reverse=True):
            text = mentions(value).sub(f"{{{self._names[value]}}}", text)
        try:
            step = Say.model_validate({"say": text, **data})
        except ValueError as error:
            raise ConfigError(f"{text!r} does not say what it is to mean: {error}") from error
        self._live.do(step)

    def ask(self, text: str, about: str | None, k: int) -> str:
        """Ask, and return the answer, or what was recalled where the memory does not answer by itself."""
        if about is None and len(self._slots) == 1:
            about = next(iter(self._slots))
        if about is None:
            self._unjudged.append(text)
        self._live.seen.clear()
        self._live.do(AskStep(ask=text, about=about or "?", k=k))
        seen = self._live.seen
        return "\n".join(text.text for text in seen.get("answer", seen.get("recall", [])))

    def erase(self, category: str) -> None:
        """Ask to forget a category, a slot or everything of whoever speaks.

        Raises:
            ConfigError: Nothing was said of it.
        """
        if category == EVERYTHING:
            self._live.do(Erase(erase="user"))
            return
        slots = self._categories.get(category, (category,))
        if not self._slots.keys() & set(slots):
            raise ConfigError(
                f"Nothing was said of {category!r}.", f"There is {', '.join((*self._slots, EVERYTHING))}."
            )
        for slot in slots:
            self._live.do(Erase(erase=slot))

    def _variable(self, value: str) -> str:
        if value not in self._names:
            name = self._names[value] = variable(len(self._names))
            self._live.values[name] = value
            self._live.kinds[name] = kind_of(value)
        return self._names[value]


@dataclass(frozen=True)
class UserSession:
    """One user in one session."""

    subject: MemoryUnderTest
    user: User
    session: SessionStep

    def say(self, text: str, **meaning: Any) -> None:
        """Say *text*; ``sets={"deadline": "March 10"}`` and the other keys of the language say what it means."""
        self.subject.turn_to(self.user, self.session)
        self.subject.say(text, meaning)

    def ask(self, text: str, *, about: str | None = None, k: int = 20) -> str:
        """Ask *text*; *about* names the slot for the ledger, where there is more than one."""
        self.subject.turn_to(self.user, self.session)
        return self.subject.ask(text, about, k)

    def request_erasure(self, category: str = EVERYTHING) -> None:
        """Ask the memory to forget a category, a slot, or everything."""
        self.subject.turn_to(self.user, self.session)
        self.subject.erase(category)


class AuditLog:
    """What the memory wrote down of what it did."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def has_event(self, event: str, *, user: str, tenant: str = "default") -> bool:
        """Whether the histories of a user's memories hold an ``erasure`` or a ``write``.

        Raises:
            ConfigError: There is no such event.
            Unsupported: The memory has no history.
        """
        if event not in _EVENTS:
            raise ConfigError(f"There is no event {event!r}.", f"There is {', '.join(_EVENTS)}.")
        self._live.do(Assert.model_validate({"assert": Assertion(audit="erasure")}))
        scopes = {write.scope for write in self._live.ledger}
        scopes = {scope for scope in scopes if (scope.user, scope.tenant) == (user, tenant)}
        known = {(scope, memory.id) for scope in scopes for memory in self._live.driver.listed(scope)}
        known |= {(scope, memory) for scope, memory in self._live.erased if scope in scopes}
        entries = (entry for scope, memory in known for entry in self._live.driver.history(memory, scope))
        return any(entry.op is _EVENTS[event] for entry in entries)
