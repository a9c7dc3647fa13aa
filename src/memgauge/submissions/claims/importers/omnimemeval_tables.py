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
_BY: Final = "OmniMemEval (MemTensor)"
_MAKERS: Final = "memos"
"""The product of those who publish the tables."""
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
    """0 where a category has none that can be read."""
    rows: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """The heading, and the cells by column."""


def read_tables(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``docs/benchmark-results.md``: a sheet for each product and source, with a number a dataset.

    Raises:
        MalformedDataError: It holds no table of results.
    """
    models: dict[str, str] = {}
    sheets: dict[tuple[str, ...], dict[str, Any]] = {}
    for part in _parts(read_text(path)):
        for heading, row in part.rows:
            if "Component" in row:
                models[row["Component"]] = row.get("Configuration", "").strip("`")
            elif heading in {_REPRODUCED, _QUOTED} and row.get("Backend"):
                _add(sheets, _Row(origin, part, heading, row, models), origin.at(path))
    if not sheets:
        raise MalformedDataError(f"{path}: holds no table under {_REPRODUCED!r}.", REMEDY)
    return tuple(built(path, sheet) for sheet in sheets.values())


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
    if "Count" in row:
        size = row["Count"].replace(",", "")
        part.sizes[next(iter(row.values()))] = int(size) if size.isdecimal() and len(size) < 10 else 0
    part.rows.append((heading, row))


@dataclass(frozen=True)
class _Row:
    """A row of results, and what stands around it."""

    origin: ClaimOrigin
    part: _Part
    heading: str
    cells: Mapping[str, str]
    models: Mapping[str, str]

    @property
    def product(self) -> str:
        """Return whose numbers they are."""
        return self.cells["Backend"]

    @property
    def quoted(self) -> bool:
        """Whether somebody else published them."""
        return self.heading == _QUOTED

    @property
    def link(self) -> tuple[str, str]:
        """Return name and address of the source that a quoted row names."""
        match = _LINK.search(self.cells.get("Source", "")) if self.quoted else None
        return (match[1] or NOT_STATED, match[2]) if match else (NOT_STATED, "")

    def source(self, where: str) -> dict[str, str]:
        """Return who published them."""
        own = "vendor" if slug(self.product) == _MAKERS else "competitor"
        return {
            "by": self.link[0] if self.quoted else _BY,
            "relation": NOT_STATED if self.quoted else own,
            "where": f"{where}, {self.heading}",
            "url": self.link[1],
            "on": NOT_STATED if self.quoted else self.origin.on,
            "seen": "copy" if self.quoted else "source",
        }

    @property
    def setting(self) -> dict[str, Any]:
        """Return the contract, which is stated of what was reproduced."""
        if self.quoted:
            return {"dataset": self.part.dataset}
        sizes = self.part.sizes.values()
        return {
            "dataset": self.part.dataset,
            "subset": f"deployment {self.cells.get('Deployment') or NOT_STATED}",
            "questions": sum(sizes) if sizes and all(sizes) else NOT_STATED,
            "judge": self.models.get("Judge model") or NOT_STATED,
            "answerer": self.models.get("Answer model") or NOT_STATED,
        }


def _add(sheets: dict[tuple[str, ...], dict[str, Any]], row: _Row, where: str) -> None:
    numbers = tuple(_numbers(where, row))
    if not numbers:
        return
    empty = {
        "product": slug(row.product),
        "title": row.product,
        "source": row.source(where),
        "settings": {},
        "numbers": [],
    }
    sheet = sheets.setdefault((row.product, row.heading, *row.link), empty)
    sheet["settings"][row.part.dataset] = row.setting
    sheet["numbers"].extend(numbers)


def _numbers(where: str, row: _Row) -> Iterator[dict[str, Any]]:
    part = row.part
    for column, value in row.cells.items():
        match = _NUMBER.match(value)
        if not match or (column not in _TOTALS and column not in _SCORES):
            continue
        rubric = column in _SCORES
        yield {
            "name": slug(f"{part.dataset}-{column}"),
            "setting": part.dataset,
            "measure": column if rubric else "LLM-as-a-judge accuracy, overall",
            "counts": "rubric-score" if rubric else _counted(part.dataset),
            "value": match[0],
            "unit": "percent",
            "rows": None if rubric else _rows(where, row),
        }


def _counted(dataset: str) -> str:
    return "matched-answers" if dataset.startswith("personamem") else "judged-answers"


def _rows(where: str, row: _Row) -> dict[str, Any] | None:
    """Return the categories of a row; nothing where one of them has no share."""
    each = []
    for category, size in row.part.sizes.items():
        cells = row.cells.items()
        value = next((text for column, text in cells if category in {column, _ABBREVIATED.get(column)}), "")
        if not size or not _NUMBER.fullmatch(value):
            return None
        each.append({"name": category, "questions": size, "share": value})
    if not each:
        return None
    return {
        "kind": "categories",
        "where": f"{where}, {row.part.dataset}, sizes from the table above",
        "sizes": "of the dataset" if row.quoted else "stated",
        "each": each,
    }
