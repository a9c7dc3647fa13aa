"""Wheels that are named for a newer system are installed by their name, in a step of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.environments.wheels import pip_steps

if TYPE_CHECKING:
    from pathlib import Path

LOCK = """alpha==1.0 \\
    --hash=sha256:aa
Beta-B==2.0 \\
    --hash=sha256:bb \\
    --hash=sha256:bc
gamma==3.0 ; sys_platform == 'linux' \\
    --hash=sha256:cc
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """Write a lock."""
    path = tmp_path / "lock-2026-11-26.txt"
    path.write_text(LOCK, encoding="utf-8")
    return path


def test_a_lock_is_one_step_where_every_wheel_fits(lock: Path, tmp_path: Path) -> None:
    """As it stands."""
    assert pip_steps(lock, {}, tmp_path) == [["--require-hashes", "--no-deps", "-r", str(lock)]]


def test_a_wheel_is_taken_by_its_name_after_the_rest(lock: Path, tmp_path: Path) -> None:
    """With its hashes, into the folder from which the environment imports; nothing of the lock is lost."""
    site = tmp_path / "lib" / "python3.13" / "site-packages"
    site.mkdir(parents=True)
    rest, taken = pip_steps(lock, {"beta-b": "manylinux_2_39_x86_64"}, tmp_path)
    assert taken[:3] == ["--platform=manylinux_2_39_x86_64", "--only-binary=:all:", f"--target={site}"]
    texts = [(tmp_path / step[-1]).read_text("utf-8") for step in (rest, taken)]
    assert sorted("".join(texts).splitlines()) == sorted(LOCK.splitlines())
    assert texts[1] == LOCK[LOCK.index("Beta") : LOCK.index("gamma")]
    assert all(step[-4:-1] == ["--require-hashes", "--no-deps", "-r"] for step in (rest, taken))


@pytest.mark.parametrize(
    ("wheels", "wrong"),
    [({"delta": "manylinux_2_39_x86_64"}, "delta is not in"), ({"alpha": "any --index-url"}, "is no platform")],
)
def test_what_is_no_wheel_of_the_lock_is_refused(
    wheels: dict[str, str], wrong: str, lock: Path, tmp_path: Path
) -> None:
    """No option of pip's comes in by a name."""
    with pytest.raises(ConfigError, match=wrong):
        pip_steps(lock, wheels, tmp_path)
