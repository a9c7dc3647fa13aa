"""Suite files: every mistake has a file, a line and a remedy, and stops nothing else."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.golden.loading import SUFFIX, find_suites, load_suite, load_suites

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "schema: 1\nsuite: {id: a, version: 1.0.0, released: 2026-11-21}\nscenarios:\n"
CASE = """- id: a.%s
  title: A case
  family: a
  steps:
  - say: "My vet is {vet}."
    sets: {vet: vet}
  - %s
  - {ask: "Who is my vet?", about: vet}
"""


def case(name: str = "good", step: str = "session: two") -> str:
    """Write a case whose second step stands on its seventh line."""
    return CASE % (name, step)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Name a suite file."""
    return tmp_path / f"mine{SUFFIX}"


def refused(file: Path, text: str) -> str:
    """Return what is said of a file that cannot be read at all."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_suite(file)
    return str(caught.value)


def test_a_suite_is_read_with_its_places(file: Path) -> None:
    """Scenarios come with the line on which they begin, the suite with the digest of its file."""
    file.write_text(HEAD + case("first") + case("second"), encoding="utf-8")
    loaded = load_suite(file)
    assert (loaded.lines, loaded.broken) == ({"a.first": 4, "a.second": 12}, ())
    assert loaded.sha256 == sha256(file.read_bytes()).hexdigest()
    assert loaded.suite.suite.released == "2026-11-21"
    assert [len(one.steps) for one in loaded.suite.scenarios] == [3, 3]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("sya: hi", "step 2: there is no step 'sya'; there are user, session"),
        ("advance: tomorrow", "step 2: advance: 'tomorrow' is no distance in time; write 3d"),
        ("advance: 99999999d", "step 2: advance: '99999999d' is no distance in time; write 3d"),
        ("{say: hi, stes: {vet: vet}}", "step 2: there is no key 'stes'; there are say"),
        ("{say: hi, sets: {vet: vat}}", "step 2: sets: vet: {vat} stands nowhere in what is said"),
        ("just words", "step 2 is no mapping"),
    ],
)
def test_a_bad_step_is_named_by_its_line_and_the_others_load(file: Path, step: str, said: str) -> None:
    """A scenario with a mistake is set aside; its neighbours are there."""
    file.write_text(HEAD + case("first") + case("bad", step) + case("last"), encoding="utf-8")
    loaded = load_suite(file)
    assert [one.id for one in loaded.suite.scenarios] == ["a.first", "a.last"]
    (broken,) = loaded.broken
    assert broken.startswith(f"{file}:18: a.bad: {said}")
    assert broken.endswith(".")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- just words\n", "4: Input should be a valid dictionary"),
        ("- {id: a.x, title: A case, family: a, steps: []}\n", "4: a.x: steps: Tuple should have"),
        ("- {id: a.x, title: A case, family: a, steps: 3}\n", "4: a.x: steps: Input should be a valid tuple"),
        (case().replace("family: a", "family: a\n  sevrity: high"), "4: a.good: there is no key 'sevrity'; there"),
        (case().replace("a.good", "A Good"), "4: A Good: id: String should match pattern"),
        (case().rsplit("  - {ask", 1)[0], "4: a.good: nothing is ever checked: add an ask, a probe or an assert"),
        (case().replace("  title: A case\n", ""), "4: a.good: title: Field required"),
    ],
)
def test_a_bad_scenario_is_named_by_its_first_line(file: Path, text: str, said: str) -> None:
    """What is wrong with a scenario as a whole is said where it begins."""
    file.write_text(HEAD + text + case("last"), encoding="utf-8")
    loaded = load_suite(file)
    assert [one.id for one in loaded.suite.scenarios] == ["a.last"]
    assert f"{file}:{said}" in loaded.broken[0]


def test_an_id_is_used_once(file: Path) -> None:
    """The second use is named by its line."""
    said = refused(file, HEAD + case("twin") + case("twin"))
    assert f"{file}:12: id a.twin is used twice, or was retired" in said
    assert "An id is never used again." in said


def test_a_retired_id_stays_taken(file: Path) -> None:
    """An id that was given up cannot be used."""
    retired = "retired:\n- {id: a.good, reason: It was ambiguous., by: us}\n"
    assert f"{file}:4: id a.good is used twice, or was retired" in refused(file, HEAD + case() + retired)
    file.write_text(HEAD + case("other") + retired, encoding="utf-8")
    assert load_suite(file).suite.retired[0].by == "us"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD.replace("schema: 1", "schema: 2"), "schema: 2 is not 1. Write `schema: 1` at the top."),
        (HEAD.replace("schema: 1\n", ""), "schema: None is not 1"),
        ("- a\n- b\n", "schema: None is not 1"),
        ("", "schema: None is not 1"),
        (HEAD + "- id: [\n", ", line "),
        (HEAD.replace("scenarios:", "scenarios: 3"), "scenarios: this is no list"),
        (HEAD.replace("1.0.0", "one"), "suite.version: String should match pattern"),
        (HEAD + case() + "extra: 1\n", "there is no key 'extra'; there are schema, suite, scenarios, retired"),
    ],
)
def test_a_file_that_is_no_suite_says_why(file: Path, text: str, said: str) -> None:
    """Without a schema, a list or YAML nothing can be run, and the file is named."""
    message = refused(file, text)
    assert message.startswith(str(file))
    assert said in message


def test_suites_are_found_below_folders(tmp_path: Path) -> None:
    """Files are found once, in alphabetical order; a path without any is a mistake."""
    files = [tmp_path / "b" / f"x{SUFFIX}", tmp_path / f"a{SUFFIX}"]
    files[0].parent.mkdir()
    for file in files:
        file.write_text(HEAD + case(f"in-{file.name[0]}"), encoding="utf-8")
    (tmp_path / "notes.yaml").write_text("no suite", encoding="utf-8")
    assert find_suites([tmp_path, files[0]]) == [files[1], files[0]]
    assert [one.path for one in load_suites([tmp_path])] == [files[1], files[0]]
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataNotFoundError, match="No suite at or below"):
        find_suites([tmp_path / "empty"])


def test_an_id_belongs_to_one_file(tmp_path: Path) -> None:
    """Two files cannot use one id."""
    for name in "ab":
        (tmp_path / f"{name}{SUFFIX}").write_text(HEAD + case(), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"b\.memsuite\.yaml:4: id a\.good is taken in .*a\.memsuite\.yaml"):
        load_suites([tmp_path])
