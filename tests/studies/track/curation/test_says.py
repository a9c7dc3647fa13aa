"""Where an answer stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.curation.bench import write_bundle
from memgauge.studies.track.curation.says import unseen_anywhere
from memgauge.studies.track.timeline.models import CodeRepository, Commit, Event, HiddenQuestion, Timeline

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def timeline(tmp_path: Path, cloned: tuple[Path, Path, dict[str, str]]) -> Timeline:
    """Return an instance with one commit over a code base."""
    clone, _, commits = cloned
    path = write_bundle(clone, commits["base"], tmp_path)
    commit = Commit(message="Raise it", files={"slugs/new.py": "CEILING = 7\n", "slugs/cut.py": None})
    return Timeline.model_validate(
        {
            "name": "one",
            "repository": CodeRepository(name="slugs", path=path, commit=commits["base"]),
            "events": (Event.model_validate({"id": "e01", "at": "2025-03-03", "payload": commit}),),
        }
    )


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Raise it", ()),
        ("CEILING", ()),
        ("slugs/new.py", ()),
        ("def join", ()),
        ("slugs/join.py, LIMIT", ()),
        ("LIMIT, 80, other", ("80", "other")),
    ],
)
def test_an_answer_is_looked_for_everywhere(
    timeline: Timeline, tmp_path: Path, answer: str, left: tuple[str, ...]
) -> None:
    """In what was said, what a commit brought, and the code base as it was cut; later code does not count."""
    asked = HiddenQuestion(id="q", text="What?", answer=answer)
    assert unseen_anywhere(asked, timeline, tmp_path) == left


def test_an_instance_that_only_names_its_code_has_none(timeline: Timeline, tmp_path: Path) -> None:
    """Without a path there is nothing to look into, and without events nothing at all."""
    named = timeline.model_copy(update={"repository": CodeRepository(name="slugs")})
    asked = HiddenQuestion(id="q", text="What?", answer="def join")
    assert unseen_anywhere(asked, named, tmp_path) == ("def join",)
    assert unseen_anywhere(asked, named.model_copy(update={"events": ()}), tmp_path) == ("def join",)
