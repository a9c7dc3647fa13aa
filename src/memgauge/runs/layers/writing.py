"""Judge what a run stored: every point of a session, every memory, every update (HaluMem's write side).

A memory belongs to the session of the last turn that it descends from; one without lineage belongs to none, and
is counted. No search of a run asks for updates, so the store is searched here, by BM25 over what was stored
until then.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.datasets.base import HasPoints
from memgauge.errors import ConfigError
from memgauge.llm.judges.items import true, update, whole
from memgauge.llm.judges.panel import prompts_of
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.terms import TermLog
from memgauge.runs.layers.judging import is_unvoted, voted
from memgauge.runs.layers.layer import LayerManifest, made_side_by_side, write_layer
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.llm.judges.items import JudgeItem
    from memgauge.llm.judges.panel import Panel
    from memgauge.records import Conversation, Point
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run

TOP = 10
"""Memories that a search for an update returns (HaluMem's own number)."""


@dataclass(frozen=True)
class WritingTask:
    """One thing to be judged about what was stored."""

    key: str
    what: str
    """``point``, ``trap``, ``memory`` or ``update``."""
    item: JudgeItem
    importance: float = 1.0
    returned: int = 0
    """Memories that it is judged by."""


def judge_writes(
    run: Run,
    dataset: Dataset,
    panel: Panel,
    *,
    workers: int = 1,
    environment: Callable[[], Mapping[str, Any]] = dict,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Layer:
    """Let a panel judge everything that *run* stored, and keep every vote as a layer.

    Raises:
        ConfigError: The dataset does not say what should be stored.
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    asked = {task.key: task for task in written(run, dataset)}
    manifest = LayerManifest(
        kind="writes",
        base=run.seal.content,
        label=panel.name,
        maker={
            "panel": dict(panel.details),
            "prompts": prompts_of(task.item.rubric for task in asked.values()),
            "updates": f"bm25, first {TOP}",
        },
    )
    make = made_side_by_side(asked, lambda task: _row(task, panel), workers=workers, on_progress=on_progress)
    return write_layer(run, manifest, list(asked), make, environment, is_unvoted)


def written(run: Run, dataset: Dataset) -> Iterator[WritingTask]:
    """Yield everything that would be judged, in the order of sessions.

    Raises:
        ConfigError: The dataset does not say what should be stored.
    """
    if not isinstance(dataset, HasPoints):
        raise ConfigError(
            f"{dataset.identity.name} does not say what should be stored.", "Judge a run on HaluMem."
        )
    points: defaultdict[tuple[str, str], list[Point]] = defaultdict(list)
    for point in dataset.points():
        points[point.conversation, point.session].append(point)
    asked = set(run.questions["conversation"].tolist())
    for case in dataset.cases():
        if case.conversation.id in asked:
            yield from _conversation(run, case.conversation, points)


def _conversation(
    run: Run, conversation: Conversation, points: Mapping[tuple[str, str], Sequence[Point]]
) -> Iterator[WritingTask]:
    stored = _by_session(run, conversation)
    so_far: list[str] = []
    for session in conversation.sessions:
        texts = [text for _, text in stored[session.id]]
        so_far += texts
        lines = [f"{turn.speaker}: {turn.text}" for turn in session.turns]
        for point in points.get((conversation.id, session.id), ()):
            what = "trap" if point.trap else "point"
            yield WritingTask(f"{point.id}/{what}", what, whole(point.text, texts), point.importance, len(texts))
            if point.replaces and not point.trap:
                nearest = _searched(point.text, so_far)
                item = update(point.text, point.replaces, nearest)
                yield WritingTask(f"{point.id}/update", "update", item, point.importance, len(nearest))
        for memory, text in stored[session.id]:
            yield WritingTask(f"{conversation.id}:{memory}/memory", "memory", true(text, lines), returned=1)


def _by_session(run: Run, conversation: Conversation) -> defaultdict[str, list[tuple[str, str]]]:
    """Return (id, text) of what was stored, by the session of its last turn."""
    place = {turn.id: (n, session.id) for n, session in enumerate(conversation.sessions) for turn in session.turns}
    stored: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in run.stored_texts():
        known = [place[turn] for turn in row["sources"] if turn in place]
        if row["conversation"] == conversation.id and row["text"] and known:
            stored[max(known)[1]].append((row["memory"], row["text"]))
    return stored


def _searched(query: str, texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    log = TermLog(tokenize)
    for text in texts:
        log.append(text)
    return [texts[place] for place in BM25(log.matrix()).search(query, TOP)[0].tolist()]


def _row(asked: WritingTask, panel: Panel) -> Row:
    row: Row = {
        "key": asked.key,
        "what": asked.what,
        "importance": asked.importance,
        "returned": asked.returned,
        "rubric": asked.item.rubric.name,
    }
    if not asked.returned:  # nothing was stored, so nobody needs to read it
        return row | {"grade": asked.item.rubric.grades[2], "votes": [], "injections": []}
    return row | voted(panel, asked.item)
