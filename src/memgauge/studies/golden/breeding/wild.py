"""Wild play: protocol calls drawn at random over the whole contract, which know nothing of any scenario.

It is the second oracle for what a mutant is: one that differs from its reference in nothing that a caller can see,
here and in random programs, counts as equivalent; whatever differs counts as a mutant, killed or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope, Turn
from memgauge.records.statements import Act, Statement
from memgauge.studies.golden.breeding.people import people

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    Draw = Callable[["WildStory"], tuple[str, dict[str, Any]]]

START = datetime(2026, 1, 5, 9)  # noqa: DTZ001 - naive like every time of a scenario
_SLOTS = ("notary", "budget", "deadline", "badge code", "pets", "favourite colour", "phone plan")
_CHANNELS = ("user", "user", "user", "user", "web", "tool", "email", "assistant")
_PADS = (0, 0, 0, 0, 0, 90, 250, 450, 1_100, 4_500, 21_000, 65_000)


@dataclass(frozen=True)
class WildShape:
    """What one story is made of."""

    calls: int
    users: int
    weights: Mapping[str, int]


_EVERYDAY = {
    "tell": 16,
    "replay": 3,
    "batch": 2,
    "talk": 2,
    "end": 2,
    "announce": 2,
    "once": 2,
    "expire": 3,
    "advance": 6,
    "stay": 2,
    "search": 8,
    "ask": 8,
    "context": 4,
    "dump": 5,
    "history": 5,
    "update": 5,
    "delete": 5,
    "erase": 2,
    "sweep": 3,
    "restart": 3,
    "files": 3,
}
SHAPES: Mapping[str, WildShape] = {
    "everyday": WildShape(90, 2, _EVERYDAY),
    "everyone": WildShape(160, 14, _EVERYDAY),
    "alone": WildShape(70, 1, _EVERYDAY),
    "tail": WildShape(900, 2, {**_EVERYDAY, "tell": 90, "replay": 20, "delete": 3, "erase": 1, "sweep": 10}),
    "upkeep": WildShape(600, 2, {**_EVERYDAY, "sweep": 40, "restart": 25, "replay": 10}),
    "volume": WildShape(
        2_300,
        2,
        {
            "tell": 900,
            "replay": 5,
            "update": 2,
            "delete": 1,
            "search": 6,
            "ask": 4,
            "dump": 3,
            "erase": 1,
            "history": 6,
            "sweep": 3,
            "restart": 3,
            "context": 3,
        },
    ),
    "crowd": WildShape(
        900, 500, {"tell": 100, "search": 4, "ask": 3, "dump": 4, "context": 2, "erase": 2, "delete": 2}
    ),
}
"""Stories by what they are rich in."""
ROUNDS: tuple[str, ...] = (
    *("everyday", "everyone", "alone") * 8,
    "tail",
    "tail",
    "upkeep",
    "upkeep",
    "crowd",
    "volume",
)
"""The stories that every mutant is put through, the short ones first."""


@dataclass
class WildStory:
    """A story while it is drawn: the clock, the people, what was said, and what is stored."""

    dice: Random
    shape: WildShape
    stored: Callable[[Scope], list[str]]
    """Names the ids that a memory has stored under a scope."""
    now: datetime = START
    turns: list[tuple[Turn, Scope, tuple[Statement, ...], bool]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    """Ids that were seen, of anybody, there or gone."""

    def __post_init__(self) -> None:
        """Draw who there is: users, and here and there a tenant, an agent or a session."""
        dice = self.dice
        parts = {
            "tenant": ("acme", "Acme", "default:x", "acm"),
            "agent": ("coder", "coder ", "Coder", "codex"),
            "session": ("s1", "S1", "session-1", "session-2"),
        }
        self.scopes = []
        for user in people(dice, self.shape.users):
            self.scopes.append(Scope(user))
            if dice.random() < 0.4 and self.shape.users < 50:
                part = dice.choice(list(parts))
                self.scopes += [Scope(user, **{part: each}) for each in parts[part][: dice.choice((1, 2, 4))]]
        if self.shape.users > 1:
            self.scopes += _joined(self.scopes[0].user, dice.choice((":", "/", "", "-", "_", "|", ".")))

    def scope(self) -> Scope:
        """Draw a reader or writer; whoever wrote is drawn more often."""
        if self.turns and self.dice.random() < 0.3:
            return self.dice.choice(self.turns)[1]
        return self.dice.choice(self.scopes)

    def memory(self, scope: Scope) -> str:
        """Draw an id: mostly one that is there, at times one that is gone or another's."""
        here = self.stored(scope)
        self.ids += here[-3:]
        if here and self.dice.random() < 0.75:
            return self.dice.choice(here)
        return self.dice.choice(self.ids or ["nowhere"])

    def value(self) -> str:
        """Draw a value of any kind that nobody said."""
        number = self.dice.randrange(100_000, 1_000_000)
        day = f"{number % 28 + 1} {('March', 'July', 'December')[number % 3]} {2030 + number % 60}"
        word = "Zq" + "".join(self.dice.choice("kvprlmdt") + self.dice.choice("aeiou") for _ in range(4))
        long = f"{word}, {'and so on ' * 8}"
        return self.dice.choice((word, word, word, str(number), str(number), f"QX-{number}", day, long))

    def turn(self, scope: Scope, *, statement: Statement | None, at: datetime | None = None) -> Turn:
        """Say something, with a statement or without."""
        sentence = f"My {statement.slot} is {statement.value}." if statement else "Good morning, all."
        before, behind = self.dice.choice(_PADS), self.dice.choice(_PADS)
        text = f"{'So. ' * (before // 4)}{sentence}{' Yes.' * (behind // 5)}"
        role = self.dice.choice(_CHANNELS)
        taken = [turn.id for turn, whose, *_ in self.turns if whose != scope]
        name = self.dice.choice(taken) if taken and self.dice.random() < 0.1 else f"n{len(self.turns)}"
        if any(turn.id == name and whose == scope for turn, whose, *_ in self.turns):
            name = f"n{len(self.turns)}"
        turn = Turn(name, scope.user if role == "user" else role, text, "s0", at or self.now, role)
        self.turns.append((turn, scope, (statement,) if statement else (), role == "user"))
        return turn

    def statement(self, scope: Scope, **changed: Any) -> Statement:
        """Draw what is stated; at times what somebody else stated in the same words."""
        others = [stated for _, whose, meaning, _ in self.turns[-20:] if whose != scope for stated in meaning]
        if others and self.dice.random() < 0.1:
            return self.dice.choice(others)
        slot = self.dice.choice(_SLOTS)
        single = slot not in {"pets", "phone plan"}
        subject = "user" if self.dice.random() < 0.9 else "Ada"
        return Statement(slot, self.value(), **{"functional": single, "subject": subject, **changed})


def _joined(user: str, sign: str) -> list[Scope]:
    """Return scopes whose parts come to the same text when they are joined."""
    whole = Scope(f"x{sign}{user}", "acme", "coder")
    return [whole, Scope(user, f"acme{sign}x", "coder"), Scope(f"x{sign}{user}{sign}coder", "acme")]


def _tell(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    late = timedelta(days=story.dice.choice((0, 0, 0, 0, 3, 40)))
    turn = story.turn(scope, statement=story.statement(scope), at=story.now - late)
    return "ingest", {"turns": [turn], "scope": scope}


def _talk(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    return "ingest", {"turns": [story.turn(scope, statement=None)], "scope": scope}


def _end(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    stated = [s for _, whose, meaning, _ in story.turns if whose == scope for s in meaning]
    old = story.dice.choice(stated) if stated else story.statement(scope)
    value = old.value if story.dice.random() < 0.5 else ""
    ending = Statement(old.slot, value, old.subject, Act.END, old.functional)
    return "ingest", {"turns": [story.turn(scope, statement=ending)], "scope": scope}


def _announce(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    first = (story.now + timedelta(days=story.dice.choice((1, 2, 9)))).date()
    return "ingest", {"turns": [story.turn(scope, statement=story.statement(scope, since=first))], "scope": scope}


def _once(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    day = (story.now - timedelta(days=story.dice.choice((1, 10)))).date()
    over = story.statement(scope, until=day, over=True)
    return "ingest", {"turns": [story.turn(scope, statement=over)], "scope": scope}


def _expire(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    ends = story.now + timedelta(minutes=story.dice.choice((5, 90, 600, 1_500, 9_000)))
    until: date | None = ends.date() if story.dice.random() < 0.5 else None
    turn = story.turn(scope, statement=story.statement(scope, until=until))
    return "ingest_expiring", {"turn": turn, "scope": scope, "expires_at": ends}


def _stay(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    last = (story.now + timedelta(days=story.dice.choice((0, 1, 5)))).date()
    return "ingest", {"turns": [story.turn(scope, statement=story.statement(scope, until=last))], "scope": scope}


def _batch(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    count = story.dice.choice((2, 3, 12))
    return "ingest", {
        "turns": [story.turn(scope, statement=story.statement(scope)) for _ in range(count)],
        "scope": scope,
    }


def _replay(story: WildStory) -> tuple[str, dict[str, Any]]:
    if not story.turns:
        return _tell(story)
    turn, scope, *_ = story.dice.choice(story.turns)
    if story.dice.random() < 0.2 and turn.at:
        return "ingest_expiring", {"turn": turn, "scope": scope, "expires_at": turn.at + timedelta(hours=5)}
    return "ingest", {"turns": [turn], "scope": scope}


def _query(story: WildStory) -> str:
    slot = story.dice.choice(_SLOTS)
    return story.dice.choice(
        (f"What is my {slot}?", f"And {slot}?", "What is my blood type?", "Tell me everything.", "x", "%", "")
    )


def _moment(story: WildStory) -> datetime | None:
    spans = (0, 0, 0, 0, 1, -1, -5, -30, -61, -500, -1_500, -60_000, 200)
    return story.dice.choice((story.now + timedelta(minutes=story.dice.choice(spans)), story.now, None))


def _search(story: WildStory) -> tuple[str, dict[str, Any]]:
    k = story.dice.choice((1, 2, 3, 5, 20, 50, 2_000))
    return "search", {"query": _query(story), "scope": story.scope(), "k": k, "as_of": _moment(story)}


def _ask(story: WildStory) -> tuple[str, dict[str, Any]]:
    return "ask", {"question": _query(story), "scope": story.scope(), "as_of": _moment(story)}


def _context(story: WildStory) -> tuple[str, dict[str, Any]]:
    return "context", {
        "query": _query(story),
        "scope": story.scope(),
        "budget": story.dice.choice((30, 80, 300, 4_000)),
    }


def _named(method: str, **more: Any) -> Draw:
    def draw(story: WildStory) -> tuple[str, dict[str, Any]]:
        scope = story.scope()
        return method, {"memory": story.memory(scope), "scope": scope, **more}

    return draw


def _update(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    return "update", {"memory": story.memory(scope), "text": f"notary: {story.value()}", "scope": scope}


def _delete(story: WildStory) -> tuple[str, dict[str, Any]]:
    scope = story.scope()
    count = story.dice.choice((1, 1, 2, 3, 600))
    ids = story.stored(scope)[: count - 1] if count > 3 else []
    return "delete", {
        "memories": [*ids, *(story.memory(scope) for _ in range(min(count, 3)))],
        "scope": scope,
    }


MOVES: Mapping[str, Draw] = {
    "tell": _tell,
    "talk": _talk,
    "end": _end,
    "announce": _announce,
    "once": _once,
    "expire": _expire,
    "stay": _stay,
    "batch": _batch,
    "replay": _replay,
    "search": _search,
    "ask": _ask,
    "context": _context,
    "dump": lambda story: ("dump", {"scope": story.scope()}),
    "history": _named("history"),
    "update": _update,
    "delete": _delete,
    "erase": lambda story: ("erase", {"scope": story.scope()}),
    "sweep": lambda story: ("sweep", {"now": story.now}),
    "restart": lambda _: ("reopen", {}),
    "files": lambda _: ("storage_paths", {}),
}
"""One way to draw a call each; ``advance`` is none, it moves the clock."""
