"""Files of spans become sealed traffic, in memory that does not grow with them."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from memgauge.collecting import uncollected
from memgauge.errors import MalformedDataError
from memgauge.exchange.otlp.answers import may_answer
from memgauge.exchange.otlp.evaluations import (
    FILE,
    JOINED,
    ORPHANED,
    REPEATED,
    JudgedSpan,
    SpanEvaluation,
    write_evaluations,
)
from memgauge.exchange.otlp.logs import EvaluationParts
from memgauge.exchange.otlp.payload import check_lines
from memgauge.exchange.otlp.reading import read_files
from memgauge.exchange.otlp.resolving import ResolvedTrace
from memgauge.exchange.otlp.sighting import sampling
from memgauge.exchange.otlp.sightings import CONTRADICTING, SpanParts
from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.writer import TrafficWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.exchange.otlp.payload import SeenFiles
    from memgauge.exchange.otlp.sighting import OtlpOptions

_MOST_NAMES: Final = 50
"""Names of unknown spans that the ledger holds; the rest are counted together."""


class _ImportTally:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.noted: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.dialects: defaultdict[str, Counter[str]] = defaultdict(Counter)


def import_otlp(files: Sequence[Path], folder: Path, options: OtlpOptions) -> Traffic:
    """Read files of OTLP/JSON into the traffic at *folder*.

    Raises:
        DataError: A file is absent or cannot be read, or none of them holds a span.
        RunError: Something lies at *folder*, or there is no room.
    """
    tally = _ImportTally()
    with (
        uncollected(),
        TrafficWriter(folder) as writer,
        TemporaryDirectory(dir=folder.parent, prefix=".spans-") as scratch,
    ):
        answers = any(may_answer(path) for path in files if path.is_file())
        seen_files = read_files(files, Path(scratch), replace(options, answers=answers))
        check_lines(seen_files.whole, seen_files.broken)
        if not seen_files.spans:
            why = "".join(
                f" Left out: {count:,} ({reason})." for reason, count in sorted(seen_files.left_out.items())
            )
            raise MalformedDataError(
                f"{_names(files)}: no span in {seen_files.whole.total():,} lines or documents.{why}",
                "Export traces as OTLP/JSON: objects that have `resourceSpans`.",
            )
        evaluations_path = Path(scratch) / FILE
        _join(Path(scratch), evaluations_path, writer, tally)
        if not tally.dialects:
            strange = "".join(f" Not known: {name}." for name, _ in tally.unknown.most_common(3))
            raise MalformedDataError(
                f"{_names(files)}: none of {seen_files.spans:,} spans is an operation of memory in a dialect "
                f"that is known.{strange}",
                "See which are in docs/exchange.md; nothing was made.",
            )
        writer.close(_identity(seen_files, tally, options), _totals(seen_files, tally))
        if evaluations_path.exists():
            shutil.move(evaluations_path, folder / FILE)
    return Traffic.read(folder)


def _names(files: Sequence[Path]) -> str:
    return ", ".join(map(str, files))


def _join(scratch: Path, evaluations_path: Path, writer: TrafficWriter, tally: _ImportTally) -> None:
    """Put spans and evaluations together, the former into traffic and the latter into a file of their own."""
    evaluations = EvaluationParts(scratch)
    tally.noted[JOINED] = write_evaluations(
        evaluations_path, _write(SpanParts(scratch), evaluations, writer, tally)
    )
    tally.left_out[ORPHANED] = evaluations.orphans()
    tally.noted[REPEATED] = evaluations.repeated


def _write(
    parts: SpanParts, evaluations: EvaluationParts, writer: TrafficWriter, tally: _ImportTally
) -> Iterator[JudgedSpan]:
    """Write the operations of every trace, and yield what was said of its spans."""
    for spans in parts.traces():
        for span in spans:
            for evaluation in (*map(SpanEvaluation._make, span.evaluations), *evaluations.about(span)):
                yield JudgedSpan(f"{span.trace}/{span.span}", evaluation)
            for note in span.notes:
                tally.noted[note] += 1
            tally.counts["dropped"] += span.dropped
            column, remark = span.remark
            if column:
                (tally.noted if column == "noted" else tally.unknown)[remark] += 1
        if not any(span.operations for span in spans):
            continue
        for span, operation, records, orphan in ResolvedTrace(spans).operations(tally.left_out, tally.noted):
            writer.add(operation, records)
            tally.dialects[span.dialect][operation.operation] += 1
            tally.counts["orphans" if orphan else "joined"] += 1
        tally.counts["unparsable"] += sum(row["unparsable"] for span in spans for row in span.operations)
    tally.counts["duplicates"] = parts.duplicates
    if parts.contradicting:
        tally.left_out[CONTRADICTING] = parts.contradicting


def _totals(seen_files: SeenFiles, tally: _ImportTally) -> TrafficLedger:
    counts, unknown_counts = (
        tally.counts,
        dict(sorted(tally.unknown.items(), key=lambda item: (-item[1], item[0]))),
    )
    most_frequent = dict(list(unknown_counts.items())[:_MOST_NAMES])
    other_count = sum(unknown_counts.values()) - sum(most_frequent.values())
    broken_lines = {"a line that is no JSON": seen_files.broken.total()}
    return TrafficLedger(
        rows=seen_files.whole.total(),
        spans=seen_files.spans,
        joined=counts["joined"],
        orphans=counts["orphans"],
        duplicates=counts["duplicates"],
        dropped_attributes=counts["dropped"],
        unparsable=counts["unparsable"],
        noted=dict(sorted((tally.noted + seen_files.noted).items())),
        left_out=dict(sorted((tally.left_out + seen_files.left_out + Counter(broken_lines)).items())),
        unknown=most_frequent | ({"other names": other_count} if other_count else {}),
    )


def _identity(seen_files: SeenFiles, tally: _ImportTally, options: OtlpOptions) -> TrafficIdentity:
    return TrafficIdentity(
        recorder="otlp",
        sources=tuple(seen_files.sources),
        dialects={name: dict(sorted(kinds.items())) for name, kinds in sorted(tally.dialects.items())},
        services=tuple(sorted(seen_files.services)),
        libraries=tuple(sorted(seen_files.libraries)),
        schemas=tuple(sorted(seen_files.schemas)),
        sampling=sampling(seen_files.thresholds),
        pseudonyms="keyed" if options.pseudonyms.keyed else "plain",
        texts=options.texts,
        scope_from=options.scope_from,
    )
