"""mteb: a result file of one embedder on one task, with the model's sheet beside it; scores without rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.reading import expect, read_json
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import at, claimed, distinct, figure, judged, slug, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

META: Final = "model_meta.json"


def read_task(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``<Task>.json``: the main score of every split and subset.

    Raises:
        DataNotFoundError: There is no ``model_meta.json`` beside it.
        MalformedDataError: It is no such file; the field is named.
    """
    place = FileLocation(path)
    whole = expect(read_json(path), dict, place)
    task = text_at(whole, "task_name", place)
    beside = path.with_name(META)
    meta = expect(read_json(beside), dict, FileLocation(beside))
    model = text_at(meta, "name", FileLocation(beside))
    scores = tuple(_scores(path, whole))
    names = distinct(slug(f"{task}-{split}-{subset}") for split, subset, _ in scores)
    by, version = f"mteb {text_at(whole, 'mteb_version', place)}", text_at(meta, "revision", FileLocation(beside))
    subset = f"revision {text_at(whole, 'dataset_revision', place)}"
    numbers = [
        judged(name, slug(task), value, None, measure="main_score", counts="evidence-found")
        for name, (_, _, value) in zip(names, scores, strict=True)
    ]
    settings = {slug(task): {"dataset": slug(task), "subset": subset}}
    return (claimed(path, origin, model, by, settings, *numbers, version=version),)


def _scores(path: Path, whole: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    listed = expect(whole.get("scores"), dict, FileLocation(path, field="scores"))
    for split, rows in listed.items():
        for number, each in enumerate(expect(rows, list, FileLocation(path, field=f"scores.{split}"))):
            place = FileLocation(path, field=f"scores.{split}[{number}]")
            row = expect(each, dict, place)
            yield split, text_at(row, "hf_subset", place), figure(row.get("main_score"), at(place, "main_score"))
