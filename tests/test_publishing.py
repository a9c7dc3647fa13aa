"""What would be published: metadata that an index takes, a page that renders, a source that is whole."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
from email import message_from_string
from email.policy import HTTP
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from support import ROOT

if TYPE_CHECKING:
    from email.message import EmailMessage
    from pathlib import Path


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution with the locked backend, offline."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(out)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = out.glob("memgauge-*.tar.gz")
    return path


def _read(sdist: Path, name: str) -> str:
    with tarfile.open(sdist) as packed:
        member = packed.extractfile(f"{sdist.name.removesuffix('.tar.gz')}/{name}")
        assert member is not None
        return member.read().decode()


@pytest.fixture(scope="module")
def metadata(sdist: Path) -> EmailMessage:
    """Read what an index would."""
    return message_from_string(_read(sdist, "PKG-INFO"), policy=HTTP)


def test_the_metadata_says_what_it_is(metadata: EmailMessage) -> None:
    """Name, version, one line, licence, Pythons, keywords and classifiers that indexes know."""
    assert (metadata["Name"], metadata["License-Expression"]) == ("memgauge", "Apache-2.0")
    assert metadata["Requires-Python"] == "<3.15,>=3.11"
    assert 20 < len(metadata["Summary"]) <= 200
    assert metadata["Keywords"].count(",") >= 3
    classifiers = metadata.get_all("Classifier", [])
    assert len(set(classifiers)) == len(classifiers) >= 12
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)} <= set(classifiers)
    assert not [each for each in classifiers if each.startswith("License ::")]


def test_the_page_of_the_package_renders(metadata: EmailMessage) -> None:
    """It is the README, declared as Markdown, with headings and no fence left open."""
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = str(metadata.get_payload())
    assert text.strip() == (ROOT / "README.md").read_text("utf-8").strip()
    page = MarkdownIt("commonmark").enable("table").render(text)
    assert page.startswith("<h1>")
    assert "```" not in page


def test_the_source_holds_what_its_wheel_and_its_tests_need(sdist: Path) -> None:
    """Every file of git but those of the build server, and nothing that a tool left behind."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("this checkout is no repository of git, so nothing says which files belong to it")
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    wanted = {name for name in tracked.stdout.splitlines() if not name.startswith((".ci/", ".git", "results/"))}
    assert wanted - names == set()
    left = {name for name in names - wanted - {"PKG-INFO", ".gitignore"} if (ROOT / name).is_file()}
    assert not [name for name in left if "__pycache__" in name or name.endswith(".pyc")]


def test_the_console_command_is_named_as_uvx_looks_for_it() -> None:
    """``uvx memgauge`` runs the command of the package's own name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"][project["name"]] == "memgauge.cli:main"
