"""The figures of the study, computed again."""

from __future__ import annotations

import pytest

from memgauge.reproduce import Status, reproduce, sections
from memgauge.studies.context import recipe
from memgauge.studies.context.recipe import SYSTEMS, context


def test_figures_are_computed_on_any_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every figure that is claimed has a value; those that no world decides are as claimed."""
    monkeypatch.setattr(recipe, "WORLD", "synthetic:tiny,level=lex")
    found = context()
    (section,) = (one for one in sections() if one.name == "context")
    assert {figure.name for figure in section.figures} - set(found) == set()
    decided = [one for one in section.figures if not one.name.startswith(("bm25", "tfidf", "pipeline", "edges"))]
    assert {one.name: found[one.name] for one in decided if one.judge(found[one.name]) is not Status.OK} == {}
    assert found["lower_bound_overstates_n200"] <= 0.02
    assert found["as_published_overstates_n200"] >= 0.25
    assert (found["echo_guarded"], found["echo_published"]) == (0.0, 1.0)
    assert len(SYSTEMS) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["context", "context-locomo", "context-speed"])
def test_every_figure_comes_out_as_claimed(name: str) -> None:
    """Rules, echo, prompts of three memories, samples a second and calls at a time; absent data skip their own."""
    rows = reproduce([name])
    assert {row.name: row.measured for row in rows if row.status not in {Status.OK, Status.SKIP}} == {}
