"""A world written to a folder of data, user by user: as large as the disk, and in parts that fit together."""

from __future__ import annotations

import json
from collections import deque
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.datasets.own.lines import FORMAT, MANIFEST, FileDigests, Lines
from memgauge.datasets.synthetic.life import VERSION
from memgauge.datasets.synthetic.sizes import SIZES
from memgauge.datasets.synthetic.words import MIXED
from memgauge.datasets.synthetic.world import LICENCE, NONCE, Recipe
from memgauge.errors import ConfigError, DataError
from memgauge.refusals import remedy
from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from memgauge.datasets.synthetic.world import UserHistory

_CHUNK = 16
"""Users that a worker makes at a time."""
_UNFINISHED = ".partial"


class UserWatch(Protocol):
    """Looks at every user while a world is written; it can be pickled."""

    def look(self, entry: UserHistory) -> tuple[UserHistory, Any]:
        """Return what to write of a user, and what was seen; called in any process."""
        ...

    def keep(self, seen: Any) -> None:
        """Take what was seen of the next user; called in one process, in the order of users."""
        ...

    def manifest(self) -> Mapping[str, object]:
        """Return what the manifest says beside everything else."""
        ...


@dataclass(frozen=True)
class WorldOrder:
    """Which world is to be written, and which of its users."""

    size: str = next(iter(SIZES))
    seed: int = 0
    level: str = MIXED
    values: str = NONCE
    users: range = field(default=range(0))
    """Empty is all."""

    @property
    def recipe(self) -> Recipe:
        """Return what makes one user."""
        return Recipe(SIZES[self.size], self.seed, self.level, self.values)

    @property
    def chosen(self) -> range:
        """Return the users that are made."""
        return self.users or range(SIZES[self.size].users)


def write_world(
    folder: Path,
    order: WorldOrder,
    *,
    workers: int = 1,
    watch: UserWatch | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> dict[str, Any]:
    """Write a world and return its manifest.

    The bytes do not depend on *workers*, and files of consecutive ranges of users, put one after the other, are
    those of the whole range. *watch* looks at every user, and may change what is written.

    Raises:
        ConfigError: There are data in *folder*.
        DataError: It cannot be written to.
    """
    users = order.chosen

    def conversations() -> Iterator[Lines]:
        done = 0
        with closing(_batches(order, workers, watch)) as batches:
            for size, lines, sights in batches:
                if watch is not None:
                    for seen in sights:
                        watch.keep(seen)
                yield lines
                done += size
                on_progress(done, len(users))

    return write_folder(folder, conversations(), lambda written: _manifest(order, written, watch))


def write_folder(
    folder: Path, conversations: Iterable[Lines], manifest: Callable[[FileDigests], dict[str, Any]]
) -> dict[str, Any]:
    """Write a folder of data, its manifest last: a folder without one is not finished.

    Raises:
        ConfigError: There are data in *folder*.
        DataError: It cannot be written to.
    """
    paths = [folder / f"{name}.jsonl" for name in Lines._fields]
    for path in (folder / MANIFEST, *paths):
        if path.exists():
            raise ConfigError(f"{folder} holds {path.name} already.", "Choose another folder, or remove it first.")
    written = FileDigests()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            files = [stack.enter_context(_partial(path).open("wb")) for path in paths]
            for lines in conversations:
                for file, data in zip(files, written.add(lines), strict=True):
                    file.write(data)
        for path in paths:
            _partial(path).replace(path)
        made = manifest(written)
        unfinished = _partial(folder / MANIFEST)
        unfinished.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n", "utf-8")
        unfinished.replace(folder / MANIFEST)
    except OSError as error:
        raise DataError(f"Cannot write to {folder}: {error.strerror}.", remedy(error)) from error
    finally:
        for path in (folder / MANIFEST, *paths):
            with suppress(OSError):
                _partial(path).unlink(missing_ok=True)
    return made


def make_users(recipe: Recipe, users: range, watch: UserWatch | None = None) -> tuple[Lines, list[Any]]:
    """Make consecutive users: their lines, and what was seen of each."""
    lines, seen = Lines([], [], []), []
    for user in users:
        entry = recipe.user(user)
        if watch is not None:
            entry, sight = watch.look(entry)
            seen.append(sight)
        for whole, part in zip(lines, entry.lines(), strict=True):
            whole.extend(part)
    return lines, seen


def _batches(
    order: WorldOrder, workers: int, watch: UserWatch | None
) -> Generator[tuple[int, Lines, list[Any]], None, None]:
    """Yield how many users, their lines and what was seen, in the order of users, with few batches waiting."""
    users, recipe = order.chosen, order.recipe
    if workers <= 1:
        for user in users:
            yield 1, *make_users(recipe, range(user, user + 1), watch)
        return
    waiting: deque[tuple[int, Future[tuple[Lines, list[Any]]]]] = deque()
    with worker_pool(workers) as pool:
        for start in range(0, len(users), _CHUNK):
            chunk = users[start : start + _CHUNK]
            waiting.append((len(chunk), pool.submit(make_users, recipe, chunk, watch)))
            if len(waiting) > 2 * workers:
                size, future = waiting.popleft()
                yield size, *future.result()
        while waiting:
            size, future = waiting.popleft()
            yield size, *future.result()


def _manifest(order: WorldOrder, written: FileDigests, watch: UserWatch | None) -> dict[str, Any]:
    users = order.chosen
    return {
        "format": FORMAT,
        "name": "synthetic",
        "licence": LICENCE,
        "generator": f"memgauge synth {VERSION}",
        "size": order.size,
        "seed": order.seed,
        "level": order.level,
        "values": order.values,
        "users": [users.start, users.stop],
        "sha256": written.sha256(),
        "counts": {
            "conversations": len(users),
            "sessions": len(users) * SIZES[order.size].sessions,
            **written.counts,
        },
        **(watch.manifest() if watch is not None else {}),
    }


def _partial(path: Path) -> Path:
    return path.with_name(path.name + _UNFINISHED)
