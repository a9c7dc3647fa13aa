"""Questions with their gold and what every system returned: one alone, or many to search through on a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from memgauge.show import Document, Section, Step, Steps
from memgauge.show.assets import environment as shared
from memgauge.show.assets import safe
from memgauge.show.numbers import count, listed, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

    from memgauge.scoring.board import QuestionStory, ShownAnswer, ShownHit

TOP = 3
"""Hits shown of each system on a page; gold further down is shown too."""


def document(story: QuestionStory) -> Document:
    """Say everything about one question, gold marked."""
    return Document(
        title=story.text,
        facts=(
            f"{story.question}, {story.category}, conversation {story.conversation}",
            *(f"{name}: {value}" for name, value in _facts(story) if value),
        ),
        blocks=tuple(_answer(f"answer-{place}", answer) for place, answer in enumerate(story.systems, 1)),
        identity={"question": story.question},
        data=story,
    )


def _facts(story: QuestionStory) -> Iterator[tuple[str, str]]:
    yield "shown because", story.why
    yield "gold", " | ".join(story.answers) or "no answer text"
    yield from ((f"evidence {turn}", text or "this turn does not exist") for turn, text in story.evidence)
    yield "label doubted", story.erratum
    yield "not scored", story.excluded


def _answer(key: str, answer: ShownAnswer) -> Section:
    reason = f" ({answer.reason})" if answer.reason else ""
    title = f"{answer.label}: {answer.outcome}{reason}, {number(answer.value)}"
    return Section(key, title, (Steps(tuple(map(_hit, answer.hits)), f"What {answer.label} returned"),))


def _hit(hit: ShownHit) -> Step:
    score = "" if hit.score is None else f"{number(hit.score)}  "
    sources = ", ".join(hit.sources) or "no source"
    return Step(
        f"{score}{' '.join(hit.text.split())}",
        str(hit.rank),
        beside=f"{hit.memory}; {sources}; {hit.lineage}",
        stands_out=hit.credited,
    )


@dataclass(frozen=True)
class StoryList:
    """The stories of one dataset to search through, each written already."""

    ref: str
    labels: tuple[str, ...]
    categories: tuple[str, ...]
    total: int
    shown: tuple[Markup, ...]

    @property
    def title(self) -> str:
        """Return its heading."""
        return f"Questions of {self.ref}"

    @classmethod
    def of(cls, ref: str, stories: Sequence[QuestionStory], uid: str) -> StoryList:
        """Write every story of one dataset; ids begin with *uid*."""
        labels = tuple(dict.fromkeys(answer.label for story in stories for answer in story.systems))
        categories = tuple(sorted({story.category for story in stories}))
        shown = tuple(_written(story, labels, f"{uid}-{place}") for place, story in enumerate(stories, 1))
        return cls(ref, labels, categories, len(stories), shown)

    def emptied(self) -> StoryList:
        """Return the same list without a story."""
        return replace(self, shown=())


def trimmed(lists: Sequence[StoryList], budget: int) -> list[StoryList]:
    """Keep the first stories of each list so that all together take at most *budget* bytes."""
    made = []
    for place, stories in enumerate(lists):
        share = budget // (len(lists) - place)
        used, shown = 0, 0
        for story in stories.shown:
            size = len(story.encode())
            if used + size > share:
                break
            used += size
            shown += 1
        budget -= used
        made.append(replace(stories, shown=stories.shown[:shown]))
    return made


def finder(lists: Sequence[StoryList]) -> str:
    """Write lists of stories as markup, each with the form that narrows it."""
    template = _environment().get_template("stories.html.j2")
    named = zip(_uids(lists), lists, strict=True)
    return "".join(template.render(stories=stories, uid=uid) for uid, stories in named)


def headings(lists: Sequence[StoryList]) -> list[tuple[str, str]]:
    """Return key and title of every list."""
    return [(uid, stories.title) for uid, stories in zip(_uids(lists), lists, strict=True)]


def _uids(lists: Sequence[StoryList]) -> list[str]:
    return [f"questions-{place}" for place in range(1, len(lists) + 1)]


@cache
def _environment() -> Environment:
    from jinja2 import PackageLoader

    base = shared()
    made = base.overlay(loader=PackageLoader("memgauge.report"))
    made.filters = base.filters | {"num": number, "count": count}
    return made


def _written(story: QuestionStory, labels: Sequence[str], uid: str) -> Markup:
    finders = [answer.label for answer in story.systems if any(hit.credited for hit in answer.hits)]
    return safe(
        _environment()
        .get_template("story.html.j2")
        .render(
            story=story,
            uid=uid,
            found=" ".join(str(labels.index(label)) for label in finders),
            finders=_who(finders, len(story.systems)),
            answers=[(answer, *_head(answer)) for answer in story.systems],
        )
    )


def _who(finders: Sequence[str], of: int) -> str:
    if not finders:
        return "nobody finds gold"
    if len(finders) == of:
        return "everybody finds gold"
    return f"{listed(finders)} {'finds' if len(finders) == 1 else 'find'} gold"


def _head(answer: ShownAnswer) -> tuple[list[ShownHit], int]:
    """Return the hits to show, and how many are left out."""
    hits = [hit for place, hit in enumerate(answer.hits) if place < TOP or hit.credited]
    return hits, len(answer.hits) - len(hits)
