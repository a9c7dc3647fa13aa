"""The owner of journals: open only while work is under way, written once, sealed when complete."""

from __future__ import annotations

import gc
import resource
import weakref
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.records import Case
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline, Task
from memgauge.runs.play.owner import Owner, _make_room
from memgauge.runs.play.plan import Plan
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.seal import sealed
from support.handmade import Handmade, many_questions, planned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memgauge.runs.play.executors import Done


def two_datasets() -> Plan:
    """Plan one system on two datasets."""
    first = planned(many_questions(2, 1), "none")
    second = planned(Handmade(many_questions(2, 1).each, name="other"), "none")
    return Plan((*first.cells, *second.cells), {**first.datasets, **second.datasets})


def test_a_journal_is_open_only_while_its_cell_is_worked_on(tmp_path: Path) -> None:
    """The first run is sealed before the second journal is locked; a grid does not hold a file for each cell."""
    work = two_datasets()
    first, second = (tmp_path / cell.manifest.id for cell in work.cells)
    seen: list[tuple[bool, bool]] = []

    class Watching(Inline):
        def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
            for done in super().run(tasks):
                if done.task.cell == 1:
                    with pytest.raises(RunError, match="another process"):
                        Journal(second)
                seen.append((sealed(first), sealed(second)))
                yield done

    execute(work, tmp_path, executor=Watching())
    assert seen == [(False, False), (False, False), (True, False), (True, False)]
    assert sealed(second)


def test_what_comes_twice_is_written_once(tmp_path: Path) -> None:
    """An executor that returns everything twice makes the same run."""

    class Twice(Inline):
        def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
            for done in super().run(tasks):
                yield done
                yield done

    (folder,) = execute(planned(many_questions(3, 1), "none"), tmp_path, executor=Twice())
    assert (folder / "journal.jsonl").read_bytes().count(b'{"t":"end"') == 3


def test_what_an_executor_forgets_is_asked_for_again(tmp_path: Path) -> None:
    """A task that never came back is handed out in the next pass."""

    class Forgetful(Inline):
        passes = 0

        def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
            self.passes += 1
            done = list(super().run(tasks))
            return iter(done[1:] if self.passes == 1 else done)

    (folder,) = execute(planned(many_questions(3, 1), "none"), tmp_path, executor=Forgetful())
    assert (folder / "journal.jsonl").read_bytes().count(b'{"t":"end"') == 3


def test_an_executor_that_returns_nothing_does_not_spin(tmp_path: Path) -> None:
    """The run stops, unsealed, and says how much is missing."""

    class Void(Inline):
        def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
            return iter(list(super().run(tasks))[:0])

    work = planned(many_questions(3, 1), "none")
    with pytest.raises(RunError, match="3 conversations did not come back"):
        execute(work, tmp_path, executor=Void())
    assert not sealed(tmp_path / work.cells[0].manifest.id)


def test_a_journal_of_another_dataset_does_not_spin(tmp_path: Path) -> None:
    """A failed conversation that the dataset does not have ends with a sentence."""
    work = planned(many_questions(1, 1), "none", limits=Limits(attempts=2))
    folder = tmp_path / work.cells[0].manifest.id
    with Owner(work.cells, [folder]), Journal(folder) as journal:
        journal.append("elsewhere", b'{"t":"end","conversation":"elsewhere","attempt":1,"failed":1}\n', 1)
    with pytest.raises(RunError, match="a journal names what the data have not"):
        execute(work, tmp_path)


def test_one_haystack_is_held_at_a_time(tmp_path: Path) -> None:
    """When a conversation is read, nothing keeps the one before."""

    class Tracked(Case):
        __slots__ = ("__weakref__",)

    alive: list[weakref.ref[Case]] = []
    held: list[int] = []

    class Counting(Handmade):
        def cases(self) -> Iterator[Case]:
            return map(self._tracked, range(len(self.each)))

        def _tracked(self, number: int) -> Case:
            gc.collect()
            held.append(sum(one() is not None for one in alive))
            case = self.each[number][0]
            made = Tracked(case.conversation, case.questions)
            alive.append(weakref.ref(made))
            return made

    dataset = Counting(many_questions(4, 1).each)
    work = planned(dataset, "none")
    held.clear()
    alive.clear()
    execute(work, tmp_path)
    assert held == [0, 0, 0, 0]


def test_a_wide_grid_gets_more_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is raised before it is met, as far as the system lets it be."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1500))
    _make_room(10)
    assert asked == []
    _make_room(900)
    assert asked == [(1500, 1500)]


@pytest.mark.parametrize("name", ["journal.jsonl", "manifest.json"])
def test_a_record_that_somebody_else_changed_is_not_sealed(tmp_path: Path, name: str) -> None:
    """What is played may find the files; the owner knows what it wrote, whatever their checksums say."""
    work = two_datasets()

    class Meddling(Inline):
        def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
            for done in super().run(tasks):
                yield done
                path = tmp_path / work.cells[0].manifest.id / name
                path.write_bytes(path.read_bytes().replace(b"seed", b"tree").replace(b'"ms":', b'"ms":1'))

    with pytest.raises(RunError, match=f"{name} was changed while"):
        execute(work, tmp_path, executor=Meddling(), check=False)
    assert not sealed(tmp_path / work.cells[0].manifest.id)
