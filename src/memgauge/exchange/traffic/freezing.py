"""Traffic becomes two things: a dataset without gold (what was asked and written), and a run (what came back).

Nobody claims that the harness saw it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.collecting import uncollected
from memgauge.datasets.own.dataset import KIND
from memgauge.datasets.own.lines import FORMAT, Lines
from memgauge.datasets.synthetic.writing import write_folder
from memgauge.exchange.freeze import freeze_once, imported_manifest
from memgauge.exchange.traffic.conversations import conversations
from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.exchange.traffic.writer import SEAL
from memgauge.records import Form, Lineage, Outcome, Question
from memgauge.registry import parse_ref
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.rows import AttemptRows, failures, iso
from memgauge.runs.record.seal import file_hash, seal
from memgauge.runs.record.spelling import encode
from memgauge.show.safety import name_line
from memgauge.systems.protocol import Capabilities
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memgauge.exchange.traffic.conversations import TracedOperation
    from memgauge.exchange.traffic.identity import TrafficManifest
    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.runs.record.rows import Row

DATASET: Final = "dataset"
"""The folder of traffic that its dataset lies in."""
UNSEEN: Final = "unseen"
"""The role of a turn that stands for what was written before, or elsewhere."""
NOT_CAPTURED: Final = "what was returned was not captured"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class FrozenTraffic:
    """What became of traffic."""

    dataset: str
    """The text that opens its dataset."""
    run: Path


@uncollected()
def freeze_traffic(traffic: Traffic, out: Path, label: str) -> FrozenTraffic:
    """Write the dataset of *traffic* beside its tables, and its run below *out*; what is there already stays.

    Raises:
        RunError: There is no room.
    """
    folder = traffic.folder / DATASET
    ref = f"own:{folder}" if folder.exists() else write_dataset(traffic, folder, label)
    identity = KIND.open(parse_ref(ref)).identity
    depth, searches, uncaptured = _searches(traffic)
    interventions = [f"imported from {traffic.identity.recorder}: the harness did not see it run"]
    interventions.append(_sampled(traffic.manifest))
    if uncaptured:
        interventions.append(f"of {searches:,} searches, {uncaptured:,} returned what was not captured")
    promises = Capabilities(interventions=tuple(interventions))
    source = traffic.identity.recorder, file_hash(traffic.folder / SEAL)
    manifest = imported_manifest(identity, source, promises, label, depth)
    return FrozenTraffic(ref, freeze_once(out, manifest, lambda folder: _write(folder, traffic, depth)))


def write_dataset(traffic: Traffic, folder: Path, label: str) -> str:
    """Write what was written and asked to *folder*, and return the text that opens it.

    Raises:
        DataError: There is no room.
    """

    def manifest(folder_written: Any) -> dict[str, Any]:
        dataset_name = name_line(f"traffic {label}")
        return {"format": FORMAT, "name": dataset_name, "licence": "", "sha256": folder_written.sha256()}

    write_folder(folder, (_lines(name, operations) for name, operations in conversations(traffic)), manifest)
    return f"own:{folder}"


def _searches(traffic: Traffic) -> tuple[int, int, int]:
    """Count the deepest list, all searches, and those whose hits are unknown."""
    columns = traffic.query(
        "SELECT coalesce((SELECT max(rank) FROM {records}), 1) AS depth, count(*) AS searches, "
        "count(*) FILTER (WHERE NOT captured AND outcome = 'ok') AS unknown "
        "FROM {operations} WHERE operation = 'search'"
    )
    depth, searches, uncaptured = (int(columns[name][0]) for name in ("depth", "searches", "unknown"))
    return min(depth, 10_000), searches, uncaptured


def _sampled(manifest: TrafficManifest) -> str:
    return f"it speaks of traced, sampled traffic alone; sampling: {manifest.identity.sampling}"


def _lines(name: str, operations: list[TracedOperation]) -> Lines:
    """Write a conversation as a folder of data has it: what was written as turns, what was asked as questions."""
    turns = [
        {"conversation": name, "session": operation.values["session"] or "unknown", "id": turn}
        | {"speaker": operation.values["agent"] or "memory", "role": "memory", "at": iso(operation.began)}
        | {"text": record["text"] or ""}
        for operation in operations
        for turn, record in _written(operation)
    ]
    order = list(dict.fromkeys(turn["session"] for turn in turns))
    turns.sort(key=lambda turn: order.index(turn["session"]))
    if not turns:
        unseen_turn = {"session": UNSEEN, "id": UNSEEN, "speaker": "", "role": UNSEEN, "at": None, "text": ""}
        turns = [{"conversation": name} | unseen_turn]
    questions = [
        {"id": operation.name, "conversation": name, "text": operation.values["query"] or ""}
        | {"category": "search", "asked_at": iso(operation.began)}
        for operation in operations
        if operation.kind is TrafficKind.SEARCH
    ]
    return Lines(list(map(_encode, turns)), list(map(_encode, questions)), [])


def _written(operation: TracedOperation) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what an operation stored, each with the name that it has as a turn."""
    if operation.kind.writes and Outcome(operation.values["outcome"]).valid:
        for record in operation.records:
            yield f"{operation.name}/{record['rank']}", record


def _write(folder: Path, traffic: Traffic, depth: int) -> None:
    with Journal(folder) as journal:
        for number, (name, operations) in enumerate(conversations(traffic)):
            journal.append(name, encode(_ConversationRows(name, number, depth).rows(operations)), later=True)
        journal.settle()
    seal(folder)


class _ConversationRows:
    """The lines of a journal about one conversation."""

    def __init__(self, name: str, number: int, depth: int) -> None:
        self._sheet, self._depth = AttemptRows(name), depth
        self._rows = [self._sheet.row("case", number=number)]
        self._versions: dict[tuple[str, str, int, str | None], Row] = {}
        self._texts: list[str | None] = []

    def rows(self, operations: list[TracedOperation]) -> list[Row]:
        """Write operations in their order, and behind them each version of a memory once."""
        position = 0
        for operation in operations:
            if operation.kind is TrafficKind.SEARCH:
                self._search(operation, position)
                position += 1
            else:
                self._change(operation)
        rows = [*self._rows, *self._versions.values()]
        return [*rows, self._sheet.end(failures(rows))]

    def _search(self, operation: TracedOperation, position: int) -> None:
        values = operation.values
        question = Question(operation.name, self._sheet.conversation, "", "search", operation.began)
        outcome, reason = Outcome(values["outcome"]), values["reason"]
        if outcome is Outcome.OK and not values["captured"]:
            outcome, reason = Outcome.EXCLUDED, NOT_CAPTURED
        row = self._sheet.question(question, position, outcome, k=self._depth, reason=reason, ms=operation.ms)
        if outcome.valid:
            hits = {self._keep(operation, record): record["score"] for record in reversed(operation.records)}
            hits = dict(reversed(hits.items()))  # of a memory that stands twice, the first place
            notes = ["a memory stands twice in the list"] if len(hits) < len(operation.records) else []
            row |= {"memories": list(hits), "scores": list(hits.values()), "notes": notes}
            row |= {"tokens": self._tokens(hits, values["context_tokens"])}
        self._rows.append(row)

    def _tokens(self, hits: Iterable[int], token_count: int | None) -> int:
        """Count the tokens of texts that are there, else take what was counted when they were."""
        texts = [self._texts[number] for number in hits]
        return token_count or 0 if None in texts else sum(count_tokens(text or "") for text in texts)

    def _change(self, operation: TracedOperation) -> None:
        values = operation.values
        for _, record in _written(operation):
            self._keep(operation, record)
        self._rows.append(
            self._sheet.row(
                "write",
                turns=[turn for turn, _ in _written(operation)],
                session=values["session"],
                outcome=values["outcome"],
                reason=values["reason"] or ("" if operation.kind.writes else str(operation.kind)),
                ms=operation.ms,
                changed=[record["memory"] for record in operation.records],
            )
        )

    def _keep(self, operation: TracedOperation, record: dict[str, Any]) -> int:
        """Return the row of a version of a memory, making one where it was not seen before."""
        store, text = operation.values["store"], record["text"]
        key = store, record["memory"], record["version"], record["hash"]
        if key not in self._versions:
            wrote = operation.kind.writes
            row = self._sheet.row(
                "memory",
                row=len(self._versions),
                memory=record["memory"],
                version=record["version"],
                sha256=record["hash"] or "",
                form=Form.UNKNOWN,
                sources=[],
                lineage=Lineage.ABSENT,
                event_at=None,
                valid_from=None,
                valid_to=None,
                stored_at=iso(operation.began) if wrote else None,
                channel=store,
            )
            self._versions[key] = row if text is None else row | {"text": text}
            self._texts.append(text)
        number: int = self._versions[key]["row"]
        return number
