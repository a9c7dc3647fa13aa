"""What real vectors find on LoCoMo's first conversation, and what a query that goes as a document loses."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.records import Contract
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.systems.models.catalogue import local_model, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

SYSTEMS: Final = {
    "minilm": "dense:embedder=minilm,as_heard=false",
    "minilm_speaker": "dense:embedder=minilm,speaker=true",
    "minilm_8bit": "dense:embedder=minilm-8bit,as_heard=false",
    "minilm_8bit_speaker": "dense:embedder=minilm-8bit,speaker=true",
    "e5_speaker_query_side": "dense:embedder=e5,speaker=true",
    "e5_speaker_document_side": "dense:embedder=e5,speaker=true,sides=false",
    "e5_query_side": "dense:embedder=e5",
    "e5_document_side": "dense:embedder=e5,sides=false",
}
MEASURES: Final = {"nDCG@10": "ndcg", "Recall@10": "recall"}


def local_models() -> Mapping[str, float]:
    """Run and score dense retrieval with both installed models.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    for name in ("minilm", "e5"):
        settings_of(local_model(name))
    with tempfile.TemporaryDirectory() as scratch:
        folders = execute(plan(["locomo"], list(SYSTEMS.values()), conversations=1), Path(scratch))
        boards = [leaderboards([folder], Settings(Contract(), tuple(MEASURES)))[0].board for folder in folders]
    return {
        f"{name}_{MEASURES[measure]}": score.value
        for name, board in zip(SYSTEMS, boards, strict=True)
        for measure, score in board.entries[0].scores.items()
        if measure in MEASURES and score.value is not None
    }
