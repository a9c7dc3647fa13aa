"""`memgauge try`: one's own memory beside others, and why it failed where it did."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from memgauge.cli.demo import datasets_here, measured
from memgauge.errors import ConfigError, RunError
from memgauge.frame.console import program, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, DURATION
from memgauge.frame.options import DatasetRefs, RunOptions, SystemRefs
from memgauge.frame.output import PLAIN, Format, Output, Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.cli.fitting import Fitting, Wanted
    from memgauge.runs.play.plan import Plan
    from memgauge.runs.play.speed import Speed
    from memgauge.runs.record.conformance import Conformance
    from memgauge.runs.record.manifest import SystemPart
    from memgauge.scoring.leaderboard import Built
    from memgauge.systems.conformance import Check

MOST_TELLING: Final = 10
"""Failures that are printed."""
CHECKING: Final = 0.2
"""The share of the time that checks may take."""
CALL_S: Final = 30.0
"""Seconds that a call may take before it is taken to hang, and a check of a memory that is not slow."""
A_CHECK: Final = (72, 12)
"""Turns that a long check writes, and questions that it asks."""
FIRST_TURNS: Final = 3
"""Turns that are written before anything else: the first one may start what is slow to start."""
FIRST: Final = "answers in time"
"""The name of what is looked at before the checks."""


def try_(
    memory: str,
    /,
    *,
    minutes: Annotated[float, DURATION] = 10,
    out: Path = Path("try"),
    dataset: DatasetRefs = (),
    beside: SystemRefs = (),
    workers: Annotated[int, COUNT] = 2,
    shown: Printing = PLAIN,
) -> int:
    """Check your memory, measure it beside others in a stated time, and print why it failed where it did.

    Prints each check as it ends, and stops where measuring would be pointless. Then it measures how fast your
    memory is, and takes as many whole conversations of what is here as fit. Interrupted, the same command goes on.
    It exits with 1 where a check failed, also where everything was measured.

    Example: memgauge try mymemory:MyMemory --minutes 10

    Parameters
    ----------
    memory
        Yours: `module:factory`, `wire:command=…` in any language, `mcp:./notes.toml`, `http://…`, or a TOML file.
    minutes
        How long all of it may take.
    out
        Folder for the runs and the report.
    dataset
        Measure on this instead of what is here; repeat for several.
    beside
        Measure beside these instead of bm25, hybrid (where weights are here), files, recency, random, oracle and
        installed products.
    workers
        Processes that share the work.
    """
    attempt = MemoryTrial(memory, minutes * 60, out, dataset, beside, workers, shown)
    return attempt.made()


@dataclass(frozen=True)
class MemoryTrial:
    """One memory that is tried."""

    memory: str
    seconds: float
    out: Path
    datasets: tuple[str, ...]
    beside: tuple[str, ...]
    workers: int
    shown: Printing

    def made(self) -> int:
        """Check, choose, measure and tell."""
        from memgauge.cli.checking import line
        from memgauge.cli.fitting import chosen_data, only
        from memgauge.runs.play.conforming import remembered
        from memgauge.systems.conformance.essential import essential

        began = time.monotonic()
        alone = RunOptions(dataset=self.datasets or datasets_here()[0], system=(self.memory,)).plan()
        system = alone.cells[0].manifest.system
        conformance = remembered(system)
        examined: tuple[Check, ...] = ()
        guess: Speed | None = None
        if conformance is None or conformance.failed:
            self._say(f"{self.memory}: checking what it promises")
            first, guess = self._first_call(alone)
            self._say(line(first))
            examined, conformance = self._checked(system, first, guess)
            if end := next((check for check in examined if essential(check)), None):
                return self._stopped(end, examined)
        before = "" if examined else " That was checked before, with this very code (`memgauge systems check`)."
        self._say(f"{conformance.sentence}{before}")
        fit, planned = self._chosen(system, self.seconds - (time.monotonic() - began), guess)
        for sentence in fit.sentences():
            self._say(sentence)
        self._say("")
        planned = only(planned, fit)
        built = self._measured(planned, conformance, system.label)
        data = {"memory": self.memory, "checks": _checks(examined), "chosen": chosen_data(fit)}
        return self._told(built, system.label, {**data, "broken": broken_promises(conformance)})

    def _first_call(self, alone: Plan) -> tuple[Check, Speed | None]:
        """Write some turns and ask one question; say how that ended, and how long it took."""
        from memgauge.cli.fitting import speed
        from memgauge.records import Verdict
        from memgauge.runs.play.speed import speed_of
        from memgauge.systems.conformance import Check
        from memgauge.systems.conformance.check import HUNG

        cell = alone.cells[0]
        case = next(alone.datasets[cell.manifest.dataset.ref].cases())
        patience = min(CALL_S, self.seconds * CHECKING)
        paced = speed_of(cell, case, within_s=patience, turns=FIRST_TURNS, questions=1)
        if paced.late:
            return Check(FIRST, Verdict.ERROR, f"{HUNG} {patience:g} s ({paced.late})"), None
        if paced.speed is None or paced.problem:
            return Check(FIRST, Verdict.PASS, "the call fails, as the checks will say"), None
        return Check(FIRST, Verdict.PASS, speed(paced.speed)), paced.speed

    def _checked(
        self, system: SystemPart, first: Check, guess: Speed | None
    ) -> tuple[tuple[Check, ...], Conformance]:
        """Put the checks to the memory, until one shows that measuring is pointless or their time is over."""
        from memgauge.cli.checking import checked, heading
        from memgauge.records.outcomes import NOT_MADE
        from memgauge.runs.play.conforming import remember
        from memgauge.runs.play.speed import Extent
        from memgauge.runs.record.conformance import Conformance
        from memgauge.systems.conformance.check import SLOW
        from memgauge.systems.conformance.essential import essential

        if essential(first):
            return (first,), Conformance()
        share = self.seconds * CHECKING
        needed = guess.seconds(Extent(*A_CHECK)) if guess else 0.0
        if needed > share:
            why = f"one check would take {needed:.0f} s; `memgauge systems check` takes the time"
            return (first,), Conformance(why=why)
        until = time.monotonic() + share
        examined = checked(
            system,
            tell=self.shown.tell,
            probe_s=max(CALL_S, needed) if share > CALL_S else share,
            going_on=lambda check: essential(check) is None and time.monotonic() < until,
        )
        if not examined.complete or any(check.detail.startswith(SLOW) for check in examined.checks):
            made = [check for check in examined.checks if not check.detail.startswith((SLOW, NOT_MADE))]
            why = f"after {len(made)} checks their share of the time was over"
            return (first, *made), Conformance(why=why)
        self._say(heading(self.memory, examined))
        return (first, *examined.checks), remember(system, examined)

    def _chosen(self, system: SystemPart, seconds: float, guess: Speed | None) -> tuple[Fitting, Plan]:
        """Choose what is measured: what was chosen before, or what fits."""
        from memgauge.cli.fitting import Wanted, before, keep, source_of

        wanted = Wanted(self.memory, source_of(system), self.seconds / 60, self.datasets, self.beside)
        if fit := before(wanted, self.out):
            datasets = [share.dataset for share in fit.shares]
            return fit, RunOptions(dataset=tuple(datasets), system=fit.systems).plan()
        with working("measuring how fast everything is"):
            fit, planned = self._fitted(wanted, seconds, guess)
        keep(wanted, fit, self.out)
        return fit, planned

    def _fitted(self, wanted: Wanted, seconds: float, guess: Speed | None) -> tuple[Fitting, Plan]:
        from memgauge.cli.fitting import SMALLEST, fitting, products_here

        products = () if self.beside else products_here()
        systems = tuple(dict.fromkeys((self.memory, *(self.beside or baselines()), *products)))
        given = self.datasets or datasets_here()[0]
        began = time.monotonic()
        for datasets in (given,) if self.datasets else (given, (SMALLEST,)):
            planned = RunOptions(dataset=datasets, system=systems).plan()
            left = seconds - (time.monotonic() - began)
            try:
                fit = fitting(wanted, planned, products, seconds=left, workers=self.workers, guess=guess)
            except ConfigError as error:
                nothing_fits = error
            else:
                return fit, planned
        raise nothing_fits

    def _measured(self, planned: Plan, conformance: Conformance, label: str) -> list[Built]:
        """Measure what was chosen; what was found of the memory stands in its runs."""
        from memgauge.runs.play.conforming import with_conformance

        cells = tuple(
            replace(cell, manifest=cell.manifest.model_copy(update={"conformance": conformance}))
            if cell.manifest.system.ref == self.memory
            else cell
            for cell in planned.cells
        )
        with working("checking what the others promise"):
            planned = replace(planned, cells=with_conformance(cells))
        title = f"memgauge try {self.memory}"
        quiet = self.shown.as_data
        return measured(planned, self.out, workers=self.workers, title=title, quiet=quiet, tried=label)

    def _stopped(self, end: Check, examined: Sequence[Check]) -> int:
        """Say why nothing is measured."""
        from memgauge.cli.checking import counted
        from memgauge.systems.conformance.essential import essential

        reason = essential(end)
        why, remedy = (reason.why, reason.remedy) if reason else ("", "")
        what = f"{self.memory}: {end.name!r} failed{f': {end.detail}' if end.detail else ''}."
        again = f"{program()} try {typed(self.memory)}"
        stopped = {"check": end.name, "detail": end.detail, "why": why, "remedy": remedy}
        data = {"memory": self.memory, "checks": _checks(examined), "stopped": stopped}
        lines = (
            "",
            what,
            f"Why it matters: {why}",
            f"What to do: {remedy}",
            f"Nothing was measured. Then: {again}",
        )
        counts = counted(self.memory, examined)
        return present(told(data, *lines, checks=counts), self.shown, name="try", code=FAILED)

    def _told(self, built: list[Built], label: str, data: Mapping[str, Any]) -> int:
        """Show the boards, the failures, the report, and what can be done next."""
        from memgauge.cli.failures import failed
        from memgauge.report.board import documents
        from memgauge.report.failures import document
        from memgauge.results import plain
        from memgauge.show import embedded

        unanswered(built, label)
        missed = failed(built, [label], MOST_TELLING)
        boards, report, steps = (
            [each.board for each in built],
            self.out / "report.html",
            next_steps(self.out, label),
        )
        if self.shown.as_data:
            values = {
                "report": str(report),
                "boards": plain(boards),
                "failures": plain(missed),
                "next": list(steps),
            }
            return present(told({**data, **values}), self.shown, code=FAILED if data["broken"] else OK)
        code = FAILED if data["broken"] else OK
        if self.shown.form is Format.TEXT:
            present(documents(boards, tried=label), self.shown)
            self._say("")
            present(document(missed), Output(tables=True))
        else:
            whole = documents(boards, tried=label)  # a file or page can hold no two documents
            whole = replace(whole, blocks=(*whole.blocks, embedded(document(missed), "failures")))
            present(whole, self.shown, name="try", code=code)
        self._say(f"Report:  {report.resolve()}")
        width = max(map(len, steps))
        for command, why in steps.items():
            self._say(f"  {command:<{width}}  {why}")
        return self._ended(data["broken"])

    def _ended(self, broken: Sequence[Mapping[str, str]]) -> int:
        """Say which promises are broken, where some are, and return the exit code that follows."""
        if not broken:
            return OK
        self._say("")
        self._say(f"{self.memory} was measured, and does not conform, which is exit code {FAILED}:")
        for (why, remedy), checks in _by_reason(broken).items():
            for check in checks:
                self._say(f"  {check}")
            self._say(f"Why it matters: {why}")
            self._say(f"What to do: {remedy}")
        return FAILED

    def _say(self, what: str) -> None:
        self.shown.tell(what)


def baselines() -> tuple[str, ...]:
    """Return what a memory is measured beside: hybrid, too, where its weights are here."""
    from memgauge.cli.fitting import BESIDE
    from memgauge.errors import UserError
    from memgauge.retrieval.minilm import find_weights

    try:
        find_weights()
    except UserError:
        return BESIDE
    return (BESIDE[0], "hybrid", *BESIDE[1:])


def unanswered(built: Sequence[Built], label: str) -> None:
    """Refuse to show a board of a memory that answered nothing at all.

    Raises:
        RunError: It did not.
    """
    reasons: dict[str, int] = {}
    for each in built:
        run = next(judged.run for judged in each.judged if judged.run.label == label)
        for outcome, reason in zip(
            run.questions["outcome"].tolist(), run.questions["reason"].tolist(), strict=True
        ):
            if outcome in {"ok", "empty"}:
                return
            reasons[reason] = reasons.get(reason, 0) + 1
    commonest = max(reasons, key=lambda reason: reasons[reason])
    what = f"{label} answered none of {sum(reasons.values())} questions: {commonest}."
    raise RunError(what, f"Try `memgauge systems check {typed(label)}`.")


def next_steps(out: Path, label: str) -> dict[str, str]:
    """Return the commands that go on from here beside those of the board, each with what it is for."""
    runs, me = out / "runs", program()
    return {
        f"{me} failures {typed(runs)} --of {typed(label)} --limit 50": "more of what it missed, and why",
    }


def broken_promises(conformance: Conformance) -> list[dict[str, str]]:
    """Return what a memory was found to break, with why that matters and what to do."""
    from memgauge.systems.conformance.reasons import reason_of

    promises = []
    for text in conformance.broken:
        name, _, detail = text.partition(": ")
        promises.append({"check": name, "detail": detail, **asdict(reason_of(name))})
    return promises


def _by_reason(broken: Sequence[Mapping[str, str]]) -> dict[tuple[str, str], list[str]]:
    """Return the broken checks, each with its detail, below what is to be said of several at once."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for each in broken:
        check = f"{each['check']}: {each['detail']}" if each["detail"] else each["check"]
        grouped.setdefault((each["why"], each["remedy"]), []).append(check)
    return grouped


def _checks(checks: Sequence[Check]) -> list[dict[str, str]]:
    return [{"name": check.name, "verdict": str(check.verdict), "detail": check.detail} for check in checks]
