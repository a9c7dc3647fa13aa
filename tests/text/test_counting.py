"""Token counters by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MissingExtraError, UnknownNameError
from memgauge.studies.context.sample import place
from memgauge.studies.context.tasks import EVERY_TYPE, sample
from memgauge.text.counting import FILE, open_counter

if TYPE_CHECKING:
    from pathlib import Path


def test_ways_to_count_differ_and_have_names() -> None:
    """A text has a quarter as many tokens as characters, or as many as words."""
    text = "The kettle is on the shelf."
    assert (open_counter("chars/4").count(text), open_counter("words").count(text)) == (7, 6)


def test_an_unknown_way_is_suggested() -> None:
    """A slip is answered by the nearest name."""
    with pytest.raises(UnknownNameError, match="Did you mean words"):
        open_counter("word")


def test_a_tokenizer_file_counts(tmp_path: Path) -> None:
    """The tokens of a real tokenizer decide lengths, and prompts keep within them."""
    tokenizers = pytest.importorskip("tokenizers")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="?"))  # noqa: S106 - what stands for the unknown
    trained.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    lines = [line for task in EVERY_TYPE for line in place(sample(task, 0), 2_000).text.split("\n")]
    trained.train_from_iterator(lines, tokenizers.trainers.BpeTrainer(vocab_size=900, special_tokens=["?"]))
    trained.save(str(tmp_path / "tokenizer.json"))
    counter = open_counter(f"{FILE}{tmp_path / 'tokenizer.json'}")
    for task in EVERY_TYPE:
        placed = place(sample(task, 1), 1_000, 0.5, counter)
        assert 960 <= placed.tokens <= 1_000
        assert placed.tokens == len(trained.encode(placed.text, add_special_tokens=False).ids)


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    """One sentence says which file, and what to give."""
    pytest.importorskip("tokenizers")
    path = tmp_path / "other.json"
    path.write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match=r"other\.json is no tokenizer"):
        open_counter(f"{FILE}{path}")


def test_an_absent_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package that reads tokenizers, the message says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match="pip install tokenizers"):
        open_counter(f"{FILE}absent.json")
