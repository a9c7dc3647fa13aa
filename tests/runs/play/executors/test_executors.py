"""Executors by their texts."""

from __future__ import annotations

import importlib.util

import pytest

from memgauge.errors import ConfigError, MissingExtraError, UnknownNameError
from memgauge.runs.play.executors import EXECUTORS, Inline, Processes, executor


def test_a_memory_is_played_in_a_process_of_its_own() -> None:
    """One worker is one such process, more are several; this process has to be named."""
    for opened, count in ((executor(), 1), (executor(workers=1), 1), (executor(workers=2), 2)):
        assert isinstance(opened, Processes)
        assert opened._workers == count
    assert isinstance(executor("inline"), Inline)
    assert isinstance(executor("inline", workers=4), Inline)
    assert isinstance(executor("processes", workers=1), Processes)


@pytest.mark.parametrize(
    ("text", "workers", "count"), [("processes:3", None, 3), ("processes:3", 5, 3), ("processes", 5, 5)]
)
def test_a_text_may_say_how_many(text: str, workers: int | None, count: int) -> None:
    """What stands in the text counts."""
    opened = executor(text, workers=workers)
    assert isinstance(opened, Processes)
    assert opened._workers == count


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("proceses", UnknownNameError, "Unknown executor 'proceses'. Did you mean processes?"),
        ("processes:many", ConfigError, "is not a whole number"),
        ("processes:0", ConfigError, "There cannot be 0 processes. Take 1 or more."),
        ("inline:cpus=2", UnknownNameError, "parameter of executor inline"),
    ],
)
def test_a_mistake_is_a_sentence(text: str, error: type[Exception], said: str) -> None:
    """It names what is wrong and what there is."""
    with pytest.raises(error, match=said):
        executor(text)


def test_every_executor_can_be_named() -> None:
    """What is registered exists."""
    assert EXECUTORS.names() == ("inline", "processes", "ray")
    for name in EXECUTORS.names():
        assert callable(EXECUTORS.get(name))


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed here")
def test_a_cluster_without_ray_is_a_sentence() -> None:
    """It says what to install."""
    with pytest.raises(MissingExtraError, match=r"pip install .*cluster\.lock"):
        executor("ray:address=auto")
