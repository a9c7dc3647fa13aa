"""`memgauge study golden`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from memgauge.studies.golden import identities
from memgauge.studies.golden.attacks.lookalikes import pairs
from support.golden import BROKEN, GOOD, MEMORIES, VACUOUS, write_suite
from support.junit import red

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

COMMANDS = ["run", "list", "selftest", "attack", "identities", "races", "explore", "capture", "lint"]
COMMANDS += ["accept", "drift"]
OWN = "../small.memsuite.yaml"
"""The small suite from a folder beside it: reading all that are shipped takes two seconds."""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Write the small suite."""
    return write_suite(tmp_path)


@pytest.fixture
def memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a module of bad memories where a user would have it."""
    (tmp_path / "worse_memories.py").write_text(MEMORIES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "worse_memories"


def test_a_run_is_told_kept_and_gated(memgauge: Callable[..., Said], suite: Path, tmp_path: Path) -> None:
    """A hard failure exits with 1; every file that was asked for is there."""
    out = tmp_path / "out"
    asked = ("study", "golden", "run", "-s", "bm25", "--suite", suite)
    said = memgauge(*asked, "--out", out)
    assert said.code == 1
    assert "mutation.deadline fail MIXED_VERSIONS at recall" in said.out
    assert ET.parse(out / "golden.xml").getroot().get("failures") == "1"  # noqa: S314 - made a line above
    assert (out / "golden.md").read_text().startswith("## Golden suite")
    assert (out / "golden.html").read_text().startswith("<!doctype html>")
    assert memgauge("study", "golden", "run", "-s", "ideal", "--suite", suite).code == 0


def test_a_soft_gate_lets_through(memgauge: Callable[..., Said], suite: Path) -> None:
    """What is only soft or known is told and gates nothing."""
    soft = GOOD.replace("  severity: critical\n", "  gate: soft\n")
    said = memgauge("study", "golden", "run", "-s", "bm25", "--suite", write_suite(suite.parent, soft), "--json")
    verdict = said.data["value"]["verdict"]
    assert (said.code, verdict["let_through"], verdict["valid"]) == (0, True, False)
    assert verdict["ids"]["fail"] == ["mutation.deadline", "mutation.soft"]


@pytest.mark.parametrize("extra", [VACUOUS, BROKEN], ids=["vacuous", "broken"])
def test_nothing_counts_as_a_pass(memgauge: Callable[..., Said], tmp_path: Path, extra: str) -> None:
    """A vacuous scenario and one that cannot be read exit with 1, and the others are played."""
    said = memgauge(
        "study", "golden", "run", "-s", "ideal", "--suite", write_suite(tmp_path, GOOD + extra), "--json"
    )
    assert said.code == 1
    value = said.data["value"]
    assert value["verdict"]["counts"]["pass"] == 6
    assert value["verdict"]["ids"]["vacuous"] == (["isolation.vacuous"] if extra is VACUOUS else [])
    assert len(value["report"]["broken"]) == (extra is BROKEN)


def test_families_layers_and_seeds_are_chosen(memgauge: Callable[..., Said], suite: Path) -> None:
    """Only what was named is played; another seed plants other values."""
    asked = (
        "study",
        "golden",
        "run",
        "-s",
        "mutant:append-only",
        "--suite",
        suite,
        "--family",
        "mutation",
        "--json",
    )

    def played(*more: object) -> list[dict[str, Any]]:
        scenarios: list[dict[str, Any]] = memgauge(*asked, *more).data["value"]["report"]["played"]
        return scenarios

    answer = played("--layers", "answer")
    assert {scenario["result"]["family"] for scenario in answer} == {"mutation"}
    assert {scenario["layers"][0] for scenario in answer} == {"answer"}
    first, other = (played("--seed", seed)[0]["result"]["detail"] for seed in (0, 1))
    assert first != other
    assert first == played("--workers", "2")[0]["result"]["detail"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("cannot_be_reached", "no server at port 9"), ("hangs_on_opening", "did not return within 0.3 s")],
)
def test_a_memory_that_cannot_be_reached_is_named(
    memgauge: Callable[..., Said], suite: Path, memories: str, name: str, said: str
) -> None:
    """Every scenario is an error; nothing that it said is obeyed by the terminal."""
    found = memgauge("study", "golden", "run", "-s", f"{memories}:{name}", "--suite", suite, "--timeout", "0.3")
    assert found.code == 1
    assert said in found.out
    assert "\x1b" not in found.out
    assert "0 of 6 scenarios pass; 6 error" in found.out


def test_what_a_memory_raises_is_harmless(memgauge: Callable[..., Said], suite: Path, memories: str) -> None:
    """Control characters are visible in every format."""
    page = suite.parent / "page.html"
    found = memgauge("study", "golden", "run", "-s", f"{memories}:Hostile", "--suite", suite, "--out", page)
    assert found.code == 1
    assert "\x1b" not in found.out
    assert "\\x1b[2J \\u202e" in found.out
    assert "<script>" not in page.read_text()


def test_a_history_from_run_to_baseline_to_alarm(
    memgauge: Callable[..., Said], suite: Path, tmp_path: Path, memories: str
) -> None:
    """Runs are appended; a baseline needs a name and a reason; what is lost beside it is an alarm by name."""
    (tmp_path / "changing.py").write_text(
        "from pathlib import Path\n"
        "from memgauge.systems.reference.ideal import Ideal\n"
        "from memgauge.systems.reference.mutants import mutant\n"
        "def memory():\n"
        "    return mutant('append-only') if Path('broken').exists() else Ideal()\n"
    )
    kept = tmp_path / "history" / "golden.jsonl"
    asked = ("study", "golden", "run", "-s", "changing:memory", "--suite", suite, "--history", kept)
    first = memgauge(*asked, "--build", "1")
    assert "No run was accepted as the baseline yet" in first.out
    assert memgauge("study", "golden", "accept", "--history", kept, "--by", "Ada", "--reason", "?").code == 2
    accepted = memgauge(
        "study", "golden", "accept", "--history", kept, "--by", "Ada", "--reason", "as released", "--json"
    )
    assert accepted.data["by"] == "Ada"
    assert memgauge("study", "golden", "drift", "--history", kept).code == 0
    (tmp_path / "broken").touch()
    page = tmp_path / "page.html"
    second = memgauge(*asked, "--build", "2", "--out", page)
    assert second.code == 1
    assert "3 lost, 0 gained" in second.out
    assert "Over time" in page.read_text()
    alarm = memgauge("study", "golden", "drift", "--history", kept)
    assert alarm.code == 1
    assert "ALARM mutation.deadline: passed in the baseline and does not now" in alarm.out
    data = memgauge("study", "golden", "drift", "--history", kept, "--json").data
    assert data["diff"]["lost"] == ["mutation.deadline", "mutation.known", "mutation.soft"]
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert {row["value"].get("build") for row in rows} == {"1", "2", None}


def test_scenarios_are_listed(memgauge: Callable[..., Said], suite: Path) -> None:
    """As a table and as data; one that cannot be read is named."""
    said = memgauge("study", "golden", "list", "--suite", suite)
    assert (said.code, "6 scenarios in 1 suites" in said.out) == (0, True)
    data = memgauge("study", "golden", "list", "--suite", suite, "--family", "mutation", "--json").data
    assert [one["id"] for one in data] == ["mutation.deadline", "mutation.soft", "mutation.known"]
    assert data[0]["line"] == 13
    broken = memgauge("study", "golden", "list", "--suite", write_suite(suite.parent, GOOD + BROKEN))
    assert (broken.code, "not readable" in broken.out) == (1, True)


def test_the_shipped_suite_is_the_default(memgauge: Callable[..., Said]) -> None:
    """At least eighty scenarios, every one with an id of its own."""
    data = memgauge("study", "golden", "list", "--json").data
    assert len({one["id"] for one in data}) == len(data) >= 80


def test_a_suite_proves_itself(memgauge: Callable[..., Said], suite: Path) -> None:
    """The small suite cannot kill every mutant and says which survive."""
    written = suite.parent / "proof.json"
    said = memgauge("study", "golden", "selftest", "--suite", suite, "--out", written)
    assert said.code == 1
    assert "append-only" in said.out
    assert "survives" in said.out
    data = json.loads(written.read_text())
    assert data["oracle"]["passed"] == 6
    assert len(data["matrix"]["cells"]) > 6 * 40


def test_attacks_are_counted_with_their_twins(memgauge: Callable[..., Said]) -> None:
    """The ideal memory resists; BM25 stores whatever it hears; a wrong family is a mistake."""
    assert memgauge("study", "golden", "attack", "-s", "ideal", "--family", "P1").code == 0
    said = memgauge("study", "golden", "attack", "-s", "bm25", "--family", "P1")
    assert said.code == 1
    assert "twin kept" in said.out
    data = memgauge("study", "golden", "attack", "-s", "bm25", "--family", "P1", "--json").data
    assert data["families"]["P1"]["success"]["mean"] == 1
    counted = memgauge("study", "golden", "attack", "-s", "bm25", "--family", "P1", "--format", "junit")
    assert len(red(counted.out)) == data["families"]["P1"]["n"]
    assert "P1" in memgauge("study", "golden", "attack", "-s", "bm25", "--family", "P99").err


def test_identities_are_probed(memgauge: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing crosses in the ideal memory; one that folds case is caught, and the list stays short."""
    few = {"capital", "upper case", "trailing space", "other tenant"}
    monkeypatch.setattr(identities, "pairs", lambda owner: tuple(p for p in pairs(owner) if p.kind in few))
    said = memgauge("study", "golden", "identities", "-s", "ideal")
    assert said.code == 0
    assert "Nothing crossed: at most" in said.out
    leaky = memgauge("study", "golden", "identities", "-s", "mutant:leaky-case")
    assert leaky.code == 1
    assert "more (--json has all)" in leaky.out
    assert memgauge("study", "golden", "identities", "-s", "mutant:leaky-case", "--json").data["clean"] is False
    nobody = memgauge("study", "golden", "identities", "-s", "none")
    assert (nobody.code, "Vacuous" in nobody.out) == (1, True)


TRACE = [
    {
        "op": "say",
        "user": "marta@example.org",
        "text": "Hi, my flight is AB-123456.",
        "sets": {"flight": "AB-123456"},
    },
    {"op": "say", "user": "marta@example.org", "text": "Nice weather."},
    {
        "op": "say",
        "user": "marta@example.org",
        "text": "My flight is now CD-654321.",
        "sets": {"flight": "CD-654321"},
    },
    {"op": "ask", "user": "marta@example.org", "text": "What is my flight?", "about": "flight"},
]


def test_a_trace_becomes_a_case_and_the_lint_wants_it(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """It fails on the build, holds nothing of anybody, and closes its incident."""
    trace = tmp_path / "trace.jsonl"
    trace.write_text("\n".join(map(json.dumps, TRACE)))
    path, lock = tmp_path / "mine.memsuite.yaml", tmp_path / "incidents.lock"
    about = ("--id", "production.flight", "--title", "a new flight replaces the old", "--key", "k")
    said = memgauge("study", "golden", "capture", trace, *about, "-s", "bm25", "--out", path)
    assert said.code == 0, said.err
    assert "production.flight fails on the recorded build and passes on the ideal memory." in said.out
    assert "marta" not in path.read_text()
    refused = memgauge(
        "study", "golden", "capture", trace, *about, "--kills", "append-only", "--seen", "yesterday"
    )
    assert (refused.code, "no day" in refused.err) == (2, True)
    odd = ("--id", "Bad Id", "--title", "a new flight replaces the old", "--key", "k", "--kills", "append-only")
    refused = memgauge("study", "golden", "capture", trace, *odd)
    assert (refused.code, "Bad Id: id" in refused.err, "pydantic" in refused.err) == (2, True, False)
    data = memgauge("study", "golden", "capture", trace, *about, "--kills", "append-only", "--json").data
    assert data["mutants"] == ["append-only"]
    assert memgauge("study", "golden", "capture", trace, *about, "-s", "ideal").code == 2
    assert "STALE_READ" in memgauge("study", "golden", "capture", trace, *about, "--anomaly", "STALE").err
    lock.write_text("schema: 1\nincidents:\n- {id: I-1, title: wrong flight, closed: 2026-11-02}\n")
    broken = memgauge("study", "golden", "lint", "--lock", lock, "--suite", path)
    assert broken.code == 1
    assert "I-1 is closed without a case" in " ".join(broken.out.split())
    lock.write_text(lock.read_text().replace("}", ", case: production.flight}"))
    assert memgauge("study", "golden", "lint", "--lock", lock, "--suite", path, "--release", "1.0.0").code == 0
    assert "- production.flight" in lock.read_text()
    assert memgauge("study", "golden", "lint", "--lock", lock, "--suite", path, "--json").data == {"problems": []}


def test_a_case_that_may_name_somebody_is_refused(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Nothing is written until the word is masked, or somebody says that it is no name."""
    trace, path = tmp_path / "trace.jsonl", tmp_path / "mine.memsuite.yaml"
    named = {"op": "say", "user": "marta@example.org", "text": "I told Gudrun about it."}
    trace.write_text("\n".join(map(json.dumps, [*TRACE[:-1], named, TRACE[-1]])))
    about = ("--id", "production.flight", "--title", "a new flight replaces the old", "--key", "k", "--out", path)
    asked = ("study", "golden", "capture", trace, *about, "--kills", "append-only")
    refused = memgauge(*asked)
    assert (refused.code, "Gudrun" in refused.err, path.exists()) == (2, True, False)
    assert memgauge(*asked, "--person", "Gudrun").code == 0
    assert "Gudrun" not in path.read_text()
    path.unlink()
    assert memgauge(*asked, "--not-a-name", "Gudrun").code == 0


def test_random_programs_become_cases(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """What fails shrinks to a scenario that a suite takes; the ideal memory passes them all."""
    assert memgauge("study", "golden", "explore", "-s", "ideal", "--count", "10").code == 0
    path = tmp_path / "fuzz.memsuite.yaml"
    asked = ("study", "golden", "explore", "-s", "mutant:append-only", "--count", "10")
    said = memgauge(*asked, "--out", path)
    assert said.code == 1
    assert "did not pass" in said.out
    twice = memgauge(*asked, "--out", path)
    assert (twice.code, "did not pass" in twice.out, " 0 cases added" in twice.out) == (1, True, True)
    again = memgauge("study", "golden", "run", "-s", "mutant:append-only", "--suite", path, "--json").data["value"]
    assert again["verdict"]["counts"]["fail"] == len(again["report"]["played"]) > 0
    assert memgauge(*asked, "--json").data["failures"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "-s", "bm52", "--suite", OWN), "Did you mean bm25"),
        (("run", "-s", "nowhere:memory", "--suite", OWN), "no module named 'nowhere'"),
        (("run", "-s", "bm25", "--family", "nothing"), "There are: abstention"),
        (("run", "-s", "bm25", "--suite", "."), "No suite at or below"),
        (("run", "-s", "bm25", "--family", "seed", "--history", "h.jsonl"), "A history is of whole suites"),
        (("drift", "--history", "nothing.jsonl"), "There is no history"),
        (("accept", "--history", "nothing.jsonl", "--by", "Ada", "--reason", "because"), "There is no history"),
        (("attack", "-s", "bm52"), "Did you mean bm25"),
        (("run", "-s", "bm25", "--timeout", "nan"), "Give a number above 0"),
        (("run", "-s", "bm25", "--timeout", "-5"), "Give a number above 0"),
        (("run", "-s", "bm25", "--workers", "-3"), "Give a whole number from 0"),
        (("identities", "-s", "bm25", "--owner", ""), "--owner is empty"),
        (("explore", "-s", "bm25", "--count", "-3"), "Give a whole number from 1"),
        (("explore", "-s", "bm25", "--budget", "0"), "Give a number above 0"),
        (("races", "-s", "bm25", "--timeout", "0"), "Give a number above 0"),
    ],
)
def test_mistakes_are_one_sentence(
    memgauge: Callable[..., Said],
    suite: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """What cannot be done exits with 2 and says why."""
    empty = suite.parent / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    found = memgauge("study", "golden", *arguments)
    assert (found.code, said in found.err) == (2, True), found.err


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("schema: 1", "schema: 2"), "schema: 2 is not 1"),
        (("- id: mutation.soft", "- id: mutation.deadline"), "id mutation.deadline is used twice"),
        (("  - session: later", "  - session: [later"), "line 11"),
    ],
)
def test_a_suite_that_cannot_be_read_is_named_by_line(
    memgauge: Callable[..., Said], tmp_path: Path, edit: tuple[str, str], said: str
) -> None:
    """A wrong schema, an id that is taken, broken YAML."""
    found = memgauge("study", "golden", "run", "-s", "bm25", "--suite", write_suite(tmp_path, GOOD.replace(*edit)))
    assert (found.code, said in found.err) == (2, True), found.err


def test_every_command_explains_itself(memgauge: Callable[..., Said]) -> None:
    """Every option has a sentence."""
    listed = memgauge("study", "golden", "--help").out
    for command in COMMANDS:
        assert command in listed
        text = memgauge("study", "golden", command, "--help").out
        shown = set(re.findall(r"--[a-z-]+", text))
        assert len(shown) >= 2, command
        assert "TODO" not in text
