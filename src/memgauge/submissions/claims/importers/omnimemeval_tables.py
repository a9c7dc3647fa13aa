"""OmniMemEval's published tables: every row a number with its categories, and numbers that it quotes of others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY, read_text
from memgauge.submissions.claims.importers.building import built, slug
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

_NUMBER: Final = re.compile(r"\d{1,3}(?:\.\d+)?")
_LINK: Final = re.compile(r"\[([^\]]*)\]\((https://[^)\s]+)\)")
_TOTALS: Final = {"Overall": "judged-answers"}
_SCORES: Final = ("100K Nugget Score", "10M Nugget Score")
_REPRODUCED: Final = "Reproduced Results"
_QUOTED: Final = "Published Reference Results"
_ABBREVIATED: Final = {
    "SS-User": "single-session-user",
    "SS-Asst": "single-session-assistant",
    "SS-Pref": "single-session-preference",
    "Temp. Reas": "temporal-reasoning",
    "Multi-S": "multi-session",
    "Know. Upd": "knowledge-update",
    "Anti-Stereotypical": "anti_stereotypical_pref",
    "Ask-to-Forget": "ask_to_forget",
    "Health/Medical": "health_and_medical_conditions",
    "Neutral": "neutral_preferences",
    "Sensitive": "sensitive_info",
    "Stereotypical": "stereotypical_pref",
    "Therapy": "therapy_background",
    "Basic Fact": "Basic Fact Recall",
    "Boundary": "Memory Boundary",
    "Conflict": "Memory Conflict",
    "Generalization": "Generalization & Application",
    "Multi-Hop": "Multi-hop Inference",
    "Dynamic Update": "Dynamic Update",
}
"""What the columns of results call the categories whose sizes stand in a table above them."""


@dataclass
class _Part:
    """One dataset of the document."""

    dataset: str
    sizes: dict[str, int] = field(default_factory=dict)
    rows: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """The heading, and the cells by column."""


def read_tables(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``docs/benchmark-results.md``.

    Raises:
        MalformedDataError: It holds no table of results.
    """
    models: dict[str, str] = {}
    sheets: list[ClaimSheet] = []
    for part in _parts(read_text(path)):
        if part.dataset == "evaluation-setup":
            models = {row["Component"]: row.get("Configuration", "") for _, row in part.rows if "Component" in row}
        for heading, row in part.rows:
            if heading in {_REPRODUCED, _QUOTED} and row.get("Backend"):
                sheets += _sheets(path, origin, part, heading, row, models)
    if not sheets:
        raise MalformedDataError(f"{path}: holds no table under {_REPRODUCED!r}.", REMEDY)
    return tuple(sheets)


def _parts(text: str) -> Iterator[_Part]:
    part, heading, columns = _Part(""), "", list[str]()
    for line in text.split("\n"):
        if line.startswith("## "):
            yield part
            part, heading, columns = _Part(slug(line[3:])), "", []
        elif line.startswith("### "):
            heading, columns = line[4:].strip(), []
        elif not line.startswith("|"):
            columns = []
        elif not columns:
            columns = _cells(line)
        elif not set(line) <= set("|-: "):
            _read(part, heading, dict(zip(columns, _cells(line), strict=False)))
    yield part


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _read(part: _Part, heading: str, row: dict[str, str]) -> None:
    size = row.get("Count", "").replace(",", "")
    if size.isdecimal():
        part.sizes[next(iter(row.values()))] = int(size)
    part.rows.append((heading, row))


def _sheets(
    path: Path, origin: ClaimOrigin, part: _Part, heading: str, row: Mapping[str, str], models: Mapping[str, str]
) -> Iterator[ClaimSheet]:
    numbers = tuple(_numbers(origin.where or path.name, part, row))
    if not numbers:
        return
    quoted = heading == _QUOTED
    link = _LINK.search(row.get("Source", ""))
    product = row["Backend"]
    setting: dict[str, Any] = {"dataset": part.dataset}
    if not quoted:
        setting |= {
            "judge": models.get("Judge model", "").strip("`") or NOT_STATED,
            "answerer": models.get("Answer model", "").strip("`") or NOT_STATED,
        }
        if part.sizes:
            setting["questions"] = sum(part.sizes.values())
        if row.get("Deployment"):
            setting["subset"] = f"deployment {row['Deployment']}"
    by = (link[1] if link else NOT_STATED) if quoted else "OmniMemEval (MemTensor)"
    maker = "vendor" if slug(product) == "memos" else "competitor"
    yield built(
        path,
        {
            "product": slug(product),
            "title": product,
            "source": {
                "by": by or NOT_STATED,
                "relation": NOT_STATED if quoted else maker,
                "where": f"{origin.where or path.name}, {part.dataset}, {heading}",
                "url": link[2] if link and quoted else "",
                "on": NOT_STATED if quoted else origin.on,
                "seen": "copy" if quoted else "source",
            },
            "settings": {part.dataset: setting},
            "numbers": numbers,
        },
    )


def _numbers(where: str, part: _Part, row: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for column, value in row.items():
        match = _NUMBER.match(value)
        if not match or (column not in _TOTALS and column not in _SCORES):
            continue
        rubric = column in _SCORES
        yield {
            "name": slug(column),
            "setting": part.dataset,
            "measure": column if rubric else "LLM-as-a-judge accuracy, overall",
            "counts": "rubric-score" if rubric else _counted(part.dataset),
            "value": match[0],
            "unit": "percent",
            "rows": None if rubric else _rows(where, part, row),
        }


def _counted(dataset: str) -> str:
    return "matched-answers" if dataset.startswith("personamem") else "judged-answers"


def _rows(where: str, part: _Part, row: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the categories of a row; nothing where one of them has no share."""
    each = []
    for category, size in part.sizes.items():
        value = next((row[column] for column in row if category in {column, _ABBREVIATED.get(column)}), "")
        if not _NUMBER.fullmatch(value):
            return None
        each.append({"name": category, "questions": size, "share": value})
    return (
        {"kind": "categories", "where": f"{where}, {part.dataset}, sizes from the table above", "each": each}
        if each
        else None
    )
