"""Descriptions of a real server that runs here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SERVER = Path(__file__).parent / "notes_server.py"
DESCRIPTION = """
name = "notes"
command = [{python!r}, {server!r}]
score_kind = "similarity"
timeout_s = {timeout}
{settles}
[env]
NOTES_FILE = "{{dir}}/notes.json"
HABITS = "{habits}"
[ops.add]
tool = "write"
arguments = {{ title = "{{id}}", body = "{{text}}" }}
[ops.search]
tool = "find"
arguments = {{ query = "{{query}}", limit = "{{k}}" }}
result = "rows"
words = {words}
[ops.list]
tool = "all"
arguments = {{ page = "{{page}}" }}
result = "rows"
{mutable}
[row]
id = "title"
text = "body"
score = "rank"
"""
MUTABLE = """
[[ops.update]]
tool = "remove"
arguments = { title = "{id}" }
[[ops.update]]
tool = "write"
arguments = { title = "{id}", body = "{text}" }
[ops.delete]
tool = "remove"
arguments = { title = "{id}" }
"""


@pytest.fixture
def describe(tmp_path: Path) -> Callable[..., str]:
    """Write a description of the server with the given habits, and return its path."""

    def write(
        habits: str = "", *, settles: bool = False, words: bool = False, mutable: bool = True, timeout: float = 20
    ) -> str:
        text = DESCRIPTION.format(
            python=sys.executable,
            server=str(SERVER),
            habits=habits,
            settles="settles = true" if settles else "",
            words=str(words).lower(),
            mutable=MUTABLE if mutable else "",
            timeout=timeout,
        )
        path = tmp_path / "notes.toml"
        path.write_text(text, "utf-8")
        return str(path)

    return write
