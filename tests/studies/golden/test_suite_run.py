"""A whole suite against one memory: nothing stops the others, nothing but a pass is a pass."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.studies.golden.anomalies import Anomaly, Model
from memgauge.studies.golden.loading import load_suite
from memgauge.studies.golden.runner import BEYOND, Options
from memgauge.studies.golden.suite_run import run_suites
from support.golden import BROKEN, GOOD, MEMORIES, VACUOUS, loaded

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.golden.summary import GoldenReport


def verdicts(report: GoldenReport) -> dict[str, str]:
    """Return how every scenario ended."""
    return {played.result.scenario: played.result.verdict for played in report.played}


@pytest.fixture
def memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a module of bad memories importable, in worker processes too."""
    (tmp_path / "bad_memories.py").write_text(MEMORIES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return "bad_memories"


def test_every_scenario_ends_in_its_own_way(tmp_path: Path) -> None:
    """Pass, fail, soft, known, unsupported; the report sums up what follows."""
    report = run_suites(loaded(tmp_path), "bm25")
    assert verdicts(report) == {
        "persistence.next": "pass",
        "mutation.deadline": "fail",
        "mutation.soft": "fail",
        "mutation.known": "xfail",
        "durability.restart": "unsupported",
        "isolation.other": "pass",
    }
    verdict = report.verdict
    assert verdict.anomalies == (Anomaly.MIXED_VERSIONS,)
    assert (verdict.weakest, verdict.also) == (Model.CURRENT, (Model.COEXISTING, Model.BITEMPORAL))
    assert (verdict.valid, report.let_through) == (False, False)
    assert [played.result.scenario for played in report.played if played.result.blocks] == ["mutation.deadline"]
    deadline = next(played for played in report.played if played.result.scenario == "mutation.deadline")
    assert deadline.provenance == "public-issue mem0ai/mem0#4957"
    assert (deadline.line, deadline.layers, deadline.needs) == (13, ("recall",), ("answering", "assembling"))
    assert deadline.story[2] == "ask: 'When is my deadline?', about: deadline"
    assert deadline.steps == {"say": 2, "ask": 2}
    assert report.system.fingerprint
    assert report.suites[0].scenarios == 6


def test_a_scenario_beyond_the_calendar_is_an_error(tmp_path: Path) -> None:
    """Distances add up; where no year is left, the scenario ends, and not the program."""
    steps = "  - advance: 999999d\n" * 4
    report = run_suites(loaded(tmp_path, GOOD.replace("  - ask:", f"{steps}  - ask:", 1)), "bm25")
    assert {played.result.detail for played in report.played if played.result.verdict == "error"} == {BEYOND}


def test_a_memory_that_is_right_is_let_through(tmp_path: Path) -> None:
    """The ideal memory passes everything; a known failure that is gone is said."""
    report = run_suites(loaded(tmp_path), "ideal")
    assert set(verdicts(report).values()) == {"pass"}
    assert (report.verdict.valid, report.let_through) == (True, True)
    assert [played.result.scenario for played in report.played if played.mended] == ["mutation.known"]
    assert (report.verdict.weakest, report.verdict.also) == (None, ())
    assert {"durable", "answering"} <= set(report.verdict.protocols)


def test_no_leak_comes_with_its_number(tmp_path: Path) -> None:
    """Only scenarios with somebody else count; none in N bounds the share by 3/N."""
    leaks, wrong = run_suites(loaded(tmp_path), "bm25").verdict.negatives
    assert (leaks.checks, leaks.violated) == (6, 0)
    assert leaks.bound == pytest.approx(3 / 6)
    assert wrong.violated
    assert wrong.bound is None
    leaky = run_suites(loaded(tmp_path), "faulty:leaky").verdict.negatives[0]
    assert leaky.violated
    assert leaky.bound is None


def test_nothing_but_a_pass_is_a_pass(tmp_path: Path) -> None:
    """A vacuous scenario and one that cannot be read keep even the ideal memory from being let through."""
    vacuous = run_suites(loaded(tmp_path, GOOD + VACUOUS), "ideal")
    assert verdicts(vacuous)["isolation.vacuous"] == "vacuous"
    assert (vacuous.verdict.valid, vacuous.let_through) == (None, False)
    broken = run_suites(loaded(tmp_path, GOOD + BROKEN), "ideal")
    assert set(verdicts(broken).values()) == {"pass"}
    assert (broken.verdict.valid, broken.let_through) == (None, False)
    assert re.search(r"small\.memsuite\.yaml:\d+: broken\.step: ", broken.broken[0])
    assert "there is no step 'sing'" in broken.broken[0]
    nothing = run_suites(loaded(tmp_path), "bm25", families=["persistence"])
    assert nothing.let_through
    only_unsupported = (
        GOOD[: GOOD.index("- id:")] + GOOD[GOOD.index("- id: durability") : GOOD.index("- id: isol")]
    )
    assert not run_suites(loaded(tmp_path, only_unsupported), "bm25").let_through


@pytest.mark.parametrize(
    ("how", "words"), [("raises", "raises on purpose"), ("hangs", "did not return within 0.2 s")]
)
def test_a_memory_that_raises_or_hangs_is_named_in_every_scenario(tmp_path: Path, how: str, words: str) -> None:
    """The others still run, and none of them passes."""
    report = run_suites(loaded(tmp_path), f"faulty:{how}", Options(timeout_s=0.2))
    ended = verdicts(report)
    assert ended.pop("durability.restart") == "unsupported"
    assert set(ended.values()) == {"error"}
    assert all(words in played.result.detail for played in report.played if played.result.verdict == "error")
    assert not report.let_through


@pytest.mark.parametrize(
    ("name", "words"),
    [("cannot_be_reached", "no server at port 9"), ("hangs_on_opening", "opening it did not return")],
)
def test_a_memory_that_cannot_be_opened_is_named(tmp_path: Path, memories: str, name: str, words: str) -> None:
    """Whether its factory raises or hangs."""
    report = run_suites(loaded(tmp_path), f"{memories}:{name}", Options(timeout_s=0.2))
    assert words in report.system.problem
    assert set(verdicts(report).values()) == {"error"}


def test_workers_find_the_same(tmp_path: Path) -> None:
    """In the same order, here and in whatever number of other processes."""
    here, *apart = (run_suites(loaded(tmp_path), "bm25", workers=workers) for workers in (0, 1, 2))
    assert apart == [here, here]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_memory_that_ends_its_process_takes_nothing_with_it(tmp_path: Path, memories: str, workers: int) -> None:
    """The scenario is an error by name; all others end as ever."""
    three = GOOD[: GOOD.index("- id: mutation.soft")] + GOOD[GOOD.index("- id: isolation.other") :]
    report = run_suites(loaded(tmp_path, three), f"{memories}:Dies", workers=workers)
    ended = verdicts(report)
    assert ended["mutation.deadline"] == "error"
    assert (ended["persistence.next"], ended["isolation.other"]) == ("pass", "pass")
    detail = next(
        played.result.detail for played in report.played if played.result.scenario == "mutation.deadline"
    )
    assert detail == "the memory ended its process"


def test_a_memory_that_ends_its_process_when_it_is_opened_is_named(tmp_path: Path, memories: str) -> None:
    """It could not be opened, and every scenario says so."""
    report = run_suites(loaded(tmp_path), f"{memories}:ends_on_opening", workers=1)
    assert report.system.problem == "the memory could not be opened: the memory ended its process"
    assert set(verdicts(report).values()) == {"error"}


def test_a_mistake_in_a_name_is_told_by_a_worker_too(tmp_path: Path) -> None:
    """In the words that it has here."""
    with pytest.raises(UnknownNameError, match=r"Unknown system 'bm26'\. Did you mean bm25\?"):
        run_suites(loaded(tmp_path), "bm26", workers=1)


def test_programs_lead_to_the_failure_or_are_the_smallest(tmp_path: Path) -> None:
    """Without shrinking they end with the first step that showed it; shrunk, nothing can be missed."""
    (whole,) = run_suites(loaded(tmp_path), "bm25", families=["mutation"]).verdict.programs
    assert (whole.anomaly, whole.steps) == (Anomaly.MIXED_VERSIONS, 3)
    (small,) = run_suites(loaded(tmp_path), "bm25", families=["mutation"], shrunk=True).verdict.programs
    assert small.steps == 3
    assert small.text.startswith("- say: ")


@pytest.mark.parametrize("shrunk", [False, True])
def test_what_is_seen_before_anything_is_asked_has_a_program_that_asks(tmp_path: Path, shrunk: bool) -> None:
    """What is stored still shows when it is told to be forgotten; a program goes on until something is asked."""
    suite = tmp_path / "early.memsuite.yaml"
    suite.write_text(
        "schema: 1\nsuite: {id: early, version: 1.0.0}\nscenarios:\n"
        "- id: early.forget.words\n  title: Forget\n  family: early\n  requires: [mutable]\n  steps:\n"
        "  - {say: 'My doctor is {a}.', sets: {doctor: a}}\n"
        "  - {say: 'Please forget my doctor.', forgets: [doctor]}\n"
        "  - {erase: doctor, again: true}\n"
        "  - {ask: 'Who is my dentist?', about: dentist}\n",
        "utf-8",
    )
    loaded_suite = load_suite(suite)
    assert not loaded_suite.broken, loaded_suite.broken
    report = run_suites([loaded_suite], "bm25", shrunk=shrunk)
    assert Anomaly.RESIDUE in {program.anomaly for program in report.verdict.programs}
    assert all("ask: " in program.text for program in report.verdict.programs)


def test_what_is_long_can_wait_for_the_night(tmp_path: Path) -> None:
    """Quick is without scenarios of more than a hundred turns, sweeps and restarts; by default all are played."""
    suite = tmp_path / "waits.memsuite.yaml"
    suite.write_text(
        "schema: 1\nsuite: {id: waits, version: 1.0.0}\nscenarios:\n"
        + "".join(
            f"- {{id: {name}, title: Wait, family: waits, steps: [{{say: Hi, times: {times}}}, {{probe: [x]}}]}}\n"
            for name, times in (("short", 9), ("long", 100))
        ),
        "utf-8",
    )
    suites = [load_suite(suite)]
    assert not suites[0].broken, suites[0].broken
    assert [row.result.scenario for row in run_suites(suites, "bm25").played] == ["short", "long"]
    assert [row.result.scenario for row in run_suites(suites, "bm25", quick=True).played] == ["short"]


def test_progress_is_told_and_mistakes_are_refused(tmp_path: Path) -> None:
    """Every scenario is counted; a wrong family or memory is a mistake before anything is played."""
    progress: list[tuple[int, int, str]] = []
    run_suites(loaded(tmp_path), "bm25", on_progress=lambda *at: progress.append(at))
    assert [done for done, _, _ in progress] == [1, 2, 3, 4, 5, 6]
    with pytest.raises(ConfigError, match="There are: isolation, mutation, persistence"):
        run_suites(loaded(tmp_path), "bm25", families=["mutations"])
    with pytest.raises(UnknownNameError, match="Did you mean bm25"):
        run_suites(loaded(tmp_path), "bm52")
