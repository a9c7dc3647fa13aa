"""`memgauge study targets`: the targets study."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.frame.choosing import finished
from memgauge.frame.console import progress, working
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.numbers import COUNT, HITS
from memgauge.frame.options import RUNS, DatasetRef, Flag, Repeatable, SystemRefs
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.frame.placing import HERE, Placing
from memgauge.studies.targets.semantic.commands import cases, label, support
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from memgauge.studies.targets.lineup import AuditSpec
    from memgauge.studies.targets.study import TargetAudit

app = App("targets", help="TIAP: which scoring target makes which run win, rescored from frozen runs.")

Stores = Annotated[tuple[str, ...], Parameter(name=["--store"], negative=(), show_default=False)]
for _command in (cases, label, support):
    app.command(_command)
_MODELS = ModelOptions()
STORES = ("obs", "summary", "obs+summary", "facts-1", "facts-5", "facts-8")
SYSTEMS = ("bm25:k1=1.2,stem=english,stop=lucene,speaker=true", "tfidf:stem=english,stop=lucene,speaker=true")


@app.command
def extract(
    *,
    model: str,
    dataset: DatasetRef = "locomo",
    limit: Annotated[int, COUNT] = 5,
    out: Path = Path("stores"),
    models: ModelOptions = _MODELS,
    shown: Printing = PLAIN,
) -> int:
    """Let a language model write down what every turn states, as a store file; it sees turns and nothing else.

    Example: memgauge study targets extract --model openai:gpt-4.1-mini -d locomo --plan

    Parameters
    ----------
    model
        `provider:name`; keys come from the environment.
    dataset
        Whose conversations.
    limit
        Facts a turn at most.
    out
        Folder of the file.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.record.files import write_atomically
    from memgauge.studies.targets.extraction import PromptedExtractor, asked_of
    from memgauge.studies.targets.extraction import extract as parse
    from memgauge.studies.targets.stores import store_text

    opened = open_dataset(dataset, allow_unpinned=True)
    access = models.open(model)
    extractor = PromptedExtractor(access, limit)
    if models.plan:
        requests = (
            extractor.request(*turn_parts) for case in opened.cases() for turn_parts in asked_of(case.conversation)
        )
        estimate = models.estimate({access.name: access}, requests)
        return present(estimated(estimate), shown)
    with working("extracting") as update:
        facts, unread = parse(
            opened,
            extractor,
            workers=models.workers,
            on_progress=lambda done, total: update(f"extracting: {done} of {total}"),
        )
    name = f"model-{limit}"
    text = store_text(opened, name, lambda _: facts, **extractor.made, unread=unread)
    path = out / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl"
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    count = sum(map(len, facts.values()))
    data = {"path": str(path), "memories": count, "unread": unread}
    return present(told(data, f"{path}: {count:,} memories; {unread:,} replies could not be read."), shown)


@app.command
def stores(
    *, dataset: DatasetRef = "locomo", store: Stores = STORES, out: Path = Path("stores"), shown: Printing = PLAIN
) -> int:
    """Write stores of derived memories with their lineage, as files that `store=FILE` of a system reads.

    Example: memgauge study targets stores -d locomo --store obs

    Parameters
    ----------
    dataset
        Whose conversations.
    store
        obs, summary, obs+summary (what LoCoMo ships), facts-1, facts-5, facts-8 (parsed by rules); repeat.
    out
        Folder of the files.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.studies.targets.stores import write_store
    from memgauge.systems.storefile import read_store

    opened = open_dataset(dataset, allow_unpinned=True)
    paths = {name: write_store(opened, name, out) for name in store}
    data, lines = {}, []
    for name, path in paths.items():
        store_file = read_store(Path(path))
        count = sum(map(len, store_file.memories.values()))
        data[name] = {"path": path, "sha256": store_file.sha256, "memories": count}
        lines.append(f"{path}: {count:,} memories of {name}, sha256 {store_file.sha256[:12]}")
    return present(told(data, *lines), shown)


@app.command
def run(
    *,
    dataset: DatasetRef = "locomo",
    store: Stores = STORES,
    system: SystemRefs = SYSTEMS,
    out: Path = RUNS,
    k: Annotated[int, HITS] = 60,
    placing: Placing = HERE,
    shown: Printing = PLAIN,
) -> int:
    """Run every system over every store, beside the turns, and freeze what they return.

    Example: memgauge study targets run -d locomo -s bm25 --store obs

    Parameters
    ----------
    dataset
        Whose conversations.
    store
        As `memgauge study targets stores` takes them, or the path of a store file; repeat.
    system
        Any indexed system (bm25, tfidf, dense, hybrid) with parameters; repeat.
    out
        Folder that run folders are made in; store files go to `stores` in it.
    k
        Hits kept per question.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.play.execute import execute
    from memgauge.runs.play.plan import plan
    from memgauge.runs.record.manifest import limits
    from memgauge.studies.targets.stores import write_store

    data = open_dataset(dataset, allow_unpinned=True)
    files = [name if name.endswith(".jsonl") else write_store(data, name, out / "stores") for name in store]
    refs = [_reading(file, *each.partition(":")[::2]) for each in system for file in files]
    run_plan = plan([dataset], refs, limits=limits(k=k), allow_unpinned=True)
    with progress(quiet=shown.as_data) as on_progress:
        folders = execute(run_plan, out, executor=placing.open(), on_progress=on_progress)
    run_folders = list(map(str, folders))
    return present(
        told({"runs": run_folders}, *run_folders, f"Next: memgauge study targets audit {typed(out)}"), shown
    )


def _reading(store: str, name: str, options: str) -> str:
    """Name the system over a store; the store comes first, because the names of folders are cut at their end."""
    return f"{name}:{','.join(filter(None, (f'store={store}', options)))}"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Under which contract the tables are that do not compare it."""

    credit: Literal["anchor", "id", "anchor-cn", "size-matched"] = "anchor"
    """How often an evidence turn earns credit, in the tables that do not compare this."""
    coverage: Literal["any", "all"] = "any"
    """How much of a question's evidence must have a memory of the credited form."""
    ties: Literal["returned", "hash"] = "returned"
    """Whether hits of equal score stay as returned, or are ordered by a hash."""
    evidence: Literal["strict", "repair"] = "strict"
    """How evidence entries are read."""
    anchors: Literal["turn", "session"] = "turn"
    """Whether a question's evidence is a turn, or the session that holds it."""
    k: Annotated[int | None, HITS] = None
    """Hits that are looked at; as many as every run was asked for, and 60 at most, where none is said."""
    target: Annotated[tuple[str, ...], Repeatable] = ()
    """A target of your own beside raw, source and canonical: forms joined by + (`edge+node`), or `rule:NAME`."""
    every_question: Annotated[bool, Flag] = False
    """Also questions without an accepted answer, which the paper's native runs leave out."""

    def spec(self, k: int) -> AuditSpec:
        """Return the contract, every name checked, over the first *k* hits."""
        from memgauge.records import Coverage, Credit, EvidencePolicy, Ties
        from memgauge.studies.targets.lineup import AuditSpec, EvidenceUnit

        return AuditSpec(
            k=k,
            credit=Credit(self.credit),
            coverage=Coverage(self.coverage),
            ties=Ties(self.ties),
            evidence=EvidencePolicy(self.evidence),
            anchors=EvidenceUnit(self.anchors),
            answerable=not self.every_question,
            own=self.target,
        )


_AUDIT = AuditOptions()


@app.command
def audit(
    *runs: Path,
    contract: AuditOptions = _AUDIT,
    output: Output = SHOWN,
) -> int:
    """Score frozen runs again under every target and contract, without any system, key or network.

    Example: memgauge study targets audit runs --out page

    Parameters
    ----------
    runs
        Run folders, or folders of them, on one dataset; `runs` when none is named.
    """
    from memgauge.studies.targets.show import document

    return present(document(_audited(runs or (RUNS,), contract)), output, name="targets")


def _audited(paths: tuple[Path, ...], contract: AuditOptions) -> TargetAudit:
    from memgauge.studies.targets.opening import hits_to_look_at, open_runs
    from memgauge.studies.targets.study import audit as audit_runs

    runs, gold, dataset = open_runs(tuple(finished(paths)))
    spec = contract.spec(hits_to_look_at(runs, contract.k))
    with working(f"auditing {len(runs)} runs"):
        return audit_runs(runs, gold, dataset, spec)
