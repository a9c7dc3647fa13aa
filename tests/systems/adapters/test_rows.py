"""The raw lane over any store of rows, shown on one that is a JSON file."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, replace
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ContractBreach, MissingExtraError
from memgauge.records import Operation, Scope, Turn, Verdict
from memgauge.systems.adapters import rows as lane
from memgauge.systems.adapters.product_store import OnDisk, spelled
from memgauge.systems.adapters.rows import RowStore, StoredTurn, memory_of
from memgauge.systems.conformance import check
from memgauge.systems.protocol import supported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ADA = Scope("ada")


class JsonStore(OnDisk, RowStore):
    """Rows in a JSON file, found by shared words; *most* is what it silently returns at most."""

    name = "json"
    pin = "pytest==9"
    most: int | None = None

    def _open(self) -> None:
        """Read the file."""
        self._file = self._home.root / "rows.json"
        self._all: dict[str, dict[str, Any]] = json.loads(self._file.read_text()) if self._file.exists() else {}

    def _shut(self) -> None:
        """Write the file."""
        self._file.write_text(json.dumps(self._all))

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        """Keep rows."""
        self._all.setdefault(spelled(scope), {}).update({row.id: asdict(row) for row in rows})

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Count shared words."""
        words = set(query.casefold().split())
        scored = [(row, float(len(words & set(row.text.casefold().split())))) for row in self._rows(scope)]
        return sorted(scored, key=lambda scored: -scored[1])[: min(k, self.most or k)]  # type: ignore[return-value]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        """List rows."""
        own = self._all.get(spelled(scope), {})
        return [StoredTurn(**row) for name, row in own.items() if ids is None or name in ids]

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        """Drop rows."""
        for name in ids:
            del self._all[spelled(scope)][name]

    def _erase(self, scope: Scope) -> None:
        """Drop a scope."""
        self._all.pop(spelled(scope), None)


class TenAtMost(JsonStore):
    """Ignores how many rows are asked for."""

    most = 10


class NotInstalled(JsonStore):
    """Its package is not here."""

    pin = "no-such-package-of-anybody==1"


def test_what_the_raw_lane_adds_conforms() -> None:
    """Every probe that applies passes on a store that does what rows need."""
    checks = check(JsonStore).checks
    assert [one for one in checks if one.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    with closing(JsonStore()) as system:
        assert supported(system) == ("mutable", "erasable", "durable")
        assert system.version == pytest.__version__


def test_a_store_that_ignores_k_is_refused() -> None:
    """A canary shows it before anything is measured."""
    with pytest.raises(ContractBreach, match=r"json .* returned 10 of 25 rows for k=25"):
        TenAtMost()


def test_a_store_at_a_path_is_not_touched_by_the_canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies there is there afterwards, and the canary is not."""
    place = str(tmp_path / "store")
    with closing(JsonStore(path=place)) as system:
        system.ingest([Turn("t1", "Ada", "My cat is ill.", "s1")], ADA)
    monkeypatch.setattr(lane, "_counted", set())
    with closing(JsonStore(path=place)) as system:
        assert [memory.text for memory in system.dump(ADA)] == ["My cat is ill."]
        assert system._all.keys() == {spelled(ADA)}


def test_an_absent_product_is_named() -> None:
    """What to install is said."""
    with pytest.raises(MissingExtraError, match="memgauge systems install json"):
        NotInstalled()


def test_changes_say_what_became_of_a_turn() -> None:
    """A turn in other words is an update, the same once more is none, and what is deleted twice counts once."""
    turn = Turn("t1", "Ada", "My cat is ill.", "s1")
    with closing(JsonStore()) as system:
        told = (turn, turn, replace(turn, text="My cat is asleep."))
        first, again, other = (system.ingest([each], ADA).changes for each in told)
        unknown = system.update("t2", "text", ADA).changes
        assert [one.op for changes in (first, again, other, unknown) for one in changes or ()] == [
            *(Operation.ADD, Operation.NOOP, Operation.UPDATE, Operation.NOOP)
        ]
        system.update("t1", "My cat is well.", ADA)
        (memory,) = system.dump(ADA)
        assert (memory.text, memory.sources) == ("My cat is well.", ("t1",))
        assert system.delete(["t1", "t1", "t3"], ADA) == 1
        assert system.delete(["t1"], ADA) == 0
        assert system.ingest([], ADA).changes == ()


def test_who_said_it_comes_back_as_the_channel() -> None:
    """What a page or a tool said is told from what its user said, also after an update."""
    with closing(JsonStore()) as system:
        system.ingest(
            [Turn("t1", "page", "My cat is ill.", "s1", role="web"), Turn("t2", "Ada", "No.", "s1")], ADA
        )
        system.update("t1", "My cat is well.", ADA)
        assert [memory.channel for memory in system.dump(ADA)] == ["web", "user"]


class Interrupted(JsonStore):
    """Lets somebody else go on between what is read and what is written."""

    meanwhile: Callable[[], object] | None = None

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        """Give another thread the time to do all that it wants."""
        if self.meanwhile is not None:
            self.other = Thread(target=self.meanwhile)
            self.other.start()
            self.other.join(0.05)
        super()._put(rows, scope)


def test_an_update_brings_back_nothing_that_is_erased_meanwhile() -> None:
    """Between reading a row and writing it no other thread writes: what is erased then is erased after it."""
    with closing(Interrupted()) as system:
        system.ingest([Turn("t1", "Ada", "My cat is ill.", "s1")], ADA)
        system.meanwhile = lambda: system.erase(ADA)
        system.update("t1", "My cat is well.", ADA)
        system.other.join()
        assert not list(system.dump(ADA))


def test_a_row_without_time_or_source_has_none() -> None:
    """Nothing is made up."""
    memory = memory_of(StoredTurn("r", "text"))
    assert (memory.sources, memory.event_at) == ((), None)
