"""From a joined file to a sealed run like any other, whole or not at all."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memgauge.datasets.files import sha256_of
from memgauge.errors import MalformedDataError
from memgauge.exchange.catalogue import IMPORTERS
from memgauge.exchange.trace import UNLISTED, ImportReport, JoinedDataset
from memgauge.records import Form, Memory, Outcome
from memgauge.runs.layers.layer import LayerManifest, write_layer
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.lineage import TracedVersion, digest
from memgauge.runs.record.manifest import IMPORTED, Limits, Manifest, SystemPart, dataset_part, environment
from memgauge.runs.record.retold import RetoldRows
from memgauge.runs.record.seal import seal, sealed
from memgauge.runs.record.spelling import encode
from memgauge.runs.record.store import load
from memgauge.systems.protocol import Capabilities
from memgauge.text.copies import copies
from memgauge.text.halves import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.datasets.base import Dataset, DatasetIdentity
    from memgauge.exchange.trace import Joining, TracedMemory, TracedQuestion
    from memgauge.records import Case, Turn
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run


def import_trace(
    kind: str, path: Path, dataset: Dataset, out: Path, *, label: str, partial: bool = False
) -> tuple[Path, ImportReport]:
    """Read the file at *path* as *kind*, join it to *dataset*, and freeze it below *out*.

    The same file gives the same run, and a run that is there already is left as it is. *label* is what tables call
    it; with *partial* a file may lack questions of the dataset, or know others.

    Raises:
        UnknownNameError: There is no such format.
        DataError: The file is absent, broken, or does not fit the dataset; nothing is left behind.
    """
    target = JoinedDataset(dataset)
    joining = IMPORTERS.get(kind)(path, target)
    if not joining.answers:
        raise MalformedDataError(
            f"{path}: no row could be joined{joining.stray and f' ({joining.stray})'}.", "Is it of this dataset?"
        )
    if not joining.searched:
        del joining.noted[UNLISTED]  # the run says so of all of them
    missing_count = len(target.questions) - len(joining.answers)
    if not partial and (joining.stray or missing_count):
        example = f" The first one: {joining.stray}." if joining.stray else ""
        raise MalformedDataError(
            f"{path}: {missing_count:,} questions of {dataset.identity.ref} are missing, and "
            f"{joining.dropped.total():,} rows fit none.{example}",
            "Import what fits with --partial; the run says so for ever.",
        )
    manifest = _manifest(kind, path, joining, label, missing_count)
    folder = freeze_once(out, manifest, lambda half: _write(half, manifest, joining))
    _layers(load(folder), joining.answers)
    return folder, ImportReport(
        format=kind,
        source=path.name,
        sha256=manifest.system.source,
        dataset=dataset.identity.ref,
        dataset_sha256=dataset.identity.sha256,
        rows=joining.rows,
        by_id=joining.joined["id"],
        by_text=joining.joined["text"],
        dropped=dict(sorted(joining.dropped.items())),
        fields=joining.fields,
        questions=len(joining.answers),
        missing=missing_count,
        unread=joining.unread,
        noted=dict(sorted(joining.noted.items())),
    )


def freeze_once(out: Path, manifest: Manifest, write: Callable[[Path], None]) -> Path:
    """Make the run of *manifest* below *out*, whole or not at all; one that is there already is left as it is.

    *write* adds its journal to a folder that holds the manifest, and seals it.
    """
    folder = out / manifest.id
    if not sealed(folder):
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=out, prefix=".import-") as scratch:
            half = Path(scratch) / "run"
            half.mkdir()
            manifest.write(half)
            write(half)
            shutil.rmtree(folder, ignore_errors=True)  # what a killed import left
            half.rename(folder)
    return folder


def imported_manifest(
    identity: DatasetIdentity, source: tuple[str, str], promises: Capabilities, label: str, k: int
) -> Manifest:
    """Say what an imported run is of: *source* names what it was read from, and its digest."""
    ref, sha256 = source
    return Manifest(
        dataset=dataset_part(identity),
        system=SystemPart(
            ref=f"imported:{ref}",
            label=label,
            name=label,
            version=IMPORTED,
            capabilities=asdict(promises),
            source=sha256,
        ),
        limits=Limits(k=k),
        environment=environment(),
    )


def _manifest(kind: str, path: Path, joining: Joining, label: str, missing_count: int) -> Manifest:
    interventions = [f"imported from {path.name} ({kind}): the harness did not see it run"]
    if missing_count:
        interventions.append(f"{missing_count:,} questions of the dataset are not in it")
    if not joining.searched:
        interventions.append("it tells of answers only, so nothing is known of retrieval")
    if any(item.text is None for question in joining.answers.values() for item in question.items):
        interventions.append(
            "it tells of memories without their texts: the words of turns stand in for them, so that tokens, and "
            "what lies within a number of them, may differ from what was handed over"
        )
    promises = Capabilities(declares_sources=True, interventions=tuple(interventions))
    depth = max(len(question.items) for question in joining.answers.values())
    source = kind, _sha256_of_all(path)
    return imported_manifest(joining.target.dataset.identity, source, promises, label, max(depth, 1))


def _sha256_of_all(path: Path) -> str:
    """Hash a file, or the names and hashes of the files in a folder."""
    if not path.is_dir():
        return sha256_of(path)
    listing = sorted((file.name, sha256_of(file)) for file in path.iterdir() if file.is_file())
    return digest("".join(f"{sha256} {name}\n" for name, sha256 in listing))


def _write(folder: Path, manifest: Manifest, joining: Joining) -> None:
    with Journal(folder) as journal:
        for number, case in enumerate(joining.target.cases):
            if any(question.id in joining.answers for question in case.questions):
                lines = encode(_rows(case, number, joining, manifest.limits.k))
                journal.append(case.conversation.id, lines, later=True)
        journal.settle()
    seal(folder)


def _rows(case: Case, number: int, joining: Joining, k: int) -> list[Row]:
    """Write one conversation of a trace as an engine would have."""
    retold = RetoldRows(case.conversation.id, number)
    turns = {turn.id: turn for turn in case.conversation.turns()}
    written_chars = sum(len(turn.text) for turn in turns.values())
    for position, question in enumerate(case.questions):
        if (trace := joining.answers.get(question.id)) is not None:
            outcome = trace.outcome if joining.searched else Outcome.UNSUPPORTED
            hits = [(_keep(retold, item, turns), item.score) for item in trace.items] if outcome.valid else None
            retold.question(question, position, outcome, hits, k=k, written=written_chars, reason=trace.reason)
    for item in joining.stored.get(case.conversation.id, ()):
        _keep(retold, item, turns)
    return retold.rows()


def _keep(retold: RetoldRows, item: TracedMemory, turns: Mapping[str, Turn]) -> TracedVersion:
    """Return the memory behind an item; one that is a turn has its words, and a form is measured by them."""

    def make(row: int) -> TracedVersion:
        only = turns.get(item.sources[0]) if len(item.sources) == 1 else None
        text = item.text if item.text is not None else only.text if only and item.form is Form.RAW else ""
        memory = Memory(item.id, text, item.form, item.sources)
        version, form = retold.versions(item.id) + 1, _form(item, text, turns)
        return TracedVersion(row, memory, version, form, item.sources, item.lineage, digest(text))

    return retold.keep((item.id, item.text), make)


def _form(item: TracedMemory, text: str, turns: Mapping[str, Turn]) -> Form:
    """Measure whether a memory is raw, as where the harness sees it written."""
    if copies(text, (turns[name].text for name in item.sources if name in turns)):
        return Form.RAW
    if item.form in {Form.RAW, Form.UNKNOWN}:
        return Form.CANONICAL if item.sources and text else Form.UNKNOWN
    return item.form


def _layers(run: Run, answers: Mapping[str, TracedQuestion]) -> None:
    """Keep answers and verdicts that the file tells of as layers."""
    if all(question.answer is None for question in answers.values()):
        return
    answered_questions = {
        key: question for key, question in answers.items() if question.answer is not None or question.failure
    }
    maker = {"answerer": "imported", "context": "self", "source": run.manifest.system.source}
    manifest = LayerManifest(kind="answers", base=run.seal.content, label="imported", maker=maker)
    layer = write_layer(
        run, manifest, answered_questions, lambda keys: (_answer(answered_questions[key]) for key in keys)
    )
    judged_questions = {
        key: question for key, question in answered_questions.items() if question.verdict is not None
    }
    if judged_questions:
        names = sorted({encodable(question.judge) for question in judged_questions.values()})
        verdicts = LayerManifest(
            kind="verdicts",
            base=layer.hash,
            label=f"imported: {', '.join(names)}",
            maker={"panel": {"judges": names, "imported": True}, "prompts": {}, "rules": "of the file"},
        )
        write_layer(
            run, verdicts, judged_questions, lambda keys: (_verdict(judged_questions[key]) for key in keys)
        )


def _answer(question: TracedQuestion) -> Row:
    if question.failure:
        row = {"key": question.question, "question": question.question, "outcome": str(Outcome.ERROR)}
        return row | {"reason": encodable(question.failure), "text": None, "shown": 0}
    outcome = str(Outcome.OK if question.answer else Outcome.EMPTY)
    row = {"key": question.question, "question": question.question, "outcome": outcome, "reason": ""}
    return row | {"text": question.answer or "", "shown": 0}


def _verdict(question: TracedQuestion) -> Row:
    grade = "correct" if question.verdict else "incorrect"
    judge = encodable(question.judge)
    vote = {"judge": judge, "grade": grade, "reason": "", "request": "", "raw": "", "usage": None}
    row = {"key": question.question, "question": question.question, "rubric": "fact", "grade": grade}
    return row | {"votes": [vote], "injections": [], "rule": ""}
