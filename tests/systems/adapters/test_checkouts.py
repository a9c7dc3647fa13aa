from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.adapters.checkouts import checkout, revision, stand_in, stand_in_encoder
from memgauge.systems.adapters.vectors import Hashed

if TYPE_CHECKING:
    from pathlib import Path


def test_a_checkout_has_to_be_named_and_to_be_one(tmp_path: Path) -> None:
    """Both mistakes say what to clone and what is missing."""
    with pytest.raises(ConfigError, match="some:checkout=PATH"):
        checkout("some", "", "a.py", "github.com/some/where")
    with pytest.raises(ConfigError, match=r"lacks a\.py"):
        checkout("some", str(tmp_path), "a.py", "github.com/some/where")
    (tmp_path / "a.py").touch()
    assert checkout("some", str(tmp_path), "a.py", "github.com/some/where") == tmp_path


def test_the_commit_of_a_checkout_is_read_from_its_files(tmp_path: Path) -> None:
    """On a branch, on a commit, and where there is no repository."""
    assert revision(tmp_path) == "unknown"
    branch = tmp_path / ".git" / "refs" / "heads"
    branch.mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert revision(tmp_path) == "unknown"
    (branch / "main").write_text("0123456789abcdef\n")
    assert revision(tmp_path) == "0123456"
    (tmp_path / ".git" / "HEAD").write_text("fedcba9876543210\n")
    assert revision(tmp_path) == "fedcba9"


def test_an_encoder_stands_in_for_one_that_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the vectors of the embedder that is named, for one text and for several."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    stand_in_encoder(Hashed())
    encoder = sys.modules["sentence_transformers"].SentenceTransformer("any-model")
    one, several = encoder.encode("a garden"), encoder.encode(["a garden", "a gate"], convert_to_numpy=True)
    assert one.shape == (256,)
    assert several.shape == (2, 256)
    assert one.tolist() == several[0].tolist()


def test_a_package_that_is_not_used_may_be_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed stays as it is."""
    monkeypatch.delitem(sys.modules, "no_such_package_here", raising=False)
    stand_in("no_such_package_here", "Thing")
    assert sys.modules["no_such_package_here"].Thing is None
    del sys.modules["no_such_package_here"]
    stand_in("json", "Thing")
    assert not hasattr(sys.modules["json"], "Thing")
