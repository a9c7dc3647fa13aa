"""The command line: one thin module a command group, imported when it is used."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Group

from memgauge.errors import MemgaugeError, UserError
from memgauge.frame.exits import FAILED, INTERRUPTED, OK, WRONG_USE
from memgauge.frame.misuse import explained
from memgauge.frame.plainness import plainly
from memgauge.frame.streams import are_apart, asides, hang_up, put, results
from memgauge.interruption import KeptInterrupt
from memgauge.refusals import REFUSALS, UNNAMED, remedy
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

_HELP = """The measuring instrument for agent memory.

Run any memory system on any memory benchmark, freeze what it returned, and answer from the frozen record.
Start with `memgauge demo`; it needs no key, no server and no network. Then `memgauge try mymemory:MyMemory`."""

_VALUES = 50_000
"""New values after which circles are looked for: modules and tables are thousands of them, and have none."""
_EPILOGUE = """Exit codes: 0 all is well; 1 a check failed (verify, gate, conformance, reproduction, failed calls);
2 wrong use or missing data; 3 verify could not check everything; 4 verify found nothing wrong
and no origin; 130 interrupted (a run goes on with the same command)."""

app = App(
    "memgauge",
    help=_HELP,
    help_epilogue=_EPILOGUE,
    version=__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
    error_formatter=explained,
)

_COMMANDS = {
    "Every day": {
        "demo": ("demo:demo", "Measure six memory systems on what is here; nothing to set up."),
        "try": ("trying:try_", "Measure your memory beside others, and say why it failed where it did."),
        "run": ("run:run", "Run memory systems on datasets and freeze what they return."),
        "score": ("score:score", "Say who leads, and how sure that is: a board of runs."),
        "compare": ("score:compare", "Say whether runs differ, paired, or cannot be told apart."),
        "failures": ("failures:failures", "Print the most telling questions that a memory failed, and why."),
        "view": ("view:view", "Walk through runs and studies in a browser, or write the pages as files."),
        "doctor": ("doctor:doctor", "What is here, what is missing for which feature, and what adds it."),
    },
    "More": {
        "runs": ("groups:runs", "Frozen runs: plan, list, look into, verify, sign, pack, import and export."),
        "results": ("groups:results", "What is said of runs: a report, and the measures that there are."),
        "data": ("data:app", "Datasets: list, describe, fetch, validate, make your own, synthesise."),
        "systems": ("systems:app", "Memory systems: list, install, check, compare, serve, start one."),
        "models": ("groups:models", "Let models answer and judge, and say what a judge is worth."),
        "study": ("study:app", "One claim about memory each: shift, targets, quality, golden, context, …"),
        "reproduce": ("reproduce:reproduce", "Recompute the figures that the project and its documents claim."),
    },
}
for _title, _commands in _COMMANDS.items():
    _heading = Group.create_ordered(_title)
    for _place, (_name, (_target, _help)) in enumerate(_commands.items()):
        app.command(f"memgauge.cli.{_target}", name=_name, help=_help, group=_heading, sort_key=_place)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with a documented code."""
    gc.set_threshold(_VALUES)
    if arguments is not None:
        sys.exit(invoke(arguments))
    gc.freeze()  # the process is this command: looking again through what is imported by now finds nothing
    command = sys.argv[1:]
    if needs_no_memory(command):
        sys.exit(invoke(command))
    from memgauge.cli.watched import watched

    sys.exit(watched(partial(invoke, command), command))


def needs_no_memory(command: Sequence[str]) -> bool:
    """Whether a command only asks for help or the version, which is answered at once."""
    return not command or command[0] == "--version" or not {"--help", "-h"}.isdisjoint(command)


def invoke(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; a mistake is one sentence, never a traceback."""
    try:
        with plainly(plain="--plain" in arguments):
            _explain(arguments)
            code = _ask(list(arguments))
            if sys.stdout is not None:
                put("", results())  # now, where it can be said that it did not work
    except CycloptsError:
        return WRONG_USE  # already printed, with a suggestion where there is one
    except MemgaugeError as error:
        _complain(error)
        return WRONG_USE if isinstance(error, UserError) else FAILED
    except OSError as error:
        if error.errno not in (UNNAMED if error.filename is None else REFUSALS):
            raise
        _complain(f"{_refused(error)}: {error.strerror}. {remedy(error)}")
        return WRONG_USE
    except KeyboardInterrupt as error:
        goes_on = isinstance(error, KeptInterrupt) and error.goes_on
        _complain(f"Interrupted.{' What was finished is kept: the same command goes on from there.' * goes_on}")
        return INTERRUPTED
    return code if isinstance(code, int) else OK


def _ask(arguments: list[str]) -> object:
    if not (are_apart() or "COLUMNS" in os.environ):
        return app(arguments, exit_on_error=False, result_action="return_value")
    from rich.console import Console

    from memgauge.frame.console import width_of

    screen, complaints = (Console(file=file, width=width_of(file)) for file in (results(), asides()))
    return app(
        arguments, console=screen, error_console=complaints, exit_on_error=False, result_action="return_value"
    )


def _explain(arguments: Sequence[str]) -> None:
    """Let the page of a command say all that its function says: its group lists it by one line."""
    words = [word for word in arguments if word not in app.help_flags]
    if len(words) < len(arguments):
        *_, named = app.parse_commands(words)[1]
        if named.default_command is not None:
            named.help = named.default_command.__doc__ or ""


def _refused(error: OSError) -> str:
    """Say what it was that a file system refused."""
    if error.filename is not None:
        return f"Cannot use {str(error.filename)[:200]!r}"
    with suppress(OSError):
        hang_up(results())  # what waits cannot be written at the end either
    return "Cannot write the result"


def _complain(what: object) -> None:
    from memgauge.show.safety import clean

    with suppress(OSError):  # nobody can be told where this cannot be written either
        put(f"memgauge: {clean(str(what))}\n", asides())
