"""What is going to be run, and what a user can get wrong before it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.runs.play.counting import sizes_of
from memgauge.runs.play.plan import estimate, outstanding, plan
from memgauge.runs.record.manifest import Limits
from memgauge.streams import STREAMS
from support.handmade import Handmade, planned, two_questions

if TYPE_CHECKING:
    from pathlib import Path


def test_cells_are_datasets_times_systems_times_seeds() -> None:
    """Each combination is there once, in the order in which it was named; repeated names do not count."""
    work = plan(["synthetic:tiny"], ["none", "bm25", "none"], seeds=[2, 1, 2], limits=Limits(k=7))
    cells = [(cell.manifest.system.label, cell.manifest.seed, cell.manifest.limits.k) for cell in work.cells]
    assert cells == [("none", 2, 7), ("none", 1, 7), ("bm25", 2, 7), ("bm25", 1, 7)]
    assert work.conversations == 8
    assert len({cell.manifest.id for cell in work.cells}) == 4


def test_one_dataset_written_in_two_ways_is_one() -> None:
    """What counts is the canonical name, so that no two cells share a folder."""
    work = plan(["synthetic:tiny", "synthetic:tiny,seed=0"], ["none"])
    assert len(work.cells) == len(work.datasets) == 1


@pytest.mark.parametrize(
    ("factory", "timeout_s", "said"),
    [("raising", 20, "raised OSError: no such store"), ("hanging", 0.3, "did not return within 0.3 s")],
)
def test_a_system_that_cannot_be_opened_is_refused_before_anything_runs(
    factory: str, timeout_s: float, said: str
) -> None:
    """What its factory raises, or that it hangs, is one sentence that says what has to work first."""
    with pytest.raises(ConfigError, match=said) as caught:
        plan(["synthetic:tiny"], [f"support.systems:{factory}"], limits=Limits(timeout_s=timeout_s))
    assert "has to open before anything can be asked of it" in str(caught.value)


def test_sizes_are_counted_over_the_conversations_to_be_run() -> None:
    """Half the conversations have fewer turns and questions."""
    (whole,) = plan(["synthetic:tiny"], ["none"]).cells
    (half,) = plan(["synthetic:tiny"], ["none"], conversations=1).cells
    assert (whole.conversations, half.conversations) == (2, 1)
    assert (whole.turns, half.turns) == (96, 48)
    assert 0 < half.questions < whole.questions


@pytest.mark.parametrize(("datasets", "systems"), [([], ["none"]), (["synthetic:tiny"], [])])
def test_nothing_to_run_is_an_error(datasets: list[str], systems: list[str]) -> None:
    """A plan needs at least one of each."""
    with pytest.raises(ConfigError, match="Nothing to run"):
        plan(datasets, systems)


@pytest.mark.parametrize(
    ("dataset", "system", "hint"),
    [
        ("synthetik", "none", "Did you mean synthetic"),
        ("synthetic:tiny", "bm52", "Did you mean bm25"),
    ],
)
def test_unknown_names_fail_before_anything_is_run(dataset: str, system: str, hint: str) -> None:
    """The nearest known name is suggested."""
    with pytest.raises(UnknownNameError, match=hint):
        plan([dataset], [system])


def test_an_unknown_stream_is_named_with_the_nearest() -> None:
    """Streams are found by name like everything else."""
    with pytest.raises(UnknownNameError, match="Did you mean clean"):
        STREAMS.get("clear")


def test_a_dataset_without_conversations_is_an_error() -> None:
    """There would be nothing to do."""
    with pytest.raises(ConfigError, match="handmade has no conversations"):
        sizes_of(Handmade(()))


def test_a_system_file_is_labelled_by_its_name(tmp_path: Path) -> None:
    """The label of a TOML file is what tables show, not its path."""
    path = tmp_path / "mine.toml"
    path.write_text('system = "bm25"\nlabel = "mine"\n[parameters]\nk1 = 1.2\n')
    (cell,) = plan(["synthetic:tiny"], [str(path)]).cells
    assert cell.manifest.system.label == "mine"


def test_a_system_file_without_a_label_is_labelled_by_its_options(tmp_path: Path) -> None:
    """Two files with different options are two rows; options of others may be secrets and are not shown."""
    texts = ("k1 = 1.2", "k1 = 1.5\nas_heard = false")
    paths = [tmp_path / f"{place}.toml" for place in range(2)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(f'system = "bm25"\n[parameters]\n{text}\n')
    work = plan(["synthetic:tiny"], list(map(str, paths)))
    labels = [cell.manifest.system.label for cell in work.cells]
    assert labels == ["bm25:k1=1.2", "bm25:k1=1.5,as_heard=false"]
    paths[0].write_text('system = "support.systems:Notebook"\n[parameters]\n')
    assert plan(["synthetic:tiny"], [str(paths[0])]).cells[0].manifest.system.label == "notebook"


def test_an_estimate_counts_calls_and_times_a_pilot_where_one_is_free() -> None:
    """Writes and searches are exact; a system that would cost money is not tried."""
    work = planned(two_questions(), "support.systems:Notebook")
    (cell,) = work.cells
    costly = cell.manifest.system.model_copy(
        update={"capabilities": cell.manifest.system.capabilities | {"needs": ("llm",)}}
    )
    (free,) = estimate(work)
    assert (free.label, free.turns, free.searches, free.needs) == ("Notebook", 9, 2, ())
    assert free.seconds is not None
    assert free.seconds > 0
    paid = type(work)((type(cell)(cell.manifest.model_copy(update={"system": costly}), 1, 9, 2),), work.datasets)
    assert [(e.seconds, e.needs) for e in estimate(paid)] == [(None, ("llm",))]


def test_an_embedder_that_is_at_hand_is_not_needed() -> None:
    """One that says which it is was opened already; one behind a provider's address has yet to be paid."""
    assert outstanding({"needs": ["embedder"], "models": ["minilm (weights 53aa51172d14)"]}) == ()
    assert outstanding({"needs": ["embedder"], "stand_ins": ["vectors of hashed words"]}) == ()
    assert outstanding({"needs": ["embedder", "llm"], "models": []}) == ("embedder", "llm")
