"""Do the rows of a journal agree with each other, with the limits of their manifest, and with the dataset at hand?

A seal says that files did not change. It says nothing of a file that was written to deceive and sealed afterwards;
what such a file contradicts is found here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.records import Form, Lineage, Outcome, Verdict
from memgauge.runs.record import journal
from memgauge.runs.record.files import opened
from memgauge.runs.record.lineage import digest, is_raw
from memgauge.runs.record.rows import failures
from memgauge.runs.record.spelling import encode
from memgauge.scoring.verification import Finding
from memgauge.text.jsons import json_of
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.runs.record.manifest import Manifest
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.verify_dataset import DatasetAtHand, Outline

SHOWN = 3
"""Contradictions that are written out; the others are counted."""


@dataclass(frozen=True)
class Attempt:
    """The rows of one attempt at one conversation."""

    conversation: str
    attempt: int
    rows: tuple[Row, ...]

    def of(self, table: str) -> list[Row]:
        """Return the rows of one table, in order."""
        return [row for row in self.rows if row["t"] == table]


@dataclass
class Faults:
    """Contradictions by what they are about: the first ones in words, all of them counted."""

    words: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, fault: str) -> None:
        """Note one contradiction."""
        self.count += 1
        if len(self.words) < SHOWN:
            self.words.append(fault)

    def finding(self, subject: str, fine: str) -> Finding:
        """Say what was found, or that all is fine."""
        if not self.count:
            return Finding(subject, Verdict.PASS, fine)
        more = f"; and {self.count - len(self.words):,} more" if self.count > len(self.words) else ""
        return Finding(subject, Verdict.FAIL, "; ".join(self.words) + more)


def checksums(run: Run) -> Finding:
    """Check the checksum behind every attempt, and that nothing lies behind the last one."""
    subject, path = "journal checksums", run.folder / journal.FILE
    whole = journal.survey(path)
    attempts = sum(whole.finished.values())
    if whole.damage:
        return Finding(subject, Verdict.FAIL, whole.damage)
    if whole.whole != path.stat().st_size:
        return Finding(subject, Verdict.FAIL, "something lies behind the last finished attempt")
    if not whole.sums and attempts:
        return Finding(subject, Verdict.UNSUPPORTED, "it has none: an earlier version wrote it")
    if whole.sums != attempts:
        return Finding(subject, Verdict.FAIL, f"{attempts - whole.sums} of {attempts} attempts have none")
    return Finding(subject, Verdict.PASS, f"{attempts} attempts are as they were written")


def rows(run: Run, data: DatasetAtHand | None) -> Iterator[Finding]:
    """Hold every row against the others, the manifest and, where it is at hand, the dataset."""
    manifest = run.manifest
    outlines = {} if data is None else data.outlines
    own, foreign = Faults(), Faults()
    seen: Counter[str] = Counter()
    try:
        for attempt in attempts(run.folder / journal.FILE):
            seen[attempt.conversation] += 1
            if attempt.attempt != seen[attempt.conversation]:
                own.add(
                    f"{attempt.conversation}: attempt {attempt.attempt} is number {seen[attempt.conversation]}"
                )
            for fault in of_attempt(attempt, manifest):
                own.add(f"{attempt.conversation}: {fault}")
            for fault in of_dataset(attempt, manifest, outlines) if outlines else ():
                foreign.add(f"{attempt.conversation}: {fault}")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield Finding("rows", Verdict.FAIL, f"the journal cannot be read as one: {error!r}")
        return
    yield own.finding("rows among themselves", f"{sum(seen.values())} attempts within the limits of the manifest")
    if outlines:
        for fault in _left_out(seen, manifest, outlines):
            foreign.add(fault)
        yield foreign.finding("rows against the dataset", f"{len(seen)} conversations as the dataset has them")


def attempts(path: Path) -> Iterator[Attempt]:
    """Cut a journal into its attempts.

    Raises:
        ValueError: A line is not as a journal is written, or an attempt has no end.
    """
    held: list[Row] = []
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            row = json_of(line)
            if encode([row]) != line:  # two readers could read it in two ways
                raise ValueError(f"line {number} is not as a journal is written")
            if row["t"] == "sum":
                continue
            if held and (row["conversation"], row["attempt"]) != (held[0]["conversation"], held[0]["attempt"]):
                raise ValueError(f"line {number} belongs to another attempt than the lines before it")
            held.append(row)
            if row["t"] == "end":
                yield Attempt(row["conversation"], row["attempt"], tuple(held))
                held = []
    if held:
        raise ValueError("the last attempt has no end")


def of_attempt(attempt: Attempt, manifest: Manifest) -> Iterator[str]:
    """Name what the rows of an attempt contradict among themselves and in the limits."""
    limits, memories, questions = manifest.limits, attempt.of("memory"), attempt.of("question")
    if [row["t"] for row in attempt.rows].count("case") != 1:
        yield "it does not begin exactly once"
    if attempt.rows[-1]["failed"] != failures(attempt.rows):
        yield f"its end counts {attempt.rows[-1]['failed']} failures where there are {failures(attempt.rows)}"
    if attempt.attempt > limits.attempts:
        yield f"attempt {attempt.attempt} of at most {limits.attempts}"
    if [row["row"] for row in memories] != list(range(len(memories))):
        yield "its memories are not numbered one after the other"
        return
    for repeated, times in Counter(row["question"] for row in questions).items():
        if times > 1:
            yield f"question {repeated} was asked {times} times"
    yield from (f"memory {row['memory']} {fault}" for row in memories for fault in _alone(row))
    tokens = [None if row.get("text") is None else count_tokens(row["text"]) for row in memories]
    for row in questions:
        yield from (f"question {row['question']} {fault}" for fault in _of_question(row, manifest, tokens))


def _alone(row: Row) -> Iterator[str]:
    """Name what a memory contradicts in itself."""
    text = row.get("text")
    if text is not None and digest(text) != row["sha256"]:
        yield "does not match the hash of its text"
    if row["form"] not in tuple(Form) or row["lineage"] not in tuple(Lineage):
        yield f"has a form or a lineage that does not exist: {row['form']}, {row['lineage']}"


def _of_question(row: Row, manifest: Manifest, tokens: list[int | None]) -> Iterator[str]:
    """Name what a question contradicts: its outcome, its limits, and the memories that it names."""
    limits, outcome, hits = manifest.limits, Outcome(row["outcome"]), row["memories"]
    if (outcome is Outcome.OK) != bool(hits):
        yield f"ended as {outcome} with {len(hits)} hits"
    if row["k"] != limits.k or len(hits) > limits.k:
        yield f"has {len(hits)} hits under k={row['k']}, where the manifest says {limits.k}"
    if len(set(hits)) != len(hits) or len(row["scores"]) != len(hits):
        yield "names a memory twice, or lacks scores"
    if not set(hits) <= set(range(len(tokens))):
        yield "names a memory that is not there"
        return
    if row["tries"] > limits.retries + 1:
        yield f"was tried {row['tries']} times, where {limits.retries + 1} are allowed"
    paid = row["tokens"] or 0
    if limits.budget_tokens is not None and paid > limits.budget_tokens:
        yield f"holds {paid} tokens, where {limits.budget_tokens} are allowed"
    texts = [tokens[hit] for hit in hits]
    counted = [cost for cost in texts if cost is not None]
    if outcome is Outcome.OK and len(counted) == len(texts) and sum(counted) != paid:
        yield f"says {paid} tokens, where its texts have {sum(counted)}"


def of_dataset(attempt: Attempt, manifest: Manifest, outlines: Mapping[str, Outline]) -> Iterator[str]:
    """Name what an attempt contradicts in the dataset; what a protocol adds or leaves out is its own affair."""
    outline = outlines.get(attempt.conversation)
    if outline is None:
        yield "the dataset has no such conversation"
        return
    (case,) = attempt.of("case")
    if case["number"] != outline.number:
        yield f"it stands at place {case['number']}, in the dataset at {outline.number}"
    for row in attempt.of("question"):
        if outline.questions.get(row["question"]) != (row["category"], row["asked_at"]):
            yield f"question {row['question']} is not one of the dataset, of this category and time"
    if manifest.stream.protocol != "clean":
        return
    asked = {row["question"] for row in attempt.of("question")}
    if played(manifest) and (absent := outline.questions.keys() - asked):
        yield f"{len(absent)} questions were never asked, such as {min(absent)}"
    writes = attempt.of("write")
    if writes and [turn for row in writes for turn in row["turns"]] != list(outline.turns):
        yield "what was written is not what was said, turn by turn"
    written_with = {turn: row["turns"] for row in writes for turn in row["turns"]}
    for row in attempt.of("memory") if played(manifest) else ():
        yield from (f"memory {row['memory']} {fault}" for fault in _of_memory(row, outline, written_with))


def _of_memory(row: Row, outline: Outline, written_with: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Name what a memory contradicts: turns that are not there, and words of a turn that it does not name.

    *written_with* has the turns of the write in which each turn was handed over.
    """
    strange = [turn for turn in row["sources"] if turn not in outline.turns]
    if strange:
        yield f"descends from {strange[0]}, which the conversation does not have"
    elif row["form"] == Form.RAW and len(row["sources"]) == 1:
        (source,) = row["sources"]
        text = row.get("text")
        if text is None and row["sha256"] in outline.exact:
            text = outline.turns[outline.exact[row["sha256"]]].text
        handed_over = [outline.turns[turn] for turn in written_with.get(source, ()) if turn in outline.turns]
        if text is not None and not is_raw(text, outline.turns[source], handed_over):
            yield f"is raw and names {source}, whose words it does not have"


def played(manifest: Manifest) -> bool:
    """Whether the harness saw the system run, so that everything that was to be asked was."""
    return manifest.system.ref.partition(":")[0] not in {"imported", "simulated"}


def _left_out(seen: Iterable[str], manifest: Manifest, outlines: Mapping[str, Outline]) -> Iterator[str]:
    if not played(manifest) or manifest.stream.protocol != "clean":
        return
    wanted = list(outlines)[: manifest.conversations]
    absent = set(wanted) - set(seen)
    if absent:
        yield f"{len(absent)} conversations of the dataset were never played, such as {min(absent)}"
    if more := set(seen) - set(wanted):
        yield f"{len(more)} conversations were not to be played, such as {min(more)}"
