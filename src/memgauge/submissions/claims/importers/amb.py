"""Agent Memory Benchmark: numbers that it collected of others, its manifest, and its result files."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.reading import expect, read_json
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import (
    ClaimTally,
    at,
    built,
    distinct,
    figure,
    quotation,
    slug,
    text_at,
)
from memgauge.submissions.claims.importers.streaming import items_at, top_values
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

_VERSION: Final = re.compile(r"\s+v(?P<version>\d[\w.]*)")
_ASIDE: Final = re.compile(r"\s*\(.*\)\s*$")
_BY: Final = "Agent Memory Benchmark"


def read_external(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``external_results.json``: numbers that others published, as far as they are described there.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    groups: defaultdict[tuple[str, ...], list[tuple[FileLocation, dict[str, Any]]]] = defaultdict(list)
    whole = expect(read_json(path), dict, FileLocation(path))
    for dataset, splits in whole.items():
        for split, rows in expect(splits, dict, FileLocation(path, field=dataset)).items():
            for number, each in enumerate(expect(rows, list, FileLocation(path, field=f"{dataset}.{split}"))):
                place = FileLocation(path, field=f"{dataset}.{split}[{number}]")
                row = expect(each, dict, place)
                key = (
                    _product(text_at(row, "memory", place)),
                    dataset,
                    split,
                    text_at(row, "source_label", place),
                )
                groups[key].append((place, row))
    return tuple(_external(path, origin, key, rows) for key, rows in groups.items())


def _external(
    path: Path, origin: ClaimOrigin, key: tuple[str, ...], rows: list[tuple[FileLocation, dict[str, Any]]]
) -> ClaimSheet:
    product, dataset, split, label = key
    place, first = rows[0]
    address = text_at(first, "source_url", place)
    names = distinct(slug(text_at(row, "memory", where)) for where, row in rows)
    return built(
        path,
        {
            "product": slug(product),
            "title": product,
            "version": _version(text_at(first, "memory", place)),
            "source": {
                "by": label,
                "relation": NOT_STATED,
                "where": f"{origin.where or path.name}: {dataset}.{split}",
                "url": address if address.startswith("https://") else "",
                "on": origin.on,
                "seen": "copy",
                "quote": quotation(str(first.get("comment") or "")),
            },
            "settings": {slug(dataset): {"dataset": slug(dataset), "subset": split}},
            "numbers": [
                {
                    "name": name,
                    "setting": slug(dataset),
                    "measure": "accuracy",
                    "counts": "judged-answers",
                    "value": figure(row.get("accuracy"), at(where, "accuracy")),
                    "unit": "share",
                }
                for name, (where, row) in zip(names, rows, strict=True)
            ],
        },
    )


def _product(memory: str) -> str:
    return _VERSION.split(_ASIDE.sub("", memory))[0]


def _version(memory: str) -> str:
    match = _VERSION.search(memory)
    return match["version"] if match else NOT_STATED


def read_manifest(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``results-manifest.json``: each entry is a number with the count behind it.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    sheets = []
    for number, each in enumerate(expect(read_json(path), list, FileLocation(path))):
        place = FileLocation(path, field=f"[{number}]")
        entry = expect(each, dict, place)
        count = {
            "name": "all",
            "questions": expect(entry.get("total_queries"), int, at(place, "total_queries")),
            "right": expect(entry.get("correct"), int, at(place, "correct")),
        }
        rows = {"kind": "total", "where": f"{origin.where or path.name}: {place.field}", "each": [count]}
        sheets.append(_result(path, origin, entry, place, rows))
    return tuple(sheets)


def read_output(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read a result file (``outputs/**.json.gz``): its number, and its questions counted again by conversation.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    head = top_values(path)
    tally = ClaimTally()
    for number, each in enumerate(items_at(path, "results")):
        place = FileLocation(path, field=f"results[{number}]")
        row = expect(each, dict, place)
        tally.once(text_at(row, "query_id", place), place)
        verdict = row.get("correct")
        if verdict is not None:
            expect(verdict, bool, at(place, "correct"))
        tally.add(_conversation(row), verdict)
    place = FileLocation(path)
    listed = tally.rows(FileLocation(path, field="results"))
    kind = "conversations" if listed[0]["name"] != "all" else "total"
    rows = {"kind": kind, "where": origin.where or path.name, "each": listed}
    return (_result(path, origin, head, place, rows),)


def _conversation(row: Mapping[str, Any]) -> str:
    meta = row.get("meta")
    return str(meta.get("sample_id") or "all")[:200] if isinstance(meta, dict) else "all"


def _result(
    path: Path, origin: ClaimOrigin, entry: Mapping[str, Any], place: FileLocation, rows: Mapping[str, Any]
) -> ClaimSheet:
    memory = text_at(entry, "memory" if "memory" in entry else "memory_provider", place)
    dataset = slug(text_at(entry, "dataset", place))
    counted = sum(row["questions"] + row.get("unscored", 0) for row in rows["each"])
    return built(
        path,
        {
            "product": slug(memory),
            "title": memory,
            "source": {
                "by": _BY,
                "relation": NOT_STATED,
                "where": origin.where or path.name,
                "on": origin.on,
                "seen": "source",
            },
            "settings": {
                dataset: {
                    "dataset": dataset,
                    "subset": f"{text_at(entry, 'split', place)}, {text_at(entry, 'mode', place)}",
                    "questions": counted,
                    "judge": text_at(entry, "judge_llm", place),
                    "answerer": text_at(entry, "answer_llm", place),
                }
            },
            "numbers": [
                {
                    "name": slug(f"{dataset}-{text_at(entry, 'run_name', place)}"),
                    "setting": dataset,
                    "measure": "accuracy",
                    "counts": "judged-answers",
                    "value": figure(entry.get("accuracy"), at(place, "accuracy")),
                    "unit": "share",
                    "rows": rows,
                }
            ],
        },
    )
