"""No check reads a submission through a link, and nothing that lay behind one is said."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from chaos.submissions import checked
from chaos.submissions.world import submission_in
from memgauge.errors import MalformedDataError
from memgauge.submissions.layout import BUNDLES, KNOWN
from memgauge.submissions.repository import Repository
from memgauge.submissions.site.build import view_of

if TYPE_CHECKING:
    from pathlib import Path

BEHIND = "WORDSBEHIND"
_SECRETS = {
    "lines": f"{BEHIND}:x:0:0:root:/root:/bin/bash\n",
    "toml": f'{BEHIND} = "{BEHIND}"\n',
    "json": f'{{"{BEHIND}": "{BEHIND}"}}\n',
}
"""Of shapes whose keys and lines checks repeat."""


@pytest.fixture
def registry(good: Path, tmp_path: Path) -> Path:
    """A copy of the good registry."""
    return shutil.copytree(good, tmp_path / "registry", symlinks=True)


@pytest.mark.parametrize("shape", _SECRETS)
@pytest.mark.parametrize("name", [*KNOWN, f"{BUNDLES}/hashes.bin"])
def test_nothing_behind_a_link_is_said(name: str, shape: str, registry: Path, tmp_path: Path) -> None:
    """S3 names the link, and no finding of any check holds a word of what it leads to."""
    secret = tmp_path / "secret"
    secret.write_text(_SECRETS[shape], "utf-8")
    path = submission_in(registry).folder / name
    path.unlink(missing_ok=True)
    path.symlink_to(secret)
    checks = checked(registry)
    assert "S3" in checks.refused
    assert any(each.file == name for each in checks.findings["S3"])
    assert BEHIND not in str(checks.findings)
    assert not [each for findings in checks.findings.values() for each in findings if "Errno" in each.what]


@pytest.mark.parametrize("place", ["registry/products/bm25.toml", "verifications/bm25/2/x/20270120-bob.toml"])
def test_nothing_behind_a_link_elsewhere_in_the_registry_is_said(
    place: str, registry: Path, tmp_path: Path
) -> None:
    """What a change adds beside its submission is read too."""
    secret = tmp_path / "secret"
    secret.write_text(_SECRETS["toml"], "utf-8")
    path = registry / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(secret)
    checks = checked(registry)
    assert checks.refused
    assert BEHIND not in str(checks.findings)


def test_points_behind_a_link_are_not_read(registry: Path) -> None:
    """Of a device there would be no end."""
    (registry / "points").mkdir()
    (registry / "points" / "1.jsonl").symlink_to("/dev/zero")
    assert any("is no file of its own" in each.what for each in checked(registry).findings["S1"])


@pytest.mark.parametrize("name", ["submission.toml", "card.json", "bundles/tiny.1.zip"])
def test_boards_do_not_read_through_links(name: str, registry: Path, tmp_path: Path) -> None:
    """What was merged all the same is an error that names the file, or a row that is absent."""
    folder = submission_in(registry).folder
    path = next(folder.glob("bundles/*.1.zip")) if name.startswith("bundles") else folder / name
    away = tmp_path / "away"
    if path.exists():
        shutil.move(path, away)
    else:
        away.write_text(_SECRETS["json"], "utf-8")
    path.symlink_to(away)
    with suppress(MalformedDataError):
        view = view_of(Repository.at(registry), tmp_path / "rows")
        (entrant,) = (each for each in view.entrants if each.folder.folder == folder)
        assert any("is no file of its own: it is a link" in each for each in entrant.problems)
