"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from memgauge.frame.numbers import COUNT, DURATION, HITS, NUMBER, SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.runs.play.plan import Plan
    from memgauge.runs.record.manifest import Limits
    from memgauge.scoring.score import Settings

RUNS = Path("runs")
"""Where runs go, and are looked for, when nothing else is said."""
Flag = Parameter(negative=(), show_default=False)
Repeatable = Parameter(negative=(), show_default=False)
_NAMED = {"negative": (), "show_default": False}
DatasetRef = Annotated[str, Parameter(name=["--dataset", "-d"])]
DatasetRefs = Annotated[tuple[str, ...], Parameter(name=["--dataset", "-d"], **_NAMED)]
SystemRef = Annotated[str, Parameter(name=["--system", "-s"])]
SystemRefs = Annotated[tuple[str, ...], Parameter(name=["--system", "-s"], **_NAMED)]
MeasureNames = Annotated[tuple[str, ...], Parameter(name=["--measure", "-m"], **_NAMED)]
JudgeNames = Annotated[tuple[str, ...], Parameter(name=["--panel", "-p"], **_NAMED)]

SHARED: Final[Mapping[str, tuple[tuple[str, ...], type]]] = {
    "--dataset": (("-d",), str),
    "--system": (("-s",), str),
    "--measure": (("-m",), str),
    "--panel": (("-p",), str),
    "--contract": ((), str),
    "--model": ((), str),
    "--k": ((), int),
    "--seed": ((), int),
    "--workers": ((), int),
    "--timeout": ((), float),
    "--out": ((), Path),
    "--history": ((), Path),
    "--json": ((), bool),
    "--plain": ((), bool),
    "--tables": ((), bool),
}
"""Of every option that means the same in all commands: its short names, and the type of one value."""


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """What is run, and under which limits."""

    dataset: DatasetRefs
    """Dataset, as `name`, `name:variant` or `name:variant,option=value`; repeat for several."""
    system: SystemRefs
    """Memory system: a name with parameters (`bm25:k1=1.2`), `module:factory`, or a TOML file; repeat."""
    out: Path = RUNS
    """Folder that run folders are made in."""
    seed: Annotated[tuple[int, ...], Repeatable, SEED] = (0,)
    """Seed; repeat for several."""
    k: Annotated[int, HITS] = 60
    """Hits kept per question."""
    budget_tokens: Annotated[int | None, COUNT] = None
    """Tokens kept per question, over whole memories."""
    timeout: Annotated[float, DURATION] = 60.0
    """Seconds that one call may take."""
    retries: Annotated[int, NUMBER] = 2
    """Further tries of a search that raised."""
    attempts: Annotated[int, COUNT] = 1
    """How often a conversation with failed questions is run; the first valid result counts."""
    stream: str = "clean"
    """How the conversation is ordered: `clean`, or one thing changed, such as `question-order:seed=3`."""
    conversations: Annotated[int | None, COUNT] = None
    """Only the first so many conversations."""
    ask: Annotated[bool, Flag] = False
    """Also let systems answer that do so by themselves; `memgauge models answer --answerer self` scores it."""
    no_probes: Annotated[bool, Flag] = False
    """Make no searches beside the record, which show whether answers depend on repetition, order or names."""
    allow_unpinned: Annotated[bool, Flag] = False
    """Accept a dataset file that is not the published one; the run says so for ever."""

    def plan(self) -> Plan:
        """Resolve everything that was named."""
        from memgauge.runs.play.plan import PROBES, plan
        from memgauge.streams import open_stream

        return plan(
            self.dataset,
            self.system,
            seeds=self.seed,
            limits=self.limits(),
            streams=(open_stream(self.stream),),
            conversations=self.conversations,
            allow_unpinned=self.allow_unpinned,
            probes=0 if self.no_probes else PROBES,
        )

    def limits(self) -> Limits:
        """Return the limits, checked."""
        from memgauge.runs.record.manifest import limits

        return limits(
            k=self.k,
            budget_tokens=self.budget_tokens,
            timeout_s=self.timeout,
            retries=self.retries,
            attempts=self.attempts,
            ask=self.ask,
        )


@Parameter(name="*")
@dataclass(frozen=True)
class ScoreOptions:
    """Under which contract runs are scored."""

    measure: MeasureNames = ()
    """Measure such as `Recall@2000tok`, `nDCG@10` or `RecallCurve`; the first one ranks; repeat for several."""
    contract: Annotated[str, Parameter(show_default=False)] = ""
    """What counts, as `key=value,…`: target, credit, evidence, items, failures, witness, unlabelled."""
    k: Annotated[int, HITS] = 60
    """Ranks that are judged; a measure that names a rank looks as far as it says."""

    def settings(self) -> Settings:
        """Return the settings, every name checked."""
        from memgauge.records.contracts import BOARD, Contract
        from memgauge.scoring.score import DEFAULT_MEASURES, Settings

        settings = Settings(Contract.parse(self.contract, BOARD), self.measure or DEFAULT_MEASURES, self.k)
        return Settings(settings.contract, tuple(str(measure) for measure in settings.parsed), self.k)
