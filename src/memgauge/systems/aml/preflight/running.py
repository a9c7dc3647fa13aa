"""Run every probe of a preflight, each on users of its own, and gather the rows."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.foreign import Raised, call_foreign
from memgauge.records import Verdict
from memgauge.systems.aml.client import is_private
from memgauge.systems.aml.preflight import answering, keeping, taking
from memgauge.systems.aml.preflight.bench import Blocked, PreflightFinding
from memgauge.systems.aml.preflight.report import PreflightReport, PreflightRow
from memgauge.systems.aml.preflight.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.aml.preflight.bench import PreflightBench

    Probe = Callable[[PreflightBench], PreflightFinding]

PROBES: Final[Mapping[str, Probe]] = {
    "health": answering.health,
    "key": answering.key,
    "success": answering.success,
    "echo": answering.echo,
    "errors": answering.errors,
    "shape": answering.shape,
    "visible": keeping.visible,
    "empty": keeping.empty,
    "top_k": keeping.top_k,
    "replay": keeping.replay,
    "conflict": keeping.conflict,
    "isolation": keeping.isolation,
    "sessions": keeping.sessions,
    "chunks": keeping.chunks,
    "unknown": answering.unknown,
    "types": answering.types,
    "texts": taking.texts,
    "times": taking.times,
    "long": taking.long,
    "repeat": keeping.repeat,
    "load": taking.load,
    "time": taking.in_time,
    "durable": keeping.durable,
    "deletion": keeping.deletion,
}
"""By the key of its row; what was slow is counted when most has been asked."""
RESTART_S: Final = 120.0
"""Seconds that a command for a restart may take."""


def preflight(bench: PreflightBench, heard: Callable[[PreflightRow], None] = lambda _: None) -> PreflightReport:
    """Look at every rule; *heard* is told of each row as it ends."""
    rows = dict[str, PreflightRow]()
    for key, probe in PROBES.items():
        finding, blamed = _finding(key, probe, bench)
        rows[key] = _row(key, finding)
        if blamed in rows and rows[blamed].verdict is Verdict.PASS:  # it breaks the rule now and then
            rows[blamed] = _row(
                blamed, PreflightFinding(Verdict.FAIL, f"in {rows[key].title!r}: {finding.detail}")
            )
        heard(rows[key])
    address = bench.client.address
    return PreflightReport(
        address.shown,
        is_private(address.url),
        bench.cycle.number,
        bench.prefix,
        bench.client.timeout_s,
        len(bench.seconds),
        tuple(rows.values()),
    )


def _finding(key: str, probe: Probe, bench: PreflightBench) -> tuple[PreflightFinding, str]:
    """Run a probe, and say whose row kept it from an end, where one did."""
    outcome = call_foreign(lambda: probe(bench))
    if not isinstance(outcome, Raised):
        return outcome, ""
    if not isinstance(outcome.error, Blocked):
        raise outcome.error
    if outcome.error.row == key:
        return PreflightFinding(Verdict.FAIL, str(outcome.error)), ""
    return PreflightFinding(
        Verdict.ERROR, f"not decided, see {outcome.error.row}: {outcome.error}"
    ), outcome.error.row


def _row(key: str, finding: PreflightFinding) -> PreflightRow:
    rule = RULES[key]
    return PreflightRow(
        key,
        rule.title,
        finding.verdict,
        finding.detail,
        rule.text,
        rule.sure,
        rule.then,
        rule.remedy,
        {name: float(value) for name, value in finding.figures.items()},
    )


def restarting(command: str) -> Callable[[], None]:
    """Return what restarts a server by a command, which ends when the server may be asked again.

    Raises:
        ConfigError: Of what is returned: the command cannot be run, fails, or does not end.
    """
    words = shlex.split(command)

    def restart() -> None:
        try:
            done = subprocess.run(  # noqa: S603 - the user's own; pipes would wait for the server that it leaves behind
                words, check=False, timeout=RESTART_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(f"The restart {command!r} cannot be run: {error}.", "Try it in a shell.") from error
        if done.returncode:
            raise ConfigError(f"The restart {command!r} ended with {done.returncode}.", "Try it in a shell.")

    return restart
