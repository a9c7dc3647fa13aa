"""The command line: one thin module a command group, imported when it is used."""

from __future__ import annotations

import sys
from errno import EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOTDIR, EPERM
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Group

from memgauge.errors import MemgaugeError, UserError
from memgauge.frame.exits import FAILED, INTERRUPTED, OK, WRONG_USE
from memgauge.studies.slices import slices, unusable
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

_HELP = """The measuring instrument for agent memory.

Run any memory system on any memory benchmark, freeze what it returned, and answer from the frozen record.
Start with `memgauge demo`; it needs no key, no server and no network."""

PATH_FAULTS = frozenset({ENAMETOOLONG, ENOTDIR, EISDIR, ELOOP, EACCES, EPERM})
"""What can be wrong with a path that somebody named."""
_EPILOGUE = """Exit codes: 0 all is well; 1 a check failed (verify, gate, conformance, reproduction, failed calls);
2 wrong use or missing data; 3 verify could not check everything; 4 verify found nothing wrong
and no origin; 130 interrupted, and the same command resumes."""

app = App(
    "memgauge",
    help=_HELP,
    help_epilogue=_EPILOGUE,
    version=__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)

_COMMANDS = {
    "Start": {
        "demo": ("demo:demo", "Run six memory systems, print a table, write a report; nothing to set up."),
        "doctor": ("doctor:doctor", "What is here, what is missing for which feature, and what adds it."),
        "new": ("new:app", "Write a memory system, a dataset or a suite to start from, with its tests."),
    },
    "Measure": {
        "plan": ("run:plan", "Say what a run would take, before it is spent."),
        "run": ("run:run", "Run memory systems on datasets and freeze what they return."),
        "runs": ("runs:app", "List the runs in a folder, or sign them."),
    },
    "Judge": {
        "score": ("score:score", "Score runs under a contract: a board with intervals and rank sets."),
        "answer": ("answer:answer", "Answer from what runs returned, score it, and say where answers were lost."),
        "judge": ("judge:app", "Let models judge answers, and certify judges with answers that are known."),
        "compare": ("score:compare", "Say whether runs differ, paired, or cannot be told apart."),
        "report": ("score:report", "Write one self-contained HTML file about runs."),
        "view": ("view:view", "Walk through runs and studies in a browser, or write the pages as files."),
        "show": ("inspect:show", "Print one question: gold, and what every system returned."),
    },
    "Trust": {
        "verify": ("verify:app", "Check runs or bundles: files, rows, scores, origin; say what that shows."),
        "bundle": ("inspect:bundle", "Pack a run into one portable file, with or without texts."),
        "import": (
            "exchange:import_run",
            "Make a run of a trace from elsewhere: TREC, BEIR, LongMemEval, harnesses.",
        ),
        "export": ("exchange:export_run", "Write a run for other tools: TREC, BEIR, JSON lines, CSV."),
        "sql": ("inspect:sql", "Query runs with SQL."),
        "reproduce": ("reproduce:reproduce", "Recompute the figures that the project and its documents claim."),
    },
    "Study": {},
    "Know": {
        "data": ("data:app", "Datasets: list, describe, fetch, validate."),
        "synth": ("synth:app", "The synthetic world: write it, measure it, audit it for shortcuts, reword it."),
        "systems": ("systems:app", "Memory systems: list, install, check, compare, serve, remove."),
    },
}
for _title, _commands in _COMMANDS.items():
    _group = Group.create_ordered(_title)
    for _name, (_target, _help) in _commands.items():
        app.command(f"memgauge.cli.{_target}", name=_name, help=_help, group=_group)
    if _title == "Study":
        for _study in slices():
            app.command(_study.commands, name=_study.name, help=_study.summary, group=_group)
        for _problem in unusable():
            print(f"memgauge: {_problem}", file=sys.stderr)  # noqa: T201 - before any command could say it


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with a documented code."""
    sys.exit(invoke(sys.argv[1:] if arguments is None else arguments))


def invoke(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; a mistake is one sentence, never a traceback."""
    try:
        code = app(list(arguments), exit_on_error=False, result_action="return_value")
    except CycloptsError:
        return WRONG_USE  # already printed, with a suggestion where there is one
    except MemgaugeError as error:
        _complain(error)
        return WRONG_USE if isinstance(error, UserError) else FAILED
    except BrokenPipeError:
        sys.stdout = None  # the reader has gone; nothing more can be said
        return OK
    except OSError as error:
        if error.filename is None or error.errno not in PATH_FAULTS:
            raise
        _complain(f"Cannot use {str(error.filename)[:200]!r}: {error.strerror}.")
        return WRONG_USE
    except KeyboardInterrupt:
        _complain("Interrupted. What was finished is kept: the same command goes on from there.")
        return INTERRUPTED
    return code if isinstance(code, int) else OK


def _complain(what: object) -> None:
    from memgauge.show.safety import clean

    print(f"memgauge: {clean(str(what))}", file=sys.stderr)  # noqa: T201 - the one place that speaks of mistakes
