"""A registry with a board of answers: runs that were really answered and judged, by a judge that is certified."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.llm.answerers import open_answerer
from memgauge.llm.judges.certify import certify
from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.judges.sentinels import build
from memgauge.llm.prompts import open_prompt
from memgauge.llm.scripted import Scripted
from memgauge.results import plain
from memgauge.runs.layers.answering import answer_run
from memgauge.runs.layers.judging import judge_layer
from memgauge.runs.layers.layer import layers
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.submissions.packing.pack import pack
from memgauge.submissions.repository import Repository
from memgauge.submissions.sheets.registry import BoardSheet, DatasetSheet, JudgeSheet
from memgauge.text.normalise import fold
from support.registry import empty_registry, submitted
from support.small_registry import write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memgauge.llm.messages import Request
    from memgauge.submissions.packing.pack import BundleForm
    from memgauge.submissions.repository import SubmissionFolder

TINY: Final = "synthetic:tiny"
ANSWERER: Final = "extractive:sentences=1"
BOARD: Final = "answers-open.1"
CERTIFICATE: Final = "registry/judges/exact.json"


def make_graded_registry(folder: Path) -> None:
    """Submit bm25 and tfidf as the certified judge grades them, and recency as another does."""
    root = empty_registry(folder / "registry")
    _register(root)
    for system, judges in (("bm25", exact), ("tfidf", exact), ("recency", strict)):
        runs = answered(folder / f"runs-{system}", system)
        for run in runs:
            judged(run, judges)
        submit(root, runs, folder)


def answered(folder: Path, system: str, seeds: Sequence[int] = (1, 2)) -> list[Path]:
    """Play and answer the tiny world."""
    folders = execute(plan([TINY], [system], seeds=seeds), folder, check=False)
    for each in folders:
        answer_run(load(each), open_dataset(TINY), open_answerer(ANSWERER))
    return folders


def judged(folder: Path, say: Callable[[Request], str]) -> None:
    """Judge the answers to a run by a judge that is called as what it says."""
    run = load(folder)
    (answers,) = layers(run, "answers")
    judge_layer(run, answers, open_dataset(TINY), panel(say))


def panel(say: Callable[[Request], str]) -> Panel:
    """Make a panel of one scripted judge."""
    return Panel((Judge(Scripted(say, name=say.__name__)),))


def submit(
    root: Path, runs: Sequence[Path], folder: Path, form: BundleForm = "bare", **more: str
) -> SubmissionFolder:
    """Pack runs into a registry; *folder* takes the statement."""
    about = submitted(folder, contract="synthetic-small-tokens", division="open", **more)
    return pack(runs, Repository.at(root), about, root, form=form).folder


def exact(request: Request) -> str:
    """Accept what holds the accepted answer, or declines where there is none."""
    prompt = request.messages[-1].text
    gold, answer = fold(_part(prompt, "gold")), fold(_part(prompt, "answer"))
    good = gold in answer if gold else "know" in answer or "never" in answer
    return "CORRECT" if good else "INCORRECT"


def strict(_: Request) -> str:
    """Accept nothing."""
    return "INCORRECT"


def hesitant(request: Request) -> str:
    """Say nothing that can be read about every other answer, by its length."""
    return exact(request) if len(request.messages[-1].text) % 2 else "hm"


def _part(prompt: str, name: str) -> str:
    fenced = re.search(rf"<{name}-(\w+)>\n(.*?)\n</{name}-\1>", prompt, re.DOTALL)
    return fenced[2] if fenced else ""


def _register(root: Path) -> None:
    """Add the tiny world, a judge with its certificate, and a board of its answers."""
    gold = GoldTable.read(open_dataset(TINY))
    data = {"schema": DatasetSheet.SCHEMA, "name": "tiny", "ref": TINY, "sha256": gold.identity.sha256}
    about = {"licence": "Apache-2.0", "texts_public": False, "source": "generated", "status": "open"}
    sizes = {"questions": len(gold.questions), "conversations": len(gold.conversations.sizes)}
    write(root, "registry/datasets", DatasetSheet.model_validate(data | about | sizes))
    prompt = open_prompt("judge-fact").sha256
    judge = {"schema": JudgeSheet.SCHEMA, "name": "exact", "model": "exact", "prompt_sha256": prompt}
    write(root, "registry/judges", JudgeSheet.model_validate(judge | {"certificate": CERTIFICATE}))
    (root / CERTIFICATE).write_text(json.dumps(plain(_certified())), "utf-8")
    board = {"schema": BoardSheet.SCHEMA, "name": BOARD, "title": "A tiny world: answers", "kind": "answers"}
    where = {"contract": "synthetic-small-tokens", "dataset": "tiny", "division": "open", "lane": "lexical"}
    who = {"judge": "exact", "answerer": ANSWERER}
    write(root, "boards", BoardSheet.model_validate(board | where | who))


def _certified() -> object:
    small = open_dataset("synthetic:small")
    questions = [question for case in small.cases() for question in case.questions]
    return certify(panel(exact), build(questions, list(small.gold()), limit=20))
