"""A solver that is told the truth and the question, never the gold: a world that it fails is itself wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.chapters.lists import enumerate_
from memgauge.datasets.synthetic.life import ME
from memgauge.datasets.synthetic.words import (
    COLLECTIONS,
    HAPPENINGS,
    MEMBERSHIPS,
    RESTAURANT,
    ROLE,
    RUMOURS,
    SPENDINGS,
    STATES,
    THINGS,
    TRANSIENTS,
)
from memgauge.text.dates import parse_date, spell_date

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.records import Fact, Question

_OFFER = re.compile(r"(?P<name>[\w' ]+) \((?P<diet>[\w-]+), (?P<price>\d+) euros, in (?P<place>[\w ]+)\)")
_DAY = r"(?P<day>\d{1,2} \w+ \d{4})"


@dataclass(frozen=True)
class OracleView:
    """What the oracle knows of one user when it is asked."""

    facts: Sequence[Fact]
    asked_at: datetime | None
    texts: Sequence[str]
    """What was said, for choices whose options are no facts."""

    def versions(self, slot: str, subject: str = ME) -> list[Fact]:
        """Return every version, in the order of telling."""
        return [fact for fact in self.facts if (fact.subject, fact.slot) == (subject, slot)]

    def values(self, slot: str, subject: str = ME, at: datetime | None = None) -> list[str]:
        """Return what holds, when it is asked or at a time."""
        at = self.asked_at if at is None else at
        return [fact.value for fact in self.versions(slot, subject) if fact.holds(at)]


if TYPE_CHECKING:
    Rule = Callable[[OracleView, re.Match[str]], str | None]


def answer(question: Question, facts: Sequence[Fact], texts: Sequence[str]) -> str | None:
    """Answer *question* from *facts*; ``None`` says that they do not tell."""
    view = OracleView(facts, question.asked_at, texts)
    for pattern, rule in _grammar():
        if match := pattern.fullmatch(question.text):
            return rule(view, match)
    return None


@cache
def _grammar() -> tuple[tuple[re.Pattern[str], Rule], ...]:
    """Turn the wording of questions round: what each form asks for, of which slot."""
    worded = ((re.compile(re.escape(text).replace(r"\{d\}", _DAY)), rule) for text, rule in _forms())
    return (
        *worded,
        (re.compile(r"Which came first for me: (?P<one>.+) or (?P<other>.+)\?"), _order),
        (re.compile(r"How many days lay between (?P<one>.+) and (?P<other>.+)\?"), _duration),
        (re.compile(r"What do you know about the (?P<slot>.+) of (?P<subject>.+)\?"), _of_somebody),
    )


def _forms() -> Iterator[tuple[str, Rule]]:
    for theme in (*STATES, *TRANSIENTS, ROLE):
        for text in (*theme.lines["asks"], *theme.lines.get("apply", ())):
            yield text, _now(theme.name)
        yield from ((text, _then(theme.name)) for text in theme.lines.get("past", ()))
        yield from ((text, _changes(theme.name)) for text in theme.lines.get("often", ()))
    yield from ((text, _born_now) for text in ROLE.lines["hop"])
    yield from ((text, _born_then) for text in ROLE.lines["hop_past"])
    for theme in (*COLLECTIONS, *MEMBERSHIPS):
        yield from ((text, _all(theme.name)) for text in theme.lines["asks"])
        yield from ((text, _count(theme.name)) for text in theme.lines.get("counts", ()))
    for theme in SPENDINGS:
        yield from ((text, _sum(f"spent on the {theme.name}")) for text in theme.lines["asks"])
    for theme in HAPPENINGS:
        yield from ((text, _date(theme.name)) for text in theme.lines["asks"])
    for theme in THINGS:
        yield from ((text, _now(f"ticket of the {theme.name}")) for text in theme.lines["asks"])
    yield from (
        (text, _now(f"who said that {rumour.name}")) for rumour in RUMOURS for text in rumour.lines["asks"]
    )
    yield from ((text, _choice) for text in RESTAURANT.lines["asks"])


def _now(slot: str) -> Rule:
    return lambda view, _: _only(view.values(slot))


def _then(slot: str) -> Rule:
    return lambda view, match: _only(view.values(slot, at=_noon(match)))


def _changes(slot: str) -> Rule:
    def rule(view: OracleView, _: re.Match[str]) -> str | None:
        versions = view.versions(slot)
        return str(len(versions) - 1) if len(versions) > 1 else None  # that it ever changed is presupposed

    return rule


def _all(slot: str) -> Rule:
    return lambda view, _: enumerate_(values) if (values := view.values(slot)) else None


def _count(slot: str) -> Rule:
    return lambda view, _: str(len(values)) if (values := view.values(slot)) else None


def _sum(slot: str) -> Rule:
    return lambda view, _: str(sum(map(int, values))) if (values := view.values(slot)) else None


def _date(slot: str) -> Rule:
    return lambda view, _: spell_date(day) if (day := _day(view, slot)) else None


def _born_now(view: OracleView, _: re.Match[str]) -> str | None:
    return _birthplace(view, _only(view.values(ROLE.name)))


def _born_then(view: OracleView, match: re.Match[str]) -> str | None:
    return _birthplace(view, _only(view.values(ROLE.name, at=_noon(match))))


def _birthplace(view: OracleView, person: str | None) -> str | None:
    return None if person is None else _only(view.values("birthplace", person))


def _order(view: OracleView, match: re.Match[str]) -> str | None:
    first, second = (_day(view, match[name]) for name in ("one", "other"))
    return None if first is None or second is None else match["one" if first < second else "other"]


def _duration(view: OracleView, match: re.Match[str]) -> str | None:
    first, second = (_day(view, match[name]) for name in ("one", "other"))
    return None if first is None or second is None else f"{abs((first - second).days)} days"


def _of_somebody(view: OracleView, match: re.Match[str]) -> str | None:
    return _only(view.values(match["slot"], match["subject"]))


def _choice(view: OracleView, _: re.Match[str]) -> str | None:
    diet, budget, place = (_only(view.values(f"{name} for meals")) for name in ("diet", "budget", "district"))
    if diet is None or budget is None or place is None:
        return None
    offers = [offer for text in view.texts for offer in _OFFER.finditer(text)]
    fit = [o for o in offers if (o["diet"], o["place"]) == (diet, place) and int(o["price"]) <= int(budget)]
    return _only([offer["name"].strip() for offer in fit])


def _only(values: Sequence[str]) -> str | None:
    return values[0] if len(values) == 1 else None


def _noon(match: re.Match[str]) -> datetime:
    day, month, year = match["day"].split()
    return datetime.combine(parse_date(f"{month} {day}, {year}").date(), time(12))


def _day(view: OracleView, slot: str) -> date | None:
    day = _only(view.values(slot))
    return None if day is None else date.fromisoformat(day)
