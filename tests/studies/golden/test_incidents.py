"""The regression rule as a lint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.golden.incidents import lint, write_release
from memgauge.studies.golden.loading import Loaded, load_suite

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
schema: 1
suite: {id: core, version: 1.0.0}
scenarios:
- id: city.moved
  title: a correction
  family: currency
  steps:
  - {say: "My city is {a}.", sets: {city: a}}
  - {ask: "What is my city?", about: city}
- id: city.kept
  title: it lasts
  family: persistence
  steps:
  - {say: "My city is {a}.", sets: {city: a}}
  - {ask: "What is my city?", about: city}
retired:
- {id: city.gone, reason: it tested words, by: ada}
"""
GOOD = """\
schema: 1
# what the last release held
release: 1.3.0
cases:
- city.kept
- city.gone
- city.older
incidents:
- {id: INC-1, title: the old city came back, closed: 2026-03-09, case: city.moved}
- {id: INC-2, title: still open}
retired:
- {id: city.older, reason: covered by city.moved, by: ada, superseded_by: city.moved}
"""


@pytest.fixture
def suites(tmp_path: Path) -> list[Loaded]:
    """Return a suite of two cases."""
    path = tmp_path / "core.memsuite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return [load_suite(path)]


def _lock(folder: Path, text: str) -> Path:
    path = folder / "incidents.lock"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_lock_that_keeps_the_rule_is_silent(suites: list[Loaded], tmp_path: Path) -> None:
    """A closed incident with its case, an open one without, and reasons for what is gone."""
    assert lint(suites, _lock(tmp_path, GOOD)) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (", case: city.moved}", "}", "incidents.lock:9: INC-1 is closed without a case"),
        ("case: city.moved", "case: city.nowhere", "incidents.lock:9: INC-1 names the case city.nowhere"),
        (
            "case: city.moved",
            "case: city.gone",
            "incidents.lock:9: INC-1 is closed by city.gone, which is retired",
        ),
        ("- city.older\n", "- city.lost\n", "incidents.lock:7: city.lost was released with 1.3.0 and is gone"),
        ("id: INC-2", "id: INC-1", "incidents.lock:10: INC-1 stands twice under incidents"),
        ("{id: city.older", "{id: city.kept", "core.memsuite.yaml:10: city.kept was retired"),
    ],
)
def test_a_broken_rule_is_named_by_file_and_line(
    old: str, new: str, complaint: str, suites: list[Loaded], tmp_path: Path
) -> None:
    """Every complaint says where, which, and why."""
    assert old in GOOD
    assert complaint in "\n".join(lint(suites, _lock(tmp_path, GOOD.replace(old, new))))


def test_an_id_in_two_suites_is_named(suites: list[Loaded], tmp_path: Path) -> None:
    """An id belongs to one case over all suites."""
    assert any("city.moved is taken at" in one for one in lint([*suites, *suites], _lock(tmp_path, GOOD)))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (", by: ada, superseded_by: city.moved}", "}", r"incidents\.lock:12: retired\.0\.by"),
        ("title: still open", "title: x", r"incidents\.lock:10: incidents\.1\.title"),
        ("schema: 1", "schema: 2", r"incidents\.lock:1: schema"),
        ("cases:", "cases: [", "it is no YAML"),
    ],
)
def test_a_lock_that_cannot_be_read_is_named(
    old: str, new: str, problem: str, suites: list[Loaded], tmp_path: Path
) -> None:
    """Retiring needs a reason and a name; the mistake is named by its line."""
    with pytest.raises(ConfigError, match=problem):
        lint(suites, _lock(tmp_path, GOOD.replace(old, new)))
    with pytest.raises(DataNotFoundError, match="nowhere"):
        lint(suites, tmp_path / "nowhere.lock")


def test_a_release_locks_its_cases(suites: list[Loaded], tmp_path: Path) -> None:
    """From then on none of them can go without a reason; the rest of the lock stays as it was."""
    lock = _lock(tmp_path, GOOD)
    write_release(suites, lock, "1.4.0")
    text = lock.read_text("utf-8")
    assert text.endswith("release: 1.4.0\ncases:\n- city.kept\n- city.moved\n")
    assert "# what the last release held" in text
    assert "city.gone" not in text
    assert lint(suites, lock) == []
    less = suites[0].path.with_name("less.memsuite.yaml")
    less.write_text(SUITE.replace("city.moved", "city.new"), encoding="utf-8")
    assert any("city.moved was released with 1.4.0" in one for one in lint([load_suite(less)], lock))
    with pytest.raises(ConfigError, match="a release waits"):
        write_release([load_suite(less)], lock, "1.5.0")
