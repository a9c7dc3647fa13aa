"""Changes by id belong to whom the memory belongs to that they name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.exchange.traffic.reading import Traffic
from memgauge.studies.production.health import health, health_rows
from memgauge.studies.production.hits import UNKNOWN
from memgauge.studies.production.show import health_document
from support.recorded import LONG, faults, operation

if TYPE_CHECKING:
    from pathlib import Path


def test_an_update_by_id_hides_no_leak(tmp_path: Path) -> None:
    """It moves no memory to somebody else: what ada's became is still ada's."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("update", 1, "", ("m", "new")),
        operation("search", 3, "bob", ("m", "new")),
        operation("search", 4, "ada", ("m", "new")),
    )
    assert masks.leaked.tolist() == [True, False]
    assert masks.owned.tolist() == [True, True]


def test_an_update_by_id_makes_its_text_its_owners(tmp_path: Path) -> None:
    """A long text that only an update wrote leaks under another name too."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("update", 1, "", ("m", LONG)),
        operation("search", 3, "bob", ("copy", LONG)),
    )
    assert masks.leaked.tolist() == [True]


def test_a_deletion_by_id_puts_its_scope_at_risk(tmp_path: Path) -> None:
    """Whoever searched in that scope afterwards could have been given what was deleted."""
    masks = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old"), ("n", "other")),
        operation("delete", 1, "", ("m", "")),
        operation("search", 3, "ada", ("n", "other")),
    )
    rows = {row.key: row for row in health_rows(masks.traffic)}
    assert (rows["deleted 1 h"].cases, rows["deleted 1 h"].value.n) == (0, 1)


@pytest.mark.parametrize(
    ("records", "owner"),
    [
        ((("m", "a"),), "ada"),
        ((("m", "a"), ("n", "b")), "ada"),
        ((("m", "a"), ("other", "b")), None),
        ((("m", "a"), ("unseen", "b")), None),
        ((("unseen", "b"),), None),
        ((("later", "b"),), "bob"),
        ((("reused", "b"),), "ada"),
    ],
)
def test_the_owner_is_the_last_writer_who_is_known(
    tmp_path: Path, records: tuple[tuple[str, str], ...], owner: str | None
) -> None:
    """Of several owners, or of one whom nobody saw, nothing is said; intervals are clustered by the owner."""
    traffic = faults(
        tmp_path,
        operation("add", 0, "bob", ("other", "x"), ("reused", "x")),
        operation("add", 1, "ada", ("m", "x"), ("n", "x"), ("reused", "x")),
        operation("update", 2, "", *records),
        operation("add", 3, "bob", ("later", "x"), ("reused", "x")),
        operation("search", 4, "ada"),
    ).traffic
    writer = {"bob": 0, "ada": 1}.get(owner or "")
    assert traffic.scope[2] == (UNKNOWN if writer is None else traffic.scope[writer])
    assert writer is None or traffic.cluster[2] == traffic.cluster[writer]


@pytest.mark.parametrize(
    ("whose", "count"),
    [
        (("ada", "bob"), "3 operations of 2 scopes"),
        (("ada", ""), "3 operations of 1 scope, 1 without a known scope"),
        (("", ""), "3 operations, 3 without a known scope"),
    ],
)
def test_only_scopes_are_counted_as_scopes(tmp_path: Path, whose: tuple[str, str], count: str) -> None:
    """An update by id is of the scope of its memory, and what is of nobody is counted as such."""
    first, second = whose
    masks = faults(
        tmp_path,
        operation("add", 0, first, ("m", "old")),
        operation("update", 1, "", ("m", "new")),
        operation("search", 3, second),
    )
    value = health(Traffic.read(tmp_path / "traffic"), masks.traffic, ())
    assert health_document(value).beside == count
    assert health_document(replace(value, scopes=None, without_scope=None)).beside == "3 operations"
