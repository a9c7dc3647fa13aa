"""`memgauge study track`: statistics, lint, import, serve."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.commands_serve import serve
from memgauge.studies.track.timeline.files import plain, write_timeline
from support.timeline import lamp, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

COMMANDS = ["stats", "lint", "import", "serve"]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Write the lamp's timeline."""
    path = tmp_path / "lamp" / "timeline.json"
    write_timeline(path, lamp())
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_text(memgauge: Callable[..., Said], command: str) -> None:
    """It fits a narrow terminal and shows no markup."""
    said = memgauge("study", "track", command, "--help")
    assert said.code == 0
    assert f"memgauge study track {command}" in said.out
    assert command in memgauge("study", "track", "--help").out


def test_statistics_are_printed(memgauge: Callable[..., Said], own: Path, tmp_path: Path) -> None:
    """One row an instance, the seven rows of Table 1, and how they were counted."""
    archive = write_archive(tmp_path / "archive")
    said = memgauge("study", "track", "stats", own, archive)
    assert said.code == 0
    assert "memtrack-lamp" in said.out
    assert "Table 1. The timelines" in said.out
    assert "platform entropy, bits" in said.out
    assert "Tokens: chars/4. References: words-1 (heuristic), score above 0.3." in said.out
    assert "2 instances over 2 different histories." in said.out


def test_statistics_are_data(memgauge: Callable[..., Said], own: Path) -> None:
    """With --json, fractions keep their parts."""
    data = memgauge("study", "track", "stats", own, "--json").data["value"]
    (row,) = data["instances"]
    assert (row["events"], row["heterophily"]) == (8, {"count": 6, "of": 7})
    assert len(data["table"]) == 7


def test_a_model_is_planned_before_it_is_asked(
    memgauge: Callable[..., Said], own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--plan says what references by a model would take, and asks nothing; replay asks nothing either."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pytest.importorskip("pydantic_ai")
    cassette = ("--cassette", tmp_path / "replies.sqlite")
    asked = ("study", "track", "stats", own, "--scorer", "openai:gpt-4o-mini", *cassette)
    said = memgauge(*asked, "--plan")
    assert (said.code, said.out.split()[:2]) == (0, ["8", "calls"])
    replayed = memgauge(*asked, "--mode", "replay")
    assert replayed.code == 1
    assert "Traceback" not in replayed.err


def test_lint_exits_with_one_on_an_error(memgauge: Callable[..., Said], own: Path, tmp_path: Path) -> None:
    """Warnings let an instance through; an answer that is none does not."""
    said = memgauge("study", "track", "lint", own)
    assert said.code == 0
    assert "not-observable" in said.out
    broken = tmp_path / "broken" / "timeline.json"
    write_timeline(broken, lamp(name="broken", questions=[{"id": "q1", "text": "Who?", "answer": "unknown"}]))
    failed = memgauge("study", "track", "lint", own, broken, "--json")
    assert failed.code == 1
    assert {"shared-history", "unanswerable"} <= {row["code"] for row in failed.data["value"]["findings"]}
    clean = tmp_path / "clean" / "timeline.json"
    ticket = {"kind": "ticket", "title": "t", "lead": "omar"}
    event = {"id": "e1", "at": "2025-01-01T00:00", "payload": ticket}
    question = {"id": "q1", "text": "Who?", "answer": "omar"}
    write_timeline(clean, lamp(events=[event], questions=[question], repository=None))
    assert memgauge("study", "track", "lint", clean).out == "0 findings in 1 instance.\nLint of instances\n"


def test_an_archive_is_imported(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Every instance becomes a file that other commands read; nothing is lost."""
    write_archive(tmp_path / "archive")
    out = tmp_path / "out"
    said = memgauge("study", "track", "import", tmp_path / "archive", "--out", out)
    assert said.code == 0
    assert "Wrote 1 instance below" in said.out
    assert memgauge("study", "track", "stats", out, "--json").data["value"]["instances"][0]["events"] == 8
    data = memgauge("study", "track", "import", tmp_path / "archive", "--check", "--json").data
    (imported,) = data["value"]["instances"]
    assert (imported["events"], imported["accounting"]["lost"]) == (8, [])
    assert "Ticket.weight" in imported["accounting"]["extra"]
    assert "Read 1 instance." in memgauge("study", "track", "import", tmp_path / "archive", "--check").out


def test_serving_ends_with_an_interrupt(
    memgauge: Callable[..., Said], own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is printed, calls are kept, answers beside them, and Ctrl-C is no failure."""
    mcp = pytest.importorskip("mcp")
    out = tmp_path / "out"

    async def work(address: str) -> None:
        async with mcp.Client(f"{address}/questions/mcp") as asking, mcp.Client(f"{address}/slack/mcp") as slack:
            await asking.call_tool("next_question", {})
            await slack.call_tool("list_users", {})
            await asking.call_tool("submit_answer", {"answer": "omar"})

    def visit(address: str) -> None:
        def there_and_back() -> None:
            try:
                asyncio.run(work(address))
            finally:
                signal.raise_signal(signal.SIGINT)

        Thread(target=there_and_back).start()

    monkeypatch.setattr("memgauge.studies.track.commands_serve._say_address", visit)
    assert memgauge("study", "track", "serve", own, "--http", "--sandbox", "off", "--out", out).code == 0
    (row,) = map(json.loads, (out / "trajectory.jsonl").read_text().splitlines())
    (answer,) = map(json.loads, (out / "answers.jsonl").read_text().splitlines())
    assert (row["tool"], row["question"], answer["text"]) == ("list_users", "q1", "omar")


def test_the_example_of_serving_serves_as_it_is_printed(
    memgauge: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the help text gives to be typed listens, and says where; walls, which not every machine has, go."""
    pytest.importorskip("mcp")
    addresses: list[str] = []

    def ended(address: str) -> None:
        addresses.append(address)
        raise KeyboardInterrupt

    monkeypatch.setattr("memgauge.studies.track.commands_serve._say_address", ended)
    example = (serve.__doc__ or "").partition("Example: memgauge ")[2].partition("\n")[0]
    typed = shlex.split(example)
    assert typed[:3] == ["study", "track", "serve"]
    assert memgauge(*typed, "--sandbox", "off").code == 0
    assert addresses[0].startswith("http://127.0.0.1:")


def test_mistakes_are_sentences(memgauge: Callable[..., Said], own: Path, tmp_path: Path) -> None:
    """What is missing or too much is said, without a traceback, and ends with 2."""
    archive = write_archive(tmp_path / "archive")
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({**plain(lamp()), "events": [{}]}))
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "trajectory.jsonl").touch()
    write_timeline(own.parent.parent / "second" / "timeline.json", lamp())
    for arguments, problem in (
        (("import", archive), "Give --out FOLDER or --check"),
        (("import", archive, "--check", "--out", tmp_path), "Give --out FOLDER or --check"),
        (("import", tmp_path / "none", "--check"), "holds no instance of MEMTRACK"),
        (("stats", tmp_path / "none.json"), "is not there"),
        (("stats", broken), "$.events[0].id: Field required"),
        (("stats", own, "--tokens", "gpt"), "Unknown token counter 'gpt'"),
        (("serve", own.parent.parent), "holds 2 instances, and one is served"),
        (("serve", own, "--sandbox", "off", "--out", kept), "holds a trajectory already"),
        (("serve", own, "--sandbox", "off", "--server", "fs"), "There is no server 'fs' here"),
        (("serve", own, "--sandbox", "off", "--clock", "live", "--events", "0"), "Give a whole number from 1"),
    ):
        said = memgauge("study", "track", *arguments)
        assert said.code == 2, arguments
        assert problem in said.err
        assert "Traceback" not in said.err
