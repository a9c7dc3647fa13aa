"""Stories of questions: one on a terminal, and as data; many on a page are in test_html.py."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from memgauge.report.stories import document
from memgauge.results import plain
from memgauge.show.terminal import lines
from report.boards import stories

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from memgauge.scoring.board import QuestionStory


def printed(story: QuestionStory, width: int) -> str:
    """Print a story on a console of a given width without colour."""
    out = StringIO()
    console = Console(
        file=out, width=width, color_system=None, legacy_windows=False, markup=False, highlight=False
    )
    for line in lines(document(story), everything=True):
        console.print(line)
    return out.getvalue()


def test_story_shows_gold_and_every_system(snapshot: SnapshotAssertion) -> None:
    """A story prints the question, its gold, its doubt and each hit with rank, score and lineage."""
    cut = [replace(answer, hits=answer.hits[:4]) for answer in stories(4)[1].systems]
    story = replace(stories(4)[2], excluded="no evidence", systems=tuple(cut), answers=())
    assert printed(story, 100) == snapshot


def test_story_cannot_steer_the_terminal() -> None:
    """Escape sequences in remembered text are disarmed."""
    assert "\x1b" not in printed(replace(stories(1)[0], text="a\x1b]0;owned\x07"), 80)
    bare = replace(stories(1)[0].systems[0].hits[0], score=None, sources=(), text="bare")
    story = replace(stories(1)[0], systems=(replace(stories(1)[0].systems[0], hits=(bare,)),))
    assert f"    1 bare  ({bare.memory}; no source; exact)" in printed(story, 80)


def test_story_json_is_stable(snapshot: SnapshotAssertion) -> None:
    """A story carries everything that is shown of it."""
    data = plain(document(stories(1)[0]).data)
    data["systems"] = data["systems"][:1]
    assert json.dumps(data, indent=1, allow_nan=False) == snapshot
