"""`memgauge systems`: what is listed, checked, installed and served."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.runs.play.conforming import remembered
from memgauge.runs.play.plan import present
from memgauge.runs.record.conformance import Conformance
from memgauge.systems.environments.products import product_names
from support import ROOT
from support.junit import red

if TYPE_CHECKING:
    from pathlib import Path

NODE = f"wire:command=node {ROOT}/examples/toy.mjs"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for environments in a folder of the test."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))


def test_the_list_says_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    """Every product is listed with its version and what to do about it; none is started."""
    assert invoke(["systems", "list", "--json"]) == 0
    cards = {card["ref"]: card for card in json.loads(capsys.readouterr().out)}
    assert set(product_names()) <= set(cards)
    assert cards["mem0"]["unavailable"] == "Run `memgauge systems install mem0`."
    assert cards["mem0"]["installed"] == ""
    assert "2.2.1" in cards["mem0"]["summary"]
    assert cards["bm25"]["capabilities"]["role"] == "system"
    assert invoke(["systems", "list"]) == 0
    assert "wire:command=" in capsys.readouterr().out


def test_an_adapter_in_another_language_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """The same check as for any system, and what its processes used."""
    assert invoke(["systems", "check", NODE, "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["passed"]
    assert told["used"]["starts"] == 31
    assert told["used"]["methods"]["search"]["calls"] > 10
    assert {check["name"] for check in told["checks"] if check["verdict"] == "unsupported"} >= {"ask (answering)"}


def test_what_was_reached_for_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Addresses and stray files stand under the checks; a broken promise is exit code 1."""
    code = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocol": "wire/1", "name": "x", "version": "1"} if asked["method"] == "hello" else {
        "usage": {"outside": {"telemetry.example:443": 1}, "strayed": ["/elsewhere/x"]}}
    if asked["method"] == "dump": result["memories"] = []
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
    (tmp_path / "chatty.py").write_text(code, encoding="utf-8")
    chatty = f"wire:command={sys.executable} -S {tmp_path}/chatty.py"
    assert invoke(["systems", "check", chatty, "--format", "junit"]) == 1
    counted = capsys.readouterr()
    assert "finds a stored turn" in red(counted.out)
    out = " ".join(counted.err.split())
    assert "checks failed" in out
    assert "reached for telemetry.example:443" in out
    assert "wrote outside its folder: /elsewhere/x" in out
    assert "calls of 31 opened systems" in out


def test_a_check_is_one_document_and_its_progress_stands_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """A build server reads nothing else; a page says what the terminal does, and holds nothing before it."""
    assert invoke(["systems", "check", "recency", "--format", "junit"]) == 0
    counted = capsys.readouterr()
    assert red(counted.out) == []
    assert "recency: conforms" in counted.err
    assert invoke(["systems", "check", "recency", "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("<!")
    assert "recency: conforms" in page


def test_checks_that_could_show_nothing_are_named_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory that loses some writes conforms in nothing that was not seen."""
    code = """
from memgauge.systems.policies.lexical import Bm25Policy

class Lossy(Bm25Policy):
    writes = 0

    def ingest(self, turns, scope):
        self.writes += 1
        return super().ingest(turns[:0] if self.writes == 48 else turns, scope)
"""
    (tmp_path / "lossy.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert invoke(["systems", "check", "lossy:Lossy"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.endswith("conforms, as far as could be seen; what could not: scopes are isolated")


def test_what_a_hurried_check_finds_late_is_not_remembered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousandth of a second is nobody's promise: runs that follow do not say that the memory broke one."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    assert invoke(["systems", "check", "bm25", "--timeout", "0.000001"]) == 1
    assert "did not return within" in " ".join(capsys.readouterr().out.split())
    assert remembered(present("bm25")) is None
    assert invoke(["systems", "check", "bm25", "--timeout", "100"]) == 0
    assert remembered(present("bm25")) == Conformance(checked=True)


def test_a_product_that_is_not_installed_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """The remedy is the command; nothing to install is a mistake too."""
    assert invoke(["systems", "check", "chroma:where=worker"]) == 2
    assert "memgauge systems install chroma" in " ".join(capsys.readouterr().err.split())
    assert invoke(["systems", "install"]) == 2
    assert "mem0" in capsys.readouterr().err
    assert invoke(["systems", "install", "mem1"]) == 2
    assert "Did you mean" in capsys.readouterr().err
    assert invoke(["systems", "remove", "mem0"]) == 0
    assert "mem0: was not installed" in capsys.readouterr().out


@pytest.mark.slow
def test_a_product_of_one_s_own_is_installed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without packages needs nothing but its folder; it is checked like any other."""
    (tmp_path / "own_adapter.py").write_text(
        "from memgauge.systems.policies.plain import Recency\nclass Own(Recency):\n    name = 'own'\n", "utf-8"
    )
    description = tmp_path / "own.toml"
    description.write_text(
        'summary = "Mine."\nadapter = "own_adapter:Own"\nmodule = ""\nnotes = ["It is mine."]\n', encoding="utf-8"
    )
    assert invoke(["systems", "install", str(description)]) == 0
    out = capsys.readouterr().out
    assert "own: note: It is mine." in out
    assert "Next: memgauge systems check" in out
    assert invoke(["systems", "install", str(description), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["product"] == "own"
    assert invoke(["run", "-d", "synthetic:tiny", "-s", str(description), "--out", str(tmp_path / "runs")]) == 0
    assert "32 ok" in capsys.readouterr().out
    assert invoke(["systems", "remove", str(description)]) == 0
    assert "own: removed" in capsys.readouterr().out


def test_a_system_is_served_by_http_until_it_is_interrupted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens its address with the token that it prints finds the system; Ctrl-C ends it in peace."""
    command = [sys.executable, "-m", "memgauge", "systems", "serve", "bm25"]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert serving.stdout
    url = serving.stdout.readline().split()[2].rstrip(",")
    from memgauge.systems.catalogue import open_system

    monkeypatch.setenv(*serving.stdout.readline().split()[-1].split("="))
    use = serving.stdout.readline().split()[-1]
    assert use == f"{url},key=MEMGAUGE_SERVE_TOKEN"
    system = open_system(use)
    assert system.name == "bm25"
    system.close()  # type: ignore[attr-defined] # every wire system can be closed
    time.sleep(0.1)
    serving.send_signal(2)
    rest, _ = serving.communicate(timeout=20)
    assert "Stopped." in rest
    assert serving.returncode == 0
    capsys.readouterr()
    for named in (["bm25"], []):  # the document is the same for every system
        assert invoke(["systems", "serve", *named, "--openapi"]) == 0
        assert json.loads(capsys.readouterr().out)["openapi"] == "3.1.0"
    assert invoke(["systems", "serve"]) == 2
    assert "No memory system is named. Name one" in " ".join(capsys.readouterr().err.split())
