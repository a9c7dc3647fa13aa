"""The browsable questions of a page, cut to a size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.report.templating import environment
from memgauge.show.assets import safe
from memgauge.show.numbers import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from memgauge.scoring.board import QuestionStory, ShownAnswer, ShownHit

TOP = 10
"""Hits shown of each system; gold further down is shown too."""


@dataclass(frozen=True)
class Section:
    """The stories of one dataset, rendered."""

    key: str
    labels: tuple[str, ...]
    categories: tuple[str, ...]
    total: int
    shown: tuple[Markup, ...]

    def emptied(self) -> Section:
        """Return the same section without a story."""
        return replace(self, shown=())


def section(key: str, stories: Sequence[QuestionStory], uid: str) -> Section:
    """Render every story of one dataset; ids begin with *uid*."""
    labels = tuple(dict.fromkeys(a.label for s in stories for a in s.systems))
    categories = tuple(sorted({s.category for s in stories}))
    shown = tuple(_story(s, labels, f"{uid}-{i}") for i, s in enumerate(stories, 1))
    return Section(key, labels, categories, len(stories), shown)


def trimmed(sections: Sequence[Section], budget: int) -> list[Section]:
    """Keep the first stories of each section so that all together take at most *budget* bytes."""
    kept = []
    for place, one in enumerate(sections):
        share = budget // (len(sections) - place)
        used, shown = 0, 0
        for story in one.shown:
            used += len(story.encode())
            if used > share:
                used -= len(story.encode())
                break
            shown += 1
        budget -= used
        kept.append(replace(one, shown=one.shown[:shown]))
    return kept


def _story(story: QuestionStory, labels: Sequence[str], uid: str) -> Markup:
    finders = [a.label for a in story.systems if any(h.credited for h in a.hits)]
    rendered = (
        environment()
        .get_template("story.html.j2")
        .render(
            story=story,
            uid=uid,
            found=" ".join(str(labels.index(label)) for label in finders),
            finders=_who(finders, len(story.systems)),
            answers=[(a, *_head(a)) for a in story.systems],
        )
    )
    return safe(rendered)


def _who(finders: Sequence[str], of: int) -> str:
    if not finders:
        return "nobody finds gold"
    if len(finders) == of:
        return "everybody finds gold"
    return f"{listed(finders)} {'finds' if len(finders) == 1 else 'find'} gold"


def _head(answer: ShownAnswer) -> tuple[list[ShownHit], int]:
    """Return the hits to show, and how many are left out."""
    hits = [h for place, h in enumerate(answer.hits) if place < TOP or h.credited]
    return hits, len(answer.hits) - len(hits)
