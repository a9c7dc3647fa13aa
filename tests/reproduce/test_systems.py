"""The bundles of real systems: whole, small, without texts, and scored as claimed."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from memgauge.reproduce import Status, reproduce, sections
from memgauge.reproduce import systems as recipe
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.store import load

PATHS = [path for kind in recipe.KINDS for path in recipe.bundles(kind)]


def test_at_least_nine_products_have_a_bundle_and_five_are_in_each_other_study() -> None:
    """One of LoCoMo for nine, one of each other study for five, and all of them are small."""
    assert len({path.name for path in recipe.bundles()}) >= 9
    assert len(list(recipe.bundles("quality"))) == 5
    assert len(list(recipe.bundles("shift"))) == 10
    assert sum(path.stat().st_size for path in PATHS) < 4_200_000


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_no_bundle_holds_a_text(path: object) -> None:
    """Memories have hashes, and journals neither texts nor notes."""
    with unbundled(path) as folder:  # type: ignore[arg-type]
        assert all(text is None for _, _, text, _ in load(folder).texts())
        kinds = Counter[str]()
        for line in (folder / "journal.jsonl").read_bytes().splitlines():
            row = json.loads(line)
            kinds[row["t"]] += 1
            assert not row.get("text")
            assert not row.get("notes")
        assert kinds["memory"] > 0


def test_raw_memories_of_mem0_descend_exactly_from_their_turns() -> None:
    """The harness saw every receipt: all of them, one turn each, in its words."""
    (path,) = [path for path in recipe.bundles() if path.name == f"mem0{recipe.SUFFIX}"]
    with unbundled(path) as folder:
        run = load(folder)
        lineage, form = run.memories["lineage"].tolist(), run.memories["form"].tolist()
    assert set(lineage) == {"exact"}
    assert set(form) == {"raw"}
    assert len(lineage) > 400


def test_the_claims_name_every_bundle() -> None:
    """No bundle is shipped whose scores nobody claims."""
    (section,) = [each for each in sections() if each.name == "systems"]
    claimed = {figure.name for figure in section.figures}
    assert {f"{path.name.removesuffix(recipe.SUFFIX)} source" for path in recipe.bundles()} <= claimed


def test_the_worlds_studies_are_scored_as_claimed() -> None:
    """What needs no third-party data is recomputed here too."""
    (section,) = [each for each in sections() if each.name == "systems"]
    expected = {figure.name: figure for figure in section.figures}
    found = {**recipe._quality(), **recipe._shift()}
    assert len(found) == 5 * 5 + 10
    assert {name for name, value in found.items() if expected[name].judge(value) is not Status.OK} == set()


@pytest.mark.slow
def test_every_claim_holds() -> None:
    """All bundles verify and score as claimed, where LoCoMo is at hand; else the section is skipped."""
    rows = reproduce(["systems"])
    assert {row.status for row in rows} in ({Status.OK}, {Status.SKIP})
