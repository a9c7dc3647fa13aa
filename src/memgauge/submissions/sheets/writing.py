"""Sheets as TOML: what a person reads in a pull request; keys in the order of the model, nothing left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.submissions.sheets.base import Sheet


def sheet_text(sheet: Sheet) -> str:
    """Write a sheet; what is as by default is written too, since a reader does not know defaults."""
    return toml_text(sheet.model_dump(mode="json", by_alias=True))


def toml_text(data: Mapping[str, Any]) -> str:
    """Write a mapping as TOML: values first, then tables, then lists of tables.

    Values that are ``None`` are left out, as TOML has none.
    """
    return "\n".join(_lines(data, ())).strip() + "\n"


def _lines(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    lists = {key: value for key, value in data.items() if _of_tables(value)}
    for key, value in data.items():
        if key not in tables and key not in lists and value is not None:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in tables.items():
        below = (*path, _key(key))
        yield from ("", f"[{'.'.join(below)}]", *_lines(value, below))
    for key, rows in lists.items():
        below = (*path, _key(key))
        for row in rows:
            yield from ("", f"[[{'.'.join(below)}]]", *_lines(row, below))


def _of_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if plain else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return _list(value)
    return repr(value)


def _list(items: Sequence[Any]) -> str:
    return f"[{', '.join(map(_value, items))}]"


def _text(text: str) -> str:
    """Write a string; JSON escapes what TOML escapes, but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
