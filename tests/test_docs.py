"""What the documentation shows works as shown: every command, every output, every file, every link."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from cyclopts import CycloptsError, UnknownCommandError, UnknownOptionError

from memgauge.cli import app
from memgauge.cli.features import findings
from support import ROOT
from support.docs import Block, Run, blocks, commands, matches, pages, play, shown_commands

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = pages()
QUICK = ("README.md",)
"""What a newcomer reads first is tried in every test run. The rest is played with slow tests: what its commands
do is tested where they are made, and that they exist as they are shown is tested here for every page."""


def _is_quick(page: str) -> bool:
    return page.startswith(QUICK)


def _played(quick: bool) -> list[str]:
    return [
        name
        for name in PAGES
        if _is_quick(name) is quick and any(block.runs for block in blocks(name, PAGES[name]))
    ]


@cache
def _here() -> frozenset[str]:
    return frozenset(one.name for one in findings() if one.here)


def _why_skipped(block: Block, slow: bool) -> str:
    absent = [name for name in block.needs if name not in _here()]
    if absent:
        return f"{block}: needs {', '.join(absent)}; memgauge doctor says how to add it"
    return f"{block}: slow" if block.says("slow") and not slow else ""


def _play_page(page: str, folder: Path, subtests: pytest.Subtests, *, slow: bool) -> None:
    """Play a page from top to bottom in one folder, as a reader would."""
    run, found = Run(folder), blocks(page, PAGES[page])
    for block, after in zip(found, [*found[1:], None], strict=True):
        for used in block.all("uses"):
            for other in blocks(used, PAGES[used]):
                run.write(other)
        run.write(block)
        if block.runs:
            with subtests.test(msg=str(block)):
                if why := _why_skipped(block, slow):
                    pytest.skip(why)
                wrong = play(block, after, run)
                assert not wrong, wrong


@pytest.mark.parametrize("page", _played(quick=True))
def test_what_a_first_page_shows_is_what_happens(page: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Every command of the pages that are read first prints what the page prints."""
    _play_page(page, tmp_path, subtests, slow=False)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", _played(quick=False))
def test_what_a_page_shows_is_what_happens(page: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Every command of every other page prints what the page prints, where what it needs is there."""
    _play_page(page, tmp_path, subtests, slow=True)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_is_shown_exists(page: str) -> None:
    """Every `memgauge …` of the documentation is a command of the app, with options that it has."""
    wrong = [
        f"{where}: {line}: {why}" for where, line in shown_commands(page, PAGES[page]) if (why := _refused(line))
    ]
    assert wrong == []


@cache  # pages show many commands alike
def _refused(line: str) -> str:
    """Say why a command line cannot be meant; what is missing or stands for something of the reader's may be."""
    words = re.sub(r"…|\.\.\.", "", line).replace('"', "").replace("'", "").split()[1:]
    if not words or words[0].startswith("-"):
        return ""
    try:
        app.parse_args(words, print_error=False, exit_on_error=False)
    except (UnknownCommandError, UnknownOptionError) as error:
        return str(error)
    except CycloptsError:
        return "" if words[0] in set(app) else "there is no such command"
    return ""


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("memgauge frobnicate --now", False),
        ("memgauge data frobnicate", False),
        ("memgauge run -d synthetic -s bm25 --sede 3", False),
        ("memgauge run -d synthetic -s bm25 --seed 3", True),
        ("memgauge runs show runs QUESTION", True),
        ("memgauge compare", True),
        ("memgauge study golden", True),
    ],
)
def test_a_command_that_does_not_exist_is_noticed(line: str, good: bool) -> None:
    """An invented command, subcommand or option is refused; a command that lacks an argument is not."""
    assert (not _refused(line)) is good


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    """Commands are found behind prompts, pipes and variables, over several lines, and between backticks."""
    text = (
        "Say `memgauge doctor --json`.\n"
        "```console\n$ A=1 memgauge run -d x \\\n  -s y\nmemgauge: no\n```\n"
        "```sh\ncat a | memgauge runs   # memgauge is a word here\n```\n"
    )
    found = [line for _, line in shown_commands("page", text)]
    assert found == ["memgauge run -d x -s y", "memgauge runs", "memgauge doctor --json"]


def test_the_memory_of_the_readme_is_small() -> None:
    """The example memory has at most 30 lines of code."""
    (source,) = (
        block.text for block in blocks("README.md", PAGES["README.md"]) if "mymemory.py" in block.all("file")
    )
    assert len([line for line in source.splitlines() if line.strip()]) <= 30


@pytest.mark.parametrize("page", PAGES)
def test_every_piece_of_code_can_be_read(page: str) -> None:
    """Python compiles and imports what exists; JSON, TOML and YAML parse."""
    wrong = [f"{block}: {why}" for block in blocks(page, PAGES[page]) if (why := _unreadable(block))]
    assert wrong == []


def _unreadable(block: Block) -> str:
    try:
        if block.language == "python":
            return "; ".join(_missing(ast.parse(block.text)))
        if block.language == "toml":
            tomllib.loads(block.text)
        if block.language == "yaml":
            yaml.safe_load(block.text)
        if block.language == "json":
            _read_json(block.text)
    except (SyntaxError, ValueError, yaml.YAMLError) as error:
        return repr(error)
    return ""


def _read_json(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)


def _missing(tree: ast.Module) -> Iterator[str]:
    """Name what a block imports from memgauge and is not there."""
    from importlib import import_module

    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memgauge"):
            module = import_module(str(node.module))
            for name in node.names:
                if not hasattr(module, name.name):
                    try:
                        import_module(f"{node.module}.{name.name}")
                    except ImportError:
                        yield f"{node.module} has no {name.name}"


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    """Every relative link names a file, and every anchor a heading in it."""
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", PAGES[page], flags=re.DOTALL))
    assert [link for link in links if not link.startswith(("http", "mailto:")) and not _leads(page, link)] == []


def _leads(page: str, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (ROOT / page).parent / path if path else ROOT / page
    if (
        path
        and target.resolve().is_relative_to(ROOT / "docs")
        and target.stem in GENERATED
        and not target.exists()
    ):
        return True
    if not target.exists():
        return False
    return not anchor or anchor in {
        _slug(h) for h in re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
    }


GENERATED = {"reproduction", "cli", "measures", "schemas", "protocol"}
"""Pages that are written when the site is built; tests/test_site.py builds it with broken links as errors."""


def _slug(heading: str) -> str:
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


@pytest.mark.parametrize(
    ("printed", "heard", "same"),
    [
        ("a  b\n", "a b", True),
        ("took 1.5 s", "took 92 s", True),
        ("runs/x-0123abc4", "runs/x-99999999", True),
        ("Report: /tmp/a/b.html", "Report: /elsewhere/c.html", True),
        ("0.337", "0.338", False),
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a\n…\nd", "a\nb\nc", False),
        ("…\nc", "a\nb\nc", True),
        ("a … c", "a b c", True),
        ("b\n…", "a\nb", False),
        ("a\n…\na", "a", False),
    ],
)
def test_output_is_compared_but_for_what_may_differ(printed: str, heard: str, same: bool) -> None:
    """Times, hashes, paths and layout may differ, numbers may not, and … stands for anything."""
    assert matches(printed, heard) is same


def test_comments_say_what_to_do_with_a_block() -> None:
    """A comment before a block is its own, several lines long if need be, and the next block has none of it."""
    text = (
        "<!-- needs: locomo, minilm -->\n<!-- before:\na\nb\n-->\n"
        "```console\n$ x \\\n  y\nz\n```\n\n```console\n$ w\n```\n"
    )
    first, second = blocks("page", text)
    assert (first.needs, first.all("before"), second.notes) == (["locomo", "minilm"], ["a\nb"], ())
    assert [(one.text, one.printed) for one in commands(first)] == [("x \\\n  y", "z\n")]
    assert not blocks("page", "<!-- not run: why -->\n```console\n$ x\n```\n")[0].runs


def test_a_page_that_says_something_else_is_caught(tmp_path: Path) -> None:
    """A wrong number, and a command that fails in silence, are found with the place where they stand."""
    run = Run(tmp_path)
    wrong, silent, right = (
        blocks("page", f"```console\n$ {line}\n```\n")[0]
        for line in ("echo 0.338\n0.337", "false", "echo a; false\na")
    )
    assert ">>>" in play(wrong, None, run)
    assert "exit code 1" in play(silent, None, run)
    assert play(right, None, run) == ""


def test_python_of_a_page_is_run(tmp_path: Path) -> None:
    """A block of Python prints what the block after it holds."""
    text = "<!-- run -->\n```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n"
    code, printed = blocks("page", text)
    assert play(code, printed, Run(tmp_path)) == ""
    assert play(code, blocks("page", "```text\n43\n```\n")[0], Run(tmp_path)) != ""


def test_every_comment_that_names_a_feature_names_one_of_the_doctor() -> None:
    """What a block needs is called as `memgauge doctor` calls it."""
    known: set[Any] = {one.name for one in findings()}
    needed = {name for page, text in PAGES.items() for block in blocks(page, text) for name in block.needs}
    assert needed <= known
