"""Files of spans are read and reduced, by several processes where there is much of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from memgauge.collecting import uncollected
from memgauge.exchange.otlp.logs import EvaluationSpill, logged_evaluations
from memgauge.exchange.otlp.payload import PayloadReader, SeenFiles
from memgauge.exchange.otlp.sighting import Sighter
from memgauge.exchange.otlp.sightings import SpanSpill
from memgauge.exchange.otlp.spans import spans_of
from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.exchange.otlp.sighting import OtlpOptions

_MUCH: Final = 64 << 20
"""Bytes from which on several processes take less time than one."""
_WORKERS: Final = 4


def read_files(files: Sequence[Path], folder: Path, options: OtlpOptions) -> SeenFiles:
    """Reduce the spans of *files* into *folder*, and say what was met; how many share the work changes nothing.

    Raises:
        DataError: A file is absent or cannot be read.
    """
    size = sum(path.stat().st_size for path in files if path.is_file())
    workers = min(_WORKERS, os.cpu_count() or 1) if size > _MUCH else 1
    return shared(files, folder, options, workers)


def shared(files: Sequence[Path], folder: Path, options: OtlpOptions, workers: int) -> SeenFiles:
    """Let so many processes read, each its share of all lines."""
    if workers == 1:
        return _read(files, folder, options, 0, 1)
    seen_files = SeenFiles()
    with worker_pool(workers) as pool:
        shares = [pool.submit(_read, files, folder, options, turn, workers) for turn in range(workers)]
        for share in shares:
            seen_files.add(share.result())
    return seen_files


def _read(files: Sequence[Path], folder: Path, options: OtlpOptions, turn: int, turns: int) -> SeenFiles:
    """Read one share."""
    seen_files = SeenFiles()
    reader, sighter = PayloadReader(seen_files, turn, turns), Sighter(options, seen_files)
    with uncollected(), SpanSpill(folder, turn) as spill, EvaluationSpill(folder, turn) as evaluation_spill:
        for path in files:
            for request in reader.requests(path):
                for span in spans_of(request, seen_files.left_out, seen_files.noted):
                    seen_files.spans += 1
                    spill.add(sighter.sight(span))
                for evaluation in logged_evaluations(
                    request, seen_files.left_out, seen_files.noted, texts=options.texts
                ):
                    evaluation_spill.add(evaluation)
    return seen_files
