"""Names of many lines, with what a terminal obeys in them, break nothing that any command says or writes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import pytest

from memgauge.show.safety import OBEYED, name_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

NAME: Final = "zorbl\nquandle\x1b[31m\tthird"
SHOWN: Final = name_line(NAME)
MEMORY: Final = f"""
from memgauge.systems.policies.lexical import Bm25Policy


class Named(Bm25Policy):
    name = {NAME!r}

    def __post_init__(self):
        super().__post_init__()
        self.version = {NAME!r}
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a memory of such a name, a system of such a label, and runs of both."""
    from memgauge.cli import invoke

    folder = tmp_path_factory.mktemp("names")
    (folder / "named_so.py").write_text(MEMORY, "utf-8")
    (folder / "labelled.toml").write_text(f'system = "bm25"\nlabel = {json.dumps(NAME)}\n', "utf-8")
    (folder / "named.toml").write_text('system = "named_so:Named"\n', "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        systems = ("-s", "labelled.toml", "-s", "named.toml", "-s", "recency")
        assert invoke(["run", "-d", "synthetic:tiny", *systems, "--out", "runs"]) == 0
        (run, *_) = (folder / "runs").glob("synthetic-tiny-zorbl-*")
        assert invoke(["runs", "export", str(run), "--to", "jsonl", "--out", "trace"]) == 0
    return folder


@pytest.fixture(autouse=True)
def _in_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(here)
    monkeypatch.setenv("COLUMNS", "400")


def harmless(text: str) -> bool:
    """Whether a text holds the name in one line alone, and nothing that a terminal obeys, as it is or in JSON."""
    apart = re.findall(r"(?<!zorbl )(?<!zorbl-)quandle", text)
    return not apart and not OBEYED.search(text.replace("\r\n", "\n")) and "\\u001b" not in text


STUDIES: Final = {
    "golden": ("run", "-s", "named_so:Named", "--quick", "--family", "isolation"),
    "attribution": ("run", "-s", "named_so:Named", "--questions", "2"),
    "erasure": ("report", "named_so:Named"),
}


@pytest.mark.parametrize(
    "command",
    [
        *(("score", "runs", "--format", form) for form in ("html", "json", "csv", "junit")),
        *(("compare", "runs", "--format", form) for form in ("html", "json", "csv")),
        *(("failures", "runs", "--format", form) for form in ("html", "json")),
        ("runs", "list", "runs", "--json"),
        ("runs", "show", "runs", "--format", "html"),
        ("systems", "check", "named.toml", "--format", "junit"),
        *(("study", name, *command, "--format", "html") for name, command in STUDIES.items()),
        ("study", "golden", *STUDIES["golden"], "--format", "junit"),
        ("study", "erasure", *STUDIES["erasure"], "--format", "junit"),
    ],
    ids=lambda command: f"{' '.join(command[:3])} {command[-1]}",
)
def test_a_name_of_many_lines_is_one_wherever_it_is_said(
    command: tuple[str, ...], memgauge: Callable[..., Said]
) -> None:
    """In sentences, cells, heads, attributes and values of every format."""
    ended = memgauge(*command)
    assert ended.code in {0, 1, 3}
    assert harmless(ended.out), ended.out
    assert harmless(ended.err), ended.err


@pytest.mark.parametrize(
    "command", [("score", "runs"), ("compare", "runs"), ("failures", "runs"), ("runs", "cite", "runs")]
)
def test_a_sentence_is_not_broken_by_a_name(command: tuple[str, ...], memgauge: Callable[..., Said]) -> None:
    """On a terminal a line ends where it is full, and not where somebody's name says so."""
    ended = memgauge(*command)
    assert SHOWN in " ".join(ended.out.split())
    assert not OBEYED.search(ended.out)
    assert all(len(line) > 80 for line in ended.out.splitlines() if line.endswith("zorbl"))


def test_a_run_is_found_by_the_name_that_is_shown(memgauge: Callable[..., Said]) -> None:
    """What a table says can be asked for, and folders have plain names."""
    listed = memgauge("failures", "runs", "--of", SHOWN)
    assert listed.code == 0
    rows = memgauge("runs", "list", "runs", "--json").data
    assert sum(row["system"]["label"] == SHOWN for row in rows) == 2
    assert all(re.fullmatch(r"runs/[a-z0-9-]+", row["folder"]) for row in rows)


def test_a_run_keeps_what_it_was_called_and_with_it_its_identity(
    here: Path, memgauge: Callable[..., Said]
) -> None:
    """The file stays as it was written, so that what was sealed is what is there."""
    (run, *_) = (here / "runs").glob("synthetic-tiny-zorbl-*")
    assert json.loads((run / "manifest.json").read_text("utf-8"))["system"]["label"] == NAME
    checked = memgauge("runs", "verify", str(run))
    assert "changed after sealing" not in checked.out
    assert "it agrees with itself" in " ".join(checked.out.split())


def test_an_imported_run_is_called_by_one_line(here: Path, memgauge: Callable[..., Said]) -> None:
    """A label on the command line is a name from elsewhere too."""
    (trace,) = (path for path in (here / "trace").rglob("*") if path.is_file())
    ended = memgauge(
        "runs", "import", "jsonl", trace, "-d", "synthetic:tiny", "--label", NAME, "--partial", "--out", "theirs"
    )
    assert ended.code == 0
    shown = memgauge("score", "theirs")
    assert SHOWN in shown.out
    assert harmless(shown.out)
