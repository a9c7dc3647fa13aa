"""A history of cards in a file that is only appended to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError, RunError
from memgauge.studies.attribution.readers import WiredReader
from memgauge.studies.attribution.study import attribute
from memgauge.studies.attribution.trend import HISTORY, entry, of

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.attribution.question import SlotQuestion


def test_what_is_kept_comes_back(tmp_path: Path, questions: tuple[SlotQuestion, ...]) -> None:
    """Line by line, undefined rates and broken checks included; the folder is made."""
    cards = [attribute(WiredReader(name), questions[:2]) for name in ("guesser", "memory-first")]
    entries = [entry(card, "2026-11-01", build) for card, build in zip(cards, ("", "b2"), strict=True)]
    path = tmp_path / "kept" / "history.jsonl"
    assert HISTORY.read(path) == ()
    HISTORY.append(path, entries[:1])
    HISTORY.append(path, entries[1:])
    assert HISTORY.read(path) == tuple(entries)
    assert [one.label for one in entries] == ["2026-11-01", "b2"]
    assert entries[0].rates["citations that move the answer"] == (None, None, None, 0)
    assert entries[0].rates["guesses where nothing is held"][0] == 1


def test_only_like_is_a_trend_of_like(questions: tuple[SlotQuestion, ...]) -> None:
    """Another reader, another number of questions or another seed is another series."""
    reader = WiredReader("guesser")
    card, fewer = attribute(reader, questions[:4]), attribute(reader, questions[:2])
    other = attribute(WiredReader("majority"), questions[:4])
    history = (entry(card, "1"), entry(fewer, "2"), entry(other, "3"), entry(card, "4", seed=1), entry(card, "5"))
    assert [one.at for one in of(history, history[-1])] == ["1", "5"]


@pytest.mark.parametrize(
    "changed",
    [{"at": 1}, {"rates": {"x": 1}}, {"rates": {"x": [1, 2]}}, {"broken": ""}, {"design": None}],
    ids=str,
)
def test_a_line_that_is_none_of_ours_is_named(
    tmp_path: Path, questions: tuple[SlotQuestion, ...], changed: dict[str, object]
) -> None:
    """By file and number; an empty line is nothing."""
    path = tmp_path / "history.jsonl"
    card = entry(attribute(WiredReader("guesser"), questions[:2]), "1")
    HISTORY.append(path, [card])
    good = json.loads(path.read_text())
    assert (good["kind"], good["version"], good["at"], good["of"]) == (
        "attribution card",
        1,
        "1",
        "wiring:guesser",
    )
    assert {"at", "reader"}.isdisjoint(good["value"])
    line = {**good, **changed, "value": {**good["value"], **changed}}
    path.write_text(path.read_text() + "\n" + json.dumps(line) + "\n")
    with pytest.raises(MalformedDataError, match=r"history\.jsonl:3: this is no line"):
        HISTORY.read(path)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, questions: tuple[SlotQuestion, ...]) -> None:
    """A file is no folder."""
    (tmp_path / "file").write_text("")
    card = entry(attribute(WiredReader("guesser"), questions[:2]), "1")
    with pytest.raises(RunError, match="Cannot write"):
        HISTORY.append(tmp_path / "file" / "history.jsonl", [card])


def test_lines_are_json(tmp_path: Path, questions: tuple[SlotQuestion, ...]) -> None:
    """For other programs too."""
    HISTORY.append(tmp_path / "h", [entry(attribute(WiredReader("guesser"), questions[:2]), "1", "ä")])
    assert json.loads((tmp_path / "h").read_text("utf-8"))["value"]["build"] == "ä"
