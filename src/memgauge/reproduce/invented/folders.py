"""Lives as a retrieval folder in the layout of LMEB, and every shape written where it can be opened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from memgauge.reproduce.invented.chats import convomem, locomo_plus, perltqa, realtalk
from memgauge.reproduce.invented.lives import lives
from memgauge.reproduce.invented.optioned import membench, memdaily, personamem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from memgauge.reproduce.invented.lives import InventedLife


def beir(lives_: Sequence[InventedLife]) -> Mapping[str, str]:
    """Write turns as documents, a candidate list a life."""
    documents, lists, queries = list[object](), list[object](), list[object]()
    qrels = list[str]()
    for number, life in enumerate(lives_):
        turns = list(life.case.conversation.turns())
        documents += [{"id": f"{number}-{turn.id}", "text": turn.text} for turn in turns]
        candidates = [f"{number}-{turn.id}" for turn in turns]
        lists.append({"scene_id": f"life_{number}", "candidate_doc_ids": candidates})
        for place, invented in enumerate(life.asked):
            key = f"life_{number}_q{place}"
            queries.append({"id": key, "text": invented.asked.text})
            qrels += [f"{key}\t{number}-{turn}\t1\n" for turn in invented.gold.anchors()]
    return {
        "corpus.jsonl": _lines(documents),
        "candidates.jsonl": _lines(lists),
        "facts/queries.jsonl": _lines(queries),
        "facts/qrels.tsv": "".join(qrels),
    }


def _lines(rows: Iterable[object]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


SHAPES: Final[Mapping[str, tuple[Callable[[Sequence[InventedLife]], Mapping[str, str]], str]]] = {
    "personamem": (personamem, "benchmark.csv"),
    "realtalk": (realtalk, ""),
    "memdaily": (memdaily, ""),
    "membench": (membench, ""),
    "convomem": (convomem, ""),
    "locomo_plus": (locomo_plus, "locomo_plus.json"),
    "perltqa": (perltqa, ""),
    "beir": (beir, ""),
}
"""What writes the files of a benchmark, and which of them opens it; without one, their folder does."""


def write(name: str, folder: Path) -> str:
    """Write the files of benchmark *name* below *folder*, and return what opens them."""
    shape, opens = SHAPES[name]
    for file, content in shape(lives()).items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return f"{name}:{folder / name / opens}"
