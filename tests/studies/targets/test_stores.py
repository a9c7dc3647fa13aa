"""Stores to compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, UnknownNameError
from memgauge.studies.targets.stores import STORES, store_text, write_store
from memgauge.systems.storefile import read_store
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.records import Case, Gold


class Blinded:
    """A dataset without questions, answers and evidence."""

    def __init__(self, ref: str) -> None:
        self._whole = open_dataset(ref)
        self.identity: DatasetIdentity = self._whole.identity

    def cases(self) -> Iterator[Case]:
        """Yield the conversations alone."""
        return (replace(case, questions=()) for case in self._whole.cases())

    def gold(self) -> Iterator[Gold]:
        """Know nothing."""
        raise AssertionError("a parser asked for gold")

    def describe(self) -> dict[str, object]:
        """Say nothing."""
        return {}


@pytest.mark.parametrize("name", ["facts-1", "facts-5", "facts-8"])
def test_a_parser_never_sees_questions_answers_or_evidence(name: str) -> None:
    """Without any of them the store is the same, byte for byte."""
    assert store_text(Blinded("synthetic:tiny"), name) == store_text(open_dataset("synthetic:tiny"), name)


def test_denser_stores_hold_more_of_the_same() -> None:
    """One fact a turn is the first of five, and five of eight."""
    world = open_dataset("synthetic:small")
    found = {name: STORES.get(name)(world) for name in ("facts-1", "facts-5", "facts-8")}
    for few, many in (("facts-1", "facts-5"), ("facts-5", "facts-8")):
        for conversation, memories in found[few].items():
            assert {memory.id for memory in memories} <= {memory.id for memory in found[many][conversation]}
        assert sum(map(len, found[few].values())) < sum(map(len, found[many].values()))


def test_what_a_dataset_does_not_ship_is_refused(tmp_path: Path) -> None:
    """With the stores that any dataset has as the remedy."""
    with pytest.raises(ConfigError, match="ships no derived memories"):
        write_store(open_dataset("synthetic:tiny"), "obs", tmp_path)
    with pytest.raises(UnknownNameError, match="Did you mean obs"):
        write_store(open_dataset("synthetic:tiny"), "ob", tmp_path)
    assert write_store(open_dataset("synthetic:tiny"), "turns", tmp_path) == "turns"


@pytest.mark.data
@pytest.mark.slow
def test_locomos_observations_are_counted(tmp_path: Path) -> None:
    """2,541 observations, 272 summaries; facts-8 is really denser than facts-5."""
    real_data("locomo/locomo10.json")
    dataset = open_dataset("locomo")
    sizes = {}
    for name in STORES.names():
        store = read_store(_path(write_store(dataset, name, tmp_path)))
        sizes[name] = sum(map(len, store.memories.values()))
    assert (sizes["obs"], sizes["summary"], sizes["obs+summary"]) == (2541, 272, 2813)
    assert sizes["facts-1"] < sizes["facts-5"] < sizes["facts-8"]
    assert sizes["facts-8"] > 1.15 * sizes["facts-5"]


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)
