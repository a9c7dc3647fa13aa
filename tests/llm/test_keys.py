"""Requests of everybody who asks, byte for byte: records of replies that were paid for stay readable."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.writing import WorldOrder, write_world
from memgauge.errors import ModelError
from memgauge.llm.access import Access
from memgauge.llm.answerers import tell
from memgauge.llm.judges.items import fact, place, support
from memgauge.llm.judges.panel import Judge
from memgauge.llm.prompted import Prompted
from memgauge.llm.scripted import Scripted
from memgauge.records import Turn
from memgauge.studies.attribution.cells import BY_NAME
from memgauge.studies.attribution.models import Modelled
from memgauge.studies.attribution.question import make_questions, shown
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.grid import ask as ask_grid
from memgauge.studies.quality.paraphrase import Paraphraser, paraphrase
from memgauge.studies.targets.extraction import PromptedExtractor, extract
from memgauge.studies.track.curation import modelled
from memgauge.studies.track.curation.seed import Approach, Seed
from memgauge.studies.track.scoring.judge import TrackJudge
from memgauge.studies.track.scoring.paper import judged_redundancy
from memgauge.studies.track.timeline.models import Event
from memgauge.studies.track.timeline.references import ReferenceJudge
from memgauge.systems.pipeline.model import ModelExtractor
from support.track.play import call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Use = Callable[[Scripted, Path], object]

SEED = Seed(name="one", approach=Approach.TOP_DOWN, task="Find out.")
EVENT = Event.model_validate(
    {"id": "e1", "at": "2025-01-01", "payload": {"kind": "ticket", "title": "See the thread."}}
)
MEMORIES = ("She moved to Paris.", "It rains.")


def reword(model: Scripted, folder: Path) -> None:
    """Reword a small world."""
    write_world(folder / "world", WorldOrder("tiny"))
    paraphrase(folder / "world", Paraphraser(model), folder / "out", workers=1)


ASKING: dict[str, tuple[Use, str]] = {
    "answer": (lambda m, _: tell(Prompted(m), "Where is Ada?", MEMORIES), "eeeb0ee53b17c69d"),
    "verdict": (lambda m, _: Judge(m).vote(fact("Where?", "Paris", "In Paris.")), "a754c04f1bef448e"),
    "verdict, repeated": (lambda m, _: Judge(m, sample=2).vote(place(["a", "b"], "b")), "4847557d6258519c"),
    "support": (
        lambda m, _: Judge(m).vote(support("Where?", "Paris", MEMORIES, "She moved.")),
        "ae7ad1477f2ca62a",
    ),
    "extraction": (lambda m, _: extract(open_dataset("synthetic:tiny"), PromptedExtractor(m)), "b934645e3df8bf80"),
    "pipeline": (
        lambda m, _: ModelExtractor(m).read(Turn("t1", "Ann", "Acme pays me.", "s1", role="user")),
        "4db7bedd4b9c381e",
    ),
    "attribution": (
        lambda m, _: list(Modelled(m).read([shown(make_questions(2)[0], BY_NAME["agree"], 1)])),
        "524ab58b95b70825",
    ),
    "rewording": (reword, "dbc34507f65ea340"),
    "context": (
        lambda m, _: list(ask_grid(g := SampleGrid(("kv",), (500,), (0.5,), 1), g.cells(), Access(m))),
        "a83620e5c12a27cd",
    ),
    "references": (lambda m, _: ReferenceJudge(m).score(EVENT), "756fe8424aa67cbb"),
    "track verdict": (lambda m, _: TrackJudge(m).verdict("Who?", "dana", "tariq"), "4ac12977ff366cd1"),
    "redundancy": (lambda m, _: judged_redundancy(TrackJudge(m), [call(0, "list_tickets")]), "049e542028a208e7"),
    "draft": (lambda m, _: modelled.drafted(m, modelled.draft_of(SEED), SEED), "301241f4c8aa8eb4"),
}


@pytest.mark.parametrize("who", ASKING)
def test_a_request_keeps_its_key(who: str, tmp_path: Path) -> None:
    """Whatever the code around it becomes, what a model is sent stays the same bytes."""
    use, key = ASKING[who]
    model = Scripted(lambda _: ModelError("down"), name="m")
    with suppress(ModelError):
        use(model, tmp_path)
    assert model.asked[0].key[:16] == key
