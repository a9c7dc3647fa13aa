"""Tokens of servers: a file's, a variable's, or a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.frame.tokens import SHORTEST, chosen_token, new_token

if TYPE_CHECKING:
    from pathlib import Path


def test_a_token_is_of_a_file_or_of_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file wins; with neither there is none."""
    assert chosen_token(None, "A_TOKEN") == ""
    monkeypatch.setenv("A_TOKEN", "of-the-environment")
    assert chosen_token(None, "A_TOKEN") == "of-the-environment"
    (tmp_path / "token").write_text("of-the-file-that-is-named\n", "utf-8")
    assert chosen_token(tmp_path / "token", "A_TOKEN") == "of-the-file-that-is-named"
    assert len(new_token()) >= SHORTEST
    assert new_token() != new_token()


@pytest.mark.parametrize("token", ["short", "", "a token with\na second line", "ключключключключключ"])
def test_a_token_that_can_be_guessed_or_not_be_sent_is_refused(tmp_path: Path, token: str) -> None:
    """With its length, and not with itself."""
    (tmp_path / "token").write_text(token, "utf-8")
    with pytest.raises(ConfigError, match="can be guessed, or not be sent") as refused:
        chosen_token(tmp_path / "token", "A_TOKEN")
    assert not token or token not in str(refused.value)
    with pytest.raises(ConfigError, match="Cannot read a token"):
        chosen_token(tmp_path / "absent", "A_TOKEN")
