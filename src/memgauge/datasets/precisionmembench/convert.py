"""From beliefs and cases to conversations of one session, questions, and gold that says what must stay away."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.datasets.places import FieldPath
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.datasets.entries import Entry
    from memgauge.datasets.precisionmembench.schema import BeliefEntry, CaseEntry, Expectation, SessionCase

USER: Final = "test-user"
"""Whose beliefs a case is about that names nobody."""
UNIVERSAL: Final = "user:universal"
"""The scope that belongs to every other."""
SEED: Final = "beliefs"
"""The session that holds what is believed from the start."""


@dataclass(frozen=True)
class Beliefs:
    """What is believed, and how it is told."""

    path: Path
    entries: tuple[BeliefEntry, ...]
    apart: bool
    """Whether a case sees the beliefs of its own scopes only."""
    aliases: bool
    """Whether other names are told with a belief."""

    def of(self, user: str, scopes: Sequence[str]) -> tuple[BeliefEntry, ...]:
        """Return what *user* believes within *scopes*: first what is superseded, then by age."""
        wanted = {*scopes, UNIVERSAL} if self.apart else None
        held = [b for b in self.entries if b.user_id == user and (wanted is None or wanted & set(b.scope))]
        return tuple(sorted(held, key=lambda belief: (not is_superseded(belief), belief.created_at)))

    def turn(self, belief: BeliefEntry, session: str) -> Turn:
        """Tell a belief."""
        names = f" (also called {', '.join(belief.aliases)})" if self.aliases and belief.aliases else ""
        at = belief.created_at.replace(tzinfo=None)
        return Turn(belief.id, belief.user_id, belief.content + names, session, at)

    def session(self, held: Sequence[BeliefEntry]) -> Session:
        """Tell all that is believed from the start."""
        turns = tuple(self.turn(belief, SEED) for belief in held)
        return Session(SEED, max((turn.at for turn in turns if turn.at), default=None), turns)


def is_superseded(belief: BeliefEntry) -> bool:
    """Whether another belief has taken its place."""
    return belief.epistemic_status == "superseded"


def named_set(expect: Expectation, query: str, oddities: Counter[str]) -> list[str] | None:
    """Return the beliefs that a query calls for; ``None`` where it says nothing of them, or asks nothing."""
    oddities["cases_with_tiers"] += expect.has_tiers
    wanted = expect.relevant.should_only_include
    if wanted is None:
        oddities["cases_without_a_set"] += 1
    elif not query.strip():
        oddities["empty_queries"] += 1
    else:
        oddities["empty_sets" if not wanted else "named_sets"] += 1
        return wanted
    return None


def entries_of_cases(
    path: Path, cases: Sequence[CaseEntry], beliefs: Beliefs, oddities: Counter[str]
) -> Iterator[Entry]:
    """Gather the cases that see the same beliefs, and yield a conversation of each."""
    oddities["cases"] += len(cases)
    gathered: defaultdict[str, list[tuple[Question, Gold]]] = defaultdict(list)
    homes: dict[str, tuple[BeliefEntry, ...]] = {}
    for number, case in enumerate(cases):
        wanted = named_set(case.expect, case.query, oddities)
        user = case.user_id or USER
        home = "/".join((user, "+".join(case.scope))) if beliefs.apart and case.scope else user
        held = homes.setdefault(home, beliefs.of(user, case.scope))
        if wanted is None or not held:
            oddities["cases_of_unknown_users"] += wanted is not None
            continue
        place = FieldPath(str(path)).at(number, "expect", "relevantBeliefs", "shouldOnlyInclude")
        question = Question(case.case_id, home, case.query, case.category)
        gathered[home].append((question, gold_of(place, case.case_id, wanted, held)))
    for home, asked in gathered.items():
        conversation = Conversation(home, (beliefs.session(homes[home]),))
        yield Case(conversation, tuple(question for question, _ in asked)), tuple(gold for _, gold in asked)


def entry_of_session(place: FieldPath, case: SessionCase, beliefs: Beliefs, oddities: Counter[str]) -> Entry:
    """Convert a session: its messages are queries, and what it creates is told behind them."""
    scopes = sorted({scope for turn in case.turns for scope in turn.scope})
    held = list(beliefs.of(USER, scopes))
    sessions, questions, golds = [beliefs.session(held)], list[Question](), list[Gold]()
    for number, turn in enumerate(case.turns):
        oddities["session_turns"] += 1
        wanted = named_set(turn.expect, turn.message, oddities)
        key = f"{case.case_id}:t{turn.index:02d}"
        if wanted is not None:
            field = place.at("turns", number, "expect", "relevantBeliefs", "shouldOnlyInclude")
            questions.append(Question(key, case.case_id, turn.message, turn.label, after_session=sessions[-1].id))
            golds.append(gold_of(field, key, wanted, held))
        oddities["updates_untold"] += turn.updates is not None
        if turn.creates is not None:
            session = f"t{turn.index:02d}"
            belief = beliefs.turn(turn.creates, session)
            sessions.append(Session(session, belief.at, (belief,)))
            held.append(turn.creates)
    return Case(Conversation(case.case_id, tuple(sessions)), tuple(questions)), tuple(golds)


def gold_of(place: FieldPath, key: str, wanted: Sequence[str], held: Sequence[BeliefEntry]) -> Gold:
    """Say which of the beliefs that are *held* must come back: the others must not.

    Raises:
        MalformedDataError: One that must come back is not among them.
    """
    known = {belief.id for belief in held}
    for number, name in enumerate(wanted):
        if name not in known:
            raise place.at(number).wrong(
                f"no belief {name!r} is held here", "Name a belief of the user and scope."
            )
    others = [belief for belief in held if belief.id not in wanted]
    return Gold(
        question=key,
        evidence=tuple(Evidence(name, exact=True, turns=(name,)) for name in dict.fromkeys(wanted)),
        abstain=not wanted,
        stale=tuple(belief.id for belief in others if is_superseded(belief)),
        decoys=tuple(belief.id for belief in others if not is_superseded(belief)),
    )
