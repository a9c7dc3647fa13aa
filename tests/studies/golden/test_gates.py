"""What a memory must offer, may not lose, and how slow it may be."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.studies.golden.gates import CLASSES, METHODS, Gates, MethodTimes, missed, untried
from memgauge.studies.golden.history import RunFacts
from memgauge.studies.golden.suite_run import run_suites
from memgauge.studies.golden.teaching import is_taught, wants_teaching
from memgauge.studies.golden.words import facts, headline
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.protocol import OPTIONAL
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS
from support.golden import GOOD, loaded, write_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memgauge.records.statements import Statement
    from support.cli import Said

BEFORE = RunFacts("r1", "2026-01-05", "mine", ("mutable", "erasable"), (MethodTimes("search", 50, 1.0, 2.0, 3.0),))


def test_what_is_required_and_not_offered_is_missed() -> None:
    """By name, or because products of a class need it; the reason is said."""
    required = missed(Gates(("erasable", "durable")), ("erasable",))
    assert [(each.gate, each.what) for each in required] == [("required", "durable")]
    of_class = missed(Gates(product="assistant"), ())
    assert {each.what for each in of_class} == set(CLASSES["assistant"].needs)
    assert "a person leaves" in next(each.why for each in of_class if each.what == "erasable")
    assert not missed(Gates(product="regulated"), OPTIONAL)


def test_each_class_needs_more_than_the_one_before() -> None:
    """A product that is moved to a stricter class loses no requirement."""
    needs = [set(each.needs) for each in CLASSES.values()]
    assert all(less < more for less, more in pairwise(needs))
    assert set().union(*needs) <= set(OPTIONAL)
    assert set(METHODS) <= set(OPTIONAL)


def test_what_the_accepted_run_offered_may_not_be_dropped() -> None:
    """A release that offers less than the baseline is held, by name; one that offers more is not."""
    assert [each.what for each in missed(Gates(), ("mutable",), baseline=BEFORE)] == ["erasable"]
    assert not missed(Gates(), ("mutable", "erasable", "durable"), baseline=BEFORE)


def test_slow_calls_are_missed_by_a_limit_and_by_a_ratio() -> None:
    """95 of 100 calls count, so that one slow call of many is let through; few calls are not compared."""
    now = (MethodTimes("search", 50, 3.0, 5.0, 90.0),)
    assert not missed(Gates(slowest_ms=6), (), now)
    assert [each.gate for each in missed(Gates(slowest_ms=4), (), now)] == ["slow"]
    bare = replace(BEFORE, offers=())
    assert [each.gate for each in missed(Gates(slower=2), (), now, bare)] == ["slower"]
    assert not missed(Gates(slower=3), (), now, bare)
    assert not missed(Gates(slower=2), (), (replace(now[0], n=5),), bare)
    assert MethodTimes.of("ask", [7.0]) == MethodTimes("ask", 1, 7.0, 7.0, 7.0)
    assert MethodTimes.of("ask", [1.0] * 99 + [500.0]).p95_ms == 1.0


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"required": ("erasible",)}, UnknownNameError),
        ({"product": "toy"}, UnknownNameError),
        ({"slowest_ms": 0}, ConfigError),
        ({"slower": 1}, ConfigError),
    ],
)
def test_gates_that_there_are_not_are_refused(asked: dict[str, object], error: type[Exception]) -> None:
    """A name that is misspelled would otherwise be a gate that nothing misses."""
    with pytest.raises(error):
        Gates(**asked)  # type: ignore[arg-type] # on purpose


def test_methods_that_were_never_called_are_named() -> None:
    """Those that are not offered apart from those that no scenario asked for."""
    absent, idle = untried(("mutable",), ("delete", "search"))
    assert idle == ("update",)
    assert absent["erase"] == "erasable"
    assert "delete" not in absent


def test_a_gate_blocks_what_passes_everything(tmp_path: Path) -> None:
    """The verdict, the first screen and the methods say so."""
    report = run_suites(loaded(tmp_path), "ideal", gates=Gates(("learning",)))
    assert not report.let_through
    assert [each.what for each in report.verdict.missed] == ["learning"]
    lines = list(facts(report))
    assert "Gate required: the memory is not learning (it is required)." in lines
    assert any(line.startswith("Methods not tried: ") and "update" in line for line in lines)
    assert not report.times


def test_a_family_that_was_not_tried_is_said_in_the_first_line(tmp_path: Path) -> None:
    """A memory that offers nothing is never let through without a word on what that leaves open."""
    text = GOOD[: GOOD.index("- id:")] + GOOD[GOOD.index("- id: persistence") : GOOD.index("- id: mutation")]
    text += GOOD[GOOD.index("- id: durability") : GOOD.index("- id: isol")].replace(
        "family: persistence", "family: restarts"
    )
    report = run_suites(loaded(tmp_path, text), "bm25")
    assert report.let_through
    assert "let through, and not tried at all in restarts." in headline(report)
    assert any(line.startswith("Nothing was tried of restarts: 1 scenario needs what") for line in facts(report))


class Pretender(Bm25Policy):
    """Would like to be told what turns mean."""

    def teach(self, turn: str, statements: Sequence[Statement], *, trusted: bool) -> None:
        """Remember everything that counts."""
        raise AssertionError("a memory under test was told what a turn means")


def test_only_reference_memories_are_taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory of somebody else that defines teach is not told, and the report says so."""
    assert is_taught(Ideal())
    assert is_taught(MUTANTS["late"]())
    assert not is_taught(Pretender())
    assert wants_teaching(Pretender())
    assert not wants_teaching(Bm25Policy())
    monkeypatch.setattr("support.golden.Pretender", Pretender, raising=False)
    report = run_suites(loaded(tmp_path), "support.golden:Pretender")
    assert report.system.untaught
    assert any("was not told what turns mean" in line for line in facts(report))


def test_gates_are_on_every_surface(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Text, JSON, JUnit and Markdown name what is missed, and the exit code is 1."""
    suite = write_suite(tmp_path)
    asked = ("study", "golden", "run", "-s", "ideal", "--suite", suite, "--require", "durable,learning")
    ran = memgauge(*asked, "--out", tmp_path / "out")
    assert ran.code == 1
    assert "Gate required: the memory is not learning" in ran.out
    value = json.loads((tmp_path / "out" / "golden.json").read_text())["value"]
    assert [each["what"] for each in value["verdict"]["missed"]] == ["learning"]
    cases = ET.parse(tmp_path / "out" / "golden.xml").iter("testcase")  # noqa: S314 - made here
    assert [case.get("name") for case in cases if case.find("failure") is not None] == ["required.learning"]
    assert "the memory is not learning" in (tmp_path / "out" / "golden.md").read_text()
    assert memgauge(*asked[:-1], "durable").code == 0
    assert memgauge(*asked[:-1], "durible").code == 2
    assert memgauge(*asked[:-2], "--slower", "2").code == 2
    slow = memgauge(*asked[:-2], "--slowest", "0.000001", "--json")
    assert slow.code == 1
    assert {each["gate"] for each in slow.data["value"]["report"]["missed"]} == {"slow"}


def test_a_release_that_drops_a_capability_is_held(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the accepted run offered is kept in the history, and compared when the next one is played."""
    (tmp_path / "dropping.py").write_text(
        "from pathlib import Path\n"
        "from memgauge.systems.reference.ideal import Ideal\n"
        "class Memory(Ideal):\n"
        "    def offers(self):\n"
        "        return ('durable',) if Path('dropped').exists() else ('durable', 'erasable')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    history = tmp_path / "h.jsonl"
    asked = (
        "study",
        "golden",
        "run",
        "-s",
        "dropping:Memory",
        "--suite",
        write_suite(tmp_path),
        "--history",
        history,
    )
    assert memgauge(*asked).code == 0
    assert memgauge("study", "golden", "accept", "--history", history, "--by", "Ada", "--reason", "1.0").code == 0
    (tmp_path / "dropped").touch()
    ran = memgauge(*asked)
    assert ran.code == 1
    assert "Gate dropped: the memory was erasable in the accepted run, and is no longer." in ran.out
