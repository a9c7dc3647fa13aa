"""Names of packages without their versions, and what locks hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.systems.aging.names import canonical, locked_on, locked_packages, without_pin, without_tag
from memgauge.systems.environments.products import product

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("written", "name"),
    [("Mem0_AI==2", "mem0-ai"), ("a.b[x,y]<2", "a-b"), ("MemoryOS", "memoryos"), ("a~=1", "a"), ("a ; x", "a")],
)
def test_names_are_spelled_as_indexes_compare_them(written: str, name: str) -> None:
    """Without extras, bounds and markers."""
    assert canonical(written) == name


def test_versions_are_left_out() -> None:
    """Of pip extras stay; of npm the scope does."""
    assert without_pin("a[x]==1") == "a[x]"
    assert [without_tag(each) for each in ("@a/b@1", "b@1", "b")] == ["@a/b", "b", "b"]


def test_a_lock_tells_its_packages(tmp_path: Path) -> None:
    """Both kinds; what only some machines get is left out."""
    lock = tmp_path / "lock.txt"
    lock.write_text("# why\nA_b==1 \\\n    --hash=sha256:00\nc[x]==2\nd==3 ; sys_platform == 'win32'\n", "utf-8")
    assert locked_packages(lock) == {"a-b": "1", "c": "2"}
    tree = tmp_path / "lock.json"
    packages = {"": {}, "node_modules/@a/b": {"version": "1"}}
    tree.write_text(json.dumps({"packages": packages}), "utf-8")
    assert locked_packages(tree) == {"@a/b": "1"}


def test_the_day_of_a_lock_is_in_its_name() -> None:
    """Every product that has a lock says its day."""
    assert locked_on(product("sqlite-vec")) == "2026-11-23"
    assert locked_on(product("zep")) == ""
