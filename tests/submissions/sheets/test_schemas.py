"""Published schemas: they are those of the models, and every sheet of our registry validates against its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped] # no stubs
import pytest

from memgauge.submissions.sheets.kinds import KINDS
from memgauge.submissions.sheets.schemas import FOLDER, schema_files, write_schemas
from memgauge.text.untrusted import text_file, toml_of
from support.registry import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.sheets.kinds import SheetKind

RESULTS = CHECKOUT / "results"


def _validator(kind: SheetKind) -> jsonschema.Draft202012Validator:
    version = kind.model.SCHEMA.rpartition("/")[2]
    schema: Any = json.loads((RESULTS / FOLDER / f"{kind.name}.{version}.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_published_schemas_are_current() -> None:
    """What lies in the registry is what the models say, and nothing else lies there (else: make schemas)."""
    published = {path.name: path.read_text("utf-8") for path in (RESULTS / FOLDER).iterdir()}
    assert published == dict(schema_files())


def test_writing_takes_away_what_is_of_no_sheet(tmp_path: Path) -> None:
    """A kind that was renamed leaves nothing behind."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "forgotten.1.json").touch()
    assert {path.name for path in write_schemas(tmp_path)} == {path.name for path in (tmp_path / FOLDER).iterdir()}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_sheet_of_ours_validates(kind: SheetKind) -> None:
    """By a validator that knows nothing of our models."""
    validator = _validator(kind)
    for path in RESULTS.glob(kind.pattern):
        text = text_file(path)
        data = json.loads(text) if path.suffix == ".json" else toml_of(text)
        wrong = [f"{path.name}: {error.json_path}: {error.message}" for error in validator.iter_errors(data)]
        assert not wrong


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", "memgauge.submission/2"),
        ("division", "half-open"),
        ("a-stranger", 1),
        ("runs", []),
        ("id", None),
    ],
)
def test_a_schema_refuses_what_the_model_refuses(field: str, value: Any) -> None:
    """Another version, an unknown value, an unknown key, too little, and what is missing."""
    kind = next(each for each in KINDS if each.name == "submission")
    data = toml_of(text_file(next(iter(RESULTS.glob(kind.pattern)))))
    validator = _validator(kind)
    assert validator.is_valid(data)
    changed = {name: each for name, each in {**data, field: value}.items() if each is not None}
    assert not validator.is_valid(changed)
