"""Words of commands that are printed to be pasted."""

from __future__ import annotations

import shlex
from pathlib import Path

from memgauge.text.shell import typed


def test_a_word_comes_back_as_it_was() -> None:
    """A plain path stays as it is; spaces, quotes and signs of a shell reach the command."""
    assert typed(Path("runs/a")) == "runs/a"
    for word in ("my runs", "it's", "$HOME/*"):
        assert shlex.split(f"memgauge score {typed(word)}") == ["memgauge", "score", word]
