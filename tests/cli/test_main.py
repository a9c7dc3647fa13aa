"""The command line as a whole: help, exit codes, mistakes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from functools import cache
from math import inf, nan
from typing import TYPE_CHECKING, Any, get_args

import pytest

from memgauge import __version__
from memgauge.cli import app
from memgauge.frame.numbers import Within
from memgauge.frame.options import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cyclopts import App, ArgumentCollection

    from support.cli import Said


def leaves(group: App, *before: str) -> Iterator[str]:
    """List every command below a group, with the words that lead to it."""
    names = [name for name in group if not name.startswith("-")]
    if not names:
        yield " ".join(before)
    for name in names:
        yield from leaves(group[name], *before, name)


COMMANDS = sorted(name for name in app if not name.startswith("-"))
LEAVES = sorted(leaves(app))
NO_DATA = {"study shift summaries", "models meter", "models serve", "study track serve", "systems serve"}
"""One prints data whatever is asked, and servers print nothing but their address until they are ended."""


def test_help_lists_every_command_and_the_exit_codes(memgauge: Callable[..., Said]) -> None:
    """`--help` names every command and says what the exit codes mean."""
    said = memgauge("--help")
    assert said.code == 0
    assert [c for c in COMMANDS if c not in said.out] == []
    assert "130" in said.out


def _helped() -> Iterator[Any]:
    """Leave most screens of help to the slow tests: drawing one takes ten times as long as its words."""
    for number, command in enumerate(LEAVES):
        quick = command in NO_DATA or number % 8 == 0
        yield command if quick else pytest.param(command, marks=pytest.mark.slow)


@pytest.mark.parametrize("command", list(_helped()))
def test_every_command_explains_itself_and_its_json(memgauge: Callable[..., Said], command: str) -> None:
    """Every command prints a help text with its example, and every one with results prints data, in any format."""
    said = memgauge(*command.split(), "--help")
    assert said.code == 0
    assert f"Example: {_example(command)}" in " ".join(said.out.split())
    assert (command in NO_DATA) != ("--json" in said.out)
    assert (command in NO_DATA) != ("--format" in said.out)


@pytest.mark.parametrize("command", LEAVES)
def test_every_command_has_a_help_text_and_prints_data(command: str) -> None:
    """A sentence, and the options of every command that prints results; nothing of it is drawn."""
    assert (_function(command).__doc__ or "").partition("\n")[0].endswith(".")
    names = {name for argument in _arguments(command) for name in argument.names}
    assert (command in NO_DATA) == (not {"--json", "--format"} & names)
    assert (command in NO_DATA) or {"--json", "--format"} <= names


def test_the_first_screen_begins_with_eight_everyday_words(memgauge: Callable[..., Said]) -> None:
    """What people do every day stands first, in the order in which they do it; the rest is in groups."""
    words = ["demo", "try", "run", "score", "compare", "failures", "view", "doctor"]
    panel = memgauge("--help").out.partition("Every day")[2].partition("╰")[0]
    assert [line.split()[1] for line in panel.splitlines() if line[:3] == "│ " + line[2:3].strip()] == words


@pytest.mark.parametrize("command", LEAVES)
def test_every_command_shows_an_example_that_can_be_read(command: str) -> None:
    """The help of every command ends its explanation with one example, of that command, in its own spelling."""
    word, *arguments = shlex.split(_example(command))
    assert (word, " ".join(arguments).startswith(command)) == ("memgauge", True)
    called, _, _ = app.parse_args(arguments, print_error=False, exit_on_error=False)
    assert called is _function(command)


@pytest.mark.parametrize("command", LEAVES)
def test_shared_options_are_spelt_and_typed_alike(command: str) -> None:
    """An option that commands share has the same short name and takes the same kind of value everywhere."""
    for argument in _arguments(command):
        long = next((name for name in argument.names if name in SHARED), None)
        if long is not None:
            short, kind = SHARED[long]
            assert (long, tuple(name for name in argument.names if name != long)) == (long, short)
            assert (long, _value_type(argument.hint)) == (long, kind)


@pytest.mark.parametrize("command", LEAVES)
def test_every_number_declares_its_range(command: str) -> None:
    """No option takes a number without saying which: none lets in one that is no number, or has no end."""
    for argument in _arguments(command):
        if _value_type(argument.hint) not in {int, float} or not argument.show:
            continue
        validators = argument.parameter.validator
        assert isinstance(validators, tuple)
        within = next(iter(validators), None)
        assert isinstance(within, Within), argument.name
        for odd in (nan, inf, -inf, -1, 10**30):
            with pytest.raises(ValueError, match="Give a"):
                within(float, odd)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("systems", "check", "bm25", "--timeout", "inf"), "a number above 0"),
        (("run", "-d", "synthetic:tiny", "-s", "bm25", "--max-usd", "nan"), "a number from 0"),
        (("run", "-d", "synthetic:tiny", "-s", "bm25", "--seed", "0", "--seed", "-1"), "a whole number from 0"),
        (("runs", "plan", "-d", "synthetic:tiny", "-s", "bm25", "--per-minute", "0"), "a number above 0"),
        (("view", "--port", "65536"), "a whole number from 0"),
        (("study", "context", "tasks", "--samples", "0"), "a whole number from 1"),
    ],
)
def test_a_number_outside_its_range_is_refused(
    memgauge: Callable[..., Said], arguments: tuple[str, ...], wanted: str
) -> None:
    """A number that an option cannot take ends the command before anything is done, with what it can take."""
    said = memgauge(*arguments)
    assert (said.code, said.out) == (2, "")
    assert wanted in " ".join(said.err.replace("│", " ").split())


def _example(command: str) -> str:
    return (_function(command).__doc__ or "").partition("Example: ")[2].partition("\n")[0]


def _command(words: str) -> App:
    group = app
    for word in words.split():
        group = group[word]
    return group


@cache
def _arguments(words: str) -> ArgumentCollection:
    """Read the options of a command, which takes longer than to look at them."""
    return _command(words).assemble_argument_collection()


def _function(words: str) -> Callable[..., object]:
    function = _command(words).default_command
    assert function is not None
    return function


def _value_type(hint: Any) -> object:
    """Return the type of one value: of an option that may be absent, or be given several times."""
    inner = [part for part in get_args(hint) if part not in {type(None), Ellipsis}]
    return _value_type(inner[0]) if inner else hint


def test_version(memgauge: Callable[..., Said]) -> None:
    """`--version` prints the version of the package."""
    assert __version__ in memgauge("--version").out


def test_help_imports_nothing_heavy() -> None:
    """Asking for help loads neither numpy nor any other heavy package."""
    code = (
        "import sys; from memgauge.cli import invoke; invoke(['--help']); "
        "heavy = {'numpy', 'scipy', 'duckdb', 'altair', 'pydantic', 'ijson', 'vl_convert'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("run -d locomoo -s bm25", "Did you mean locomo or locomo_plus?"),
        ("run -d synthetic:tiny -s bm52", "Did you mean bm25?"),
        ("run -d synthetic:tiny -s bm25:k2=3", "k1"),
        ("run -d synthetic:tinny -s bm25", "Did you mean tiny?"),
        ("run -d synthetic:tiny -s nowhere:Memory", "no module named 'nowhere'"),
        ("run -d synthetic:tiny -s bm25 --stream cleen", "Did you mean clean?"),
        ("run -d synthetic:tiny -s bm25 --k 0", "Give a whole number from 1 to 10,000"),
        ("run -d synthetic:tiny -s bm25 --conversations 0", "Give a whole number from 1"),
        ("run -d longmemeval:/nowhere/file.json -s bm25", "/nowhere/file.json"),
        ("score nowhere", "No run at or below nowhere"),
        ("results report nowhere", "No run at or below nowhere"),
        ("data describe locomoo", "Did you mean locomo or locomo_plus?"),
        ("systems check bm52", "Did you mean bm25?"),
        ("reproduce goldenn", "Did you mean golden?"),
        ("data fetch synthetic", "no file to fetch"),
    ],
)
def test_a_mistake_is_one_sentence_with_a_remedy(
    memgauge: Callable[..., Said], arguments: str, expected: str
) -> None:
    """A user's mistake exits with 2, names what is wrong, and prints no traceback."""
    said = memgauge(*arguments.split())
    assert said.code == 2
    assert expected in said.err
    assert "Traceback" not in said.err


def test_a_path_that_no_system_can_hold_is_a_mistake_too(memgauge: Callable[..., Said]) -> None:
    """A name of thousands of letters is quoted in part, without a traceback."""
    said = memgauge("score", "a" * 5000)
    assert said.code == 2
    assert said.err.startswith("memgauge: Cannot use 'aaa")
    assert len(said.err) < 300


def test_an_unknown_option_is_wrong_use(memgauge: Callable[..., Said]) -> None:
    """A misspelt option exits with 2 and suggests the right one."""
    said = memgauge("run", "-d", "synthetic:tiny", "-s", "none", "--sede", "3")
    assert said.code == 2
    assert "--seed" in said.out + said.err


def test_ctrl_c_exits_with_130_and_the_same_command_resumes(tmp_path: Path) -> None:
    """An interrupted run keeps what is finished; the same command finishes it."""
    (tmp_path / "slow.py").write_text(
        "import os, time\n"
        "from memgauge.systems.catalogue import open_system\n"
        "def memory():\n"
        "    system = open_system('bm25')\n"
        "    search = system.search\n"
        "    def slowly(*a, **k):\n"
        "        time.sleep(float(os.environ.get('PAUSE', '0')))\n"
        "        return search(*a, **k)\n"
        "    system.search = slowly\n"
        "    return system\n"
    )
    check = [sys.executable, "-m", "memgauge", "systems", "check", "slow:memory"]
    subprocess.run(check, cwd=tmp_path, capture_output=True, check=True)  # with the pauses it takes ten seconds
    command = [sys.executable, "-m", "memgauge", "run", "-d", "synthetic:tiny", "-s", "slow:memory"]
    started = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PAUSE": "0.2"}, stderr=subprocess.PIPE, text=True
    )
    journal = _wait_for(tmp_path / "runs", "journal.jsonl")
    while not journal.stat().st_size and started.poll() is None:
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    complaint = started.communicate(timeout=60)[1]
    assert started.returncode == 130
    assert "the same command goes on from there" in complaint
    assert "Traceback" not in complaint
    before = journal.read_bytes()
    assert before.count(b'"t":"end"') == 1
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert journal.read_bytes().startswith(before)


def _wait_for(folder: Path, name: str) -> Path:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for found in folder.rglob(name):
            return found
        time.sleep(0.02)
    pytest.fail(f"{name} never appeared")
