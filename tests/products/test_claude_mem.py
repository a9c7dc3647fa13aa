from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import CallFailed, MissingExtraError
from memgauge.products.claude_mem import adapter as claude_mem
from memgauge.products.claude_mem.adapter import ClaudeMem
from memgauge.products.claude_mem.worker import SCRIPT, BunWorker
from memgauge.systems.mcp import hosting
from memgauge.systems.protocol import Erasable, implements
from support.products import ALICE, BOB, opened, told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BUN = """#!/bin/sh
exec python3 - "$CLAUDE_MEM_WORKER_PORT" "$@" <<'END'
import sys, signal
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path.startswith("/api/readiness") else 404)
        self.end_headers()
        self.wfile.write(b'{"status": "ready"}')
    def log_message(self, *words): pass
def ended(*_):
    open("ended", "w").close()
    sys.exit(0)
signal.signal(signal.SIGTERM, ended)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
END
"""
"""A program in the place of Bun that answers as a worker that is ready."""


class Observations:
    """What the worker answers: phrases of words are searched in titles and texts, newest last."""

    files: dict[Path, dict[int, dict[str, Any]]]

    def __init__(self) -> None:
        self.files = {}
        self.asked: list[str] = []

    def on(self, folder: Path) -> Observations:
        """Serve another folder."""
        self.stored = self.files.setdefault(folder, {})
        return self

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Save, delete or search."""
        if method == "DELETE":
            return self.stored.pop(int(path.rpartition("/")[2]))
        if body is not None:
            number = max(self.stored, default=0) + 1
            told = {"id": number, "title": body["title"], "narrative": body["text"], "project": body["project"]}
            self.stored[number] = told | {"metadata": json.dumps(body["metadata"])}
            return {"success": True}
        own = [each for each in self.stored.values() if each["project"] == query["project"]]
        self.asked += [query["query"]] if "query" in query else []
        phrase = re.compile(rf"\b{re.escape(query['query'])}\b" if query.get("query") else "", re.IGNORECASE)
        matching = [each for each in own if phrase.search(f"{each['title']} {each['narrative']}")]
        return {"observations": matching[: query["limit"]]}

    def stop(self) -> None:
        """Stop; what was written stays."""


@pytest.fixture
def observations(monkeypatch: pytest.MonkeyPatch) -> Observations:
    """Stand in for Bun and what runs on it."""
    made = Observations()
    monkeypatch.setattr(claude_mem, "BunWorker", made.on)
    monkeypatch.setattr(hosting, "package_version", lambda *_: "13.25.3")
    monkeypatch.setattr("memgauge.systems.adapters.rows._counted", {ClaudeMem})
    return made


def test_turns_are_memories_whose_titles_tell_them_apart(observations: Observations) -> None:
    """Two turns with the same words are two; a changed one keeps its source; scopes are projects."""
    system = ClaudeMem()
    told(system, "I sing.", "I sing.", "I dance.")
    assert [(memory.text, memory.sources) for memory in system.dump(ALICE)] == [
        ("I sing.", ("t0",)),
        ("I sing.", ("t1",)),
        ("I dance.", ("t2",)),
    ]
    assert not list(system.dump(BOB))
    first = system.row_id("t0", ALICE)
    system.update(first, "I hum.", ALICE)
    assert {memory.sources: memory.text for memory in system.dump(ALICE)}["t0",] == "I hum."
    assert len(observations.stored) == 3
    assert system.delete([first, "no such id"], BOB) == 0
    assert system.delete([first, "no such id"], ALICE) == 1
    system.erase(ALICE)
    assert not observations.stored
    system.close()


def test_a_question_is_asked_word_by_word(observations: Observations) -> None:
    """As one phrase it would find nothing; best is what more of its words find."""
    system = ClaudeMem()
    told(system, "I dance.", "I dance on Mondays.", "It rains.")
    observations.asked.clear()
    hits = system.search("Mondays to dance", ALICE, 5).hits
    assert observations.asked == ["mondays", "dance"]
    assert [(hit.memory.sources, hit.score) for hit in hits] == [(("t1",), None), (("t0",), None)]
    assert len(system.search("dance", ALICE, 1).hits) == 1
    assert not system.search("  ", ALICE, 5).hits
    assert system.capabilities().stand_ins == ()
    system.close()


def test_without_its_packages_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Bun of the machine alone is not claude-mem."""
    monkeypatch.setattr(hosting, "package_version", lambda *_: "")
    with pytest.raises(MissingExtraError, match="memgauge systems install claude-mem"):
        ClaudeMem()
    monkeypatch.setenv("MEMGAUGE_PROGRAMS", str(tmp_path))
    with pytest.raises(MissingExtraError, match="memgauge systems install claude-mem"):
        BunWorker(tmp_path)


def _installed(tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bun = tmp_path / "node_modules" / "bun-here" / "bun"
    script = bun.parents[1].joinpath(*SCRIPT)
    for file, content in ((bun, program), (script, "")):
        file.parent.mkdir(parents=True)
        file.write_text(content, encoding="utf-8")
    bun.chmod(0o755)
    monkeypatch.setenv("MEMGAUGE_PROGRAMS", str(bun.parent))


def test_a_worker_is_waited_for_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked to end, and writes what it has to."""
    _installed(tmp_path, BUN, monkeypatch)
    worker = BunWorker(tmp_path)
    assert worker.ask("GET", "api/readiness") == {"status": "ready"}
    with pytest.raises(CallFailed, match="HTTP 404"):
        worker.ask("GET", "api/search", query="bees")
    worker.stop()
    assert (tmp_path / "ended").exists()


def test_a_worker_that_ends_at_once_is_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and nothing is waited for."""
    _installed(tmp_path, "#!/bin/sh\nexit 3\n", monkeypatch)
    with pytest.raises(CallFailed, match="worker of claude-mem did not start"):
        BunWorker(tmp_path)


@pytest.mark.slow
def test_the_installed_product_finds_what_it_was_told() -> None:
    """Where its environment exists; also two turns that are the same; and nothing of an erased scope."""
    with opened("claude-mem") as system:
        told(system, "I keep bees.", "I play chess.", "I play chess.")
        assert system.search("Who has bees?", ALICE, 1).hits[0].memory.sources == ("t0",)
        assert {hit.memory.sources for hit in system.search("chess", ALICE, 5).hits} == {("t1",), ("t2",)}
        erasable: object = system
        assert implements(erasable, Erasable)
        erasable.erase(ALICE)
        assert not system.search("bees", ALICE, 5).hits
