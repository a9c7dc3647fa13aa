"""What should never be returned, beside a loop over operations that knows nothing of arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.exchange.traffic.reading import Traffic
from memgauge.frame.output import Format, text_of
from memgauge.show import Document
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.faults import GRACES, ReturnFaults
from memgauge.studies.production.health import health, health_rows
from memgauge.studies.production.seen import SeenChanges
from memgauge.studies.production.show import health_document
from memgauge.studies.production.tables import groups
from support.recorded import HOUR, LONG, faults, operation

if TYPE_CHECKING:
    from pathlib import Path


def test_masks_are_those_of_a_loop(small: Traffic) -> None:
    """Stale and deleted at every grace, and leaks, hit by hit."""
    arrays = TrafficArrays.of(small)
    masks = ReturnFaults(SeenChanges(arrays), arrays.hits)
    columns, records = small.operations(), small.records()
    by_operation: dict[int, list[int]] = {}
    for place, row in enumerate(records["operation"]):
        by_operation.setdefault(int(row), []).append(place)
    writes: dict[str, list[tuple[int, int]]] = {}
    removals: dict[str, list[int]] = {}
    writers: dict[str, set[str]] = {}
    ends = [(int(columns["ended_ns"][row]), row) for row in range(len(columns["row"]))]
    for end, row in sorted(ends):
        for place in by_operation.get(row, []):
            memory = records["memory"][place]
            if columns["operation"][row] in {"add", "update"}:
                writes.setdefault(memory, []).append((end, int(records["version"][place])))
                writers.setdefault(memory, set()).add(columns["scope"][row])
            elif columns["operation"][row] == "delete":
                removals.setdefault(memory, []).append(end)
    hits = [
        (row, place)
        for row in range(len(columns["row"])) if columns["operation"][row] == "search"
        for place in by_operation.get(row, [])
    ]  # fmt: skip
    for grace in GRACES.values():
        stale, deleted = [], []
        for row, place in hits:
            memory, asked = records["memory"][place], int(columns["began_ns"][row]) - grace
            by_then = [version for end, version in writes.get(memory, []) if end <= asked]
            stale.append(0 < records["version"][place] < (by_then[-1] if by_then else 0))
            deleted.append(any(end <= asked for end in removals.get(memory, [])))
        assert masks.stale(grace).tolist() == stale
        assert masks.deleted(grace).tolist() == deleted
    leaks = [
        records["memory"][place] in writers and columns["scope"][row] not in writers[records["memory"][place]]
        for row, place in hits
    ]
    assert masks.leaked.tolist() == leaks
    assert any(leaks)


def test_names_that_belong_to_a_scope_tell_nothing_alone(tmp_path: Path) -> None:
    """Two users have a memory 1 each: neither is the other's version, deletion or leak; a long text tells."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("1", "ada one")),
        operation("add", 1, "bob", ("1", "bob one")),
        operation("update", 24, "bob", ("1", "bob two")),
        operation("search", 48, "ada", ("1", "ada one")),
        operation("delete", 72, "bob", ("1", "")),
        operation("search", 96, "ada", ("1", "ada one")),
        operation("add", 97, "bob", ("2", LONG)),
        operation("search", 99, "ada", ("2", LONG)),
    )
    assert len(masks.changes.local_stores) == 1
    assert not masks.stale(0).any()
    assert not masks.deleted(0).any()
    assert masks.leaked.tolist() == [False, False, True]


def test_one_memory_that_two_scopes_add_alike_is_one(tmp_path: Path) -> None:
    """The same text under the same name is moved or shared; names of that store still tell."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("add", 1, "bob", ("m", "old")),
        operation("delete", 2, "ada", ("m", "")),
        operation("search", 30, "ada", ("m", "old")),
    )
    assert len(masks.changes.local_stores) == 0
    assert masks.deleted(0).tolist() == [True]


def test_what_was_deleted_and_written_again_may_return(tmp_path: Path) -> None:
    """After the deletion it is a fault, after the second write it is none."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("delete", 1, "ada", ("m", "")),
        operation("search", 3, "ada", ("m", "old")),
        operation("add", 4, "ada", ("m", "old")),
        operation("search", 6, "ada", ("m", "old")),
    )
    assert masks.deleted(HOUR).tolist() == [True, False]


@pytest.mark.parametrize(("grace", "seconds"), [("1 s", 1), ("60 s", 60), ("1 h", 3600)])
def test_a_grace_is_as_long_as_its_name_says(tmp_path: Path, grace: str, seconds: int) -> None:
    """A tenth of a second before its end what was deleted may still return; a tenth behind it is a fault."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("delete", 1, "ada", ("m", "")),
        *(operation("search", 1 + (1 + seconds + late) / 3600, "ada", ("m", "old")) for late in (-0.1, 0.1)),
    )
    assert masks.deleted(GRACES[grace]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("kind", "scope", "gone"), [("wipe", "ada", True), ("wipe", "bob", False), ("drop_store", "bob", True)]
)
def test_a_wipe_removes_a_scope_and_a_dropped_store_everybodys(
    tmp_path: Path, kind: str, scope: str, gone: bool
) -> None:
    """What was wiped for somebody else stays."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation(kind, 1, scope),
        operation("search", 3, "ada", ("m", "old")),
    )
    assert masks.deleted(0).tolist() == [gone]


def test_a_change_that_is_taken_back_is_not_stale(tmp_path: Path) -> None:
    """The old text is the newest one again; in between it was stale."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("update", 1, "ada", ("m", "new")),
        operation("search", 3, "ada", ("m", "old")),
        operation("update", 4, "ada", ("m", "old")),
        operation("search", 6, "ada", ("m", "old")),
    )
    assert masks.stale(HOUR).tolist() == [True, False]


def test_an_update_without_text_says_nothing_of_staleness(tmp_path: Path) -> None:
    """Whether the text changed is unknown, so the hit is no case; nothing is 0 without a case."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("update", 1, "ada", ("m", "")),
        operation("search", 3, "ada", ("m", "old")),
    )
    assert (masks.versioned.tolist(), masks.stale(0).tolist()) == ([False], [False])


@pytest.mark.parametrize(
    ("hit", "scope", "leaked"),
    [
        (("m", LONG), "bob", True),
        (("m", LONG), "ada", False),
        (("m", LONG), "", False),
        (("copy", LONG), "bob", True),
        (("copy", "short"), "bob", False),
        (("both", LONG), "bob", False),
    ],
)
def test_a_leak_is_known_by_name_or_by_a_long_text(
    tmp_path: Path, hit: tuple[str, str], scope: str, leaked: bool
) -> None:
    """An unknown scope cannot leak visibly; what was written in both scopes belongs to both."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", LONG), ("s", "short"), ("both", "x")),
        operation("add", 1, "bob", ("both", "x")),
        operation("search", 3, scope, hit),
    )
    assert masks.leaked.tolist() == [leaked]


@pytest.mark.parametrize(("characters", "leaked"), [(39, False), (40, True)])
def test_a_text_is_nobody_elses_by_chance_from_forty_characters_on(
    tmp_path: Path, characters: int, leaked: bool
) -> None:
    """A shorter one under another name may have been said by both."""
    text = LONG[:characters]
    masks = faults(
        tmp_path, operation("add", 0, "ada", ("m", text)), operation("search", 3, "bob", ("copy", text))
    )
    assert masks.leaked.tolist() == [leaked]


def test_traffic_without_contents_has_undefined_measures(tmp_path: Path) -> None:
    """Searches that say only that they happened: shares of nothing have a reason, and are not 0."""
    masks = faults(
        tmp_path, operation("search", 0, "ada", captured=False), operation("search", 1, "bob", captured=False)
    )
    rows = {row.key: row for row in health_rows(masks.traffic)}
    for key in ("stale 1 h", "deleted 1 h", "leak", "top", "same text", "stable", "unreturned", "context"):
        assert rows[key].value.mean is None, key
        assert rows[key].value.reason, key
    assert rows["with_records"].value.mean == 0


def test_a_record_without_a_name_is_nobody_elses(tmp_path: Path) -> None:
    """Two records of which neither id nor text was recorded are not one memory, so that neither leaks."""
    nameless = ("", "")
    seen = faults(
        tmp_path,
        operation("add", 1, "bob", nameless),
        operation("search", 5, "ada", nameless, nameless),
        operation("add", 6, "bob", ("m", LONG)),
        operation("search", 7, "ada", ("m", LONG)),
    )
    assert seen.leaked.tolist() == [False, False, True]
    assert len(set(seen.hits.memory.tolist())) == 3


def test_nothing_is_healthy_that_was_never_at_risk(tmp_path: Path) -> None:
    """A deleted memory that comes back within the hour is said, and "an hour later" is undefined, not 0."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("delete", 0.1, "ada", ("m", "")),
        operation("search", 0.2, "ada", ("m", "old")),
    )
    rows = {row.key: row for row in health_rows(masks.traffic)}
    assert rows["deleted 0"].cases == 1
    assert (rows["deleted 1 h"].cases, rows["deleted 1 h"].value.reason) == (None, "nothing was at risk")
    assert (rows["stale 0"].cases, rows["stale 0"].value.mean) == (None, None)
    traffic = Traffic.read(tmp_path / "traffic")
    lead = health_document(health(traffic, masks.traffic, rows.values())).lead
    assert "1 of 1 hits were of memories that had been deleted, all within 1 h" in lead


def test_hits_after_a_deletion_of_something_else_were_at_risk(tmp_path: Path) -> None:
    """A memory that keeps what was deleted back has no fault among them, which is known."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old"), ("n", "other")),
        operation("delete", 1, "ada", ("m", "")),
        operation("search", 3, "ada", ("n", "other")),
    )
    rows = {row.key: row for row in health_rows(masks.traffic)}
    assert (rows["deleted 1 h"].cases, rows["deleted 1 h"].value.n) == (0, 1)


def test_bounds_of_one_table_have_one_unit(tmp_path: Path) -> None:
    """A small bound is a percentage as a large one is."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("delete", 1, "ada", ("n", "")),
        operation("search", 3, "ada", ("m", "old")),
    )
    row = next(row for row in health_rows(masks.traffic) if row.key == "deleted 1 h")
    for bound, words in ((0.00067, "below 0.067 %"), (0.002, "below 0.2 %")):
        table = next(table for table in groups([replace(row, bound=bound)]) if table.rows)
        assert words in text_of(Document(title="t", blocks=(table,)), Format.MARKDOWN)


def test_what_comes_back_within_the_hour_is_said_where_nothing_comes_later(tmp_path: Path) -> None:
    """One search was within the hour, another after it in the same scope: the lead names the first."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old"), ("n", "other")),
        operation("delete", 1, "ada", ("m", "")),
        operation("search", 1.5, "ada", ("m", "old")),
        operation("search", 3, "ada", ("n", "other")),
    )
    lead = health_document(
        health(Traffic.read(tmp_path / "traffic"), masks.traffic, health_rows(masks.traffic))
    ).lead
    assert lead == "1 of 2 hits were of memories that had been deleted, all within 1 h, and none later."
