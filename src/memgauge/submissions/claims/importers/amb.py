"""Agent Memory Benchmark: numbers that it collected of others, its manifest, and its result files."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.reading import expect, read_json
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import (
    ClaimTally,
    at,
    built,
    claimed,
    count_at,
    distinct,
    figure,
    judged,
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
_RELATIONS: Final = {"Self-reported": "vendor", "by a competitor": "competitor"}
"""How its comments say who published a number."""


def read_external(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``external_results.json``: numbers that others published, a sheet for each product and source.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    groups: defaultdict[tuple[str, str, str], list[_External]] = defaultdict(list)
    whole = expect(read_json(path), dict, FileLocation(path))
    for dataset, splits in whole.items():
        for split, rows in expect(splits, dict, FileLocation(path, field=dataset)).items():
            for number, each in enumerate(expect(rows, list, FileLocation(path, field=f"{dataset}.{split}"))):
                place = FileLocation(path, field=f"{dataset}.{split}[{number}]")
                row = _External(dataset, split, expect(each, dict, place), place)
                memory = text_at(row.row, "memory", place)
                key = (_product(memory), _version(memory), text_at(row.row, "source_label", place))
                groups[key].append(row)
    return tuple(_external(path, origin, key, rows) for key, rows in groups.items())


@dataclass(frozen=True)
class _External:
    """One number, and where it stands."""

    dataset: str
    split: str
    row: dict[str, Any]
    place: FileLocation

    @property
    def setting(self) -> str:
        """Return the name of its setting."""
        return slug(f"{self.dataset}-{self.split}")


def _external(path: Path, origin: ClaimOrigin, key: tuple[str, str, str], rows: list[_External]) -> ClaimSheet:
    product, version, label = key
    first = rows[0]
    address = text_at(first.row, "source_url", first.place)
    comment = str(first.row.get("comment") or "")
    names = distinct(slug(f"{each.setting}-{text_at(each.row, 'memory', each.place)}") for each in rows)
    return built(
        path,
        {
            "product": slug(product),
            "title": product,
            "version": version,
            "source": {
                "by": label,
                "relation": next(
                    (relation for words, relation in _RELATIONS.items() if words in comment), NOT_STATED
                ),
                "where": origin.at(path),
                "url": address if address.startswith("https://") else "",
                "on": origin.on,
                "seen": "copy",
                "quote": quotation(comment),
            },
            "settings": {each.setting: {"dataset": slug(each.dataset), "subset": each.split} for each in rows},
            "numbers": [
                judged(name, each.setting, figure(each.row.get("accuracy"), at(each.place, "accuracy")), None)
                for name, each in zip(names, rows, strict=True)
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
            "questions": count_at(entry, "total_queries", place),
            "right": count_at(entry, "correct", place),
        }
        rows = {"kind": "total", "where": f"{origin.at(path)}: {place.field}", "each": [count]}
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
    rows = {"kind": kind, "where": origin.at(path), "each": listed}
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
    setting = {
        "dataset": dataset,
        "subset": f"{text_at(entry, 'split', place)}, {text_at(entry, 'mode', place)}",
        "questions": counted,
        "judge": text_at(entry, "judge_llm", place),
        "answerer": text_at(entry, "answer_llm", place),
    }
    name = slug(f"{dataset}-{text_at(entry, 'run_name', place)}")
    number = judged(name, dataset, figure(entry.get("accuracy"), at(place, "accuracy")), rows)
    return claimed(path, origin, memory, "Agent Memory Benchmark", {dataset: setting}, number)
