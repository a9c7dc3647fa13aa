"""`memgauge systems aged | as-of`, with a product of the test in versions that are wheels in a folder."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import invoke
from memgauge.errors import ConfigError
from memgauge.systems.environments.install import install
from memgauge.systems.environments.places import environment_of, home
from memgauge.systems.environments.products import read_product
from support.aging import GADGET, described, wheel

if TYPE_CHECKING:
    from pathlib import Path

WORSE = (
    GADGET.replace("size=10", "size=20").replace("LIMIT = 60", "SOURCES = False").replace("[:most]", "[:most][1:]")
)


@pytest.fixture
def gadget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Describe the product, and let pip see nothing but a folder."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return described(tmp_path)


def _aged(folder: Path) -> dict[str, Any]:
    (aged,) = json.loads((folder / "aged.json").read_text("utf-8"))["value"]["products"]
    assert isinstance(aged, dict)
    return aged


@pytest.mark.slow  # pip makes two environments, and scenarios are played in both
def test_a_promise_that_the_newest_version_breaks_is_exit_code_1(
    gadget: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both are installed and checked; names, defaults, lineage, checks and golden scenarios are compared."""
    install(read_product(gadget))
    wheel(tmp_path / "wheels", "1.1", WORSE)
    out = tmp_path / "out"
    words = ["systems", "aged", str(gadget), "--golden", "seed", "--remove", "--out", str(out)]
    assert invoke(words) == 1
    printed = capsys.readouterr().out
    assert "A promise is broken in the newest version of gadget." in printed
    assert "✗ finds a stored turn" in printed
    aged = _aged(out)
    assert (aged["outcome"], aged["pinned_from"], aged["pinned"], aged["newest"]) == (
        "broken",
        "environment",
        "1.0",
        "1.1",
    )
    told = {(c["topic"], c["name"]): (c["pinned"], c["newest"], c["broken"]) for c in aged["changes"]}
    assert told["packages", "gadget-made-here"] == ("1.0", "1.1", False)
    assert told["api", "LIMIT"] == ("60", "", False)
    assert told["defaults", "Store"] == ("(size=10)", "(size=20)", False)
    assert told["lineage", "sources"] == ("yes", "no", True)
    assert told["conformance", "finds a stored turn"][2]
    assert aged["uncompared"] == {}
    assert 'failures="' in (out / "aged.xml").read_text("utf-8")
    assert "| gadget | 1.0 | 1.1 |" in (out / "aged.md").read_text("utf-8")
    assert environment_of(read_product(gadget)) is not None
    assert not list((home() / "systems").glob("*-newest"))
    assert not (tmp_path / "gadget-newest.toml").exists()


@pytest.mark.slow  # pip makes an environment
@pytest.mark.parametrize(
    ("code", "requires", "outcome", "said", "ended"),
    [
        ("raise RuntimeError('no GPU')\n", "", "does not import", "RuntimeError: no GPU", 1),
        ("__version__ = '1.1'\n", "", "does not open", "has no attribute 'Store'", 1),
        (GADGET, "Requires-Dist: not-here-at-all\n", "cannot be installed", "pip cannot install it", 3),
        (GADGET, "Requires-Python: >=3.99\n", "current", "", 0),
        (GADGET, "", "not compared", "", 3),
    ],
)
def test_a_version_that_cannot_be_used_is_a_finding(
    gadget: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    code: str,
    requires: str,
    outcome: str,
    said: str,
    ended: int,
) -> None:
    """Named, in the words of what raised, and never a traceback; the pinned one is known by its lock alone."""
    wheel(tmp_path / "wheels", "1.1", code, requires)
    if outcome == "cannot be installed":  # else pip takes the older one, whose needs can be met
        (tmp_path / "wheels" / "gadget_made_here-1.0-py3-none-any.whl").unlink()
    assert invoke(["systems", "aged", str(gadget), "--out", str(tmp_path / "out")]) == ended
    aged = _aged(tmp_path / "out")
    assert (aged["outcome"], aged["pinned_from"]) == (outcome, "")
    assert said in aged["problem"]
    assert bool(said) == bool(aged["problem"])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err


@pytest.mark.slow  # pip makes an environment
def test_the_newest_stays_and_is_a_product_of_its_own(gadget: Path, tmp_path: Path) -> None:
    """It is described beside the product, pinned to what came, within the bounds of the description."""
    text = gadget.read_text("utf-8")
    gadget.write_text(text.replace("\n[switches]", '\nnewest = ["gadget-made-here<2"]\n[switches]'), "utf-8")
    for version in ("1.1", "2.0"):
        wheel(tmp_path / "wheels", version)
    assert invoke(["systems", "aged", str(gadget)]) == 3
    newest = read_product(tmp_path / "gadget-newest.toml")
    assert newest.packages == ("gadget-made-here==1.1",)
    assert (newest.summary, newest.switches) == ('A "gadget".', {"GADGET_HOME": "{folder}"})
    made = environment_of(newest)
    assert made is not None
    assert made.version == "1.1"
    assert invoke(["systems", "check", str(tmp_path / "gadget-newest.toml")]) == 0


def test_a_bound_that_is_none_is_refused(gadget: Path) -> None:
    """It reaches pip, so it is a name and versions."""
    gadget.write_text(gadget.read_text("utf-8").replace("module =", 'newest = ["--index"]\nmodule ='), "utf-8")
    with pytest.raises(ConfigError, match="newest: '--index' is not NAME<VERSION"):
        read_product(gadget)


def test_what_no_index_has_is_not_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hosted service has no packages; the page has it, and every other product, with the day of its lock."""
    assert invoke(["systems", "aged", "zep", "--out", str(tmp_path / "zep.json")]) == 0
    capsys.readouterr()
    assert invoke(["systems", "as-of", str(tmp_path), "--json"]) == 0
    rows = {row["product"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["zep"]["what changed"] == "no package of an index, so nothing to look for"
    assert rows["zep"]["looked at"]
    assert (rows["sqlite-vec"]["locked on"], rows["sqlite-vec"]["what changed"]) == ("2026-11-23", "not looked at")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["aged"], "Nothing to look at. There are: a-mem"),
        (["aged", "no-such-product"], "no-such-product"),
        (["aged", "zep", "--golden", "no-such-family"], "no-such-family"),
        (["as-of", "no-such.json"], "no-such.json"),
    ],
)
def test_a_mistake_is_told_before_anything_is_installed(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what there is."""
    assert invoke(["systems", *words]) == 2
    assert said in capsys.readouterr().err
