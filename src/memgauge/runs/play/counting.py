"""How large the conversations of a dataset are: read once, and remembered for the same file and the same code.

A plan counts turns, and with that reads all of a dataset before anything is played, so that what is wrong with it
comes out. Where the very same bytes were read by the very same code before, both is known.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Final

from memgauge.datasets.files import cache_root
from memgauge.datasets.folders import SIZES, files_of
from memgauge.errors import ConfigError, DataError, RunError
from memgauge.runs.play.executors.code import code
from memgauge.runs.record.files import write_atomically
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Conversation

    Sizes = Mapping[str, tuple[int, int]]
    """Turns and questions by conversation, in the order of the dataset."""

_COMPARED: Final = 1 << 20
"""Turns of a conversation whose names are compared; of longer ones that are generated no two have one."""
LARGE: Final = 16 << 20
"""Bytes of a dataset whose reading takes longer than it takes to look whether its code is the same."""


def sizes_of(dataset: Dataset, conversations: int | None = None) -> Sizes:
    """Count turns and questions of each conversation, or of the first so many.

    Raises:
        ConfigError: There are none.
        DataError: A conversation, a question or a turn of one stands there twice; a record could hold only one.
    """
    place = _place(dataset, conversations)
    known = _remembered(place) if place is not None else None
    sizes = known or _counted(dataset, conversations)
    if not sizes:
        raise ConfigError(f"{dataset.identity.ref} has no conversations.", "Check its options.")
    if place is not None and known is None:
        _remember(place, sizes)
    return sizes


def _counted(dataset: Dataset, conversations: int | None) -> Sizes:
    """Read and count.

    Raises:
        DataError: A name stands there twice.
    """
    sizes, asked = dict[str, tuple[int, int]](), set[str]()
    for case in islice(dataset.cases(), conversations):
        name = case.conversation.id
        if name in sizes:
            raise DataError(f"{dataset.identity.ref} has two conversations {name!r}.", "Rename one of them.")
        for question in case.questions:
            if question.id in asked:
                twice = f"two questions {question.id!r}, the second in conversation {name!r}"
                raise DataError(
                    f"{dataset.identity.ref} has {twice}.", "Rename one; `memgauge data validate` lists all."
                )
            asked.add(question.id)
        sizes[name] = (sum(len(session.turns) for session in case.conversation.sessions), len(case.questions))
        if sizes[name][0] <= _COMPARED and (turn := _repeated_turn(case.conversation)):
            raise DataError(
                f"{dataset.identity.ref} has two turns {turn!r} in conversation {name!r}.",
                "Rename one; `memgauge data validate` lists all.",
            )
    return sizes


def _repeated_turn(conversation: Conversation) -> str:
    """Return the first name of a turn that stands twice; a memory would keep one of both."""
    seen = set[str]()
    for turn in conversation.turns():
        if turn.id in seen:
            return turn.id
        seen.add(turn.id)
    return ""


def _place(dataset: Dataset, conversations: int | None) -> Path | None:
    """Say where the sizes of these bytes are remembered, read by this code; nothing where that saves nothing."""
    try:
        if sum(path.stat().st_size for path in files_of(dataset)) < LARGE:
            return None
    except OSError:
        return None
    named = [asdict(dataset.identity), conversations, dict(code())]
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
    return cache_root() / SIZES / f"{digest}.json"


def _remembered(place: Path) -> Sizes | None:
    try:
        written = json_of(place.read_bytes())
        return {str(name): (int(turns), int(questions)) for name, turns, questions in written}
    except (OSError, ValueError, TypeError):
        return None


def _remember(place: Path, sizes: Sizes) -> None:
    """Write sizes down; a cache that cannot be written costs a reading and nothing else."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, json.dumps([[name, *size] for name, size in sizes.items()]) + "\n")
    except (OSError, RunError):
        return
