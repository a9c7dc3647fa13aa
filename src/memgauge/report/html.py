"""The report: boards, and their questions to search through, as one self-contained HTML file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.report.failures import section
from memgauge.report.stories import StoryList, finder, headings, trimmed
from memgauge.show.html import page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.scoring.board import QuestionStory
    from memgauge.scoring.failures import FailureList
    from memgauge.show import Document

LIMIT = 2_000_000
"""Bytes above which stories are left out, the last first."""


def render_html(
    whole: Document,
    stories: Mapping[str, Sequence[QuestionStory]],
    *,
    identity: Mapping[str, str],
    failures: Sequence[FailureList] = (),
    limit: int = LIMIT,
) -> str:
    """Render what boards say, and stories, as a page of at most *limit* bytes, as long as stories can be left out.

    *stories* are by the dataset's ref, most telling first; *identity* is what a reader needs to make the page
    again.
    """
    missed = (section(failures),) if failures else ()
    document = replace(whole, identity=identity, blocks=(*whole.blocks, *missed))
    lists = [StoryList.of(ref, each, f"story-{place}") for place, (ref, each) in enumerate(stories.items(), 1)]
    bare = _page(document, [each.emptied() for each in lists])
    return _page(document, trimmed(lists, limit - len(bare.encode()) - 200))


def _page(document: Document, lists: Sequence[StoryList]) -> str:
    return page(document, script="find.js", extra=finder(lists), headed=headings(lists))
