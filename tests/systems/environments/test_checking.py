"""Descriptions and locks from strangers hold names and pins, and nothing that an installer obeys."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.environments.checking import check_pins, check_tree, text_within
from memgauge.systems.environments.products import read_product

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 'summary = "A gadget."\nadapter = "gadgets:Gadget"\nmodule = ""\n'
HASH = f"--hash=sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "line",
    [
        'packages = ["--INDEX-URL=http://127.0.0.1"]'.lower(),
        'packages = ["gadget"]',
        'packages = ["gadget @ file:///x"]',
        'packages = ["./gadget"]',
        'node = ["--script-shell=x@1"]',
        'node = ["git+ssh://x@1"]',
        'lock = "../lock.txt"',
        'lock = "/lock.txt"',
        'lock = "lock.toml"',
        'programs = ["./node"]',
        'passes = ["A=b"]',
        '[switches]\nLD_PRELOAD = "x"',
        '[switches]\nPATH = "x"',
    ],
)
def test_a_value_that_is_more_than_a_name_is_refused(tmp_path: Path, line: str) -> None:
    """It is quoted, with its key and what belongs there."""
    path = tmp_path / "gadget.toml"
    path.write_text(f"{GOOD}{line}\n", "utf-8")
    with pytest.raises(ConfigError, match=rf"gadget.toml: {line.strip('[').split()[0].strip(']')}: '.*' is not "):
        read_product(path)


def test_a_name_that_is_a_folder_above_is_refused(tmp_path: Path) -> None:
    """And a path with dots is the folder that it leads to."""
    (tmp_path / "my_gadget" / "below").mkdir(parents=True)
    (tmp_path / "my_gadget" / "product.toml").write_text(GOOD, "utf-8")
    (tmp_path / "..toml").write_text(GOOD, "utf-8")
    assert read_product(tmp_path / "my_gadget" / "below" / ".." / "product.toml").name == "my-gadget"
    with pytest.raises(ConfigError, match=r"'\.' is no name of a product"):
        read_product(tmp_path / "..toml")


def test_a_lock_holds_pins(tmp_path: Path) -> None:
    """With hashes, markers, comments and lines that go on; the first line that is none is named."""
    lock = tmp_path / "lock.txt"
    marked = f"b-c[x]==2.0.post1 ; python_version < '3.12' {HASH} {HASH}  # via a\n"
    lock.write_text(f"# made by hand\na==1 \\\n    {HASH} \\\n    {HASH}\n{marked}", "utf-8")
    check_pins(lock)
    lock.write_text(f"{lock.read_text('utf-8')}-r more.txt\n", "utf-8")
    with pytest.raises(ConfigError, match=r"'-r more.txt' is no pin"):
        check_pins(lock)


@pytest.mark.parametrize(
    "line",
    [
        "--INDEX-URL=x".lower(),
        "-r x",
        "-e .",
        "a",
        "a>=1",
        "a==${KEY}",
        f"a==1 ; python_version > '${{KEY}}' {HASH}",
        "a @ http://x",
        f"a==1 {HASH} --global-option=x",
        "./a",
    ],
)
def test_a_lock_holds_nothing_else(tmp_path: Path, line: str) -> None:
    """The line is quoted."""
    lock = tmp_path / "lock.txt"
    lock.write_text(f"a==1 {HASH}\n{line}\n", "utf-8")
    with pytest.raises(ConfigError, match="is no pin"):
        check_pins(lock)


@pytest.mark.parametrize(
    "packages",
    [
        None,
        {},
        {"": {}, "../x": {"integrity": "a"}},
        {"": {}, "x": {"integrity": "a"}},
        {"": {}, "node_modules/../../x": {"integrity": "a"}},
        {"": {}, "node_modules/x": {}},
        {"": {}, "node_modules/x": {"integrity": "a", "link": True}},
        {"": {}, "node_modules/x": {"integrity": "a", "resolved": "git+ssh://x"}},
    ],
)
def test_a_lock_of_npm_holds_packages_with_hashes(tmp_path: Path, packages: object) -> None:
    """No link, no other folder, nothing that comes without its hash."""
    with pytest.raises(ConfigError, match=r"no lock of npm|no package with its hash"):
        check_tree(tmp_path / "lock.json", packages)


def test_only_files_are_read_and_only_so_far(tmp_path: Path) -> None:
    """A pipe would never end, and a description is small."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="is no file"):
        text_within(tmp_path / "pipe")
    (tmp_path / "long").write_text("12345", "utf-8")
    assert text_within(tmp_path / "long", 5) == "12345"
    with pytest.raises(ConfigError, match="is larger than 4 bytes"):
        text_within(tmp_path / "long", 4)
